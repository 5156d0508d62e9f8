package io.ferronet.interop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Carries out one cell: both ends are started, connect, move data, and are asked what they have negotiated. */
final class Matrix {
    private static final int[] SIZES = {1, (1 << 14) - 1, 1 << 14, (1 << 14) + 1, 1 << 20};

    private static final int TROUBLE_WAITS = 50;

    private final Loops loops;
    private final Openssl openssl;
    private final Identities identities;
    private final byte[] data = new byte[1 << 20];

    Matrix(Loops loops, Openssl openssl, Identities identities) {
        this.loops = loops;
        this.openssl = openssl;
        this.identities = identities;
        new Random(5).nextBytes(data);
    }

    /** @throws Exception if the cell does not do what it should; the message says what */
    void run(Cell cell) throws Exception {
        Feature feature = cell.feature();
        List<Identity> serverKeys = feature.severalNames()
            ? List.of(identities.direct(cell.key(), Identities.HOST), identities.direct(cell.key(), Identities.OTHER_HOST))
            : List.of(identities.server(cell.key(), feature.serverKib()));
        Identity clientKey = feature.clientHasKey() ? identities.client(cell.key(), feature.clientKib()) : null;
        try (Server server = server(cell, serverKeys); Client client = client(cell, clientKey)) {
            try {
                connections(cell, server, client, serverKeys, clientKey);
            } catch (Exception e) {
                String trouble = trouble(server);
                throw new IllegalStateException(e.getMessage() + (trouble.isEmpty() ? "" : "; the server says: " + trouble), e);
            }
        }
    }

    /** A server hears of a failure at about the same time as its client. */
    private static String trouble(Server server) throws InterruptedException {
        String trouble = server.trouble();
        for (int i = 0; i < TROUBLE_WAITS && trouble.isEmpty(); i++) {
            TimeUnit.MILLISECONDS.sleep(20);
            trouble = server.trouble();
        }
        return trouble;
    }

    private Server server(Cell cell, List<Identity> keys) throws Exception {
        return cell.server().inProcess() ? new NettyServer(cell, loops, identities, keys) : new OpensslServer(cell, openssl, identities, keys);
    }

    private Client client(Cell cell, Identity key) throws Exception {
        return cell.client().inProcess() ? new NettyClient(cell, loops, identities, key) : new OpensslClient(cell, openssl, identities, key);
    }

    private void connections(Cell cell, Server server, Client client, List<Identity> serverKeys, Identity clientKey) throws Exception {
        if (cell.feature().severalNames()) {
            // The one that a server would take by itself comes last.
            connection(cell, server, client, serverKeys.get(1), clientKey, false);
            connection(cell, server, client, serverKeys.get(0), clientKey, false);
            return;
        }
        connection(cell, server, client, serverKeys.get(0), clientKey, false);
        if (cell.feature() == Feature.RESUMPTION) {
            // A full handshake would get another time of creation.
            TimeUnit.MILLISECONDS.sleep(5);
            connection(cell, server, client, serverKeys.get(0), clientKey, true);
        }
    }

    private void connection(Cell cell, Server server, Client client, Identity serverKey, Identity clientKey, boolean resumed) throws Exception {
        Client.Connection connection = client.connect(server.port(), serverKey.host());
        try {
            for (int size : SIZES) {
                byte[] sent = Arrays.copyOf(data, size);
                connection.send(sent);
                if (!Arrays.equals(sent, connection.receive(size))) {
                    throw new IllegalStateException("other bytes came back than the " + size + " that were sent");
                }
            }
            check(cell, "client", cell.client(), connection.observed(), serverKey.host(), serverKey, resumed);
            check(cell, "server", cell.server(), server.observed(), serverKey.host(), clientKey, resumed);
        } catch (Exception e) {
            try {
                connection.close();
            } catch (Exception second) {
                e.addSuppressed(second);
            }
            throw e;
        }
        connection.close();
    }

    private static void check(Cell cell, String side, Peer peer, Observed observed, String host, Identity shown, boolean resumed) throws Exception {
        List<String> wrong = new ArrayList<>();
        expect(wrong, "version", cell.version(), observed.version());
        if (cell.suiteIsFixed()) {
            expect(wrong, "suite", cell.suite().java(cell.version(), cell.key()), observed.suite());
        }
        expect(wrong, "group", resumed && cell.version() == Version.TLS12 ? null : cell.group().name(), observed.group());
        expect(wrong, "application protocol", cell.protocol(host), observed.alpn());
        expect(wrong, "server name", side.equals("client") ? null : host, observed.sni());
        expect(wrong, "resumed", resumed, observed.resumed());
        // Of a resumed session openssl's messages show no certificate; the others remember.
        List<byte[]> expected = shown == null || resumed && !peer.inProcess() ? null : shown.encodedChain();
        List<byte[]> chain = observed.chain();
        if (!(chain == null ? expected == null : expected != null && Arrays.deepEquals(expected.toArray(), chain.toArray()))) {
            wrong.add("chain: " + (chain == null ? "none" : chain.size() + " certificates") + " instead of " + (expected == null ? "none" : expected.size() + " certificates"));
        }
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("the " + side + " has " + String.join(", ", wrong));
        }
    }

    private static void expect(List<String> wrong, String what, Object expected, Object found) {
        if (!Objects.equals(expected, found)) {
            wrong.add(what + ' ' + found + " instead of " + expected);
        }
    }
}
