package io.ferronet.netty.ssl;

import io.netty.handler.ssl.ApplicationProtocolConfig;
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

    /**
     * Refuses what cannot be negotiated.
     *
     * @throws IllegalArgumentException if it asks for NPN, or for a protocol that the peer did not offer; or if a name is empty or too long
     */
    static void check(ApplicationProtocolConfig config) {
        switch (config.protocol()) {
            case NONE, ALPN -> { }
            default -> throw new IllegalArgumentException("application protocol negotiation " + config.protocol() + " is not supported (expected: ALPN; NPN was never made a standard)");
        }
        if (config.protocol() == ApplicationProtocolConfig.Protocol.ALPN) {
            if (config.selectorFailureBehavior() == ApplicationProtocolConfig.SelectorFailureBehavior.CHOOSE_MY_LAST_PROTOCOL
                || config.selectedListenerFailureBehavior() == ApplicationProtocolConfig.SelectedListenerFailureBehavior.CHOOSE_MY_LAST_PROTOCOL) {
                throw new IllegalArgumentException("CHOOSE_MY_LAST_PROTOCOL is not supported, because RFC 7301 forbids a protocol that the client did not offer "
                    + "(expected: NO_ADVERTISE or FATAL_ALERT with ACCEPT or FATAL_ALERT)");
            }
            encode(config.supportedProtocols());
        }
    }
}
