package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import java.util.List;

class SocketChannelNotYetConnectedTest extends io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.clientSocket();
    }
}
