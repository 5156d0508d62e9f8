package io.ferronet.api;

/** Formats, flush modes and states of compression streams. Since revision 2. */
public final class Codec {
    /** Framing: gzip, RFC 1952. */
    public static final int GZIP = 1;
    /** Framing: zlib, RFC 1950 (HTTP's {@code deflate}). */
    public static final int ZLIB = 2;
    /** Framing: none, RFC 1951. */
    public static final int RAW = 3;
    /** Inflate only: gzip or zlib by their first two bytes, else raw. */
    public static final int AUTO = 4;

    /** The library collects as much input as it likes before it gives output. */
    public static final int FLUSH_NONE = 0;
    /** All input so far becomes output, up to a byte boundary. */
    public static final int FLUSH_SYNC = 2;
    /** The same, and what follows does not refer to what came before. */
    public static final int FLUSH_FULL = 3;
    /** Deflate: the stream ends behind this input. Inflate: no input follows. */
    public static final int FLUSH_FINISH = 4;

    /** All input was taken, and the flush is complete; more input may follow. */
    public static final int NEEDS_INPUT = 0;
    /** The output was full: call again with the rest of the input and the same flush mode. */
    public static final int NEEDS_OUTPUT = 1;
    /** The stream is complete. */
    public static final int END = 2;

    private Codec() {
    }
}
