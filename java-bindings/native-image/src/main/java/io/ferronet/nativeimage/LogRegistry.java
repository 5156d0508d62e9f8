package io.ferronet.nativeimage;

import io.ferronet.api.LogReceiver;
import io.ferronet.api.Status;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongToIntFunction;

/**
 * The log receivers of an isolate, by the number in their context. The library promises that it calls a replaced callback no more, so its context is freed
 * then.
 */
final class LogRegistry {
    private static final Map<Long, LogRegistry> RUNTIMES = new ConcurrentHashMap<>();
    private static final Map<Long, LogReceiver> RECEIVERS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);

    private final ReentrantLock lock = new ReentrantLock();
    private Entry active;

    private LogRegistry() {
    }

    /**
     * A receiver that the library may call.
     *
     * @param number its number
     * @param context the address of its context
     */
    private record Entry(long number, long context) {
        static Entry of(LogReceiver receiver) {
            long number = NEXT.getAndIncrement();
            RECEIVERS.put(number, receiver);
            return new Entry(number, Callbacks.newContext(number));
        }

        void free() {
            RECEIVERS.remove(number);
            Callbacks.freeContext(context);
        }
    }

    /**
     * Replaces the receiver of a runtime.
     *
     * @param runtime the runtime
     * @param receiver the new receiver, or {@code null}
     * @param install the native call, which takes the context's address or 0 and returns a status
     * @return its status
     */
    static int replace(long runtime, LogReceiver receiver, LongToIntFunction install) {
        LogRegistry entry = RUNTIMES.computeIfAbsent(runtime, key -> new LogRegistry());
        // Not waiting: the holder may be waiting for a receiver that is waiting here.
        if (!entry.lock.tryLock()) {
            return Status.BUSY;
        }
        try {
            return entry.replace(receiver, install);
        } finally {
            if (entry.active == null) {
                RUNTIMES.remove(runtime, entry);
            }
            entry.lock.unlock();
        }
    }

    private int replace(LogReceiver receiver, LongToIntFunction install) {
        Entry next = receiver == null ? null : Entry.of(receiver);
        Entry unused = next;
        try {
            int status = install.applyAsInt(next == null ? 0 : next.context);
            if (status >= 0) {
                unused = active;
                active = next;
            }
            return status;
        } finally {
            if (unused != null) {
                unused.free();
            }
        }
    }

    static LogReceiver of(long number) {
        return RECEIVERS.get(number);
    }
}
