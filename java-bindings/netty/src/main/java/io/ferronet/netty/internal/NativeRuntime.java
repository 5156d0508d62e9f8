package io.ferronet.netty.internal;

import io.ferronet.api.AttachParams;
import io.ferronet.api.Capabilities;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.FerronetException;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.Reason;
import io.ferronet.api.Status;
import io.netty.util.internal.SystemPropertyUtil;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The loaded library and its runtime handle. Made once per class loader, on first use; the runtime lives as long as the process. TLS and compression need no more than that; the
 * transport needs a backend that runs on this system besides.
 */
public final class NativeRuntime {
    /** Revision of the C surface that this module was written for. */
    private static final int BUILT_FOR_REVISION = 4;

    /** Netty's own property, which switches off every native transport. */
    private static final String NO_NATIVE = "io.netty.transport.noNative";

    private final FerronetBinding binding;
    private final long handle;

    private NativeRuntime(FerronetBinding binding) throws FerronetException {
        this.binding = binding;
        ByteBuffer memory = allocate(AttachParams.SIZE + Long.BYTES);
        long address = binding.addressOf(memory);
        memory.putInt(AttachParams.OFFSET_SIZE, AttachParams.SIZE);
        memory.putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, BUILT_FOR_REVISION);
        check("ferronet_attach", binding.attach(address, address + AttachParams.SIZE));
        handle = memory.getLong(AttachParams.SIZE);
    }

    private static final class Library {
        static final NativeRuntime INSTANCE;
        static final Throwable CAUSE;

        static {
            NativeRuntime instance = null;
            Throwable cause = NettyVersion.unsupportedCause();
            if (cause == null) {
                try {
                    instance = new NativeRuntime(FerronetBindings.load());
                } catch (LibraryLoadException | FerronetException | RuntimeException | LinkageError e) {
                    cause = e;
                }
            }
            INSTANCE = instance;
            CAUSE = cause;
        }

        private Library() {
        }
    }

    private static final class Transport {
        static final Throwable CAUSE = cause();

        private Transport() {
        }

        private static Throwable cause() {
            if (Library.CAUSE != null) {
                return Library.CAUSE;
            }
            if (SystemPropertyUtil.getBoolean(NO_NATIVE, false)) {
                return new UnsupportedOperationException("native transports are switched off by -D" + NO_NATIVE + "=true");
            }
            try {
                return Library.INSTANCE.noBackendCause();
            } catch (FerronetException | RuntimeException | LinkageError e) {
                return e;
            }
        }
    }

    /**
     * The runtime, for what needs no transport.
     *
     * @return the runtime
     * @throws IllegalStateException if the library cannot be used; its cause says why
     */
    public static NativeRuntime get() {
        return available(Library.CAUSE);
    }

    /**
     * The runtime, for the transport.
     *
     * @return the runtime
     * @throws IllegalStateException if the library cannot be used or no backend runs here; its cause says why
     */
    public static NativeRuntime forTransport() {
        return available(Transport.CAUSE);
    }

    private static NativeRuntime available(Throwable cause) {
        if (cause != null) {
            throw new IllegalStateException("Ferronet is not available: " + cause.getMessage(), cause);
        }
        return Library.INSTANCE;
    }

    /**
     * Why there is no runtime.
     *
     * @return the cause, or {@code null} if there is one
     */
    public static Throwable libraryUnavailabilityCause() {
        return Library.CAUSE;
    }

    /**
     * Why there is no transport.
     *
     * @return the cause, or {@code null} if there is one
     */
    public static Throwable transportUnavailabilityCause() {
        return Transport.CAUSE;
    }

    /**
     * The native functions.
     *
     * @return the binding
     */
    public FerronetBinding binding() {
        return binding;
    }

    /**
     * The runtime handle.
     *
     * @return what {@code ferronet_attach} made
     */
    public long handle() {
        return handle;
    }

    private Throwable noBackendCause() throws FerronetException {
        ByteBuffer caps = allocate(Capabilities.SIZE);
        caps.putInt(Capabilities.OFFSET_SIZE, Capabilities.SIZE);
        check("ferronet_probe", binding.probe(binding.addressOf(caps)));
        Reason uring = Reason.of(caps.getInt(Capabilities.OFFSET_URING_REASON));
        Reason poll = Reason.of(caps.getInt(Capabilities.OFFSET_POLL_REASON));
        if (uring == Reason.NONE || poll == Reason.NONE) {
            return null;
        }
        return new UnsupportedOperationException("no backend of Ferronet runs here: io_uring: " + uring.description() + " ("
            + Status.name(caps.getInt(Capabilities.OFFSET_URING_STATUS)) + "), poll: " + poll.description() + " ("
            + Status.name(caps.getInt(Capabilities.OFFSET_POLL_STATUS)) + "); TLS and compression do not need one");
    }

    private void check(String what, int status) throws FerronetException {
        if (Status.isError(status)) {
            throw new FerronetException(what, status, binding.lastError(0));
        }
    }

    private static ByteBuffer allocate(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }
}
