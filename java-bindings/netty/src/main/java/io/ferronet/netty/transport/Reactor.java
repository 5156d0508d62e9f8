package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.ferronet.api.Completion;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetException;
import io.ferronet.api.Reason;
import io.ferronet.api.ReactorAreas;
import io.ferronet.api.ReactorConfig;
import io.ferronet.api.ReactorInfo;
import io.ferronet.api.Region;
import io.ferronet.api.Status;
import io.ferronet.api.Submission;
import io.ferronet.netty.internal.NativeRuntime;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A native reactor with its shared areas. All methods but {@link #wake} on the loop thread; {@link #submit} refuses other threads. */
final class Reactor {
    /** Regions that one gathered send may have; the least IOV_MAX of the supported platforms. */
    static final int MAX_REGIONS = 1024;
    private static final int SCRATCH_SIZE = 4 * MAX_REGIONS * Region.SIZE;

    private final FerronetBinding binding;
    private final long handle;
    private final ByteBuffer completions;
    private final SubmissionQueue queue;
    private final Scratch scratch;
    private final int lentCapacity;
    private volatile Choice choice;
    /** The thread that started the reactor last. */
    private Thread owner;
    private int failure;

    Reactor(NativeRuntime runtime, FerronetIoHandlerConfig config, int flags) throws FerronetException {
        binding = runtime.binding();
        ByteBuffer memory = allocate(ReactorInfo.SIZE);
        long address = binding.addressOf(memory);
        config.write(memory, flags);
        ByteBuffer out = allocate(Long.BYTES);
        int status = binding.reactorNew(runtime.handle(), address, binding.addressOf(out));
        if (Status.isError(status)) {
            throw new FerronetException("creating a reactor with backend " + config.backend(), status, binding.lastError(runtime.handle()));
        }
        handle = out.getLong(0);
        memory.putInt(ReactorAreas.OFFSET_SIZE, ReactorAreas.SIZE);
        check("ferronet_reactor_areas", binding.reactorAreas(handle, address));
        int submissionCapacity = memory.getInt(ReactorAreas.OFFSET_SUBMISSION_CAPACITY);
        int completionCapacity = memory.getInt(ReactorAreas.OFFSET_COMPLETION_CAPACITY);
        long submissions = memory.getLong(ReactorAreas.OFFSET_SUBMISSIONS);
        lentCapacity = memory.getInt(ReactorAreas.OFFSET_LENT_CAPACITY);
        completions = binding.memory(memory.getLong(ReactorAreas.OFFSET_COMPLETIONS), (long) completionCapacity * Completion.SIZE);
        queue = new SubmissionQueue(this, binding.memory(submissions, (long) submissionCapacity * Submission.SIZE), submissionCapacity);
        scratch = new Scratch(this, binding, SCRATCH_SIZE);
        choice = Choice.read(info());
    }

    /** The backend in use, and why. */
    private record Choice(Backend backend, Backend requested, Reason fallbackReason, int fallbackStatus, long ringFeatures) {
        static Choice read(ByteBuffer info) {
            return new Choice(Backend.of(info.getInt(ReactorInfo.OFFSET_BACKEND)), Backend.of(info.getInt(ReactorInfo.OFFSET_REQUESTED_BACKEND)),
                Reason.of(info.getInt(ReactorInfo.OFFSET_FALLBACK_REASON)), info.getInt(ReactorInfo.OFFSET_FALLBACK_STATUS),
                info.getLong(ReactorInfo.OFFSET_RING_FEATURES));
        }
    }

    private ByteBuffer info() throws FerronetException {
        ByteBuffer memory = allocate(ReactorInfo.SIZE);
        memory.putInt(ReactorInfo.OFFSET_SIZE, ReactorInfo.SIZE);
        check("ferronet_reactor_info", binding.reactorInfo(handle, binding.addressOf(memory)));
        return memory;
    }

    FerronetBinding binding() {
        return binding;
    }

    SubmissionQueue queue() {
        return queue;
    }

    Scratch scratch() {
        return scratch;
    }

    ByteBuffer completions() {
        return completions;
    }

    int lentCapacity() {
        return lentCapacity;
    }

    Backend backend() {
        return choice.backend;
    }

    Backend requestedBackend() {
        return choice.requested;
    }

    Reason fallbackReason() {
        return choice.fallbackReason;
    }

    int fallbackStatus() {
        return choice.fallbackStatus;
    }

    long ringFeatures() {
        return choice.ringFeatures;
    }

    /** The status of the first call that the reactor did not survive, or 0. */
    int failure() {
        return failure;
    }

    void start() throws FerronetException {
        check("starting a reactor", binding.reactorStart(handle));
        owner = Thread.currentThread();
        choice = Choice.read(info()); // A ring that cannot be built again on another thread is replaced.
    }

    /** Lent buffers that the library holds. */
    long lent() throws FerronetException {
        return info().getLong(ReactorInfo.OFFSET_LENT);
    }

    /** Hands the queue over, waits up to the timeout, and returns the number of completions; 0 after a failure. */
    int turn(long timeoutNanos) {
        if (failure != 0) {
            return 0;
        }
        long count = binding.reactorTurn(handle, queue.take(), timeoutNanos);
        scratch.clear();
        if (count < 0) {
            failed((int) count);
            return 0;
        }
        return (int) count;
    }

    /**
     * Hands the queue over without waiting.
     *
     * @throws IllegalStateException on another thread than the loop's; the queue stays as it is
     */
    void submit() {
        if (Thread.currentThread() != owner) {
            throw foreignThread();
        }
        int submitted = queue.take();
        scratch.clear();
        if (submitted == 0 || failure != 0) {
            return;
        }
        int status = binding.reactorSubmit(handle, submitted);
        if (status < 0) {
            failed(status);
        }
    }

    private IllegalStateException foreignThread() {
        return new IllegalStateException("called from thread " + Thread.currentThread().getName() + ", but the event loop runs on "
            + (owner == null ? "no thread yet" : owner.getName()) + ": hand the call to the channel's eventLoop().execute()");
    }

    private void failed(int status) {
        if (Status.isOsError(status) && Status.errno(status) == io.ferronet.api.Errno.EINTR.number()) {
            return;
        }
        failure = status;
    }

    String failureText() {
        String text = binding.lastError(handle);
        return Status.name(failure) + ": " + (text.isEmpty() ? Status.description(failure) : text);
    }

    void wake() {
        binding.reactorWake(handle);
    }

    int add(int descriptor) throws FerronetException {
        long socket = binding.reactorAdd(handle, descriptor);
        check("adding descriptor " + descriptor + " to the reactor", (int) Math.min(socket, 0));
        return (int) socket;
    }

    int remove(int socket) {
        return failure != 0 ? failure : binding.reactorRemove(handle, socket);
    }

    /** Operations still in flight when the bound passed. */
    long close(long boundNanos) {
        return Math.max(0, binding.reactorClose(handle, boundNanos));
    }

    void free() {
        binding.reactorFree(handle);
    }

    private void check(String what, int status) throws FerronetException {
        if (Status.isError(status)) {
            throw new FerronetException(what, status, binding.lastError(handle));
        }
    }

    private static ByteBuffer allocate(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }
}
