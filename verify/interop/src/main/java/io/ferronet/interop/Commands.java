package io.ferronet.interop;

import io.ferronet.interop.Client.Connection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What openssl does on command in the middle of a connection with Ferronet: it changes its keys, and asks for renegotiation. */
final class Commands {
    private final Loops loops;
    private final Openssl openssl;
    private final Identities identities;

    Commands(Loops loops, Openssl openssl, Identities identities) {
        this.loops = loops;
        this.openssl = openssl;
        this.identities = identities;
    }

    /** Runs what goes by a name. */
    void run(String name) throws Exception {
        switch (name) {
            case "commands/key-update-of-client" -> keyUpdateOfClient();
            case "commands/key-update-of-server" -> keyUpdateOfServer();
            case "commands/renegotiation-of-client" -> renegotiationOfClient();
            case "commands/renegotiation-of-server" -> renegotiationOfServer();
            default -> throw new IllegalArgumentException("there is no " + name);
        }
    }

    private static byte[] line(String text) {
        return (text + '\n').getBytes(StandardCharsets.US_ASCII);
    }

    private Child interactiveClient(Cell cell, int port, Path messages) throws Exception {
        List<String> words = openssl.command("s_client", cell, cell.clientProtocols(), messages, identities.rootFile());
        words.remove("-brief");
        words.addAll(List.of("-connect", "127.0.0.1:" + port, "-servername", Identities.HOST, "-verify_return_error"));
        return new Child(words, null);
    }

    private Child interactiveServer(Cell cell, int port, Path messages) throws Exception {
        List<String> words = openssl.command("s_server", cell, cell.serverProtocols(), messages, identities.rootFile());
        words.remove("-brief");
        words.addAll(List.of("-accept", "127.0.0.1:" + port));
        Openssl.addKey(words, identities.server(cell.key(), 0));
        Child child = new Child(words, null);
        try {
            Openssl.awaitListening(child, port);
            return child;
        } catch (Exception e) {
            child.close();
            throw e;
        }
    }

    /** With or without a demand for the same from the peer. What follows must be another piece of input, as openssl looks for a command only at the start of one. */
    private static void updateKey(Child child, boolean demand) throws Exception {
        child.send(line(demand ? "K" : "k"));
        TimeUnit.MILLISECONDS.sleep(100);
    }

    private void keyUpdateOfClient() throws Exception {
        Cell cell = Cell.parse("openssl>ferronet/1.3/ecdsa/x25519/echo");
        Path messages = openssl.file(".client.msg");
        try (Server server = new NettyServer(cell, loops, identities, List.of(identities.server(cell.key(), 0)));
            Child child = interactiveClient(cell, server.port(), messages)) {
            for (String word : new String[] {"one", "two", "three", "four"}) {
                child.send(line("echo of " + word));
                child.await("echo of " + word);
                if (!word.equals("four")) {
                    updateKey(child, word.equals("one"));
                }
            }
            expect("key updates sent", 3, MessageLog.count(messages, true, Negotiation.KEY_UPDATE));
            expect("key updates read", 1, MessageLog.count(messages, false, Negotiation.KEY_UPDATE));
        }
    }

    private void keyUpdateOfServer() throws Exception {
        Cell cell = Cell.parse("ferronet>openssl/1.3/ecdsa/x25519/echo");
        Path messages = openssl.file(".server.msg");
        int port = Openssl.freePort();
        try (Child child = interactiveServer(cell, port, messages); Client client = new NettyClient(cell, loops, identities, null)) {
            Connection connection = client.connect(port, Identities.HOST);
            for (String word : new String[] {"first", "later", "other", "final"}) {
                byte[] answer = line(word);
                connection.send(line("sent " + word));
                child.await("sent " + word);
                child.send(answer);
                if (!Arrays.equals(answer, connection.receive(answer.length))) {
                    throw new IllegalStateException("other bytes came than " + word);
                }
                if (!word.equals("final")) {
                    updateKey(child, word.equals("first"));
                }
            }
            expect("key updates sent", 3, MessageLog.count(messages, true, Negotiation.KEY_UPDATE));
            expect("key updates read", 1, MessageLog.count(messages, false, Negotiation.KEY_UPDATE));
            connection.close();
        }
    }

    /** It is told no; OpenSSL then gives up the connection. */
    private void renegotiationOfClient() throws Exception {
        Cell cell = Cell.parse("openssl>ferronet/1.2/ecdsa/x25519/echo");
        Path messages = openssl.file(".client.msg");
        try (Server server = new NettyServer(cell, loops, identities, List.of(identities.server(cell.key(), 0)));
            Child child = interactiveClient(cell, server.port(), messages)) {
            child.send(line("echo of one"));
            child.await("echo of one");
            child.send(line("R"));
            child.await("no renegotiation");
            expect("exit code", 1, child.exitCode());
            expect("hellos sent", 2, MessageLog.count(messages, true, Negotiation.CLIENT_HELLO));
            expect("full handshakes", 1, MessageLog.count(messages, false, Negotiation.SERVER_HELLO));
        }
    }

    private void renegotiationOfServer() throws Exception {
        Cell cell = Cell.parse("ferronet>openssl/1.2/ecdsa/x25519/echo");
        Path messages = openssl.file(".server.msg");
        int port = Openssl.freePort();
        try (Child child = interactiveServer(cell, port, messages); Client client = new NettyClient(cell, loops, identities, null)) {
            Connection connection = client.connect(port, Identities.HOST);
            connection.send(line("sent first"));
            child.await("sent first");
            child.send(line("r"));
            child.await("no renegotiation");
            expect("requests", 1, MessageLog.count(messages, true, Negotiation.HELLO_REQUEST));
            expect("hellos read", 1, MessageLog.count(messages, false, Negotiation.CLIENT_HELLO));
            connection.close();
        }
    }

    private static void expect(String what, long expected, long found) {
        if (expected != found) {
            throw new IllegalStateException(what + ": " + found + " instead of " + expected);
        }
    }
}
