package io.ferronet.netty.transport;

import io.ferronet.api.Submission;
import io.netty.channel.IoOps;

/**
 * An operation that a {@link FerronetIoHandle} submits through its registration. Memory that an operation names stays the submitter's and must
 * stay valid until the final completion.
 */
public final class FerronetIoOps implements IoOps {
    final byte op;
    final byte flags;
    final long addr0;
    final int len0;
    final long arg0;

    private FerronetIoOps(byte op, byte flags, long addr0, int len0, long arg0) {
        this.op = op;
        this.flags = flags;
        this.addr0 = addr0;
        this.len0 = len0;
        this.arg0 = arg0;
    }

    /**
     * Receives once.
     *
     * @param address where the bytes go
     * @param length bytes at most
     * @return the operation
     */
    public static FerronetIoOps receive(long address, int length) {
        return new FerronetIoOps(Submission.OP_RECV, (byte) 0, address, length, 0);
    }

    /**
     * Sends bytes whole.
     *
     * @param address the first byte
     * @param length bytes
     * @return the operation
     */
    public static FerronetIoOps send(long address, int length) {
        return new FerronetIoOps(Submission.OP_SEND, (byte) 0, address, length, 0);
    }

    /**
     * Accepts connections until it is cancelled; the results are descriptors that the handle owns.
     *
     * @return the operation
     */
    public static FerronetIoOps accept() {
        return new FerronetIoOps(Submission.OP_ACCEPT, Submission.FLAG_MULTISHOT, 0, 0, 0);
    }

    /**
     * Connects.
     *
     * @param address an {@link io.ferronet.api.Address} record; copied before the loop's next turn ends
     * @return the operation
     */
    public static FerronetIoOps connect(long address) {
        return new FerronetIoOps(Submission.OP_CONNECT, (byte) 0, address, 0, 0);
    }

    /**
     * Waits for events.
     *
     * @param events {@link Submission}'s {@code POLL} bits
     * @return the operation
     */
    public static FerronetIoOps poll(int events) {
        return new FerronetIoOps(Submission.OP_POLL, (byte) 0, 0, events, 0);
    }

    /**
     * Cancels one operation.
     *
     * @param id what its submission returned
     * @return the operation
     */
    public static FerronetIoOps cancel(long id) {
        return new FerronetIoOps(Submission.OP_CANCEL, (byte) 0, 0, 0, id);
    }

    /**
     * Cancels all operations of the handle and closes its descriptor.
     *
     * @return the operation
     */
    public static FerronetIoOps close() {
        return new FerronetIoOps(Submission.OP_CLOSE, (byte) 0, 0, 0, 0);
    }
}
