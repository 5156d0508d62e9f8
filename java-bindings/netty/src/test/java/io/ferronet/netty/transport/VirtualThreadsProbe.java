package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What {@link VirtualThreadsTest} runs in a JVM that has one carrier. Prints what happened. */
final class VirtualThreadsProbe {
    private static final int LOOPS = 8;
    private static final int WAKES = 20_000;

    private VirtualThreadsProbe() {
    }

    public static void main(String[] arguments) throws Exception {
        Backend backend = Backend.valueOf(arguments[0]);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(LOOPS, new ThreadPerTaskExecutor(Thread.ofVirtual().factory()),
            FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build()));
        try (Loops loops = new Loops(group)) {
            List<Thread> threads = new ArrayList<>();
            for (EventExecutor loop : group) {
                threads.add(await(loop.submit(Thread::currentThread)));
            }
            FerronetLoopInfo info = FerronetIoHandler.loops().get(0);
            System.out.println(info.backend() + " " + info.fallbackReason());
            rest("idle");
            CountDownLatch ran = new CountDownLatch(1);
            Thread.ofVirtual().start(ran::countDown);
            System.out.println(ran.await(10, TimeUnit.SECONDS) ? "another virtual thread runs" : "another virtual thread does not run");
            wake(group.next());
            long start = System.nanoTime();
            await(group.next().schedule(() -> { }, 100, TimeUnit.MILLISECONDS));
            System.out.println(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(100) ? "a timer ends a wait" : "a wait was too short");
            threads.forEach(Thread::interrupt);
            rest("interrupted");
            echo(loops);
        }
        System.out.println("end");
    }

    private static <T> T await(Future<T> future) throws InterruptedException {
        if (!future.await(10, TimeUnit.SECONDS)) {
            throw new AssertionError("a loop does not answer: " + FerronetIoHandler.loops());
        }
        return future.getNow();
    }

    private static long turns() {
        return FerronetIoHandler.loops().stream().mapToLong(FerronetLoopInfo::turns).sum();
    }

    /** Loops that wait make no turns, but for the one that ends Netty's wait of a second. */
    private static void rest(String which) {
        EchoTest.pause(200);
        long before = turns();
        long start = System.nanoTime();
        EchoTest.pause(300);
        long made = turns() - before;
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        System.out.println(made <= LOOPS * (1 + seconds) ? which + " loops rest" : which + " loops made " + made + " turns");
    }

    /** Tasks that come at every step of a loop on its way to a wait. Netty's waits end after a second, which hides a wake-up that was lost. */
    private static void wake(EventExecutor loop) {
        AtomicInteger ran = new AtomicInteger();
        int lost = 0;
        for (int i = 1; i <= WAKES; i++) {
            loop.execute(ran::incrementAndGet);
            long start = System.nanoTime();
            while (ran.get() != i) {
                Thread.onSpinWait();
                if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(10)) {
                    throw new AssertionError("a loop does not answer: " + FerronetIoHandler.loops());
                }
            }
            lost += System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(900) ? 1 : 0;
            long pause = i % 64 * 125;
            for (long ended = System.nanoTime(); System.nanoTime() - ended < pause; ) {
                Thread.onSpinWait();
            }
        }
        // One may be a machine that stood still.
        System.out.println(lost <= 1 ? "every wake-up arrives" : lost + " wake-ups were lost");
    }

    /** Both ends of each connection are on these loops. */
    private static void echo(Loops loops) throws InterruptedException {
        Channel server = loops.server(EchoTest.Echo::new).bind().sync().channel();
        for (int i = 0; i < 2 * LOOPS; i++) {
            Recorder recorder = new Recorder();
            Channel client = loops.client(recorder).connect(server.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100_000]));
            recorder.awaitBytes(100_000);
            client.close().sync();
        }
        server.close().sync();
        System.out.println("echoed");
    }
}
