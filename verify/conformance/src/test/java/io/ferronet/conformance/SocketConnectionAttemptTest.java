package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import java.util.List;

class SocketConnectionAttemptTest extends io.netty.testsuite.transport.socket.SocketConnectionAttemptTest {
    static {
        BlackHole.open();
    }

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return TransportPermutation.INSTANCE.clientSocket();
    }
}
