package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import java.util.List;

class WriteBeforeRegisteredTest extends io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.clientSocket();
    }
}
