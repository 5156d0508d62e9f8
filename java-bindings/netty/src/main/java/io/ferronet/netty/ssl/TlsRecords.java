package io.ferronet.netty.ssl;

import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;

/** The record layer's framing (RFC 8446, 5.1; RFC 5246, 6.2). */
final class TlsRecords {
    static final int HEADER = 5;
    /** The type of the record after which a peer encrypts with TLS 1.2. */
    static final int CHANGE_CIPHER_SPEC = 20;
    static final int ALERT = 21;
    private static final int DATA = 23;
    static final int MAX_DATA = 1 << 14;
    /** Bytes after the header at most: RFC 5246, 6.2.3. */
    static final int LARGEST = MAX_DATA + 2048;
    /** What a record of ours has more than its data at most: header, explicit nonce, content type and tag. */
    static final int OVERHEAD = HEADER + 8 + 1 + 16;

    private static final int FIRST_TYPE = 20;
    private static final int LAST_TYPE = 24;
    private static final int SHOWN = 32;

    private TlsRecords() {
    }

    /**
     * Bytes of the record that begins at the position of a buffer.
     *
     * @return its length with the header, or -1 if the header is not whole
     * @throws SSLException if there is no record; a {@link NotSslRecordException} if it is something else than TLS
     */
    static int length(ByteBuffer source) throws SSLException {
        int at = source.position();
        int available = source.remaining();
        if (available > 0) {
            int type = source.get(at) & 0xff;
            if (type < FIRST_TYPE || type > LAST_TYPE || available > 1 && source.get(at + 1) != 3) {
                throw notRecord(source);
            }
        }
        if (available < HEADER) {
            return -1;
        }
        int length = (source.get(at + 3) & 0xff) << 8 | source.get(at + 4) & 0xff;
        if (length > LARGEST) {
            throw new SSLException("Illegal packet length: " + length + " (a record of TLS has at most " + LARGEST + " bytes)");
        }
        return HEADER + length;
    }

    /**
     * Whether a record begins at an index.
     *
     * @param buffer at least a header from there on
     * @param index the index
     */
    static boolean isRecord(ByteBuf buffer, int index) {
        return isFrame(buffer, index) && buffer.getUnsignedShort(index + 3) <= LARGEST;
    }

    private static boolean isFrame(ByteBuf buffer, int index) {
        int type = buffer.getUnsignedByte(index);
        return type >= FIRST_TYPE && type <= LAST_TYPE && buffer.getByte(index + 1) == 3;
    }

    /**
     * What to say of bytes that the library takes for no record.
     *
     * @param buffer at least a header from there on
     * @param index the index
     * @return {@code null} if they have the form of one, though it be too long
     */
    static NotSslRecordException notRecord(ByteBuf buffer, int index) {
        return isFrame(buffer, index) ? null : notRecord(buffer.nioBuffer(index, buffer.writerIndex() - index));
    }

    private static NotSslRecordException notRecord(ByteBuffer source) {
        return new NotSslRecordException("not an SSL/TLS record: " + shown(source));
    }

    /** Whether a whole record has the type of data, which with TLS 1.3 every one has that is encrypted. */
    static boolean isData(ByteBuffer record) {
        return record.get(record.position()) == DATA;
    }

    private static String shown(ByteBuffer source) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(SHOWN, source.remaining()); i++) {
            text.append(Character.forDigit(source.get(source.position() + i) >> 4 & 15, 16));
            text.append(Character.forDigit(source.get(source.position() + i) & 15, 16));
        }
        return text.toString();
    }
}
