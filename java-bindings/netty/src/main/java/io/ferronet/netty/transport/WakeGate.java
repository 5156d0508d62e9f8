package io.ferronet.netty.transport;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides which wake-up has to cross into native code: only the one that finds the loop asleep, and none once the reactor is about to be freed.
 *
 * <p>The loop calls {@link #sleep} before it looks for tasks a last time, and {@link #awake} after its wait. A waker enqueues its task
 * first; so either the loop sees the task, or the waker sees the sleeping loop.
 */
final class WakeGate {
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int CLOSED = 2;

    private final AtomicInteger state = new AtomicInteger(AWAKE);
    private final AtomicInteger wakers = new AtomicInteger();

    void sleep() {
        state.set(ASLEEP);
    }

    void awake() {
        state.set(AWAKE);
    }

    /** Whether nobody has woken the loop since {@link #sleep}. */
    boolean isAsleep() {
        return state.get() == ASLEEP;
    }

    /** Whether the caller has to wake the reactor; it then must call {@link #endWake} afterwards. */
    boolean beginWake() {
        if (state.get() != ASLEEP) {
            return false;
        }
        wakers.incrementAndGet();
        if (state.compareAndSet(ASLEEP, AWAKE)) {
            return true;
        }
        wakers.decrementAndGet();
        return false;
    }

    void endWake() {
        wakers.decrementAndGet();
    }

    /** Lets no further waker through and waits for the last one, which is inside one system call at most. */
    void close() {
        state.set(CLOSED);
        while (wakers.get() != 0) {
            Thread.onSpinWait();
        }
    }
}
