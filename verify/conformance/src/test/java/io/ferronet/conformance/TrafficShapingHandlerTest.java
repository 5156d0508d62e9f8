package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import java.util.List;

class TrafficShapingHandlerTest extends io.netty.testsuite.transport.socket.TrafficShapingHandlerTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.socketWithoutFastOpen();
    }
}
