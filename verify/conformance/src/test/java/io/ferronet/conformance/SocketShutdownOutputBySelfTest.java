package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import java.util.List;

class SocketShutdownOutputBySelfTest extends io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.clientSocket();
    }
}
