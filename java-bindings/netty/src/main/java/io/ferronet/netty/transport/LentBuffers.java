package io.ferronet.netty.transport;

import io.ferronet.api.FerronetException;
import io.ferronet.api.Submission;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

/**
 * The receive buffers that a loop lends to its reactor. What was received belongs to the pipeline for good: few bytes are copied out, many are
 * handed over as a part of the buffer. A buffer that nobody else uses any more is lent again, otherwise a new one takes its place.
 *
 * <p>A few are lent at first, for the kernel fills them in turn and so each of them stays in memory; twice as many whenever a receive finds none. Loop
 * thread only.
 */
final class LentBuffers {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LentBuffers.class);
    private static final int FIRST = 8;

    private final Reactor reactor;
    private final ByteBufAllocator allocator;
    private final int size;
    private final int copyThreshold;
    private final ByteBuf[] buffers;
    /** Buffers in use; the others are not allocated yet. */
    private int limit;
    /** The turn in which there became more. */
    private int grownIn;
    private boolean started;
    /** Buffers that could not be allocated; tried again whenever another one comes back. */
    private int missing;

    LentBuffers(Reactor reactor, FerronetIoHandlerConfig config) {
        this.reactor = reactor;
        allocator = config.allocator();
        size = config.lentBufferSize();
        copyThreshold = config.copyThreshold();
        buffers = new ByteBuf[Math.min(config.lentBuffers(), reactor.lentCapacity())];
        limit = Math.min(FIRST, buffers.length);
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    /** Lends the first buffers, if that did not happen yet. Called before the first receive that needs one. */
    void start() {
        if (!started) {
            started = true;
            fill();
        }
    }

    /**
     * A receive found no buffer: lends twice as many, once in each turn.
     *
     * @param turn the number of the turn
     * @return whether there are more than when the turn began
     */
    boolean grow(int turn) {
        if (turn != grownIn && limit < buffers.length) {
            grownIn = turn;
            limit = Math.min(2 * limit, buffers.length);
            fill();
        }
        return turn == grownIn && missing == 0;
    }

    /** Lends again what a rebuilt reactor has lost. */
    void restart() throws FerronetException {
        if (started && reactor.lent() == 0) {
            for (int id = 0; id < buffers.length; id++) {
                if (buffers[id] != null) {
                    lend(id);
                }
            }
        }
    }

    /** The received bytes as a buffer that the caller owns. */
    ByteBuf take(int id, int offset, int length, boolean more) {
        ByteBuf lent = buffers[id];
        ByteBuf taken;
        if (length <= copyThreshold) {
            taken = allocator.directBuffer(length);
            taken.writeBytes(lent, offset, length);
            if (!more) {
                takeBack(id);
            }
        } else if (more || lent.refCnt() > 1) {
            taken = lent.retainedSlice(offset, length);
            if (!more) {
                takeBack(id);
            }
        } else {
            buffers[id] = null;
            taken = lent.setIndex(offset, offset + length);
            taken.touch();
            replace(id);
        }
        return taken;
    }

    /** The received bytes are not wanted. */
    void discard(int id, boolean more) {
        if (!more) {
            takeBack(id);
        }
    }

    /** The reactor did not take the buffer. */
    void refused(int id, int status) {
        LOGGER.warn("The reactor refused lent buffer {}: {}", id, status);
        ByteBuf buffer = buffers[id];
        buffers[id] = null;
        if (buffer != null) {
            buffer.release();
        }
    }

    void release() {
        for (int id = 0; id < buffers.length; id++) {
            if (buffers[id] != null) {
                buffers[id].release();
                buffers[id] = null;
            }
        }
    }

    private void takeBack(int id) {
        ByteBuf buffer = buffers[id];
        if (buffer.refCnt() == 1) {
            lend(id);
        } else {
            buffers[id] = null;
            buffer.release();
            replace(id);
        }
    }

    private void replace(int id) {
        if (allocate(id) && missing > 0) {
            fill();
        }
    }

    private void fill() {
        missing = 0;
        for (int id = 0; id < limit; id++) {
            if (buffers[id] == null && !allocate(id)) {
                return;
            }
        }
    }

    private boolean allocate(int id) {
        try {
            buffers[id] = allocator.directBuffer(size, size);
        } catch (RuntimeException | OutOfMemoryError e) {
            missing++;
            LOGGER.warn("A receive buffer of {} bytes cannot be allocated; channels receive into buffers of their own", size, e);
            return false;
        }
        lend(id);
        return true;
    }

    private void lend(int id) {
        long address = DirectMemory.address(reactor.binding(), buffers[id], 0, size);
        reactor.queue().add(Submission.OP_LEND, 0, 0, id, address, size, 0, 0, id);
    }
}
