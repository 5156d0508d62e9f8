package io.ferronet.netty;

import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.ferronet.netty.transport.FerronetSocketChannel;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What {@link AvailabilityTest} runs in a JVM of its own: the first use of every public class by many threads at once. */
final class FirstUseProbe {
    private interface Use {
        void run() throws Exception;
    }

    private FirstUseProbe() {
    }

    public static void main(String[] arguments) throws Exception {
        List<Use> uses = List.of(() -> Ferronet.isAvailable(), () -> Ferronet.backend(), () -> FerronetIoHandler.newFactory(),
            () -> new FerronetSocketChannel().unsafe().closeForcibly(), () -> new FerronetServerSocketChannel().unsafe().closeForcibly(),
            () -> Ferronet.loops(), () -> new MultiThreadIoEventLoopGroup(1, FerronetIoHandler.newFactory()).shutdownGracefully(0, 5, TimeUnit.SECONDS).sync());
        int copies = 4;
        CyclicBarrier barrier = new CyclicBarrier(copies * uses.size());
        AtomicInteger done = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < copies * uses.size(); i++) {
            Use use = uses.get(i % uses.size());
            Thread thread = new Thread(() -> {
                try {
                    barrier.await();
                    use.run();
                    done.incrementAndGet();
                } catch (Exception e) {
                    e.printStackTrace(System.out);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done " + done + " of " + copies * uses.size() + ", available " + Ferronet.isAvailable());
    }
}
