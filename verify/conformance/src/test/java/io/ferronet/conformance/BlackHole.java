package io.ferronet.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A loopback address that swallows connection attempts: a listener that never accepts and whose queue is full.
 * Networks that accept or refuse every address offer no other one.
 */
final class BlackHole {
    private static final List<AutoCloseable> KEPT_OPEN = new ArrayList<>();

    private BlackHole() {
    }

    /** Opens it and names it in the properties that the suite reads. Call it before the suite's permutation class loads. */
    static void open() {
        try {
            ServerSocketChannel listener = ServerSocketChannel.open();
            KEPT_OPEN.add(listener);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
            InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
            // The kernel queues one connection more than the backlog; the attempts beyond stay unanswered.
            for (int i = 0; i < 4; i++) {
                SocketChannel filler = SocketChannel.open();
                KEPT_OPEN.add(filler);
                filler.configureBlocking(false);
                filler.connect(address);
            }
            System.setProperty("io.netty.testsuite.badHost", address.getAddress().getHostAddress());
            System.setProperty("io.netty.testsuite.badPort", Integer.toString(address.getPort()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
