package io.ferronet.ffm;

import io.ferronet.api.LogReceiver;
import io.ferronet.api.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongToIntFunction;

/**
 * The log callbacks, one stub per receiver. The library promises that it calls a replaced callback no more, so its stub is freed then, and
 * with it the last reference to the receiver's class loader.
 */
final class LogUpcall {
    private static final Map<Long, LogUpcall> RUNTIMES = new ConcurrentHashMap<>();
    private static final int LONGEST = 1 << 16;

    private final ReentrantLock lock = new ReentrantLock();
    private Arena active;

    private LogUpcall() {
    }

    /**
     * Replaces the receiver of a runtime.
     *
     * @param runtime the runtime
     * @param receiver the new receiver, or {@code null}
     * @param install the native call, which takes the stub's address or 0 and returns a status
     * @return its status
     */
    static int replace(long runtime, LogReceiver receiver, LongToIntFunction install) {
        LogUpcall upcall = RUNTIMES.computeIfAbsent(runtime, key -> new LogUpcall());
        // Not waiting: the holder may be waiting for a receiver that is waiting here.
        if (!upcall.lock.tryLock()) {
            return Status.BUSY;
        }
        try {
            return upcall.replace(receiver, install);
        } finally {
            if (upcall.active == null) {
                RUNTIMES.remove(runtime, upcall);
            }
            upcall.lock.unlock();
        }
    }

    private int replace(LogReceiver receiver, LongToIntFunction install) {
        Arena next = receiver == null ? null : Arena.ofShared();
        Arena unused = next;
        try {
            int status = install.applyAsInt(next == null ? 0 : stub(receiver, next));
            if (status >= 0) {
                unused = active;
                active = next;
            }
            return status;
        } finally {
            if (unused != null) {
                unused.close();
            }
        }
    }

    private static long stub(LogReceiver receiver, Arena arena) {
        try {
            MethodHandle target = MethodHandles.lookup().findStatic(LogUpcall.class, "log",
                MethodType.methodType(void.class, LogReceiver.class, long.class, int.class, long.class, long.class));
            return Linker.nativeLinker().upcallStub(target.bindTo(receiver), FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG), arena).address();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the log callback's method is missing", e);
        }
    }

    // Called by native code; an exception that left it would end the JVM.
    private static void log(LogReceiver receiver, long context, int level, long text, long length) {
        try {
            receiver.log(level, FfmBinding.string(text, (int) Math.min(length, LONGEST)));
        } catch (Throwable dropped) {
            // The receiver's own failure must not reach the library.
        }
    }
}
