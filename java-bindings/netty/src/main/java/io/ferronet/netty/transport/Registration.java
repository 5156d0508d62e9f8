package io.ferronet.netty.transport;

import io.ferronet.api.Submission;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A handle on a loop. It counts the operations without their final completion: only after the last one the handle hears that it is unregistered,
 * and only then memory that the operations name may be freed.
 */
final class Registration implements IoRegistration {
    private static final int SEQUENCE_MASK = 0xffffff;
    private static final int SEQUENCE_SHIFT = 8;

    private final FerronetIoHandler handler;
    private final FerronetIoHandle handle;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final int slot;
    private final int socket;
    private int sequence;
    private int outstanding;
    /** The reactor has, or will have, closed the descriptor. */
    private boolean closing;
    private boolean detached;
    private boolean removed;
    private int lastTurn;
    private Runnable drained;

    Registration(FerronetIoHandler handler, FerronetIoHandle handle, int slot, int socket) {
        this.handler = handler;
        this.handle = handle;
        this.slot = slot;
        this.socket = socket;
    }

    FerronetIoHandler handler() {
        return handler;
    }

    FerronetIoHandle handle() {
        return handle;
    }

    int slot() {
        return slot;
    }

    int outstanding() {
        return outstanding;
    }

    /** Whether the descriptor is closed, or about to be, by the reactor. */
    boolean isClosing() {
        return closing;
    }

    /** Whether operations can be added. */
    boolean isUsable() {
        return !closing && !detached && !removed && !handler.isFailed();
    }

    /** Whether this is the first completion of the registration in the given turn. */
    boolean firstIn(int turn) {
        if (lastTurn == turn) {
            return false;
        }
        lastTurn = turn;
        return true;
    }

    long add(byte op, int flags, long addr0, int len0, long addr1, int len1, long arg0) {
        sequence = sequence + 1 & SEQUENCE_MASK;
        long id = (long) slot << Integer.SIZE | (long) sequence << SEQUENCE_SHIFT | op;
        handler.reactor().queue().add(op, flags, socket, id, addr0, len0, addr1, len1, arg0);
        outstanding++;
        return id;
    }

    long add(byte op, int flags, int len0) {
        return add(op, flags, 0, len0, 0, 0, 0);
    }

    void cancel(long id) {
        add(Submission.OP_CANCEL, 0, 0, 0, 0, 0, id);
    }

    void cancelAll() {
        if (outstanding > 0 && !closing) {
            add(Submission.OP_CANCEL, Submission.FLAG_ALL, 0);
        }
    }

    /**
     * Closes the descriptor through the reactor, on its way when this returns on the loop thread; or by {@code direct}, which is run where the reactor
     * does not have the descriptor. Another thread (that of a lingering close, of a channel that has come to this loop since) hands it over.
     */
    void closeDescriptor(Runnable direct) {
        if (detached) {
            direct.run();
        } else if (handler.isLoopThread()) {
            closeOnLoop(direct);
        } else {
            try {
                handler.executor().execute(() -> closeOnLoop(direct));
            } catch (RejectedExecutionException e) {
                closing = true; // The loop has ended, and its reactor has closed what it had.
            }
        }
    }

    private void closeOnLoop(Runnable direct) {
        if (!detached && (closing || handler.isDestroyed())) {
            return;
        }
        if (!isUsable()) {
            direct.run();
            return;
        }
        closing = true;
        add(Submission.OP_CLOSE, 0, 0);
        handler.reactor().submit();
    }

    /** Runs an action on the loop as soon as nothing is in flight. */
    void whenDrained(Runnable action) {
        if (outstanding == 0) {
            action.run();
        } else if (drained == null) {
            drained = action;
        } else {
            Runnable first = drained;
            drained = () -> {
                first.run();
                action.run();
            };
        }
    }

    /** Takes the socket from the reactor, so that its descriptor is the caller's alone. Nothing may be in flight. */
    void detach() {
        if (!detached && !closing && !removed) {
            detached = true;
            handler.reactor().remove(socket);
        }
    }

    /** Accounts for a completion that the handle has seen. */
    void completed(boolean more) {
        if (more || --outstanding > 0) {
            return;
        }
        runDrainedAction();
        if (outstanding == 0 && cancelled.get()) {
            remove();
        }
    }

    private void runDrainedAction() {
        Runnable action = drained;
        if (action != null) {
            drained = null;
            action.run();
        }
    }

    @SuppressWarnings("unchecked")
    @Override
    public <T> T attachment() {
        return (T) this;
    }

    @Override
    public long submit(IoOps ops) {
        FerronetIoOps operation = (FerronetIoOps) ops;
        if (!isValid()) {
            return 0;
        }
        if (handler.isLoopThread()) {
            return submit(operation);
        }
        handler.executor().execute(() -> {
            if (isValid()) {
                submit(operation);
            }
        });
        return 0;
    }

    private long submit(FerronetIoOps operation) {
        if (operation.op == Submission.OP_CLOSE) {
            closing = true;
        }
        return add(operation.op, operation.flags, operation.addr0, operation.len0, 0, 0, operation.arg0);
    }

    @Override
    public boolean isValid() {
        return !cancelled.get();
    }

    @Override
    public boolean cancel() {
        if (!cancelled.compareAndSet(false, true)) {
            return false;
        }
        if (handler.isLoopThread()) {
            cancelNow();
        } else {
            try {
                handler.executor().execute(this::cancelNow);
            } catch (RejectedExecutionException e) {
                return true; // The loop is gone, and with it every registration.
            }
        }
        return true;
    }

    private void cancelNow() {
        if (outstanding == 0) {
            remove();
        } else if (!closing) {
            cancelAll();
            handler.reactor().submit();
        }
    }

    private void remove() {
        if (!removed) {
            detach();
            removed = true;
            handler.forget(this);
            handle.unregistered();
        }
    }

    /**
     * What is in flight will never be reported, and its memory is kept for good: what waits for it goes on without.
     *
     * @param closed the reactor has closed the descriptor
     */
    void giveUp(boolean closed) {
        closing |= closed;
        runDrainedAction();
    }

    /** The reactor is closed and nothing is in flight any more: whatever is outstanding will not be reported. */
    void terminate() {
        cancelled.set(true);
        closing = true;
        outstanding = 0;
        runDrainedAction();
        remove();
    }
}
