package io.ferronet.ffm;

import io.ferronet.api.TlsCallbacks;
import io.ferronet.api.TlsChoice;
import io.ferronet.api.TlsStubs;
import io.ferronet.api.TlsVerification;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The callbacks of TLS: one set of stubs, which finds the callbacks by the session's number. Native contexts keep the stubs' addresses for as long as
 * they live, whoever holds them, so the stubs live as long as this class; what they find goes with its registration.
 *
 * <p>The JVM holds a stub's target until the stub is freed. The targets are therefore known to the stubs only weakly, so that they do not keep this
 * class and its loader alive: a web application that is loaded anew leaves nothing behind.
 */
final class TlsUpcall {
    private static final long FAILED = -1;
    private static final int LONGEST_LINE = 1 << 10;
    private static final ValueLayout.OfLong UNALIGNED_LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final Map<Long, TlsCallbacks> CALLBACKS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);

    private TlsUpcall() {
    }

    /** Made at the first use of callbacks. */
    static final class Stubs {
        private static final List<Stub> HELD = List.of(
            stub("verify"), stub("choose"), stub("keyLog"), stub("sign"));
        static final TlsStubs ALL = new TlsStubs(HELD.get(0).address(), HELD.get(1).address(), HELD.get(2).address(), HELD.get(3).address(), 0);

        private Stubs() {
        }
    }

    /**
     * One stub, which is freed when neither of the two can be reached any more.
     *
     * @param target what it calls
     * @param code its code
     */
    private record Stub(MethodHandle target, MemorySegment code) {
        long address() {
            return code.address();
        }
    }

    static long register(TlsCallbacks callbacks) {
        long user = NEXT.getAndIncrement();
        CALLBACKS.put(user, Objects.requireNonNull(callbacks, "callbacks"));
        return user;
    }

    static void unregister(long user) {
        CALLBACKS.remove(user);
    }

    private static Stub stub(String name) {
        FunctionDescriptor descriptor = Shape.J7.descriptor();
        MethodType type = descriptor.toMethodType();
        try {
            MethodHandle target = MethodHandles.lookup().findStatic(TlsUpcall.class, name, type);
            MethodHandle find = MethodHandles.publicLookup().findVirtual(WeakReference.class, "get", MethodType.methodType(Object.class))
                .bindTo(new WeakReference<>(target)).asType(MethodType.methodType(MethodHandle.class));
            // The targets catch everything themselves; this is for the time after the class is gone.
            MethodHandle gone = MethodHandles.dropArguments(MethodHandles.constant(long.class, FAILED), 0, Throwable.class);
            MethodHandle weak = MethodHandles.catchException(MethodHandles.foldArguments(MethodHandles.exactInvoker(type), find), Throwable.class, gone);
            return new Stub(target, Linker.nativeLinker().upcallStub(weak, descriptor, Arena.ofAuto()));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the callback " + name + " is missing", e);
        }
    }

    private static TlsCallbacks of(long user) {
        return CALLBACKS.get(user);
    }

    private static long number(long address, int offset) {
        return MemorySegment.ofAddress(address).reinterpret(offset + Long.BYTES).get(UNALIGNED_LONG, offset);
    }

    // Called by native code; an exception that left one of these would end the JVM. All have the shape of the longest, as each further shape costs
    // milliseconds at the start: what a shorter callback is not given is undefined, like the upper half of what is given as 32 bits, and the library
    // reads no more of the result than it declares.

    private static long verify(long context, long request, long u1, long u2, long u3, long u4, long u5) {
        try {
            long user = number(request, TlsVerification.OFFSET_USER);
            return of(user).verify(user, request);
        } catch (Throwable dropped) {
            return FAILED;
        }
    }

    private static long choose(long context, long request, long out, long u1, long u2, long u3, long u4) {
        try {
            long user = number(request, TlsChoice.OFFSET_USER);
            long credential = of(user).choose(user, request);
            if (credential < 0) {
                return FAILED;
            }
            MemorySegment.ofAddress(out).reinterpret(Long.BYTES).set(UNALIGNED_LONG, 0, credential);
            return 0;
        } catch (Throwable dropped) {
            return FAILED;
        }
    }

    private static long keyLog(long context, long user, long line, long length, long u1, long u2, long u3) {
        try {
            of(user).keyLog(user, FfmBinding.string(line, (int) Math.min(length, LONGEST_LINE)));
        } catch (Throwable dropped) {
            // The receiver's own failure must not reach the library.
        }
        return 0;
    }

    private static long sign(long context, long user, long scheme, long message, long length, long out, long capacity) {
        try {
            return of(user).sign(user, (int) scheme, message, length, out, capacity);
        } catch (Throwable dropped) {
            return FAILED;
        }
    }
}
