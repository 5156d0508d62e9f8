package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Errno;
import io.ferronet.api.FerronetException;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Both ends of a connection, closed one by one, together, and by force. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class HalfCloseTest {
    private static final String INPUT_SHUTDOWN = ChannelInputShutdownEvent.INSTANCE.toString();
    private static final String ALL_READ = ChannelInputShutdownReadComplete.INSTANCE.toString();
    private static final String OUTPUT_SHUTDOWN = ChannelOutputShutdownEvent.INSTANCE.toString();

    private static Loops.Accepting accept(Loops loops, Recorder recorder, boolean halfClosure) throws InterruptedException {
        return new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder),
            bootstrap -> bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure));
    }

    @OnBothBackends
    void peerEndsItsSide(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, true); Socket socket = accepting.connect()) {
            EchoTest.write(socket, new byte[] {1, 2, 3});
            socket.shutdownOutput();
            SocketChannel channel = accepting.next();
            recorder.awaitEvent(ALL_READ);
            List<String> events = recorder.events();
            assertEquals(1, recorder.count(INPUT_SHUTDOWN), events::toString);
            assertEquals(1, recorder.count(ALL_READ), events::toString);
            assertTrue(events.indexOf("read(3)") < events.indexOf(INPUT_SHUTDOWN), events::toString);
            assertTrue(channel.isInputShutdown());
            assertTrue(channel.isActive());
            channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {9})).sync();
            assertEquals(9, socket.getInputStream().read());
        }
    }

    /** A half-closed channel costs nothing while it waits. */
    @OnBothBackends
    void halfClosedChannelDoesNotSpin(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, true); Socket socket = accepting.connect()) {
            socket.shutdownOutput();
            SocketChannel channel = accepting.next();
            recorder.awaitEvent(ALL_READ);
            var threads = ManagementFactory.getThreadMXBean();
            long[] id = new long[1];
            Loops.run(channel, () -> id[0] = Thread.currentThread().threadId());
            long before = threads.getThreadCpuTime(id[0]);
            EchoTest.pause(300);
            long used = threads.getThreadCpuTime(id[0]) - before;
            assertTrue(used < 30_000_000, used + " ns of CPU in 300 ms");
            assertEquals(1, recorder.count(INPUT_SHUTDOWN));
        }
    }

    @OnBothBackends
    void peerEndsItsSideWithoutHalfClosure(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, false); Socket socket = accepting.connect()) {
            EchoTest.write(socket, new byte[] {1, 2, 3});
            socket.shutdownOutput();
            recorder.awaitEvent("inactive");
            assertEquals(3, recorder.received());
            assertEquals(0, recorder.count(INPUT_SHUTDOWN));
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @OnBothBackends
    void ownSideEndsAfterWhatWasFlushed(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        byte[] content = new byte[100_000];
        java.util.Arrays.fill(content, (byte) 5);
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, true); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ChannelFuture[] futures = new ChannelFuture[3];
            Loops.run(channel, () -> {
                futures[0] = channel.writeAndFlush(Unpooled.wrappedBuffer(content));
                futures[1] = channel.write(Unpooled.wrappedBuffer(new byte[1]));
                futures[2] = channel.shutdownOutput();
            });
            futures[2].sync();
            futures[0].sync();
            assertInstanceOf(ChannelOutputShutdownException.class, futures[1].await().cause());
            assertArrayEquals(content, socket.getInputStream().readAllBytes());
            assertTrue(channel.isOutputShutdown());
            recorder.awaitEvent(OUTPUT_SHUTDOWN);
            EchoTest.write(socket, new byte[] {4});
            recorder.awaitBytes(1);
            assertTrue(channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).await().cause() instanceof IOException);
        }
    }

    /** The own side ends although the peer does not read: the writes fail, the other direction goes on. */
    @OnBothBackends
    void ownSideEndsWhileThePeerDoesNotRead(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, true); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ChannelFuture write = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[30_000_000]));
            EchoTest.pause(100);
            channel.shutdownOutput().sync();
            assertInstanceOf(ChannelOutputShutdownException.class, write.await().cause());
            while (socket.getInputStream().read(new byte[100_000]) >= 0) {
                Thread.onSpinWait();
            }
            EchoTest.write(socket, new byte[] {4});
            recorder.awaitBytes(1);
            assertTrue(channel.isActive());
        }
    }

    /** After a close that waits for a send, the descriptor's number may already be another socket's. */
    @OnBothBackends
    void closingChannelDoesNotTouchItsDescriptor(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, new Recorder(), true); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            Throwable[] option = new Throwable[1];
            ChannelFuture[] futures = new ChannelFuture[3];
            Loops.run(channel, () -> {
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]));
                channel.close();
                FerronetSocketChannel next = new FerronetSocketChannel();
                try {
                    channel.config().setSoLinger(7);
                } catch (RuntimeException e) {
                    option[0] = e.getCause();
                }
                futures[0] = channel.shutdownOutput();
                futures[1] = channel.shutdownInput();
                futures[2] = channel.bind(Loops.ANY_PORT);
                assertEquals(-1, next.config().getSoLinger());
                assertEquals(0, next.localAddress() == null ? 0 : next.localAddress().getPort());
                next.unsafe().closeForcibly();
            });
            assertInstanceOf(ClosedChannelException.class, option[0]);
            for (ChannelFuture future : futures) {
                assertFalse(future.await().isSuccess());
            }
            assertEquals(1, socket.getInputStream().readAllBytes().length);
        }
    }

    /** close() right after a flush: what the kernel takes at once arrives, and its promise succeeds. */
    @OnBothBackends
    void closeAfterFlushLosesNothing(Backend backend) throws Exception {
        byte[] content = new byte[100_000];
        java.util.Arrays.fill(content, (byte) 6);
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, new Recorder(), false); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ChannelFuture[] futures = new ChannelFuture[2];
            Loops.run(channel, () -> {
                futures[0] = channel.writeAndFlush(Unpooled.wrappedBuffer(content));
                futures[1] = channel.close();
            });
            futures[1].sync();
            futures[0].sync();
            assertArrayEquals(content, socket.getInputStream().readAllBytes());
            assertFalse(channel.isOpen());
        }
    }

    /** The descriptor's close is on its way when close() returns, even if the loop is blocked right after. */
    @OnBothBackends
    void closeIsOnItsWayWhenItReturns(Backend backend) throws Exception {
        for (boolean writes : new boolean[] {false, true}) {
            try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, new Recorder(), false); Socket socket = accepting.connect()) {
                SocketChannel channel = accepting.next();
                int[] read = new int[2];
                Loops.run(channel, () -> {
                    if (writes) {
                        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7}));
                    }
                    channel.close();
                    try {
                        read[0] = writes ? socket.getInputStream().read() : 7;
                        read[1] = socket.getInputStream().read();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
                assertArrayEquals(new int[] {7, -1}, read);
            }
        }
    }

    @OnBothBackends
    void resetIsAnExceptionThenInactive(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, false)) {
            Socket socket = accepting.connect();
            accepting.next();
            recorder.awaitEvent("active");
            socket.setSoLinger(true, 0);
            socket.close();
            recorder.awaitEvent("inactive");
            FerronetException failure = assertInstanceOf(FerronetException.class, recorder.failure());
            assertEquals(Errno.ECONNRESET.number(), failure.errno());
            List<String> events = recorder.events();
            assertTrue(events.indexOf("FerronetException") < events.indexOf("inactive"), events::toString);
        }
    }

    /** SO_LINGER 0 resets; a plain close ends the stream. */
    @OnBothBackends
    void lingerZeroResets(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { });
                Socket socket = accepting.connect(); Socket plain = accepting.connect()) {
            SocketChannel channel = accepting.next();
            channel.config().setSoLinger(0);
            channel.close().sync();
            SocketException failure = org.junit.jupiter.api.Assertions.assertThrows(SocketException.class, () -> socket.getInputStream().read());
            assertTrue(failure.getMessage().contains("reset"), failure::getMessage);
            accepting.next().close().sync();
            assertEquals(-1, plain.getInputStream().read());
        }
    }

    /** A close that lingers on a full socket blocks another thread, not the loop. */
    @OnBothBackends
    void lingeringCloseDoesNotBlockTheLoop(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, new Recorder(), false); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            channel.config().setSoLinger(2);
            channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[32 * 1024 * 1024]));
            EchoTest.pause(100);
            long start = System.nanoTime();
            ChannelFuture close = channel.close();
            for (int i = 0; i < 10; i++) {
                long submitted = System.nanoTime();
                loops.group().next().submit(() -> { }).sync();
                long late = System.nanoTime() - submitted;
                assertTrue(late < 500_000_000, late + " ns");
            }
            assertFalse(close.isDone());
            close.sync();
            long took = System.nanoTime() - start;
            assertTrue(took > 1_000_000_000, "the close lingered " + took + " ns");
            socket.getInputStream().skipNBytes(1000);
        }
    }

    /** A loop that ends while a close lingers: what was not sent is freed, and its promise fails. */
    @OnBothBackends
    void loopEndsWhileACloseLingers(Backend backend) throws Exception {
        ChannelFuture[] futures = new ChannelFuture[3];
        try (Socket socket = new Socket()) {
            try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, new Recorder(), false)) {
                socket.connect(accepting.address());
                SocketChannel channel = accepting.next();
                channel.config().setSoLinger(1);
                futures[0] = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[32 * 1024 * 1024]));
                futures[1] = channel.write(Unpooled.wrappedBuffer(new byte[1]));
                EchoTest.pause(100);
                futures[2] = channel.close();
            }
            assertTrue(futures[2].await(10, TimeUnit.SECONDS), "the close waits for ever");
        }
        assertInstanceOf(ClosedChannelException.class, futures[0].cause());
        assertInstanceOf(ClosedChannelException.class, futures[1].cause());
    }

    /** The output is shut down as soon as that is asked for: a cancellation afterwards comes too late. */
    @OnBothBackends
    void waitingOutputShutdownCannotBeCancelled(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, true); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ChannelFuture write = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[30_000_000]));
            EchoTest.pause(100);
            boolean[] cancelled = new boolean[1];
            Loops.run(channel, () -> cancelled[0] = channel.shutdownOutput().cancel(false));
            assertTrue(write.await(5, TimeUnit.SECONDS), "the write waits for ever");
            assertInstanceOf(ChannelOutputShutdownException.class, write.cause());
            assertFalse(cancelled[0]);
            socket.getInputStream().skipNBytes(1000);
        }
    }

    /** Closing in channelRead: nothing is delivered afterwards. */
    @OnBothBackends
    void closeInChannelReadStopsReading(Backend backend) throws Exception {
        Recorder recorder = new Recorder() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
                super.channelRead(context, message);
                context.close();
            }
        };
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder, false); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            recorder.awaitEvent("active");
            Loops.run(channel, () -> {
                for (int i = 0; i < 10; i++) {
                    EchoTest.write(socket, new byte[10_000]);
                    EchoTest.pause(5);
                }
            });
            recorder.awaitEvent("inactive");
            assertEquals(1, recorder.events().stream().filter(event -> event.startsWith("read(")).count(), () -> recorder.events().toString());
            assertNull(recorder.failure());
        }
    }
}
