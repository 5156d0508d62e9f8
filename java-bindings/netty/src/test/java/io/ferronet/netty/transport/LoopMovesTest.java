package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.AutoScalingEventExecutorChooserFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loops that go from one thread to another: suspension, automatic scaling, loops that their users drive, virtual threads. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class LoopMovesTest {
    private static IoHandlerFactory factory(Backend backend) {
        return FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build());
    }

    private static Thread threadOf(EventExecutor loop) throws InterruptedException {
        return loop.submit(Thread::currentThread).sync().getNow();
    }

    private static void echo(Loops loops) throws InterruptedException {
        Channel server = loops.server(EchoTest.Echo::new).bind().sync().channel();
        Recorder recorder = new Recorder();
        Channel client = loops.client(recorder).connect(server.localAddress()).sync().channel();
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100_000]));
        recorder.awaitBytes(100_000);
        client.close().sync();
        server.close().sync();
    }

    /** Suspends the loop, and waits for the end of its thread: Netty does not bear tasks that come while a loop is about to be suspended. */
    private static void suspend(SingleThreadEventExecutor loop) throws InterruptedException {
        Thread thread = threadOf(loop);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (thread.isAlive()) {
            assertTrue(System.nanoTime() < end, "the loop is not suspended; registered: " + FerronetIoHandler.loops());
            loop.trySuspend();
            thread.join(5);
        }
        assertTrue(loop.isSuspended());
    }

    private static void suspendAndGoOn(Executor threads, Backend backend) throws InterruptedException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, threads, factory(backend));
        try (Loops loops = new Loops(group)) {
            SingleThreadEventExecutor loop = (SingleThreadEventExecutor) group.next();
            Set<Thread> used = new HashSet<>();
            for (int round = 0; round < 5; round++) {
                echo(loops);
                used.add(threadOf(loop));
                suspend(loop);
                assertEquals(backend, FerronetIoHandler.loops().get(0).backend());
            }
            assertEquals(5, used.size(), used::toString);
            echo(loops);
        }
    }

    @OnBothBackends
    void aSuspendedLoopGoesOnInAnotherThread(Backend backend) throws Exception {
        suspendAndGoOn(new ThreadPerTaskExecutor(Thread::new), backend);
    }

    @OnBothBackends
    void aSuspendedLoopGoesOnInAnotherVirtualThread(Backend backend) throws Exception {
        suspendAndGoOn(new ThreadPerTaskExecutor(Thread.ofVirtual().factory()), backend);
    }

    /** Many threads find the loop suspended at once: one of them starts it, and no task is lost. */
    @OnBothBackends
    void tasksForASuspendedLoopRun(Backend backend) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new ThreadPerTaskExecutor(Thread::new), factory(backend));
        try (Loops loops = new Loops(group)) {
            SingleThreadEventExecutor loop = (SingleThreadEventExecutor) loops.group().next();
            AtomicInteger ran = new AtomicInteger();
            for (int round = 0; round < 20; round++) {
                suspend(loop);
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Thread thread = new Thread(() -> {
                        for (int j = 0; j < 10; j++) {
                            loop.execute(ran::incrementAndGet);
                        }
                    });
                    threads.add(thread);
                    thread.start();
                }
                for (Thread thread : threads) {
                    thread.join();
                }
            }
            loop.submit(() -> { }).sync();
            assertEquals(20 * 4 * 10, ran.get());
            echo(loops);
        }
    }

    @OnBothBackends
    void aLoopWithAChannelIsNotSuspended(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { })) {
            SingleThreadEventExecutor loop = (SingleThreadEventExecutor) loops.group().next();
            Thread thread = threadOf(loop);
            loop.trySuspend();
            EchoTest.pause(100);
            try (Socket socket = accepting.connect()) {
                assertTrue(accepting.next().isActive() && socket.isConnected());
            }
            assertEquals(thread, threadOf(loop));
        }
    }

    /** Idle loops are suspended until work comes, and then go on in another thread. */
    @OnBothBackends
    void autoScalingSuspendsAndResumes(Backend backend) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(3, (Executor) null,
            new AutoScalingEventExecutorChooserFactory(1, 3, 50, TimeUnit.MILLISECONDS, 0.1, 0.9, 3, 3, 1), factory(backend));
        try (Loops loops = new Loops(group)) {
            List<SingleThreadEventExecutor> children = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (EventExecutor child : group) {
                children.add((SingleThreadEventExecutor) child);
                threads.add(threadOf(child));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (children.stream().filter(SingleThreadEventExecutor::isSuspended).count() < 2 || threads.stream().filter(Thread::isAlive).count() > 1) {
                assertTrue(System.nanoTime() < end, "the idle loops are not suspended");
                EchoTest.pause(20);
            }
            int moved = 0;
            for (int i = 0; i < children.size(); i++) {
                moved += threadOf(children.get(i)) == threads.get(i) ? 0 : 1;
            }
            // The third is suspended too, when the two that are awake again leave it idle for long enough.
            assertTrue(moved >= 2, moved + " loops went on in another thread");
            for (int i = 0; i < 3; i++) {
                echo(loops);
            }
        }
    }

    /** A loop that its user drives may be made before its thread is known. */
    @OnBothBackends
    void aManualLoopIsGivenItsThreadLater(Backend backend) throws Exception {
        ManualIoEventLoop loop = new ManualIoEventLoop(null, factory(backend));
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger echoed = new AtomicInteger();
        Thread driver = new Thread(() -> {
            loop.setOwningThread(Thread.currentThread());
            while (!loop.isTerminated()) {
                loop.run(TimeUnit.MILLISECONDS.toNanos(100));
            }
            ended.countDown();
        });
        driver.start();
        try (Loops loops = new Loops(loop)) {
            ChannelFuture bound = loops.server(EchoTest.Echo::new).bind().sync();
            try (Socket socket = new Socket()) {
                socket.connect(bound.channel().localAddress());
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write(5);
                echoed.set(socket.getInputStream().read());
            }
        }
        assertTrue(ended.await(10, TimeUnit.SECONDS));
        assertEquals(5, echoed.get());
    }
}
