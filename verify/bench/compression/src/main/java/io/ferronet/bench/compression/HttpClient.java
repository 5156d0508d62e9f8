package io.ferronet.bench.compression;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Some keep-alive connections on which the same request is sent again and again. */
final class HttpClient implements AutoCloseable {
    private final SocketChannel[] connections;
    private final ByteBuffer request;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(2 << 20);
    private int responseLength;

    HttpClient(int port, int connections, String encoding, byte[] upload) throws IOException {
        this.connections = new SocketChannel[connections];
        for (int i = 0; i < connections; i++) {
            this.connections[i] = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        }
        String head = upload == null
            ? "GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: " + encoding + "\r\n\r\n"
            : "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: " + upload.length + "\r\n\r\n";
        byte[] bytes = head.getBytes(StandardCharsets.US_ASCII);
        int length = bytes.length + (upload == null ? 0 : upload.length);
        request = ByteBuffer.allocateDirect(length).put(bytes);
        if (upload != null) {
            request.put(upload);
        }
        request.flip();
    }

    /** The body of the first response; all others have its length. */
    byte[] first() throws IOException {
        connections[0].write(request.duplicate());
        buffer.clear();
        while (true) {
            if (connections[0].read(buffer) < 0) {
                throw new IOException("the server has closed the connection");
            }
            byte[] received = new byte[buffer.position()];
            buffer.duplicate().flip().get(received);
            String text = new String(received, StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n") + 4;
            if (end < 4) {
                continue;
            }
            String head = text.substring(0, end).toLowerCase(Locale.ROOT);
            if (!head.startsWith("http/1.1 200")) {
                throw new IOException("the server answers " + head);
            }
            int at = head.indexOf("content-length: ") + 16;
            responseLength = end + Integer.parseInt(head.substring(at, head.indexOf('\r', at)));
            if (received.length >= responseLength) {
                return Arrays.copyOfRange(received, end, responseLength);
            }
        }
    }

    /** A request on every connection, and its response. */
    int round() throws IOException {
        for (SocketChannel connection : connections) {
            ByteBuffer copy = request.duplicate();
            while (copy.hasRemaining()) {
                connection.write(copy);
            }
        }
        for (SocketChannel connection : connections) {
            buffer.clear().limit(responseLength);
            while (buffer.hasRemaining()) {
                if (connection.read(buffer) < 0) {
                    throw new IOException("the server has closed the connection");
                }
            }
        }
        return connections.length;
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel connection : connections) {
            connection.close();
        }
    }
}
