package io.ferronet.netty.transport;

import io.ferronet.api.Submission;
import java.nio.ByteBuffer;

/** Writes submission records into the area that is shared with the reactor. Loop thread only. */
final class SubmissionQueue {
    private final Reactor reactor;
    private final ByteBuffer area;
    private final int capacity;
    private int count;

    SubmissionQueue(Reactor reactor, ByteBuffer area, int capacity) {
        this.reactor = reactor;
        this.area = area;
        this.capacity = capacity;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The number of records that are handed over now; the area counts as empty afterwards. */
    int take() {
        int taken = count;
        count = 0;
        return taken;
    }

    void ensureRoom() {
        if (count == capacity) {
            reactor.submit();
        }
    }

    void add(byte op, int flags, int socket, long userData, long addr0, int len0, long addr1, int len1, long arg0) {
        ensureRoom();
        int offset = count++ * Submission.SIZE;
        ByteBuffer area = this.area;
        area.put(offset + Submission.OFFSET_OP, op);
        area.put(offset + Submission.OFFSET_FLAGS, (byte) flags);
        area.putShort(offset + Submission.OFFSET_RESERVED0, (short) 0);
        area.putInt(offset + Submission.OFFSET_SOCKET, socket);
        area.putLong(offset + Submission.OFFSET_USER_DATA, userData);
        area.putLong(offset + Submission.OFFSET_ADDR0, addr0);
        area.putInt(offset + Submission.OFFSET_LEN0, len0);
        area.putInt(offset + Submission.OFFSET_LEN1, len1);
        area.putLong(offset + Submission.OFFSET_ADDR1, addr1);
        area.putLong(offset + Submission.OFFSET_ARG0, arg0);
        area.putLong(offset + Submission.OFFSET_RESERVED1, 0);
        area.putLong(offset + Submission.OFFSET_RESERVED1 + Long.BYTES, 0);
    }
}
