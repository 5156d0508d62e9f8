package io.ferronet.nativeimage;

import io.ferronet.api.Status;
import io.ferronet.api.TlsStubs;
import org.graalvm.nativeimage.CurrentIsolate;
import org.graalvm.nativeimage.UnmanagedMemory;
import org.graalvm.nativeimage.c.function.CEntryPointLiteral;
import org.graalvm.nativeimage.c.function.CFunctionPointer;
import org.graalvm.word.Pointer;
import org.graalvm.word.WordFactory;

/** The library's callbacks of an isolate, and the contexts that lead them to it. The layouts are those of {@code ffi/src/boundary/image.rs}. */
final class Callbacks {
    private static final int LAYOUT = 1;
    private static final int FUNCTIONS_SIZE = 40;
    private static final int CONTEXT_SIZE = 80;

    private static Callbacks made;

    /** The functions of TLS, whose one context stays for as long as the isolate does. */
    final TlsStubs tls;

    /** The function that takes log messages. */
    final long log;

    private Callbacks() {
        Pointer functions = UnmanagedMemory.calloc(FUNCTIONS_SIZE);
        try {
            int status = Functions.imageCallbacks(LAYOUT, functions.rawValue());
            if (status < 0) {
                throw new IllegalStateException("the static library has other callbacks than layout " + LAYOUT + " (" + Status.name(status)
                    + "): take it and ferronet-native-image from one release");
            }
            tls = new TlsStubs(functions.readLong(0), functions.readLong(8), functions.readLong(16), functions.readLong(24), newContext(0));
            log = functions.readLong(32);
        } finally {
            UnmanagedMemory.free(functions);
        }
    }

    /** Those of this isolate. No static final field: the builder of 25.0.2 fails on one that holds what native memory gives. */
    static synchronized Callbacks get() {
        if (made == null) {
            made = new Callbacks();
        }
        return made;
    }

    private static long address(CEntryPointLiteral<CFunctionPointer> method) {
        return method.getFunctionPointer().rawValue();
    }

    /**
     * A context for callbacks into this isolate.
     *
     * @param receiver given to {@link Upcalls#log}
     * @return its address, to be freed when no callback has it any more
     */
    static long newContext(long receiver) {
        Pointer context = UnmanagedMemory.calloc(CONTEXT_SIZE);
        context.writeLong(0, CurrentIsolate.getIsolate().rawValue());
        context.writeLong(8, address(Upcalls.CURRENT_THREAD));
        context.writeLong(16, address(Upcalls.ATTACH_THREAD));
        context.writeLong(24, address(Upcalls.DETACH_THREAD));
        context.writeLong(32, address(Upcalls.VERIFY));
        context.writeLong(40, address(Upcalls.CHOOSE));
        context.writeLong(48, address(Upcalls.KEY_LOG));
        context.writeLong(56, address(Upcalls.SIGN));
        context.writeLong(64, address(Upcalls.LOG));
        context.writeLong(72, receiver);
        return context.rawValue();
    }

    static void freeContext(long context) {
        UnmanagedMemory.free(WordFactory.<Pointer>pointer(context));
    }
}
