package io.ferronet.netty.transport;

import io.ferronet.api.Completion;
import io.ferronet.api.Errno;
import io.ferronet.api.Status;
import io.ferronet.api.Submission;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.unix.PreferredDirectByteBufAllocator;
import java.util.ArrayDeque;

/**
 * Receives for a channel. With the default allocators one multishot operation fills lent buffers for as long as the channel is open; otherwise, and while no
 * lent buffer is free, each operation fills one buffer of the channel's own.
 *
 * <p>What arrives while nobody wants it (AUTO_READ off, or the channel moves to another loop) is held back here up to a small bound; beyond it the operation is
 * cancelled, and started again when enough was read. Nothing is delivered before it is asked for; only the end of the stream is, once nothing is held back
 * any more. Loop thread only.
 */
final class StreamReceiver {
    private static final int MAX_HELD_MESSAGES = 16;
    private static final int MAX_HELD_BYTES = 64 * 1024;
    /** Deliveries of one turn at most, so that one channel does not hold up the others. */
    private static final int MAX_DELIVERIES = 16;

    private final FerronetSocketChannel channel;
    private final FerronetSocketChannelConfig config;
    private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(0);
    /** Makes the channel's allocator give out direct buffers; made for the first operation that is not lent a buffer. */
    private PreferredDirectByteBufAllocator ownAllocator;
    private int heldBytes;
    private boolean readPending;
    /** A read has reached the channel since AUTO_READ was last switched off; with AUTO_READ it then goes on by itself. */
    private boolean reading;
    private boolean armed;
    private boolean cancelling;
    private long id;
    /** The buffer of a one-shot operation in flight. */
    private ByteBuf own;
    /** The next operation is a one-shot, because no lent buffer is free. */
    private boolean ownNext;
    /** A read loop over buffers of the channel's own goes on. */
    private boolean ownLoop;
    /** The read loop ends with this turn unless another message arrives. */
    private boolean ownLoopEnds;
    /** Messages that were delivered since the last {@code channelReadComplete}. */
    private int delivered;
    /** Handlers are being called; whatever they ask for is looked at when the turn ends. */
    private boolean busy;
    private boolean hangupPolled;
    private boolean hangup;
    private boolean endOfStream;
    /** The {@code channelReadComplete} before the end of the stream was fired; the end itself may wait for another loop. */
    private boolean lastLoopEnded;
    private int failure;
    private boolean stopped;

    StreamReceiver(FerronetSocketChannel channel, FerronetSocketChannelConfig config) {
        this.channel = channel;
        this.config = config;
    }

    void beginRead() {
        if (stopped) {
            return;
        }
        readPending = true;
        reading = true;
        if (busy) {
            return;
        }
        if (held.isEmpty() && !endOfStream && failure == 0) {
            arm();
        } else {
            channel.queueTurnEnd();
        }
    }

    void readCleared() {
        readPending = false;
        reading = false;
    }

    /** AUTO_READ was switched off by another thread; a read may have come since. */
    void autoReadIsOff() {
        reading = readPending;
    }

    /** The channel became active, or came to another loop. */
    void resume() {
        if (!held.isEmpty() || endOfStream || failure != 0) {
            channel.queueTurnEnd();
        } else if (readPending) {
            arm();
        }
        if (!armed) {
            pollHangup();
        }
    }

    /** Reads no further, and gives up what was held back. */
    void stop() {
        stopped = true;
        readPending = false;
        endOfStream = false;
        failure = 0;
        heldBytes = 0;
        ByteBuf buffer;
        while ((buffer = held.poll()) != null) {
            buffer.release();
        }
    }

    /** The input is closed: no operation may start any more. */
    void inputClosed() {
        stopped = true;
    }

    /** Operations will not be reported any more, and nothing is in flight. */
    void release() {
        armed = false;
        cancelling = false;
        hangupPolled = false;
        if (own != null) {
            own.release();
            own = null;
        }
    }

