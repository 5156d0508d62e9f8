package io.ferronet.conformance;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import java.util.List;

class ServerSocketSuspendTest extends io.netty.testsuite.transport.socket.ServerSocketSuspendTest {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.serverSocket();
    }
}
