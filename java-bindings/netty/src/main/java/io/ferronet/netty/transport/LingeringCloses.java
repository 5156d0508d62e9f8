package io.ferronet.netty.transport;

import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Closes of a loop's channels that linger, on another thread. A loop that ends waits for them a while, because the last events of their channels are
 * tasks of the loop.
 */
final class LingeringCloses {
    private final AtomicInteger running = new AtomicInteger();
    private volatile Thread waiting;

    /** Runs a close where it may block. */
    void run(Runnable close) {
        running.incrementAndGet();
        GlobalEventExecutor.INSTANCE.execute(() -> {
            try {
                close.run();
            } finally {
                running.decrementAndGet();
                LockSupport.unpark(waiting);
            }
        });
    }

    /** Waits until no close is running, or until a point in time of {@link System#nanoTime}. Loop thread only. */
    void await(long end) {
        if (running.get() == 0) {
            return;
        }
        waiting = Thread.currentThread();
        long left;
        while (running.get() > 0 && (left = end - System.nanoTime()) > 0) {
            LockSupport.parkNanos(this, left);
        }
        waiting = null;
    }
}
