package io.ferronet.netty;

import io.ferronet.api.Backend;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.LoadedLibrary;
import io.ferronet.api.Reason;
import io.ferronet.netty.internal.NativeRuntime;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetLoopInfo;
import java.util.List;

/**
 * Tells whether Ferronet can be used: its transport, and (without regard to that) its library, which is all that TLS and compression need. The native library is loaded by the first call of a method in here, or by the first handler or
 * channel; no class of Ferronet fails in its static initialiser. All methods may be called by any thread.
 */
public final class Ferronet {
    private Ferronet() {
    }

    /**
     * Whether the native library is loaded and a backend runs on this system. With {@code -Dio.netty.transport.noNative=true} there is no transport.
     *
     * @return whether Ferronet's transport can be used; TLS and compression can without it, see {@link #isLibraryAvailable}
     */
    public static boolean isAvailable() {
        return NativeRuntime.transportUnavailabilityCause() == null;
    }

    /**
     * Fails if Ferronet's transport cannot be used.
     *
     * @throws UnsatisfiedLinkError if it cannot; the cause is {@link #unavailabilityCause()}
     */
    public static void ensureAvailability() {
        Throwable cause = NativeRuntime.transportUnavailabilityCause();
        if (cause != null) {
            throw (Error) new UnsatisfiedLinkError("Ferronet is not available: " + cause.getMessage()).initCause(cause);
        }
    }

    /**
     * Why Ferronet's transport cannot be used.
     *
     * @return what was tried, with each error, and what to set; {@code null} if it is available
     */
    public static Throwable unavailabilityCause() {
        return NativeRuntime.transportUnavailabilityCause();
    }

    /**
     * Whether the native library is loaded, so that TLS and compression can be used, on any transport.
     *
     * @return whether the library can be used
     */
    public static boolean isLibraryAvailable() {
        return NativeRuntime.libraryUnavailabilityCause() == null;
    }

    /**
     * Why the native library cannot be used.
     *
     * @return what was tried, with each error, and what to set; {@code null} if it is available
     */
    public static Throwable libraryUnavailabilityCause() {
        return NativeRuntime.libraryUnavailabilityCause();
    }

    /**
     * The backend that {@link Backend#AUTO} takes now, found out by making a reactor. {@link #loops()} has what live loops use.
     *
     * @return {@link Backend#IO_URING} or {@link Backend#POLL}
     * @throws IllegalStateException if Ferronet is not available
     */
    public static Backend backend() {
        return FerronetIoHandler.probe().backend();
    }

    /**
     * Why {@link #backend()} is not io_uring.
     *
     * @return {@link Reason#NONE} if it is
     * @throws IllegalStateException if Ferronet is not available
     */
    public static Reason fallbackReason() {
        return FerronetIoHandler.probe().fallbackReason();
    }

    /**
     * The status behind {@link #fallbackReason()}.
     *
     * @return a negative status (an errno or Ferronet's own), or 0
     * @throws IllegalStateException if Ferronet is not available
     */
    public static int fallbackStatus() {
        return FerronetIoHandler.probe().fallbackStatus();
    }

    /**
     * The native library in use.
     *
     * @return where it came from, and its metadata
     * @throws IllegalStateException if the library is not available
     */
    public static LoadedLibrary library() {
        return NativeRuntime.get().binding().library();
    }

    /**
     * The native functions, for advanced use.
     *
     * @return the binding that the transport, TLS and compression use
     * @throws IllegalStateException if the library is not available
     */
    public static FerronetBinding binding() {
        return NativeRuntime.get().binding();
    }

    /**
     * The live event loops of Ferronet in this class loader, each with its backend, fallback reason and counters.
     *
     * @return a snapshot
     */
    public static List<FerronetLoopInfo> loops() {
        return FerronetIoHandler.loops();
    }

    /**
     * Operations whose memory was given up on purpose, because they had not completed when the bound of a loop's shutdown passed.
     *
     * @return operations since the process began
     */
    public static long abandonedOperations() {
        return FerronetIoHandler.abandonedOperations();
    }
}
