package io.ferronet.conformance;

import io.netty.channel.IoHandlerFactory;

class IoHandlerEventCountTest extends io.netty.channel.AbstractIoHandlerEventCountTest {
    @Override
    protected IoHandlerFactory newIoHandlerFactory() {
        return Transport.underTest().handlers();
    }
}
