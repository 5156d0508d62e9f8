package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What went wrong in other transports of Netty and has no place in the tests of one subject; {@code verify/conformance/bugs.txt} lists all of it. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class HistoryTest {
    private static final int IDLE = 300;

    private static long descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    /** Threads that the kernel started for blocking operations of this process. */
    private static long kernelWorkers() throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.filter(task -> {
                try {
                    return Files.readString(task.resolve("comm")).startsWith("iou-wrk");
                } catch (IOException e) {
                    return false; // The thread has ended.
                }
            }).count();
        }
    }

    private static void assertDescriptors(long before) throws IOException {
        for (int i = 0; i < 100 && descriptors() > before; i++) {
            EchoTest.pause(20);
        }
        assertTrue(descriptors() <= before, () -> "more than " + before + " descriptors");
    }

    /** shutdownOutput, a write and close from three threads: the close ends, and every promise with it. */
    @OnBothBackends
    void closeEndsWhenShutdownOutputRacesAWrite(Backend backend) throws Exception {
        long before = descriptors();
        try (Loops loops = Loops.on(backend, 2); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { },
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true))) {
            for (int i = 0; i < 100; i++) {
                try (Socket socket = accepting.connect()) {
                    SocketChannel channel = accepting.next();
                    ChannelFuture[] futures = new ChannelFuture[2];
                    Thread writer = new Thread(() -> futures[0] = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[1_000_000])));
                    Thread ender = new Thread(() -> futures[1] = channel.shutdownOutput());
                    writer.start();
                    ender.start();
                    if (i % 2 == 0) {
                        writer.join();
                        ender.join();
                    }
                    ChannelFuture close = channel.close();
                    writer.join();
                    ender.join();
                    assertTrue(close.await(5, TimeUnit.SECONDS), "close " + i + " of " + socket);
                    assertTrue(futures[0].await(5, TimeUnit.SECONDS), "write " + i);
                    assertTrue(futures[1].await(5, TimeUnit.SECONDS), "shutdown " + i);
                    assertFalse(channel.isOpen());
                }
            }
        }
        assertDescriptors(before);
    }

    /** However many connections wait, with and without automatic reads: the buffers are those that the loop lends. */
    @OnBothBackends
    void idleConnectionsHoldNoReceiveBuffer(Backend backend) throws Exception {
        PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
        FerronetIoHandlerConfig.Builder config = FerronetIoHandlerConfig.builder().backend(backend).allocator(allocator);
        List<Socket> sockets = new ArrayList<>();
        try (Loops loops = Loops.on(config, 1);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()),
                    bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator))) {
            exchange(accepting, sockets, 2);
            long few = allocator.pinnedDirectMemory();
            assertTrue(few > 0, "the loop lends from another allocator");
            exchange(accepting, sockets, IDLE);
            assertEquals(few, allocator.pinnedDirectMemory());
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        assertEquals(0, allocator.pinnedDirectMemory());
    }

    private static void exchange(Loops.Accepting accepting, List<Socket> sockets, int count) throws Exception {
        Channel last = null;
        for (int i = 0; i < count; i++) {
            Socket socket = accepting.connect();
            sockets.add(socket);
            last = accepting.next();
            last.config().setAutoRead(i % 2 == 0);
            if (i % 2 == 0) {
                EchoTest.write(socket, new byte[100]);
                socket.getInputStream().readNBytes(100);
            }
        }
        Loops.run(last, () -> { });
    }

    /** Connections that wait, writes that are stuck and connects without an answer need no threads of the kernel. */
    @OnBothBackends
    void noKernelThreadPerConnection(Backend backend) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            for (int i = 0; i < IDLE; i++) {
                sockets.add(accepting.connect());
                Channel channel = accepting.next();
                if (i % 10 == 0) {
                    channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[4_000_000]));
                }
            }
            EchoTest.pause(200);
            long workers = kernelWorkers();
            assertTrue(workers <= 2, workers + " kernel threads for " + IDLE + " connections");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** There is no zero-copy send yet: the option of Netty's io_uring is reported as not taken, and large writes are whole. */
    @OnBothBackends
    void aZeroCopyThresholdIsNotTakenAndHarmless(Backend backend) throws Exception {
        ChannelOption<Integer> threshold = ChannelOption.valueOf("io.netty.channel.uring.IoUringChannelOption#IO_URING_WRITE_ZERO_COPY_THRESHOLD");
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { });
                Socket socket = accepting.connect()) {
            Channel channel = accepting.next();
            assertFalse(channel.config().setOption(threshold, 1024));
            ChannelFuture write = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[3_000_000]));
            assertEquals(3_000_000, socket.getInputStream().readNBytes(3_000_000).length);
            write.sync();
        }
    }
}
