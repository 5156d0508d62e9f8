package io.ferronet.conformance;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

class SocketAddressesTest extends io.netty.testsuite.transport.socket.SocketAddressesTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.socket();
    }

    @Override
    protected void assertAddress(SocketAddress address) {
        InetSocketAddress inet = (InetSocketAddress) address;
        assertTrue(inet.getPort() > 0, () -> "port of " + inet);
        assertNotNull(inet.getAddress());
    }
}
