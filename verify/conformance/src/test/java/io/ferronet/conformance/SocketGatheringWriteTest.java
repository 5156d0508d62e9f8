package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import java.util.List;

class SocketGatheringWriteTest extends io.netty.testsuite.transport.socket.SocketGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.socket();
    }
}
