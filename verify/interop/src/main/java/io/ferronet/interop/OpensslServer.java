package io.ferronet.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code openssl s_server}: what it prints, which is what it received, is given to it again to send. */
final class OpensslServer implements Server {
    private final int port = Openssl.freePort();
    private final Path messages;
    private final Child child;
    private int observed;

    OpensslServer(Cell cell, Openssl openssl, Identities identities, List<Identity> keys) throws Exception {
        messages = openssl.file(".server.msg");
        List<String> words = openssl.command("s_server", cell, cell.serverProtocols(), messages, identities.rootFile());
        words.addAll(List.of("-accept", "127.0.0.1:" + port));
        Openssl.addKey(words, keys.get(0));
        if (cell.feature().clientHasKey()) {
            words.addAll(List.of("-Verify", "5", "-verify_return_error"));
        }
        if (keys.size() > 1) {
            Identity second = keys.get(1);
            words.addAll(List.of("-servername", second.host(), "-cert2", second.certificateFile().toString(), "-key2", second.keyFile().toString()));
        }
        Child[] self = new Child[1];
        synchronized (self) {
            self[0] = new Child(words, bytes -> sendBack(self, bytes));
        }
        child = self[0];
        try {
            Openssl.awaitListening(child, port);
        } catch (IOException | InterruptedException | RuntimeException e) {
            child.close();
            throw e;
        }
    }

    private static void sendBack(Child[] self, byte[] bytes) {
        synchronized (self) {
            try {
                self[0].send(bytes);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Observed observed() throws Exception {
        return Openssl.observed(messages, false, observed++);
    }

    @Override
    public String trouble() {
        try {
            return child.errors();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Override
    public void close() {
        child.close();
    }
}
