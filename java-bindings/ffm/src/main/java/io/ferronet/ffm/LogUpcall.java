package io.ferronet.ffm;

import io.ferronet.api.LogReceiver;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The log callback. Its stub lives as long as the process, and keeps this class's loader alive: it is made when a receiver is first set.
 */
final class LogUpcall {
    private static final Map<Long, LogReceiver> RECEIVERS = new ConcurrentHashMap<>();
    private static final int LONGEST = 1 << 16;

    private LogUpcall() {
    }

    static LogReceiver set(long runtime, LogReceiver receiver) {
        return receiver == null ? RECEIVERS.remove(runtime) : RECEIVERS.put(runtime, receiver);
    }

    static long stub() {
        return Stub.ADDRESS;
    }

    // Called by native code; an exception that left it would end the JVM.
    private static void log(long context, int level, long text, long length) {
        try {
            LogReceiver receiver = RECEIVERS.get(context);
            if (receiver != null) {
                receiver.log(level, FfmBinding.string(text, (int) Math.min(length, LONGEST)));
            }
        } catch (Throwable dropped) {
            // The receiver's own failure must not reach the library.
        }
    }

    private static final class Stub {
        static final long ADDRESS = make();

        private static long make() {
            try {
                MethodHandle target = MethodHandles.lookup().findStatic(LogUpcall.class, "log",
                    MethodType.methodType(void.class, long.class, int.class, long.class, long.class));
                return Linker.nativeLinker().upcallStub(target, FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG), Arena.global()).address();
            } catch (ReflectiveOperationException e) {
                throw new AssertionError("the log callback's method is missing", e);
            }
        }
    }
}
