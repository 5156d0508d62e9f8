package io.ferronet.netty.transport;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicInteger;

/** Counters of a loop: written by the loop (wake-ups: by any thread), read by any thread. */
final class LoopCounters {
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong completions = new AtomicLong();
    private final AtomicLong wakeups = new AtomicLong();
    private final AtomicInteger registrations = new AtomicInteger();
    private boolean anyThread;

    void turned(int count) {
        turns.lazySet(turns.getPlain() + 1);
        completions.lazySet(completions.getPlain() + count);
    }

    void woken() {
        wakeups.incrementAndGet();
    }

    void registered(int change) {
        registrations.lazySet(registrations.getPlain() + change);
    }

    /** Whether the loop's reactor may be driven by any thread. Loop thread only. */
    boolean isAnyThread() {
        return anyThread;
    }

    void anyThread() {
        anyThread = true;
    }

    FerronetLoopInfo info(Reactor reactor) {
        return new FerronetLoopInfo(reactor.backend(), reactor.requestedBackend(), reactor.fallbackReason(), reactor.fallbackStatus(),
            reactor.ringFeatures(), registrations.get(), turns.get(), completions.get(), wakeups.get());
    }
}
