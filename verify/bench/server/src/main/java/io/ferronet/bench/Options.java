package io.ferronet.bench;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The command line. It is made of program arguments only, so that the JVM flags of all peers are the same.
 *
 * @param transport name of the transport
 * @param autoRead false: one {@code read()} per message
 * @param congestion congestion control set on the listener; {@code default} leaves the system's
 * @param tls name of the TLS implementation, or {@code none}
 * @param port port to listen on, 0 for any
 */
record Options(String transport, boolean autoRead, String congestion, String tls, int port) {
    private static final Set<String> KNOWN = Set.of("--transport", "--auto-read", "--congestion", "--tls", "--port");

    static Options parse(String[] arguments) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            if (!KNOWN.contains(arguments[i]) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("argument " + arguments[i] + ": known are " + KNOWN + ", each with a value");
            }
            values.put(arguments[i], arguments[i + 1]);
        }
        String autoRead = values.getOrDefault("--auto-read", "on");
        if (!autoRead.equals("on") && !autoRead.equals("off")) {
            throw new IllegalArgumentException("--auto-read " + autoRead + ": it is on or off");
        }
        return new Options(
                values.getOrDefault("--transport", "epoll"),
                autoRead.equals("on"),
                values.getOrDefault("--congestion", "default"),
                values.getOrDefault("--tls", "none"),
                Integer.parseInt(values.getOrDefault("--port", "0")));
    }
}
