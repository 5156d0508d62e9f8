package io.ferronet.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import java.io.IOException;
import java.util.List;

class SocketRstTest extends io.netty.testsuite.transport.socket.SocketRstTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.socket();
    }

    @Override
    protected void assertRstOnCloseException(IOException cause, Channel clientChannel) {
        assertTrue(cause.getMessage().contains("reset"), () -> "message: " + cause.getMessage());
    }
}
