package io.ferronet.nativeimage;

import io.ferronet.api.TlsChoice;
import io.ferronet.api.TlsVerification;
import java.nio.charset.StandardCharsets;
import org.graalvm.nativeimage.Isolate;
import org.graalvm.nativeimage.IsolateThread;
import org.graalvm.nativeimage.c.function.CEntryPoint;
import org.graalvm.nativeimage.c.function.CEntryPointLiteral;
import org.graalvm.nativeimage.c.function.CFunctionPointer;
import org.graalvm.nativeimage.c.type.CCharPointer;
import org.graalvm.nativeimage.c.type.CTypeConversion;
import org.graalvm.word.Pointer;
import org.graalvm.word.WordFactory;

/**
 * The methods that the library calls. The static library's own functions stand in between, which find the calling thread in the isolate and attach it
 * when it is foreign there; {@link Callbacks} makes them known to each other.
 *
 * <p>Made while the image is built; everything that changes is in the registries.
 */
final class Upcalls {
    static final CEntryPointLiteral<CFunctionPointer> CURRENT_THREAD = literal("currentThread", Isolate.class);
    static final CEntryPointLiteral<CFunctionPointer> ATTACH_THREAD = literal("attachThread", Isolate.class);
    static final CEntryPointLiteral<CFunctionPointer> DETACH_THREAD = literal("detachThread", IsolateThread.class);
    static final CEntryPointLiteral<CFunctionPointer> VERIFY = literal("verify", IsolateThread.class, long.class);
    static final CEntryPointLiteral<CFunctionPointer> CHOOSE = literal("choose", IsolateThread.class, long.class, long.class);
    static final CEntryPointLiteral<CFunctionPointer> KEY_LOG = literal("keyLog", IsolateThread.class, long.class, long.class, long.class);
    static final CEntryPointLiteral<CFunctionPointer> SIGN = literal("sign", IsolateThread.class, long.class, int.class, long.class, long.class, long.class,
        long.class);
    static final CEntryPointLiteral<CFunctionPointer> LOG = literal("log", IsolateThread.class, long.class, int.class, long.class, long.class);

    private static final int FAILED = -1;
    private static final int LONGEST_LINE = 1 << 10;
    private static final int LONGEST_TEXT = 1 << 16;

    private Upcalls() {
    }

    private static CEntryPointLiteral<CFunctionPointer> literal(String name, Class<?>... parameters) {
        return CEntryPointLiteral.create(Upcalls.class, name, parameters);
    }

    private static String string(long address, long length, int longest) {
        CCharPointer text = WordFactory.pointer(address);
        return CTypeConversion.toJavaString(text, WordFactory.unsigned(Math.min(length, longest)), StandardCharsets.UTF_8);
    }

    private static Pointer pointer(long address) {
        return WordFactory.pointer(address);
    }

    @CEntryPoint(builtin = CEntryPoint.Builtin.GET_CURRENT_THREAD, include = CEntryPoint.NotIncludedAutomatically.class,
        publishAs = CEntryPoint.Publish.NotPublished)
    static native IsolateThread currentThread(Isolate isolate);

    @CEntryPoint(builtin = CEntryPoint.Builtin.ATTACH_THREAD, include = CEntryPoint.NotIncludedAutomatically.class,
        publishAs = CEntryPoint.Publish.NotPublished)
    static native IsolateThread attachThread(Isolate isolate);

    @CEntryPoint(builtin = CEntryPoint.Builtin.DETACH_THREAD, include = CEntryPoint.NotIncludedAutomatically.class,
        publishAs = CEntryPoint.Publish.NotPublished)
    static native int detachThread(IsolateThread thread);

    // Called by native code; an exception that left one of these would end the process.

    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static int verify(IsolateThread thread, long request) {
        try {
            long user = pointer(request).readLong(TlsVerification.OFFSET_USER);
            return TlsRegistry.of(user).verify(user, request);
        } catch (Throwable dropped) {
            return FAILED;
        }
    }

    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static int choose(IsolateThread thread, long request, long out) {
        try {
            long user = pointer(request).readLong(TlsChoice.OFFSET_USER);
            long credential = TlsRegistry.of(user).choose(user, request);
            if (credential < 0) {
                return FAILED;
            }
            pointer(out).writeLong(0, credential);
            return 0;
        } catch (Throwable dropped) {
            return FAILED;
        }
    }

    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static void keyLog(IsolateThread thread, long user, long line, long length) {
        try {
            TlsRegistry.of(user).keyLog(user, string(line, length, LONGEST_LINE));
        } catch (Throwable dropped) {
            // The receiver's own failure must not reach the library.
        }
    }

    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static long sign(IsolateThread thread, long user, int scheme, long message, long length, long out, long capacity) {
        try {
            return TlsRegistry.of(user).sign(user, scheme, message, length, out, capacity);
        } catch (Throwable dropped) {
            return FAILED;
        }
    }

    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static void log(IsolateThread thread, long receiver, int level, long text, long length) {
        try {
            LogRegistry.of(receiver).log(level, string(text, length, LONGEST_TEXT));
        } catch (Throwable dropped) {
            // As above.
        }
    }
}
