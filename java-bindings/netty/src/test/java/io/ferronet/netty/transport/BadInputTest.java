package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Errno;
import io.ferronet.api.FerronetException;
import io.netty.channel.Channel;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What users get wrong: each a clear error with the value, the rule and the remedy, and everything else goes on. */
@Timeout(60)
class BadInputTest {
    private static Throwable bind(Loops loops, InetSocketAddress address) throws InterruptedException {
        var future = loops.server(Recorder::new).bind(address).await();
        assertTrue(future.channel().closeFuture().await(5, TimeUnit.SECONDS), "a listener that cannot bind is closed");
        return future.cause();
    }

    private static int errno(Throwable failure) {
        return assertInstanceOf(FerronetException.class, failure.getCause()).errno();
    }

    @OnBothBackends
    void portInUse(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            BindException failure = assertInstanceOf(BindException.class, bind(loops, accepting.address()));
            assertTrue(failure.getMessage().contains("127.0.0.1:" + accepting.address().getPort()), failure.getMessage());
            assertTrue(failure.getMessage().contains("already in use") && failure.getMessage().contains("choose another port"), failure.getMessage());
            assertEquals(Errno.EADDRINUSE.number(), errno(failure));
            accepting.connect().close();
            accepting.next();
        }
    }

    @OnBothBackends
    void addressOfAnotherHost(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            BindException failure = assertInstanceOf(BindException.class, bind(loops, new InetSocketAddress("192.0.2.1", 0)));
            assertTrue(failure.getMessage().contains("192.0.2.1"), failure.getMessage());
            assertEquals(Errno.EADDRNOTAVAIL.number(), errno(failure));
        }
    }

    @OnBothBackends
    void unknownHost(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            Throwable failure = bind(loops, InetSocketAddress.createUnresolved("no-such-host.invalid", 0));
            assertInstanceOf(UnresolvedAddressException.class, failure);
            assertTrue(failure.getMessage().contains("no-such-host.invalid"), failure.getMessage());
        }
    }

    @OnBothBackends
    void privilegedPort(Backend backend) throws Exception {
        Assumptions.assumeFalse("root".equals(System.getProperty("user.name")), "root may bind to every port");
        try (Loops loops = Loops.on(backend)) {
            BindException failure = assertInstanceOf(BindException.class, bind(loops, new InetSocketAddress("127.0.0.1", 1)));
            assertTrue(failure.getMessage().contains("CAP_NET_BIND_SERVICE"), failure.getMessage());
        }
    }

    /** The text of a refused privileged port, also where the tests may bind to it. */
    @Test
    void privilegedPortText() {
        String text = Failures.bind(new InetSocketAddress("127.0.0.1", 80), Errno.EACCES.status()).getMessage();
        assertTrue(text.contains("127.0.0.1:80") && text.contains("CAP_NET_BIND_SERVICE"), text);
    }

    @OnBothBackends
    void addressOfAnotherType(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            Throwable failure = loops.client(new Recorder()).connect(new DomainSocketAddress("/tmp/none")).await().cause();
            assertInstanceOf(UnsupportedAddressTypeException.class, failure);
            assertTrue(failure.getMessage().contains("/tmp/none") && failure.getMessage().contains("InetSocketAddress"), failure.getMessage());
        }
    }

    @OnBothBackends
    void backlogZero(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { },
                    bootstrap -> bootstrap.option(io.netty.channel.ChannelOption.SO_BACKLOG, 0))) {
            accepting.connect().close();
            accepting.next();
        }
    }

    @Test
    void wrongLoopForOurChannel() throws Exception {
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        EventLoopGroup plain = new DefaultEventLoopGroup(1);
        try {
            for (EventLoopGroup group : new EventLoopGroup[] {nio, plain}) {
                FerronetSocketChannel channel = new FerronetSocketChannel();
                IllegalStateException failure = assertInstanceOf(IllegalStateException.class, group.register(channel).await().cause());
                assertTrue(failure.getMessage().contains("incompatible event loop"), failure.getMessage());
                channel.unsafe().closeForcibly();
            }
        } finally {
            nio.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            plain.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    @OnBothBackends
    void foreignChannelAndHandleOnOurLoop(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            NioSocketChannel channel = new NioSocketChannel();
            assertInstanceOf(IllegalStateException.class, loops.group().register(channel).await().cause());
            channel.unsafe().closeForcibly();
            IoHandle foreign = new IoHandle() {
                @Override
                public void handle(IoRegistration registration, IoEvent event) {
                    throw new AssertionError("no event can come");
                }

                @Override
                public void close() {
                    throw new AssertionError("never registered");
                }
            };
            Throwable failure = ((IoEventLoop) loops.group().next()).register(foreign).await().cause();
            assertInstanceOf(IllegalArgumentException.class, failure);
            assertTrue(failure.getMessage().contains("FerronetIoHandle"), failure.getMessage());
        }
    }

    /** A descriptor that does not exist, handed in by a handle of somebody else's. */
    @OnBothBackends
    void badDescriptor(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            FerronetIoHandle handle = new FerronetIoHandle() {
                @Override
                public int descriptor() {
                    return -1;
                }

                @Override
                public void handle(IoRegistration registration, IoEvent event) {
                    throw new AssertionError("no event can come");
                }

                @Override
                public void close() {
                    throw new AssertionError("never registered");
                }
            };
            Throwable failure = ((IoEventLoop) loops.group().next()).register(handle).await().cause();
            assertTrue(assertInstanceOf(FerronetException.class, failure).getMessage().contains("-1"), failure.getMessage());
        }
    }

    @OnBothBackends
    void registerAfterShutdown(Backend backend) {
        Loops loops = Loops.on(backend);
        loops.close();
        FerronetSocketChannel channel = new FerronetSocketChannel();
        assertFalse(loops.group().register(channel).awaitUninterruptibly().isSuccess());
        assertFalse(channel.isOpen());
    }

    @OnBothBackends
    void closedChannel(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            Channel client = loops.client(new Recorder()).connect(accepting.address()).sync().channel();
            client.close().sync();
            assertInstanceOf(ClosedChannelException.class, client.writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER).await().cause());
            assertInstanceOf(ClosedChannelException.class, client.connect(accepting.address()).await().cause());
            client.close().sync();
        }
    }

    @Test
    void configuration() {
        FerronetIoHandlerConfig.Builder config = FerronetIoHandlerConfig.builder();
        IllegalArgumentException failure = assertThrows(IllegalArgumentException.class, () -> config.submissionCapacity(100));
        assertEquals("submissionCapacity: 100 (expected: a power of two from 16 to 65536)", failure.getMessage());
        assertThrows(IllegalArgumentException.class, () -> config.completionCapacity(8));
        assertThrows(IllegalArgumentException.class, () -> config.ringEntries(0));
        assertThrows(IllegalArgumentException.class, () -> config.lentBuffers(3));
        assertThrows(IllegalArgumentException.class, () -> config.lentBufferSize(1));
        assertThrows(IllegalArgumentException.class, () -> config.copyThreshold(-1));
        assertThrows(NullPointerException.class, () -> config.backend(null));
    }
}
