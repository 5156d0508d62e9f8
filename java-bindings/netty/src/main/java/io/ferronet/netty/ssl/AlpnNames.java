package io.ferronet.netty.ssl;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lists of application protocols as they are on the wire (RFC 7301, 3.1). */
final class AlpnNames {
    private static final int LONGEST = 255;

    private AlpnNames() {
    }

    /**
     * Encodes names.
     *
     * @throws IllegalArgumentException if a name is empty or too long
     */
    static byte[] encode(List<String> protocols) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String protocol : protocols) {
            byte[] name = protocol.getBytes(StandardCharsets.UTF_8);
            if (name.length == 0 || name.length > LONGEST) {
                throw new IllegalArgumentException("application protocol \"" + protocol + "\" has " + name.length + " bytes (expected: 1 to " + LONGEST + ")");
            }
            bytes.write(name.length);
            bytes.writeBytes(name);
        }
        return bytes.toByteArray();
    }

    static List<String> decode(byte[] bytes) {
        List<String> protocols = new ArrayList<>();
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(bytes[at] & 0xff, bytes.length - at - 1);
            protocols.add(new String(bytes, at + 1, length, StandardCharsets.UTF_8));
            at += 1 + length;
        }
        return protocols;
    }
}
