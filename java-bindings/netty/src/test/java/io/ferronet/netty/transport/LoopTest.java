package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Completion;
import io.ferronet.api.Reason;
import io.ferronet.api.Submission;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.AutoScalingEventExecutorChooserFactory;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The event loop: wake-ups, timers, shutdown, and the contract with handles. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class LoopTest {
    private static IoHandlerFactory factory(Backend backend) {
        return FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build());
    }

    /** A task that another thread submits to an idle loop starts at once. */
    @OnBothBackends
    void wakeUpLatency(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            EventLoop loop = loops.group().next();
            long[] latencies = new long[500];
            for (int i = 0; i < latencies.length; i++) {
                Thread.sleep(1);
                AtomicLong started = new AtomicLong();
                long submitted = System.nanoTime();
                loop.submit(() -> started.set(System.nanoTime())).sync();
                latencies[i] = started.get() - submitted;
            }
            Arrays.sort(latencies);
            assertTrue(latencies[latencies.length / 2] < 1_000_000, "median " + latencies[latencies.length / 2] + " ns");
        }
    }

    /** Nothing is lost however many threads submit, and a busy loop is not woken for each task. */
    @OnBothBackends
    void noLostAndNoSurplusWakeUp(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            EventLoop loop = loops.group().next();
            AtomicInteger ran = new AtomicInteger();
            int threads = 4;
            int tasks = 50_000;
            CountDownLatch done = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                new Thread(() -> {
                    for (int j = 0; j < tasks; j++) {
                        loop.execute(ran::incrementAndGet);
                    }
                    done.countDown();
                }).start();
            }
            assertTrue(done.await(60, TimeUnit.SECONDS));
            loop.submit(() -> { }).sync();
            assertEquals(threads * tasks, ran.get());
            FerronetLoopInfo info = FerronetIoHandler.loops().get(0);
            assertTrue(info.wakeups() <= info.turns(), info::toString);
            assertTrue(info.wakeups() < threads * tasks / 2, info::toString);
        }
    }

    @OnBothBackends
    void timersRunInTime(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            long start = System.nanoTime();
            loops.group().next().schedule(() -> { }, 50, TimeUnit.MILLISECONDS).sync();
            long took = System.nanoTime() - start;
            assertTrue(took >= 50_000_000 && took < 1_000_000_000, took + " ns");
        }
    }

    /** Registered, unbound and unconnected channels cost nothing. */
    @OnBothBackends
    void idleChannelsDoNotSpin(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            EventLoop loop = loops.group().next();
            loop.register(new FerronetServerSocketChannel()).sync();
            loop.register(new FerronetSocketChannel()).sync();
            loops.client(new Recorder()).connect(accepting.address()).sync();
            long[] id = new long[1];
            loop.submit(() -> id[0] = Thread.currentThread().threadId()).sync();
            var threads = ManagementFactory.getThreadMXBean();
            EchoTest.pause(100);
            long before = threads.getThreadCpuTime(id[0]);
            long turns = FerronetIoHandler.loops().get(0).turns();
            EchoTest.pause(300);
            assertTrue(threads.getThreadCpuTime(id[0]) - before < 30_000_000);
            assertTrue(FerronetIoHandler.loops().get(0).turns() - turns < 5);
        }
    }

    @OnBothBackends
    void shutdownIsQuick(Backend backend) throws Exception {
        for (int i = 0; i < 100; i++) {
            Loops loops = Loops.on(backend);
            Channel server = loops.server(EchoTest.Echo::new).bind().sync().channel();
            loops.client(new Recorder()).connect(server.localAddress()).sync().channel().writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
            long start = System.nanoTime();
            loops.group().shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
            long took = System.nanoTime() - start;
            assertTrue(took < 1_500_000_000L, took + " ns");
            assertFalse(server.isOpen());
        }
        assertEquals(List.of(), FerronetIoHandler.loops());
        assertEquals(0, FerronetIoHandler.abandonedOperations());
    }

    @OnBothBackends
    void manyGroupsShutDownInSeconds(Backend backend) throws Exception {
        List<EventLoopGroup> groups = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, factory(backend));
            group.next().submit(() -> { }).sync();
            groups.add(group);
        }
        long start = System.nanoTime();
        groups.forEach(group -> group.shutdownGracefully(0, 0, TimeUnit.SECONDS));
        for (EventLoopGroup group : groups) {
            group.terminationFuture().sync();
        }
        long took = System.nanoTime() - start;
        assertTrue(took < 10_000_000_000L, took + " ns");
    }

    /** A wake-up after the end is harmless. */
    @OnBothBackends
    void wakeUpAfterTheEnd(Backend backend) throws Exception {
        ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(), factory(backend));
        loop.runNow();
        loop.shutdown();
        while (!loop.isTerminated()) {
            loop.runNow();
        }
        Thread waker = new Thread(() -> {
            for (int i = 0; i < 1000; i++) {
                loop.wakeup();
            }
        });
        waker.start();
        waker.join();
        assertDoesNotThrow(() -> loop.wakeup());
    }

    /** A loop that never ran gives its reactor back. */
    @OnBothBackends
    void loopThatNeverRan(Backend backend) throws Exception {
        int before = FerronetIoHandler.loops().size();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, factory(backend));
        assertEquals(before + 2, FerronetIoHandler.loops().size());
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        assertEquals(before, FerronetIoHandler.loops().size());
    }

    @OnBothBackends
    void backendIsKnown(Backend backend) {
        try (Loops loops = Loops.on(backend)) {
            FerronetLoopInfo info = FerronetIoHandler.loops().get(0);
            assertEquals(backend, info.backend());
            assertEquals(backend, info.requestedBackend());
            assertEquals(Reason.NONE, info.fallbackReason());
        }
    }

    /** Loops that are suspended go on in another thread. */
    @OnBothBackends
    void autoScaling(Backend backend) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(3, (java.util.concurrent.Executor) null,
            new AutoScalingEventExecutorChooserFactory(1, 3, 50, TimeUnit.MILLISECONDS, 0.1, 0.9, 3, 3, 1), factory(backend));
        try (Loops loops = new Loops(group)) {
            for (int round = 0; round < 5; round++) {
                Channel server = loops.server(EchoTest.Echo::new).bind().sync().channel();
                for (int i = 0; i < 6; i++) {
                    Recorder recorder = new Recorder();
                    Channel client = loops.client(recorder).connect(server.localAddress()).sync().channel();
                    client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100]));
                    recorder.awaitBytes(100);
                    client.close().sync();
                }
                server.close().sync();
                EchoTest.pause(300);
            }
        }
    }

    @OnBothBackends
    void virtualThreads(Backend backend) throws Exception {
        Assumptions.assumeTrue(Runtime.version().feature() >= 21);
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        ThreadFactory threads = (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        try (Loops loops = new Loops(new MultiThreadIoEventLoopGroup(2, new ThreadPerTaskExecutor(threads), factory(backend)))) {
            Channel server = loops.server(EchoTest.Echo::new).bind().sync().channel();
            Recorder recorder = new Recorder();
            Channel client = loops.client(recorder).connect(server.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100_000]));
            recorder.awaitBytes(100_000);
        }
    }

    /** A handle of somebody else's: events between registered and unregistered only, and unregistered after the last completion. */
    @OnBothBackends
    void handleContract(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            List<String> calls = java.util.Collections.synchronizedList(new ArrayList<>());
            SocketDescriptor socket = SocketDescriptor.open(null);
            ByteBuf memory = Unpooled.directBuffer(100, 100);
            FerronetIoHandle handle = new FerronetIoHandle() {
                @Override
                public int descriptor() {
                    return socket.intValue();
                }

                @Override
                public void registered() {
                    calls.add("registered");
                }

                @Override
                public void handle(IoRegistration registration, IoEvent event) {
                    FerronetIoEvent completion = (FerronetIoEvent) event;
                    calls.add(completion.op() + (completion.result() < 0 ? " failed" : " done"));
                    assertFalse((completion.flags() & Completion.FLAG_MORE) != 0);
                }

                @Override
                public void unregistered() {
                    calls.add("unregistered");
                }

                @Override
                public void close() {
                    calls.add("close");
                }
            };
            IoRegistration registration = ((IoEventLoop) loops.group().next()).register(handle).sync().getNow();
            assertTrue(registration.isValid());
            EventLoop loop = loops.group().next();
            AtomicLong id = new AtomicLong();
            loop.submit(() -> id.set(registration.submit(FerronetIoOps.poll(Submission.POLL_OUT)))).sync();
            assertNotEquals(0, id.get());
            for (int i = 0; i < 100 && calls.size() < 2; i++) {
                EchoTest.pause(10);
            }
            assertEquals(List.of("registered", Submission.OP_POLL + " done"), calls);
            loop.submit(() -> {
                registration.submit(FerronetIoOps.poll(Submission.POLL_IN));
                assertTrue(registration.cancel());
                assertFalse(registration.cancel());
                assertFalse(registration.isValid());
            }).sync();
            for (int i = 0; i < 100 && !calls.contains("unregistered"); i++) {
                EchoTest.pause(10);
            }
            EchoTest.pause(20);
            assertEquals("unregistered", calls.get(calls.size() - 1), calls::toString);
            assertEquals(1, calls.stream().filter("unregistered"::equals).count());
            assertTrue(socket.localAddress() != null, "the descriptor is still the handle's");
            socket.close();
            memory.release();
        }
    }

    /** A loop that its owner drives takes channels before it runs for the first time. */
    @OnBothBackends
    void manualLoop(Backend backend) throws Exception {
        ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(),
            FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build()));
        try (Loops loops = new Loops(loop)) {
            ChannelFuture bound = loops.server(EchoTest.Echo::new).bind();
            while (!bound.isDone()) {
                loop.runNow();
            }
            bound.sync();
            try (Socket socket = new Socket()) {
                socket.connect(bound.channel().localAddress());
                socket.getOutputStream().write(5);
                while (socket.getInputStream().available() == 0) {
                    loop.run(TimeUnit.MILLISECONDS.toNanos(50));
                }
                assertEquals(5, socket.getInputStream().read());
            }
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            while (!loop.isTerminated()) {
                loop.runNow();
            }
        }
    }
}
