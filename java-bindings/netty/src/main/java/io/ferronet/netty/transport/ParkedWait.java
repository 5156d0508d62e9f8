package io.ferronet.netty.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits of a loop whose thread is virtual. A wait in native code would keep the carrier of that thread, and loops that wait on every carrier would keep
 * everything else from running, each other included. So a platform thread waits, and the virtual thread is parked meanwhile.
 *
 * <p>The platform threads are shared by all loops: there are as many as loops wait at the same time, and they end when they are not needed.
 */
final class ParkedWait implements Runnable {
    private static final long IDLE_SECONDS = 10;
    /** How long one wait keeps the carrier when no platform thread can be had. */
    private static final long WITHOUT_THREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final AtomicLong THREADS = new AtomicLong();
    private static final Executor WAITERS = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
        new SynchronousQueue<>(), ParkedWait::thread);

    private final Reactor reactor;
    private final Executor waiters;
    private Thread parked;
    private long timeoutNanos;
    private int count;
    private Throwable failure;
    private volatile boolean ended;

    ParkedWait(Reactor reactor) {
        this(reactor, WAITERS);
    }

    ParkedWait(Reactor reactor, Executor waiters) {
        this.reactor = reactor;
        this.waiters = waiters;
    }

    /** It takes nothing over from the thread that happens to need it first. */
    private static Thread thread(Runnable task) {
        Thread thread = new Thread(null, task, "ferronet-wait-" + THREADS.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * A turn of the reactor, as {@link Reactor#turn} describes it. An interrupt does not end it, and is kept.
     *
     * @param timeoutNanos not 0, which needs no wait; a wait that no platform thread can be had for ends after a millisecond
     */
    int turn(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
        parked = Thread.currentThread();
        ended = false;
        try {
            waiters.execute(this);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            int found = reactor.turn(timeoutNanos < 0 ? WITHOUT_THREAD_NANOS : Math.min(timeoutNanos, WITHOUT_THREAD_NANOS));
            Thread.yield();
            return found;
        }
        boolean interrupted = false;
        while (!ended) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            parked.interrupt();
        }
        if (failure != null) {
            Throwable thrown = failure;
            failure = null;
            throw new IllegalStateException("the wait of an event loop failed", thrown);
        }
        return count;
    }

    @Override
    public void run() {
        Thread waiting = parked;
        try {
            count = reactor.turn(timeoutNanos);
        } catch (Throwable e) {
            failure = e;
        }
        ended = true;
        LockSupport.unpark(waiting);
    }
}
