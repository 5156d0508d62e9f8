package io.ferronet.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** The program of that name as client and as server. */
final class Openssl {
    private static final Path CONNECTIONS = Path.of("/proc/net/tcp");
    private static final String LISTENING = " 0A ";

    private final String program;
    private final Path directory;
    private final AtomicInteger files = new AtomicInteger();

    Openssl(String program, Path directory) {
        this.program = program;
        this.directory = directory;
    }

    Path file(String suffix) {
        return directory.resolve("openssl-" + files.incrementAndGet() + suffix);
    }

    /** The words that both sides of a cell take. {@code -brief} leaves the output to the data and says what was negotiated among the errors. */
    List<String> command(String mode, Cell cell, List<String> protocols, Path messages, Path root) {
        List<String> words = new ArrayList<>(List.of(program, mode, "-brief", "-msg", "-msgfile", messages.toString(), "-no-CApath", "-no-CAstore"));
        // A server would add the trusted certificate to a chain that lacks it.
        words.addAll(mode.equals("s_server") && !cell.feature().clientHasKey() ? List.of("-no-CAfile") : List.of("-CAfile", root.toString()));
        words.addAll(List.of(cell.version().opensslOption, cell.version().opensslSuites, cell.suite().openssl(cell.version(), cell.key())));
        words.addAll(List.of("-groups", cell.groups().stream().map(group -> group.openssl).collect(Collectors.joining(":"))));
        words.addAll(List.of("-alpn", String.join(",", protocols)));
        return words;
    }

    static void addKey(List<String> words, Identity identity) {
        words.addAll(List.of("-cert", identity.certificateFile().toString(), "-key", identity.keyFile().toString()));
        if (identity.chainFile() != null) {
            words.addAll(List.of("-cert_chain", identity.chainFile().toString()));
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Waits until a server listens; it does not say so itself, and to connect would take up its one place. */
    static void awaitListening(Child server, int port) throws IOException, InterruptedException {
        if (!Files.exists(CONNECTIONS)) {
            TimeUnit.MILLISECONDS.sleep(500);
            return;
        }
        String address = String.format("0100007F:%04X 00000000:0000", port);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Main.SECONDS);
        while (server.isAlive() && System.nanoTime() < deadline) {
            if (Files.readAllLines(CONNECTIONS).stream().anyMatch(line -> line.contains(address) && line.contains(LISTENING))) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(3);
        }
        throw new IllegalStateException("openssl does not listen: " + server.errors());
    }

    static Observed observed(Path messages, boolean client, int number) throws IOException {
        Negotiation seen = MessageLog.read(messages, client, number);
        return new Observed(seen.version(), seen.suite(), seen.group(), seen.alpn(), client ? null : seen.sni(), client ? seen.serverChain() : seen.clientChain(), seen.resumed());
    }
}
