package io.ferronet.interop;

import java.util.List;
import java.util.Locale;

/**
 * One cell of the matrix.
 *
 * @param name how the suite calls it: {@code CLIENT>SERVER/VERSION/KEY/GROUP/FEATURE}
 */
record Cell(String name, Peer client, Peer server, Version version, Key key, Group group, Feature feature) {
    private static final int PARTS = 5;

    static Cell parse(String name) {
        String[] parts = name.split("/");
        String[] peers = parts[0].split(">");
        if (parts.length != PARTS || peers.length != 2) {
            throw new IllegalArgumentException("cell " + name + " (expected: CLIENT>SERVER/VERSION/KEY/GROUP/FEATURE)");
        }
        return new Cell(name, named(Peer.class, peers[0]), named(Peer.class, peers[1]), named(Version.class, "tls" + parts[1].replace(".", "")),
            named(Key.class, parts[2]), named(Group.class, parts[3]), named(Feature.class, parts[4]));
    }

    private static <E extends Enum<E>> E named(Class<E> type, String name) {
        return Enum.valueOf(type, name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The one suite that is allowed; which one changes with the group, so that all are used. */
    Suite suite() {
        return switch (group) {
            case X25519 -> Suite.AES_128;
            case P256 -> Suite.CHACHA20;
            case P384, X25519MLKEM768 -> Suite.AES_256;
        };
    }

    /** The allowed groups, the expected one first. With TLS 1.2 the curve of an ECDSA key must be among them too (RFC 8422, 5.1). */
    List<Group> groups() {
        return version == Version.TLS12 && key == Key.ECDSA && group != Group.P256 ? List.of(group, Group.P256) : List.of(group);
    }

    /** BoringSSL does not let anyone choose the suites of TLS 1.3. */
    boolean suiteIsFixed() {
        return version == Version.TLS12 || client != Peer.TCNATIVE || server != Peer.TCNATIVE;
    }

    /** What the client offers. The server's order counts. */
    List<String> clientProtocols() {
        return feature == Feature.ALPN_NONE ? List.of("interop/1") : List.of("http/1.1", "h2");
    }

    List<String> serverProtocols() {
        return List.of("h2", "http/1.1");
    }

    /** What is chosen on a connection to a name. {@code s_server} has no protocols beside its second certificate. */
    String protocol(String host) {
        boolean none = feature == Feature.ALPN_NONE || server == Peer.OPENSSL && host.equals(Identities.OTHER_HOST);
        return none ? null : "h2";
    }
}
