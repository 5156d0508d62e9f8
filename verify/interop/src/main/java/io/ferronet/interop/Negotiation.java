package io.ferronet.interop;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the messages of a handshake say, as far as they were seen in clear (RFC 8446, 4; RFC 5246, 7.4).
 *
 * @param version of the server's hello
 * @param suite Java's name of the cipher suite
 * @param group the group of the key exchange, or {@code null}
 * @param alpn what the server chose, or {@code null}
 * @param sni the name that the client asked for, or {@code null}
 * @param resumed whether an earlier session was resumed
 * @param clientChain the client's certificates, or {@code null}
 * @param serverChain the server's certificates, or {@code null}
 */
record Negotiation(Version version, String suite, String group, String alpn, String sni, boolean resumed, List<byte[]> clientChain, List<byte[]> serverChain) {
    static final int CLIENT_HELLO = 1;
    static final int SERVER_HELLO = 2;
    private static final int ENCRYPTED_EXTENSIONS = 8;
    private static final int CERTIFICATE = 11;
    private static final int SERVER_KEY_EXCHANGE = 12;
    static final int HELLO_REQUEST = 0;
    static final int KEY_UPDATE = 24;
    private static final int HEADER = 4;
    private static final int RANDOM = 32;
    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;
    private static final int PRE_SHARED_KEY = 41;
    private static final int SUPPORTED_VERSIONS = 43;
    private static final int KEY_SHARE = 51;

    /** Reads the messages of both sides, each with its header. */
    static Negotiation of(List<byte[]> fromClient, List<byte[]> fromServer) {
        String sni = null;
        for (byte[] message : fromClient) {
            if (message[0] == CLIENT_HELLO) {
                sni = serverName(clientExtensions(body(message)));
            }
        }
        byte[] hello = find(fromServer, SERVER_HELLO);
        if (hello == null) {
            throw new IllegalStateException("no hello of the server was seen");
        }
        ByteBuffer reader = body(hello);
        int code = reader.getShort();
        reader.position(reader.position() + RANDOM);
        skip8(reader);
        String suite = Suite.nameOf(Short.toUnsignedInt(reader.getShort()));
        reader.get();
        Map<Integer, ByteBuffer> extensions = extensions(reader);
        if (extensions.containsKey(SUPPORTED_VERSIONS)) {
            code = extensions.get(SUPPORTED_VERSIONS).duplicate().getShort();
        }
        Version version = code == Version.TLS13.code ? Version.TLS13 : Version.TLS12;
        String group = null;
        String alpn = chosen(extensions.get(ALPN));
        boolean resumed;
        if (version == Version.TLS13) {
            group = Group.nameOf(Short.toUnsignedInt(extensions.get(KEY_SHARE).duplicate().getShort()));
            byte[] encrypted = find(fromServer, ENCRYPTED_EXTENSIONS);
            alpn = encrypted == null ? null : chosen(extensions(body(encrypted)).get(ALPN));
            resumed = extensions.containsKey(PRE_SHARED_KEY);
        } else {
            byte[] exchange = find(fromServer, SERVER_KEY_EXCHANGE);
            if (exchange != null) {
                group = Group.nameOf(Short.toUnsignedInt(body(exchange).getShort(1 + HEADER)));
            }
            resumed = find(fromServer, CERTIFICATE) == null;
        }
        return new Negotiation(version, suite, group, alpn, sni, resumed, chain(find(fromClient, CERTIFICATE), version), chain(find(fromServer, CERTIFICATE), version));
    }

    private static byte[] find(List<byte[]> messages, int type) {
        return messages.stream().filter(message -> message[0] == type).findFirst().orElse(null);
    }

    private static ByteBuffer body(byte[] message) {
        return ByteBuffer.wrap(message).position(HEADER);
    }

    private static void skip8(ByteBuffer reader) {
        reader.position(reader.position() + 1 + Byte.toUnsignedInt(reader.get(reader.position())));
    }

    private static ByteBuffer slice(ByteBuffer reader, int length) {
        ByteBuffer part = reader.slice(reader.position(), length);
        reader.position(reader.position() + length);
        return part;
    }

    private static Map<Integer, ByteBuffer> clientExtensions(ByteBuffer reader) {
        reader.position(reader.position() + 2 + RANDOM);
        skip8(reader);
        slice(reader, Short.toUnsignedInt(reader.getShort()));
        skip8(reader);
        return extensions(reader);
    }

    private static Map<Integer, ByteBuffer> extensions(ByteBuffer reader) {
        Map<Integer, ByteBuffer> found = new HashMap<>();
        if (reader.hasRemaining()) {
            ByteBuffer all = slice(reader, Short.toUnsignedInt(reader.getShort()));
            while (all.hasRemaining()) {
                int type = Short.toUnsignedInt(all.getShort());
                found.put(type, slice(all, Short.toUnsignedInt(all.getShort())));
            }
        }
        return found;
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.US_ASCII.decode(bytes.duplicate()).toString();
    }

    private static String serverName(Map<Integer, ByteBuffer> extensions) {
        ByteBuffer names = extensions.get(SERVER_NAME);
        if (names == null) {
            return null;
        }
        ByteBuffer reader = names.duplicate();
        reader.getShort();
        reader.get();
        return text(slice(reader, Short.toUnsignedInt(reader.getShort())));
    }

    private static String chosen(ByteBuffer extension) {
        if (extension == null) {
            return null;
        }
        ByteBuffer reader = extension.duplicate();
        reader.getShort();
        return text(slice(reader, Byte.toUnsignedInt(reader.get())));
    }

    private static List<byte[]> chain(byte[] message, Version version) {
        if (message == null) {
            return null;
        }
        ByteBuffer reader = body(message);
        if (version == Version.TLS13) {
            skip8(reader);
        }
        ByteBuffer list = slice(reader, medium(reader));
        List<byte[]> chain = new ArrayList<>();
        while (list.hasRemaining()) {
            byte[] certificate = new byte[medium(list)];
            list.get(certificate);
            chain.add(certificate);
            if (version == Version.TLS13) {
                slice(list, Short.toUnsignedInt(list.getShort()));
            }
        }
        return chain;
    }

    private static int medium(ByteBuffer reader) {
        return Byte.toUnsignedInt(reader.get()) << 16 | Short.toUnsignedInt(reader.getShort());
    }
}
