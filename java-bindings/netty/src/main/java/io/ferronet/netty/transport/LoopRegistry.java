package io.ferronet.netty.transport;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The live loops of this class loader, and the memory that shutdowns had to give up. */
final class LoopRegistry {
    private static final Map<FerronetIoHandler, Boolean> LOOPS = new ConcurrentHashMap<>();
    /** Keeps the buffers of operations in flight reachable for ever: the kernel may still write to them. */
    private static final Queue<FerronetIoHandler> ABANDONED = new ConcurrentLinkedQueue<>();
    private static final AtomicLong ABANDONED_OPERATIONS = new AtomicLong();
    private static final AtomicBoolean FALLBACK_REPORTED = new AtomicBoolean();

    private LoopRegistry() {
    }

    static void add(FerronetIoHandler handler) {
        LOOPS.put(handler, Boolean.TRUE);
    }

    static void remove(FerronetIoHandler handler) {
        LOOPS.remove(handler);
    }

    static void abandon(FerronetIoHandler handler, long operations) {
        ABANDONED.add(handler);
        ABANDONED_OPERATIONS.addAndGet(operations);
    }

    /** Whether this is the first fallback of the class loader. */
    static boolean firstFallback() {
        return FALLBACK_REPORTED.compareAndSet(false, true);
    }

    static long abandonedOperations() {
        return ABANDONED_OPERATIONS.get();
    }

    static List<FerronetLoopInfo> snapshot() {
        return LOOPS.keySet().stream().map(FerronetIoHandler::info).toList();
    }
}
