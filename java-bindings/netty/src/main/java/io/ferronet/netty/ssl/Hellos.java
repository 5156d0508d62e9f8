package io.ferronet.netty.ssl;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the first messages of a handshake say in the clear (RFC 8446, 4.1; RFC 5246, 7.4.1). */
final class Hellos {
    private static final int HANDSHAKE_RECORD = 22;
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_HELLO = 2;
    private static final int MESSAGE_HEADER = 4;
    private static final int RANDOM = 32;
    /** How the random of a HelloRetryRequest begins, which looks like a ServerHello (RFC 8446, 4.1.3). */
    private static final long RETRY = 0xcf21ad74e59a6111L;
    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;
    private static final int SUPPORTED_VERSIONS = 43;

    /**
     * Of a ClientHello.
     *
     * @param serverName the DNS name, or {@code null}
     * @param protocols what ALPN offers; {@code null} if the client does not use it
     */
    record Client(String serverName, List<String> protocols) {
    }

    /**
     * Of a ServerHello.
     *
     * @param version the number of the version
     * @param suite the number of the cipher suite
     * @param sessionId the session's id
     */
    record Server(int version, int suite, byte[] sessionId) {
    }

    private Hellos() {
    }

    /**
     * Bytes of a message that begins the content of records.
     *
     * @param content what of the content is there
     * @return its length with the header; -1 if that is not known yet; 0 if it is no ClientHello
     */
    static int clientHelloLength(ByteBuffer content) {
        if (content.remaining() > 0 && content.get(content.position()) != CLIENT_HELLO) {
            return 0;
        }
        if (content.remaining() < MESSAGE_HEADER) {
            return -1;
        }
        return MESSAGE_HEADER + length24(content, content.position() + 1);
    }

    private static int length24(ByteBuffer bytes, int at) {
        return (bytes.get(at) & 0xff) << 16 | (bytes.get(at + 1) & 0xff) << 8 | bytes.get(at + 2) & 0xff;
    }

    static boolean isHandshake(ByteBuffer record) {
        return record.get(record.position()) == HANDSHAKE_RECORD;
    }

    /** Reads a whole message; what is malformed is found out by the library, and read here as far as it makes sense. */
    static Client client(ByteBuffer message) {
        String name = null;
        List<String> protocols = null;
        try {
            ByteBuffer hello = message.slice(message.position() + MESSAGE_HEADER, message.remaining() - MESSAGE_HEADER);
            hello.position(2 + RANDOM);
            skip(hello, hello.get() & 0xff);
            skip(hello, hello.getShort() & 0xffff);
            skip(hello, hello.get() & 0xff);
            ByteBuffer extensions = part(hello);
            while (extensions.hasRemaining()) {
                int type = extensions.getShort() & 0xffff;
                ByteBuffer body = part(extensions);
                if (type == SERVER_NAME && body.hasRemaining()) {
                    ByteBuffer names = part(body);
                    if (names.get() == 0) {
                        name = StandardCharsets.US_ASCII.decode(part(names)).toString();
                    }
                } else if (type == ALPN) {
                    byte[] list = new byte[body.getShort() & 0xffff];
                    body.get(list);
                    protocols = AlpnNames.decode(list);
                }
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return new Client(name, protocols);
        }
        return new Client(name, protocols);
    }

    /** Reads a record that begins with a ServerHello, or returns {@code null}. */
    static Server server(ByteBuffer record) {
        try {
            ByteBuffer bytes = record.slice();
            if (bytes.get() != HANDSHAKE_RECORD) {
                return null;
            }
            bytes.position(TlsRecords.HEADER);
            if (bytes.get() != SERVER_HELLO) {
                return null;
            }
            bytes.position(TlsRecords.HEADER + MESSAGE_HEADER);
            int version = bytes.getShort() & 0xffff;
            if (bytes.getLong() == RETRY) {
                return null;
            }
            skip(bytes, RANDOM - Long.BYTES);
            byte[] id = new byte[bytes.get() & 0xff];
            bytes.get(id);
            int suite = bytes.getShort() & 0xffff;
            bytes.get();
            if (bytes.remaining() >= 2) {
                ByteBuffer extensions = part(bytes);
                while (extensions.hasRemaining()) {
                    int type = extensions.getShort() & 0xffff;
                    ByteBuffer body = part(extensions);
                    if (type == SUPPORTED_VERSIONS) {
                        version = body.getShort() & 0xffff;
                    }
                }
            }
            return new Server(version, suite, id);
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return null;
        }
    }

    private static void skip(ByteBuffer bytes, int count) {
        if (count > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        bytes.position(bytes.position() + count);
    }

    /** What stands behind a length of two bytes. */
    private static ByteBuffer part(ByteBuffer bytes) {
        int length = bytes.getShort() & 0xffff;
        if (length > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer part = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        return part;
    }
}
