package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Errno;
import io.ferronet.api.FerronetException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.resolver.NoopAddressResolverGroup;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connecting, in every way that it can end. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class ConnectTest {
    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static FerronetException status(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FerronetException ferronet) {
                return ferronet;
            }
        }
        throw new AssertionError("no status in " + failure, failure);
    }

    @OnBothBackends
    void refusedConnectFails(Backend backend) throws Exception {
        int port = closedPort();
        for (boolean halfClosure : new boolean[] {false, true}) {
            try (Loops loops = Loops.on(backend)) {
                ChannelFuture connect = loops.client(new Recorder()).option(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure)
                    .connect("127.0.0.1", port).await();
                ConnectException failure = assertInstanceOf(ConnectException.class, connect.cause());
                assertTrue(failure.getMessage().contains("127.0.0.1:" + port), failure.getMessage());
                assertTrue(failure.getMessage().contains("refused"), failure.getMessage());
                assertEquals(Errno.ECONNREFUSED.number(), status(failure).errno());
                connect.channel().closeFuture().sync();
                assertFalse(connect.channel().isOpen());
            }
        }
    }

    @OnBothBackends
    void addressesAreKnownAndTheHostNameIsKept(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            Channel client = loops.client(new Recorder()).connect("localhost", accepting.address().getPort()).sync().channel();
            Channel child = accepting.next();
            InetSocketAddress remote = (InetSocketAddress) client.remoteAddress();
            assertEquals("localhost", remote.getHostString());
            assertEquals(accepting.address().getPort(), remote.getPort());
            assertEquals(((InetSocketAddress) client.localAddress()).getPort(), ((InetSocketAddress) child.remoteAddress()).getPort());
            client.close().sync();
            assertEquals(remote, client.remoteAddress());
        }
    }

    /** The scope of a link-local address reaches the system, and stays with the channel's addresses. */
    @OnBothBackends
    void linkLocalAddressesKeepTheirScope(Backend backend) throws Exception {
        Inet6Address own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
            .filter(address -> address instanceof Inet6Address && address.isLinkLocalAddress()).map(Inet6Address.class::cast).findAny().orElse(null);
        Assumptions.assumeTrue(own != null, "this machine has no link-local IPv6 address");
        try (Loops loops = Loops.on(backend)) {
            Channel server = loops.server(EchoTest.Echo::new).bind(new InetSocketAddress(own, 0)).sync().channel();
            Recorder recorder = new Recorder();
            Channel client = loops.client(recorder).connect(server.localAddress()).sync().channel();
            for (SocketAddress address : new SocketAddress[] {server.localAddress(), client.remoteAddress(), client.localAddress()}) {
                assertEquals(own.getScopeId(), ((Inet6Address) ((InetSocketAddress) address).getAddress()).getScopeId(), address::toString);
            }
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100]));
            recorder.awaitBytes(100);
            Inet6Address wrong = Inet6Address.getByAddress(null, own.getAddress(), own.getScopeId() + 1000);
            assertNotNull(loops.client(new Recorder()).connect(new InetSocketAddress(wrong, ((InetSocketAddress) server.localAddress()).getPort()))
                .await().cause());
        }
    }

    @OnBothBackends
    void localAddressCanBeChosen(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            InetSocketAddress local = new InetSocketAddress("127.0.0.2", 0);
            Channel client = loops.client(new Recorder()).connect(accepting.address(), local).sync().channel();
            assertEquals(local.getAddress(), ((InetSocketAddress) client.localAddress()).getAddress());
            assertEquals(client.localAddress(), accepting.next().remoteAddress());
        }
    }

    private static Bootstrap ipv4Client(Loops loops) {
        return new Bootstrap().group(loops.group()).channelFactory(() -> new FerronetSocketChannel(SocketProtocolFamily.INET))
            .handler(new Recorder());
    }

    @OnBothBackends
    void ipv6AndBothFamilies(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            Channel server = loops.server(Recorder::new).bind(new InetSocketAddress("::", 0)).sync().channel();
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            for (String host : List.of("::1", "127.0.0.1")) {
                Channel client = loops.client(new Recorder()).connect(new InetSocketAddress(host, port)).sync().channel();
                assertEquals(InetAddress.getByName(host), ((InetSocketAddress) client.remoteAddress()).getAddress());
            }
            Channel ipv4 = ipv4Client(loops).connect(new InetSocketAddress("127.0.0.1", port)).sync().channel();
            assertFalse(((InetSocketAddress) ipv4.localAddress()).getAddress() instanceof Inet6Address);
            ChannelFuture wrong = ipv4Client(loops).connect(new InetSocketAddress("::1", port)).await();
            assertInstanceOf(IOException.class, wrong.cause());
        }
    }

    /** An address that swallows connection attempts: a listener whose queue is full. */
    private static final class BlackHole implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> queue = new ArrayList<>();

        BlackHole() throws IOException {
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket();
                queue.add(socket);
                try {
                    socket.connect(listener.getLocalSocketAddress(), 100);
                } catch (java.net.SocketTimeoutException e) {
                    break;
                }
            }
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : queue) {
                socket.close();
            }
            listener.close();
        }
    }

    @OnBothBackends
    void timeout(Backend backend) throws Exception {
        try (BlackHole hole = new BlackHole(); Loops loops = Loops.on(backend)) {
            ChannelFuture connect = loops.client(new Recorder()).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 100).connect(hole.address()).await();
            ConnectTimeoutException failure = assertInstanceOf(ConnectTimeoutException.class, connect.cause());
            assertTrue(failure.getMessage().contains(hole.address().toString()), failure.getMessage());
            connect.channel().closeFuture().sync();
        }
    }

    @OnBothBackends
    void cancelCloses(Backend backend) throws Exception {
        try (BlackHole hole = new BlackHole(); Loops loops = Loops.on(backend)) {
            ChannelFuture connect = loops.client(new Recorder()).connect(hole.address());
            EchoTest.pause(50);
            assertTrue(connect.cancel(true));
            connect.channel().closeFuture().sync();
            assertFalse(connect.channel().isOpen());
        }
    }

    /** Shutdown with pending connects ends in time. */
    @OnBothBackends
    void shutdownWithPendingConnects(Backend backend) throws Exception {
        try (BlackHole hole = new BlackHole()) {
            for (int i = 0; i < 10; i++) {
                Loops loops = Loops.on(backend);
                List<ChannelFuture> connects = new ArrayList<>();
                for (int j = 0; j < 5; j++) {
                    connects.add(loops.client(new Recorder()).connect(hole.address()));
                }
                EchoTest.pause(10);
                long start = System.nanoTime();
                loops.group().shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
                long took = System.nanoTime() - start;
                assertTrue(took < 1_500_000_000L, took + " ns");
                for (ChannelFuture connect : connects) {
                    assertTrue(connect.await(5, TimeUnit.SECONDS));
                    assertFalse(connect.isSuccess());
                }
            }
        }
    }

    @OnBothBackends
    void unresolvedAddress(Backend backend) throws Exception {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("no-such-host.invalid", 80);
        try (Loops loops = Loops.on(backend)) {
            Throwable direct = loops.client(new Recorder()).resolver(NoopAddressResolverGroup.INSTANCE).connect(unresolved).await().cause();
            assertInstanceOf(UnresolvedAddressException.class, direct);
            assertTrue(direct.getMessage().contains("no-such-host.invalid"), direct.getMessage());
            Throwable resolved = loops.client(new Recorder()).connect(unresolved).await().cause();
            assertInstanceOf(UnknownHostException.class, resolved);
        }
    }

    /** Descriptors come back and are used again, without a foreign byte. */
    @OnBothBackends
    void manyShortConnections(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()))) {
            for (int i = 0; i < 1000; i++) {
                Recorder recorder = new Recorder();
                Channel client = loops.client(recorder).connect(accepting.address()).sync().channel();
                byte[] content = {(byte) i, (byte) (i >> 8)};
                client.writeAndFlush(Unpooled.wrappedBuffer(content));
                recorder.awaitBytes(2);
                org.junit.jupiter.api.Assertions.assertArrayEquals(content, recorder.bytes());
                client.close();
            }
        }
    }

    /** A connect that cannot start leaves nothing behind. */
    @OnBothBackends
    void connectWithoutLoop(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            Channel channel = loops.client(new Recorder()).register().sync().channel();
            channel.deregister().sync();
            assertInstanceOf(IllegalStateException.class, channel.connect(accepting.address()).await().cause());
            loops.group().register(channel).sync();
            channel.connect(accepting.address()).sync();
            assertTrue(channel.isActive());
            channel.close().sync();
        }
    }
}
