package io.ferronet.api;

/** Layout of {@code ferronet_submission}: offsets in bytes, operations and flags. Frozen since revision 1. */
public final class Submission {
    /** Bytes of a record. */
    public static final int SIZE = 64;

    /** {@code uint8_t}: one of the {@code OP} values. */
    public static final int OFFSET_OP = 0;
    /** {@code uint8_t}: {@code FLAG} bits. */
    public static final int OFFSET_FLAGS = 1;
    /** {@code uint16_t}: zero. */
    public static final int OFFSET_RESERVED0 = 2;
    /** {@code uint32_t}: the socket number, or 0. */
    public static final int OFFSET_SOCKET = 4;
    /** {@code uint64_t}: echoed in every completion of the operation. */
    public static final int OFFSET_USER_DATA = 8;
    /** {@code uint64_t}: address of the first region, of the region array, or of an {@link Address}. */
    public static final int OFFSET_ADDR0 = 16;
    /** {@code uint32_t}: bytes of the first region, entries of the region array, poll events, or shutdown direction. */
    public static final int OFFSET_LEN0 = 24;
    /** {@code uint32_t}: bytes of the second region of a send. */
    public static final int OFFSET_LEN1 = 28;
    /** {@code uint64_t}: address of the second region of a send. */
    public static final int OFFSET_ADDR1 = 32;
    /** {@code uint64_t}: CANCEL: user data of the target; LEND: identity of the buffer (0 to 65,535). */
    public static final int OFFSET_ARG0 = 40;
    /** {@code uint64_t[2]}: zero. */
    public static final int OFFSET_RESERVED1 = 48;

    /** Accepts connections; result: the new descriptor, owned by the caller. */
    public static final byte OP_ACCEPT = 1;
    /** Connects to the {@link Address} at {@code addr0}. */
    public static final byte OP_CONNECT = 2;
    /** Receives into {@code addr0}/{@code len0}, or into lent buffers with {@link #FLAG_LENT}; result 0 is end of stream. */
    public static final byte OP_RECV = 3;
    /** Sends one or two regions whole. */
    public static final byte OP_SEND = 4;
    /** Sends the {@code len0} {@link Region}s at {@code addr0} whole. */
    public static final byte OP_SEND_GATHER = 5;
    /** Waits for the {@code POLL} events in {@code len0}; result: the events that occurred. */
    public static final byte OP_POLL = 6;
    /** Shuts down the direction in {@code len0}. */
    public static final byte OP_SHUTDOWN = 7;
    /** Cancels all operations of the socket and closes its descriptor; completes last of them. */
    public static final byte OP_CLOSE = 8;
    /** Cancels the operation whose user data is {@code arg0}, or all with {@link #FLAG_ALL}; result: operations found. */
    public static final byte OP_CANCEL = 9;
    /** Lends the buffer {@code addr0}/{@code len0} under identity {@code arg0}; completes only if it is refused. */
    public static final byte OP_LEND = 10;

    /** Further completions follow, each but the last with {@link Completion#FLAG_MORE}. */
    public static final byte FLAG_MULTISHOT = 1;
    /** Receive into a lent buffer. */
    public static final byte FLAG_LENT = 2;
    /** CANCEL: every operation of the socket. */
    public static final byte FLAG_ALL = 4;
    /** SEND: more data follows soon. */
    public static final byte FLAG_MORE = 8;

    /** Bytes to read, or a connection to accept. */
    public static final int POLL_IN = 1;
    /** Room to write. */
    public static final int POLL_OUT = 2;
    /** The peer closed its sending side, or the connection is gone. */
    public static final int POLL_RDHUP = 4;
    /** An error is pending; reported even if not asked for. */
    public static final int POLL_ERR = 8;
    /** Both directions are closed; reported even if not asked for. */
    public static final int POLL_HUP = 16;

    /** Shut down receiving. */
    public static final int SHUTDOWN_READ = 0;
    /** Shut down sending: the peer reads end of stream. */
    public static final int SHUTDOWN_WRITE = 1;
    /** Shut down both directions. */
    public static final int SHUTDOWN_BOTH = 2;

    private Submission() {
    }
}
