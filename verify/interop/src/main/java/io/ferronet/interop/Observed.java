package io.ferronet.interop;

import java.util.List;

/**
 * What one side of a connection says about it.
 *
 * @param version the protocol
 * @param suite Java's name of the cipher suite
 * @param group the group of the key exchange; {@code null} when a session of TLS 1.2 was resumed, which has none
 * @param alpn the application protocol, or {@code null}
 * @param sni the name that the client asked for; {@code null} if this side does not tell
 * @param chain the peer's certificates; {@code null} if it has shown none
 * @param resumed whether an earlier session was resumed
 */
record Observed(Version version, String suite, String group, String alpn, String sni, List<byte[]> chain, boolean resumed) {
}
