package io.ferronet.netty.ssl;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** A client's and a server's engine with memory between them. Every loop is bounded. */
final class EnginePair {
    private static final int ROUNDS = 200;
    private static final int CAPACITY = 256 * 1024;

    final SSLEngine client;
    final SSLEngine server;
    private final ByteBuffer toServer;
    private final ByteBuffer toClient;
    private final boolean direct;
    int tasks;

    EnginePair(SSLEngine client, SSLEngine server) {
        this(client, server, true);
    }

    EnginePair(SSLEngine client, SSLEngine server, boolean direct) {
        this.client = client;
        this.server = server;
        this.direct = direct;
        toServer = buffer(CAPACITY);
        toClient = buffer(CAPACITY);
    }

    ByteBuffer buffer(int size) {
        return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    }

    /** Until both are done. */
    EnginePair handshake() throws SSLException {
        client.beginHandshake();
        server.beginHandshake();
        for (int i = 0; i < ROUNDS; i++) {
            step(client, toClient, toServer);
            step(server, toServer, toClient);
            if (idle(client) && idle(server) && toServer.position() == 0 && toClient.position() == 0) {
                return this;
            }
        }
        throw new AssertionError("the handshake does not end: client " + client.getHandshakeStatus() + ", server " + server.getHandshakeStatus());
    }

    private static boolean idle(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    private void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        for (int i = 0; i < ROUNDS; i++) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                    tasks++;
                    task.run();
                }
            } else if (status == HandshakeStatus.NEED_WRAP) {
                engine.wrap(buffer(0), out);
            } else if (in.position() > 0) {
                in.flip();
                SSLEngineResult result = engine.unwrap(in, buffer(20_000));
                in.compact();
                if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                    return;
                }
            } else {
                return;
            }
        }
        throw new AssertionError("an engine does not rest: " + engine.getHandshakeStatus());
    }

    /** What arrives at the server of what the client sends. */
    byte[] toServer(byte[] data) throws SSLException {
        return send(client, server, data, toServer);
    }

    /** What arrives at the client of what the server sends. */
    byte[] toClient(byte[] data) throws SSLException {
        return send(server, client, data, toClient);
    }

    private byte[] send(SSLEngine from, SSLEngine to, byte[] data, ByteBuffer way) throws SSLException {
        ByteBuffer source = buffer(data.length).put(data).flip();
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        for (int i = 0; i < ROUNDS && (source.hasRemaining() || i == 0); i++) {
            from.wrap(source, way);
            way.flip();
            while (way.hasRemaining()) {
                ByteBuffer target = buffer(20_000);
                to.unwrap(way, target);
                byte[] part = new byte[target.flip().remaining()];
                target.get(part);
                received.writeBytes(part);
            }
            way.clear();
        }
        return received.toByteArray();
    }
}
