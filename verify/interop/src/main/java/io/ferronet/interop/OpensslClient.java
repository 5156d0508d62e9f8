package io.ferronet.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** {@code openssl s_client}: one process for each connection, with the session in a file. */
final class OpensslClient implements Client {
    private final Cell cell;
    private final Openssl openssl;
    private final Identities identities;
    private final Identity key;
    private final Path session;

    OpensslClient(Cell cell, Openssl openssl, Identities identities, Identity key) {
        this.cell = cell;
        this.openssl = openssl;
        this.identities = identities;
        this.key = key;
        session = openssl.file(".session");
    }

    @Override
    public Connection connect(int port, String host) throws Exception {
        Path messages = openssl.file(".client.msg");
        List<String> words = openssl.command("s_client", cell, cell.clientProtocols(), messages, identities.rootFile());
        words.addAll(List.of("-nocommands", "-connect", "127.0.0.1:" + port, "-servername", host, "-verify_hostname", host, "-verify", "5", "-verify_return_error"));
        if (cell.feature() == Feature.RESUMPTION) {
            words.addAll(List.of(Files.exists(session) ? "-sess_in" : "-sess_out", session.toString()));
        }
        if (key != null) {
            Openssl.addKey(words, key);
        }
        return new Connected(new Child(words, null), messages);
    }

    @Override
    public void close() {
        // Each connection has its own process.
    }

    private record Connected(Child child, Path messages) implements Connection {
        @Override
        public void send(byte[] data) throws Exception {
            try {
                child.send(data);
            } catch (IOException e) {
                throw failure(e);
            }
        }

        @Override
        public byte[] receive(int length) throws Exception {
            try {
                return child.take(length);
            } catch (IllegalStateException | TimeoutException e) {
                throw failure(e);
            }
        }

        private IllegalStateException failure(Exception e) throws InterruptedException {
            String errors = child.errors();
            child.close();
            return new IllegalStateException("the client failed: " + e.getMessage() + ": " + errors, e);
        }

        @Override
        public Observed observed() throws Exception {
            return Openssl.observed(messages, true, 0);
        }

        @Override
        public void close() throws Exception {
            try (child) {
                child.endInput();
                int code = child.exitCode();
                if (code != 0) {
                    throw new IllegalStateException("openssl ended with " + code + ": " + child.errors());
                }
            }
        }
    }
}
