package io.ferronet.netty.internal;

import io.ferronet.api.AttachParams;
import io.ferronet.api.Capabilities;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.FerronetException;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.Reason;
import io.ferronet.api.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The loaded library and its runtime handle. Made once per class loader, on first use; the runtime lives as long as the process.
 */
public final class NativeRuntime {
    /** Revision of the C surface that this module was written for. */
    private static final int BUILT_FOR_REVISION = 3;

    private final FerronetBinding binding;
    private final long handle;
    private final Reason uringReason;
    private final int uringStatus;
    private final Reason pollReason;
    private final int pollStatus;

    private NativeRuntime(FerronetBinding binding) throws FerronetException {
        this.binding = binding;
        ByteBuffer memory = allocate(AttachParams.SIZE + Long.BYTES);
        long address = binding.addressOf(memory);
        memory.putInt(AttachParams.OFFSET_SIZE, AttachParams.SIZE);
        memory.putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, BUILT_FOR_REVISION);
        check("ferronet_attach", binding.attach(address, address + AttachParams.SIZE));
        handle = memory.getLong(AttachParams.SIZE);
        ByteBuffer caps = allocate(Capabilities.SIZE);
        caps.putInt(Capabilities.OFFSET_SIZE, Capabilities.SIZE);
        check("ferronet_probe", binding.probe(binding.addressOf(caps)));
        uringReason = Reason.of(caps.getInt(Capabilities.OFFSET_URING_REASON));
        uringStatus = caps.getInt(Capabilities.OFFSET_URING_STATUS);
        pollReason = Reason.of(caps.getInt(Capabilities.OFFSET_POLL_REASON));
        pollStatus = caps.getInt(Capabilities.OFFSET_POLL_STATUS);
    }

    private static final class Holder {
        static final NativeRuntime INSTANCE;
        static final Throwable CAUSE;

        static {
            NativeRuntime instance = null;
            Throwable cause = NettyVersion.unsupportedCause();
            if (cause == null) {
                try {
                    instance = new NativeRuntime(FerronetBindings.load());
                    cause = instance.noBackendCause();
                } catch (LibraryLoadException | FerronetException | RuntimeException | LinkageError e) {
                    cause = e;
                }
            }
            INSTANCE = cause == null ? instance : null;
            CAUSE = cause;
        }

        private Holder() {
        }
    }

    /**
     * The runtime.
     *
     * @return the runtime
     * @throws IllegalStateException if Ferronet is not available; its cause says why
     */
    public static NativeRuntime get() {
        NativeRuntime runtime = Holder.INSTANCE;
        if (runtime == null) {
            throw new IllegalStateException("Ferronet is not available: " + Holder.CAUSE.getMessage(), Holder.CAUSE);
        }
        return runtime;
    }

    /**
     * Why there is no runtime.
     *
     * @return the cause, or {@code null} if there is one
     */
    public static Throwable unavailabilityCause() {
        return Holder.CAUSE;
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

    private Throwable noBackendCause() {
        if (uringReason == Reason.NONE || pollReason == Reason.NONE) {
            return null;
        }
        return new UnsupportedOperationException("no backend of Ferronet runs here: io_uring: " + uringReason.description() + " ("
            + Status.name(uringStatus) + "), poll: " + pollReason.description() + " (" + Status.name(pollStatus) + ")");
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
