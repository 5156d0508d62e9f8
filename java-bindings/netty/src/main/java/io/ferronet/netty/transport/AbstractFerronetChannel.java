package io.ferronet.netty.transport;

import io.ferronet.api.Submission;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** What Ferronet's channels have in common: the socket, its registration with a loop, deregistering without loss, and closing. */
abstract class AbstractFerronetChannel extends AbstractChannel implements UnixChannel, TurnListener {
    private final SocketDescriptor socket;
    private volatile boolean active;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    /** What the loop counts; its attachment is {@link #registration}. */
    private IoRegistration loopRegistration;
    private Registration registration;
    private boolean turnEndQueued;
    private boolean deregistering;
    private boolean closeCompleted;
    private boolean cancelWhenClosed;
    private boolean submitsAtOnce;
    /** What the last deregistration completes. */
    private ChannelPromise leaving;

    AbstractFerronetChannel(Channel parent, SocketDescriptor socket, boolean active) {
        super(parent);
        this.socket = socket;
        if (active) {
            this.active = true;
            refreshAddresses();
        }
    }

    final SocketDescriptor socket() {
        return socket;
    }

    /** The registration, or {@code null} while there is none. Loop thread only. */
    final Registration registration() {
        return registration;
    }

    /** Whether operations can be submitted now. */
    final boolean isOperational() {
        return registration != null && !deregistering && registration.isUsable();
    }

    final boolean isDeregistering() {
        return deregistering;
    }

    /** Whether a handler may block the loop right after what it does now, so that nothing may wait for the next turn. */
    final boolean submitsAtOnce() {
        return submitsAtOnce;
    }

    /** Runs an action that calls handlers which may block. */
    final void submittingAtOnce(Runnable action) {
        submitsAtOnce = true;
        try {
            action.run();
        } finally {
            submitsAtOnce = false;
        }
    }

    final void submitNow() {
        registration.handler().reactor().submit();
    }

    final void activate() {
        active = true;
    }

    final void refreshAddresses() {
        local = socket.localAddress();
        remote = socket.peerAddress();
    }

    final void setRemote(InetSocketAddress remote) {
        this.remote = remote;
    }

    @Override
    public final FileDescriptor fd() {
        return socket;
    }

    @Override
    public final boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public final boolean isActive() {
        return active;
    }

    @Override
    protected final boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(FerronetUnsafe.class);
    }

    @Override
    protected final SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected final SocketAddress remoteAddress0() {
        return remote;
    }

    final InetSocketAddress bindSocket(SocketAddress address) throws Exception {
        InetSocketAddress resolved = Failures.resolved(address);
        socket.bind(resolved);
        local = socket.localAddress();
        return resolved;
    }

    @Override
    protected final void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected final void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register((IoHandle) unsafe()).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            loopRegistration = (IoRegistration) future.getNow();
            registration = loopRegistration.attachment();
            deregistering = false;
            submittingAtOnce(promise::setSuccess);
            if (isOperational()) {
                registered();
            }
        });
    }

    /** Resumes on a loop what was interrupted on the last one. */
    abstract void registered();

    @Override
    protected final void doDeregister() {
        Registration current = registration;
        if (current == null) {
            return;
        }
        current.handler().forget(this);
        turnEndQueued = false;
        if (current.isClosing() && !closeCompleted) {
            // The loop counts the registration until the descriptor is closed, so that it does not move to another thread before.
            cancelWhenClosed = true;
        } else {
            cancelRegistration();
        }
    }

    private void cancelRegistration() {
        IoRegistration cancelled = loopRegistration;
        loopRegistration = null;
        registration = null;
        cancelled.cancel();
    }

    @Override
    protected final void doClose() {
        active = false;
        closing();
        if (!socket.claimClose()) {
            return;
        }
        Registration current = registration;
        if (current == null) {
            socket.closeNow();
        } else {
            current.closeDescriptor(socket::closeNow);
        }
    }

    /** Gives up what the channel holds, except the memory of operations in flight. */
    abstract void closing();

    /** Frees the memory of operations: the last one is complete, or will never be reported. */
    abstract void released();

    final void queueTurnEnd() {
        if (!turnEndQueued && registration != null) {
            turnEndQueued = true;
            registration.handler().atTurnEnd(this);
        }
    }

    @Override
    public final void turnEnd() {
        turnEndQueued = false;
        completionsDispatched();
    }

    /** All completions of a turn were dispatched, at least one of them to this channel. */
    abstract void completionsDispatched();

    abstract void completed(FerronetIoEvent event);

    /** Called by the configuration when AUTO_READ changes from on to off. Any thread. */
    final void autoReadCleared() {
        if (!isRegistered()) {
            return;
        }
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            readCleared();
        } else {
            loop.execute(() -> {
                if (!config().isAutoRead()) {
                    autoReadIsOff();
                }
            });
        }
    }

    /** The user wants no further message. */
    abstract void readCleared();

    /** AUTO_READ was switched off by another thread; a {@code read()} may have come since. */
    abstract void autoReadIsOff();

    /** The channel's side of the reactor. */
    abstract class FerronetUnsafe extends AbstractUnsafe implements FerronetIoHandle {
        @Override
        public final int descriptor() {
            return socket.intValue();
        }

        @Override
        public final void handle(IoRegistration source, IoEvent event) {
            FerronetIoEvent completion = (FerronetIoEvent) event;
            if (completion.op() == Submission.OP_CLOSE) {
                closeCompleted = true;
                if (cancelWhenClosed) {
                    cancelRegistration();
                }
            } else if (completion.op() != Submission.OP_CANCEL) {
                completed(completion);
            }
        }

        @Override
        public final void unregistered() {
            released();
        }

        @Override
        public final void close() {
            close(voidPromise());
        }

        @Override
        public final void deregister(ChannelPromise promise) {
            ChannelPromise first = leaving;
            if (first != null && !first.isDone()) {
                // A second pass would meet the registration on the next loop, from the thread of this one.
                first.addListener(left -> {
                    if (left.isSuccess()) {
                        promise.trySuccess();
                    } else {
                        promise.tryFailure(left.cause());
                    }
                });
                return;
            }
            leaving = promise.isVoid() ? null : promise;
            Registration current = registration;
            if (current == null || current.outstanding() == 0 || !current.isUsable()) {
                deregistering = current != null && current.isUsable();
                deregisterNow(promise);
                return;
            }
            if (!deregistering) {
                deregistering = true;
                current.cancelAll();
                submitNow();
            }
            current.whenDrained(() -> deregisterNow(promise));
        }

        private void deregisterNow(ChannelPromise promise) {
            super.deregister(promise);
            if (promise.isCancelled() && registration != null) {
                deregistering = false;
                AbstractFerronetChannel.this.registered();
            }
        }

        final void flushNow() {
            super.flush0();
        }

        final void failWrite(Throwable cause) {
            handleWriteError(cause);
        }
    }
}