    private boolean isWanted() {
        return readPending || ownLoop || reading && config.isAutoRead();
    }

    private boolean canDeliver() {
        return isWanted() && channel.isOpen() && !stopped && !channel.isDeregistering();
    }

    private boolean hasRoom() {
        return held.size() < MAX_HELD_MESSAGES && heldBytes < MAX_HELD_BYTES;
    }

    private void arm() {
        if (armed || stopped || !channel.isActive() || !channel.isOperational()) {
            return;
        }
        Registration registration = channel.registration();
        LentBuffers lent = registration.handler().lent();
        if (!ownNext && config.isDefaultReceiveAllocator() && config.getAllocator() == lent.allocator()) {
            lent.start();
            id = registration.add(Submission.OP_RECV, Submission.FLAG_MULTISHOT | Submission.FLAG_LENT, 0);
        } else if (!armOwn(registration)) {
            return;
        }
        armed = true;
    }

    @SuppressWarnings("deprecation") // Netty has no other type for the handle that a channel returns.
    private boolean armOwn(Registration registration) {
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        if (!ownLoop) {
            handle.reset(config);
        }
        try {
            if (ownAllocator == null) {
                ownAllocator = new PreferredDirectByteBufAllocator();
            }
            ownAllocator.updateAllocator(config.getAllocator());
            own = handle.allocate(ownAllocator);
        } catch (RuntimeException | OutOfMemoryError e) {
            allocationFailed(e);
            return false;
        }
        int length = own.writableBytes();
        handle.attemptedBytesRead(length);
        long address = DirectMemory.address(registration.handler().reactor().binding(), own, own.writerIndex(), length);
        id = registration.add(Submission.OP_RECV, 0, address, length, 0, 0, 0);
        return true;
    }

    /** Without a buffer the socket would stay full for ever. */
    private void allocationFailed(Throwable cause) {
        stopped = true;
        channel.eventLoop().execute(() -> {
            channel.pipeline().fireExceptionCaught(cause);
            channel.unsafe().close(channel.voidPromise());
        });
    }

    /** Watches for the peer's close while nothing is being received. */
    private void pollHangup() {
        if (!hangupPolled && !hangup && !stopped && channel.isActive() && channel.isOperational()) {
            hangupPolled = true;
            channel.registration().add(Submission.OP_POLL, 0, Submission.POLL_RDHUP);
        }
    }

    void hangupPolled(FerronetIoEvent event) {
        hangupPolled = false;
        if (event.result() > 0) {
            hangup = true;
            channel.queueTurnEnd();
        }
    }

    void completed(FerronetIoEvent event) {
        if (!event.isMore()) {
            armed = false;
            cancelling = false;
        }
        int result = event.result();
        ByteBuf received = own;
        own = null;
        if (result > 0) {
            busy = true;
            try {
                received(received == null ? takeLent(event) : takeOwn(received, result));
            } finally {
                busy = false;
            }
        } else {
            if (received != null) {
                received.release();
            }
            ended(result);
        }
        channel.queueTurnEnd();
    }

    private ByteBuf takeLent(FerronetIoEvent event) {
        if (stopped) {
            return null;
        }
        FerronetIoHandler handler = channel.registration().handler();
        boolean more = (event.flags() & Completion.FLAG_BUFFER_MORE) != 0;
        ByteBuf taken;
        try {
            taken = handler.lent().take(event.buffer(), (int) event.extra(), event.result(), more);
        } catch (RuntimeException | OutOfMemoryError e) {
            allocationFailed(e);
            return null;
        }
        handler.bufferTaken();
        return taken;
    }

    @SuppressWarnings("deprecation") // See armOwn.
    private ByteBuf takeOwn(ByteBuf buffer, int length) {
        ownNext = false;
        buffer.writerIndex(buffer.writerIndex() + length);
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        handle.lastBytesRead(length);
        handle.incMessagesRead(1);
        ownLoopEnds = false;
        if (stopped) {
            buffer.release();
            return null;
        }
        return buffer;
    }

