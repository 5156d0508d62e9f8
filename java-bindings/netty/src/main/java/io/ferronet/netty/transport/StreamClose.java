package io.ferronet.netty.transport;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Executor;

/**
 * The close of a stream channel, which is done at once except for what it must wait for: the result of a send in flight, and a descriptor that lingers. Made when the channel is
 * closed. The loop's thread only.
 */
final class StreamClose {
    private final FerronetSocketChannel channel;
    private final StreamReceiver receiver;
    private final StreamSender sender;
    private final Last last;
    private boolean deferred;
    /** Done by the close itself: a listener of the close future would need the loop, which may be gone by then. */
    private ChannelPromise promise;
    private Throwable failure;
    /** What a close that is being carried out has taken from the channel. */
    private ChannelOutboundBuffer unsent;
    private ClosedChannelException cause;

    /** Netty's own close, which comes in the end. */
    @FunctionalInterface
    interface Last {
        /**
         * Closes the channel.
         *
         * @param promise done when it is closed
         * @param failure of what was not sent
         * @param cause of later writes
         */
        void close(ChannelPromise promise, Throwable failure, ClosedChannelException cause);
    }

    StreamClose(FerronetSocketChannel channel, StreamReceiver receiver, StreamSender sender, Last last) {
        this.channel = channel;
        this.receiver = receiver;
        this.sender = sender;
        this.last = last;
    }

    /**
     * Closes at once, except for the promises of a send in flight: its result is known only after the next turn, and until then the channel counts as open. The descriptor's close is
     * on its way in any case.
     */
    void close(ChannelPromise newPromise, Throwable newFailure, ClosedChannelException newCause) {
        if (deferred) {
            notifyWhenClosed(newPromise);
        } else if (sender.isInFlight() && channel.isOperational()) {
            if (!newPromise.setUncancellable()) {
                return;
            }
            deferred = true;
            promise = newPromise;
            failure = newFailure;
            cause = newCause;
            receiver.stop();
            channel.registration().whenDrained(this::finish); // In case that the send is never reported.
            channel.submitNow();
            if (lingers()) {
                channel.registration().cancelAll();
                channel.submitNow();
            } else {
                channel.socket().giveUp();
                channel.registration().closeDescriptor(channel.socket()::closeNow);
            }
        } else {
            closeNow(newPromise, newFailure, newCause);
        }
    }

    private void closeNow(ChannelPromise newPromise, Throwable newFailure, ClosedChannelException newCause) {
        unsent = channel.unsafe().outboundBuffer();
        failure = newFailure;
        last.close(newPromise, newFailure, newCause);
        unsent = null;
    }

    private void notifyWhenClosed(ChannelPromise later) {
        if (!later.isVoid()) {
            channel.closeFuture().addListener(closed -> later.trySuccess());
        }
    }

    /** Goes on with a close that waited for a send; whether there was one. */
    boolean finish() {
        if (!deferred) {
            return false;
        }
        deferred = false;
        closeNow(promise, failure, cause);
        return true;
    }

    private boolean lingers() {
        try {
            return channel.config().getSoLinger() > 0;
        } catch (ChannelException e) {
            return false;
        }
    }

    /** A close that lingers blocks its thread, which must not be the loop's; nothing may be in flight on the socket then. {@code null} if it does not linger. */
    Executor lingering() {
        Registration current = channel.registration();
        if (current == null || !current.isUsable() || !lingers()) {
            return null;
        }
        sender.detach();
        failUnsent();
        receiver.stop();
        current.cancelAll();
        channel.submitNow();
        return task -> current.whenDrained(() -> {
            current.detach();
            current.handler().lingering().run(task);
        });
    }

    /** What was not sent fails before the close lingers: afterwards the loop may be gone. */
    private void failUnsent() {
        ChannelOutboundBuffer buffer = unsent;
        unsent = null;
        if (buffer != null) {
            buffer.addFlush();
            while (!buffer.isEmpty()) {
                buffer.remove(failure);
            }
        }
    }
}
