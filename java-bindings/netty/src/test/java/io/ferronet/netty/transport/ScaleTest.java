package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many of everything: connections, loops, tasks, bytes. */
@Timeout(300)
class ScaleTest {
    /** The whole size, instead of the share that every run has. */
    private static final boolean FULL = Boolean.getBoolean("ferronet.test.full");
    private static final int CONNECTIONS = 10_000;
    private static final int LENT_BUFFERS = 8;
    private static final int LENT_BUFFER_SIZE = 4096;
    private static final int LOOPS = FULL ? 10_000 : 1000;
    private static final int LOOPS_AT_ONCE = 50;
    private static final int TASKS = 200;
    /** What the JVM itself may allocate meanwhile, and keep. */
    private static final long MOST_GROWN = 4 << 20;
    /** Longer than the JVM keeps memory that it may use for its next compilation. */
    private static final long QUIET_SECONDS = 7;
    private static final long MOST_SECONDS = 40;
    private static final int LARGE = 300 << 20;

    @Sharable
    private static final class SharedEcho extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message, context.voidPromise());
        }
    }

    private static long heap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** A memory figure of this process, in bytes. */
    private static long memory(String name) throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(text -> text.startsWith(name + ':')).findAny().orElseThrow();
            return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
        }
    }

    /**
     * Bytes of native memory in use, the least within the given time; 0 where the C library cannot tell. Direct buffers are freed some time after a collection
     * has found them, and the JVM keeps the megabytes that a compilation took for up to five seconds.
     */
    private static long allocated(long seconds, long enough) {
        if (!NativeHeap.isKnown()) {
            return 0;
        }
        long least = Long.MAX_VALUE;
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds); least > enough && System.nanoTime() < end; ) {
            System.gc();
            EchoTest.pause(300);
            least = Math.min(least, NativeHeap.allocated());
        }
        return least;
    }

    private static long mappings() throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.count();
        }
    }

    private static long entries(String directory) throws Exception {
        try (Stream<Path> files = Files.list(Path.of(directory))) {
            return files.count();
        }
    }

    private static void await(BufferedReader output, String line) throws Exception {
        assertEquals(line, output.readLine());
    }

    /** Quiet connections hold no receive buffer; what one costs is reported; and each of them wakes and answers. */
    @OnBothBackends
    void tenThousandIdleConnections(Backend backend) throws Exception {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        SharedEcho echo = new SharedEcho();
        CountDownLatch accepted = new CountDownLatch(CONNECTIONS);
        Process process = null;
        try (Loops loops = Loops.on(FerronetIoHandlerConfig.builder().backend(backend).lentBuffers(LENT_BUFFERS).lentBufferSize(LENT_BUFFER_SIZE)
                .allocator(allocator), 1)) {
            Channel server = loops.server((SocketChannel channel) -> {
                channel.pipeline().addLast(echo);
                accepted.countDown();
            }).option(ChannelOption.SO_BACKLOG, 4096).childOption(ChannelOption.ALLOCATOR, allocator).bind().sync().channel();
            long heapBefore = heap();
            long nativeBefore = memory("RssAnon");
            long committedBefore = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
            process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp",
                System.getProperty("java.class.path"), IdleClient.class.getName(),
                String.valueOf(((InetSocketAddress) server.localAddress()).getPort()), String.valueOf(CONNECTIONS)).redirectErrorStream(true).start();
            BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            await(output, "connected");
            assertTrue(accepted.await(30, TimeUnit.SECONDS), accepted.getCount() + " connections were not accepted");
            loops.group().next().submit(() -> { }).sync();
            assertEquals((long) LENT_BUFFERS * LENT_BUFFER_SIZE, allocator.metric().usedDirectMemory(), "only the loop's own buffers are allocated");
            assertEquals(0, allocator.metric().usedHeapMemory());
            long heapEach = (heap() - heapBefore) / CONNECTIONS;
            long nativeEach = (memory("RssAnon") - nativeBefore
                - (ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted() - committedBefore)) / CONNECTIONS;
            System.out.println(backend + ": an idle connection takes " + heapEach + " bytes of heap and at most " + Math.max(nativeEach, 0)
                + " bytes of native memory");
            assertTrue(heapEach < 6000, heapEach + " bytes of heap for an idle connection");
            write(process);
            await(output, "answered");
            for (int i = 0; i < 200 && allocator.metric().usedDirectMemory() > (long) LENT_BUFFERS * LENT_BUFFER_SIZE; i++) {
                EchoTest.pause(10); // The client may have an answer before the loop has taken the completion of its send.
            }
            assertEquals((long) LENT_BUFFERS * LENT_BUFFER_SIZE, allocator.metric().usedDirectMemory(), "every answer's memory is free again");
            write(process);
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    private static void write(Process process) throws Exception {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    @Test
    void nativeMemoryIsCounted() {
        Assumptions.assumeTrue(NativeHeap.isKnown(), "the C library has no mallinfo2");
        long before = NativeHeap.allocated();
        ByteBuffer memory = ByteBuffer.allocateDirect(64 << 20);
        long grown = NativeHeap.allocated() - before;
        assertTrue(grown >= 60 << 20, grown + " bytes more");
        assertEquals(64 << 20, memory.capacity());
    }

    /** Loops come, are hammered with tasks by several threads, and go: nothing of them stays. */
    @OnBothBackends
    void tenThousandLoops(Backend backend) throws Exception {
        manyLoops(backend, 3 * LOOPS_AT_ONCE); // What is made once, is made here.
        long descriptors = entries("/proc/self/fd");
        long threads = entries("/proc/self/task");
        long heap = heap();
        long allocated = allocated(QUIET_SECONDS, 0);
        long mappings = mappings();
        manyLoops(backend, LOOPS);
        for (int i = 0; i < 100 && (entries("/proc/self/fd") > descriptors || entries("/proc/self/task") > threads + 2); i++) {
            EchoTest.pause(50);
        }
        assertTrue(entries("/proc/self/fd") <= descriptors, () -> "descriptors: more than " + descriptors);
        assertTrue(entries("/proc/self/task") <= threads + 2, () -> "threads: more than " + threads);
        assertTrue(heap() - heap < 4 << 20, () -> "heap: " + (heap() - heap) + " bytes more");
        long grown = allocated(MOST_SECONDS, allocated + MOST_GROWN - 1) - allocated;
        System.out.println(backend + ": after " + LOOPS + " loops the process has allocated " + grown + " bytes more");
        assertTrue(grown < MOST_GROWN, grown + " bytes more in native memory");
        long mapped = mappings() - mappings;
        assertTrue(mapped < 200, mapped + " mappings more");
        assertTrue(FerronetIoHandler.loops().isEmpty());
    }

    private static void manyLoops(Backend backend, int count) throws Exception {
        for (int made = 0; made < count; made += LOOPS_AT_ONCE) {
            Loops loops = Loops.on(FerronetIoHandlerConfig.builder().backend(backend).ringEntries(16).submissionCapacity(64).completionCapacity(64),
                LOOPS_AT_ONCE);
            AtomicLong ran = new AtomicLong();
            List<Thread> hammers = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                hammers.add(Thread.ofPlatform().start(() -> {
                    for (int task = 0; task < TASKS; task++) {
                        loops.group().next().execute(ran::incrementAndGet);
                    }
                }));
            }
            for (Thread hammer : hammers) {
                hammer.join();
            }
            loops.close();
            assertEquals(3 * TASKS, ran.get());
        }
    }

    /** Tasks of several threads all run, in their order, while a connection keeps its latency. */
    @OnBothBackends
    void executeStorm(Backend backend) throws Exception {
        int tasks = FULL ? 2_000_000 : 200_000;
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline()
                .addLast(new EchoTest.Echo())); Socket socket = accepting.connect()) {
            EventLoop loop = accepting.next().eventLoop();
            AtomicInteger[] expected = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
            AtomicInteger wrong = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (AtomicInteger next : expected) {
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < tasks; i++) {
                        int number = i;
                        loop.execute(() -> {
                            if (next.getAndIncrement() != number) {
                                wrong.incrementAndGet();
                            }
                        });
                        if ((i & 0xfff) == 0) {
                            EchoTest.pause(1);
                        }
                    }
                }));
            }
            for (int i = 0; i < 100; i++) {
                EchoTest.write(socket, new byte[] {(byte) i});
                assertEquals(i, socket.getInputStream().read());
            }
            for (Thread thread : threads) {
                thread.join();
            }
            loop.submit(() -> { }).sync();
            for (AtomicInteger count : expected) {
                assertEquals(tasks, count.get());
            }
            assertEquals(0, wrong.get());
        }
    }

    private static int byteAt(int place) {
        return place ^ place >> 8 ^ place >> 16 ^ place >> 24;
    }

    /** One write of 300 MB arrives whole and unaltered. */
    @OnBothBackends
    void aVeryLargeWrite(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { }); Socket socket = accepting.connect()) {
            Channel channel = accepting.next();
            ByteBuf content = Unpooled.directBuffer(LARGE, LARGE);
            ByteBuffer memory = content.internalNioBuffer(0, LARGE);
            for (int i = 0; i < LARGE; i++) {
                memory.put(i, (byte) byteAt(i));
            }
            content.writerIndex(LARGE);
            var written = channel.writeAndFlush(content);
            byte[] part = new byte[1 << 20];
            InputStream in = socket.getInputStream();
            for (int place = 0; place < LARGE; ) {
                int length = in.read(part);
                assertTrue(length > 0, "the end at " + place);
                for (int i = 0; i < length; i++) {
                    if (part[i] != (byte) byteAt(place + i)) {
                        throw new AssertionError("another byte at " + (place + i));
                    }
                }
                place += length;
            }
            written.sync();
            assertEquals(0, content.refCnt());
        }
    }
}