    private void received(ByteBuf buffer) {
        if (buffer == null) {
            return;
        }
        boolean fromOwn = !armed && own == null;
        if (held.isEmpty() && canDeliver()) {
            deliver(buffer);
        } else {
            hold(buffer);
        }
        if (fromOwn) {
            ownLoop = channel.unsafe().recvBufAllocHandle().continueReading();
        }
    }

    private void deliver(ByteBuf buffer) {
        readPending = false;
        delivered++;
        channel.pipeline().fireChannelRead(buffer);
        if (!readPending && !config.isAutoRead()) {
            reading = false;
        }
    }

    private void hold(ByteBuf buffer) {
        held.add(buffer);
        heldBytes += buffer.readableBytes();
        if (armed && !cancelling && !hasRoom() && channel.isOperational()) {
            cancelling = true;
            channel.registration().cancel(id);
        }
    }

    private void ended(int result) {
        if (result == 0) {
            endOfStream = true;
        } else if (result == Status.NO_BUFFERS) {
            FerronetIoHandler handler = channel.registration().handler();
            ownNext = !handler.lent().grow(handler.turn());
        } else if (Failures.errno(result) != Errno.ECANCELED) {
            failure = result;
        }
    }

    void turnEnd() {
        if (stopped || channel.isDeregistering()) {
            readComplete();
            return;
        }
        busy = true;
        try {
            deliverHeld();
        } finally {
            busy = false;
        }
        if (stopped || !channel.isOpen() || channel.isDeregistering()) {
            return;
        }
        if (!held.isEmpty()) {
            if (isWanted()) {
                channel.queueTurnEnd();
            }
        } else if (endOfStream) {
            if (!lastLoopEnded) {
                lastLoopEnded = true;
                endLoop();
                if (channel.isDeregistering()) {
                    return;
                }
            }
            endOfStream = false;
            channel.inputEnded();
        } else if (failure != 0) {
            failed();
        }
        rearm();
    }

    private void deliverHeld() {
        int budget = MAX_DELIVERIES;
        do {
            while (!held.isEmpty() && budget > 0 && canDeliver()) {
                ByteBuf buffer = held.poll();
                heldBytes -= buffer.readableBytes();
                budget--;
                deliver(buffer);
            }
            if (ownLoop && !ownLoopEnds && failure == 0 && !endOfStream) {
                // Whether more is there shows in the next turn; until then the read loop is not complete.
                ownLoopEnds = true;
                channel.queueTurnEnd();
                return;
            }
            ownLoop = false;
            ownLoopEnds = false;
            readComplete();
        } while (!held.isEmpty() && budget > 0 && canDeliver());
    }

    private void readComplete() {
        if (delivered > 0) {
            endLoop();
        }
    }

    private void endLoop() {
        delivered = 0;
        channel.unsafe().recvBufAllocHandle().readComplete();
        channel.pipeline().fireChannelReadComplete();
    }

    /** The connection is broken. */
    private void failed() {
        if (!config.isAutoClose() && channel.hasPendingWrites()) {
            // Without AUTO_CLOSE a write that meets the broken connection first shuts the output down; it gets the chance to.
            return;
        }
        int status = failure;
        failure = 0;
        stopped = true;
        ChannelPipeline pipeline = channel.pipeline();
        endLoop();
        pipeline.fireExceptionCaught(Failures.io("receiving from " + channel.remoteAddress(), status));
        channel.unsafe().close(channel.voidPromise());
    }

    private void rearm() {
        if (armed || stopped || failure != 0 || endOfStream || !channel.isOpen()) {
            return;
        }
        if ((isWanted() || hangup) && hasRoom()) {
            arm();
        } else {
            pollHangup();
        }
    }
}
