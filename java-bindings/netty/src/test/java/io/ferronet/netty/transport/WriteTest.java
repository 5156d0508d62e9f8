package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What writes take, how long they keep buffers, and when promises move. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class WriteTest {
    private static final int LARGE = 64 * 1024 * 1024;

    private static Loops.Accepting accept(Loops loops) throws InterruptedException {
        return new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new Recorder()));
    }

    /** A full socket: the buffer is kept while the operation is in flight, also when the channel is closed, and freed afterwards. */
    @OnBothBackends
    void bufferIsKeptUntilTheFinalCompletion(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ByteBuf buffer = Unpooled.directBuffer(LARGE, LARGE).writeZero(LARGE);
            ChannelFuture write = channel.writeAndFlush(buffer);
            EchoTest.pause(100);
            assertFalse(write.isDone());
            assertEquals(1, buffer.refCnt());
            int[] references = new int[1];
            ChannelFuture close = channel.newPromise();
            Loops.run(channel, () -> {
                channel.close((io.netty.channel.ChannelPromise) close);
                references[0] = buffer.refCnt();
            });
            assertTrue(references[0] > 0, "freed while the kernel may read it");
            close.sync();
            assertInstanceOf(IOException.class, write.await().cause());
            for (int i = 0; i < 100 && buffer.refCnt() > 0; i++) {
                EchoTest.pause(10);
            }
            assertEquals(0, buffer.refCnt());
            socket.getInputStream().skipNBytes(1);
        }
    }

    /** A heap buffer that was released too early: the write fails, and the copy that was begun is freed. */
    @OnBothBackends
    void releasedBufferFailsTheWrite(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ByteBuf buffer = Unpooled.buffer(1000).writeZero(1000);
            buffer.release();
            assertInstanceOf(IllegalReferenceCountException.class, channel.writeAndFlush(buffer).await().cause());
            channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {5})).sync();
            assertEquals(5, socket.getInputStream().read());
        }
    }

    /** One flush of a 128 KiB response is one completion. */
    @OnBothBackends
    void oneCompletionForALargeResponse(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            int rounds = 50;
            byte[] head = new byte[75];
            byte[] body = new byte[128 * 1024];
            EchoTest.pause(50);
            long before = FerronetIoHandler.loops().get(0).completions();
            for (int i = 0; i < rounds; i++) {
                Loops.run(channel, () -> {
                    channel.write(Unpooled.directBuffer().writeBytes(head));
                    channel.writeAndFlush(Unpooled.directBuffer().writeBytes(body));
                });
                assertEquals(head.length + body.length, socket.getInputStream().readNBytes(head.length + body.length).length);
            }
            EchoTest.pause(50);
            assertEquals(rounds, FerronetIoHandler.loops().get(0).completions() - before);
        }
    }

    /** Promises and writability move on while a large message is sent. */
    @OnBothBackends
    void progressWithASlowReader(Backend backend) throws Exception {
        AtomicInteger changes = new AtomicInteger();
        Recorder recorder = new Recorder() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                changes.incrementAndGet();
            }
        };
        try (Loops loops = Loops.on(backend);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder));
                Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(100_000, 200_000));
            int count = 200;
            int size = 100_000;
            AtomicInteger done = new AtomicInteger();
            Loops.run(channel, () -> {
                for (int i = 0; i < count; i++) {
                    channel.write(Unpooled.directBuffer(size).writeZero(size)).addListener(future -> done.incrementAndGet());
                }
                channel.flush();
            });
            assertFalse(channel.isWritable());
            assertTrue(done.get() < count, "a full socket cannot have taken all");
            assertEquals((long) count * size, drain(socket, (long) count * size));
            for (int i = 0; i < 500 && (done.get() < count || !channel.isWritable() || changes.get() < 2); i++) {
                EchoTest.pause(10);
            }
            assertEquals(count, done.get());
            assertTrue(channel.isWritable());
            assertTrue(changes.get() >= 2);
        }
    }

    private static long drain(Socket socket, long bytes) throws IOException {
        byte[] chunk = new byte[65_536];
        long read = 0;
        while (read < bytes) {
            int length = socket.getInputStream().read(chunk, 0, (int) Math.min(chunk.length, bytes - read));
            if (length < 0) {
                return read;
            }
            read += length;
        }
        return read;
    }

    @OnBothBackends
    void fileRegionsAreByteExact(Backend backend, @TempDir Path directory) throws Exception {
        byte[] content = new byte[1_500_000];
        new Random(1).nextBytes(content);
        Path file = Files.write(directory.resolve("content"), content);
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            int[][] ranges = {{0, content.length}, {1, 1}, {70_000, 300_000}, {content.length - 1, 1}, {10, 0}};
            for (int[] range : ranges) {
                channel.write(Unpooled.wrappedBuffer(new byte[] {42}));
                ChannelFuture future = channel.writeAndFlush(new DefaultFileRegion(file.toFile(), range[0], range[1]));
                assertEquals(42, socket.getInputStream().read());
                assertArrayEquals(java.util.Arrays.copyOfRange(content, range[0], range[0] + range[1]), socket.getInputStream().readNBytes(range[1]));
                future.sync();
            }
        }
    }

    @OnBothBackends
    void shortFileFails(Backend backend, @TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("short"), new byte[100]);
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ChannelFuture future = channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 1000));
            assertInstanceOf(IOException.class, future.await().cause());
            channel.closeFuture().sync();
            assertEquals(100, drain(socket, 1000));
        }
    }

    @OnBothBackends
    void unsupportedMessageFailsAlone(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            Throwable cause = channel.writeAndFlush("text").await().cause();
            assertInstanceOf(UnsupportedOperationException.class, cause);
            assertTrue(cause.getMessage().contains("String (expected: ByteBuf, FileRegion)"), cause.getMessage());
            assertNull(channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).await().cause());
            assertEquals(1, socket.getInputStream().read());
        }
    }

    /** A writer that meets a reset connection hears of it. */
    @OnBothBackends
    void writeToAResetConnectionFails(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops)) {
            Socket socket = accepting.connect();
            SocketChannel channel = accepting.next();
            ChannelFuture write = channel.writeAndFlush(Unpooled.directBuffer(LARGE, LARGE).writeZero(LARGE));
            EchoTest.pause(50);
            socket.setSoLinger(true, 0);
            socket.close();
            assertInstanceOf(IOException.class, write.await().cause());
            channel.closeFuture().sync();
        }
    }
}
