package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the handler does with peers that do not speak TLS, speak it badly, or speak it very slowly. */
@ExtendWith(LeakCheck.class)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class HandlerBadInputTest extends HandlerPair {
    private static final int ALERT = 21;
    private static final int FATAL = 2;
    private static final int DECODE_ERROR = 50;
    /** The header of a record of the handshake with 512 bytes, and of a ClientHello that fills it. */
    private static final byte[] HELLO_HEADER = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};
    /** A ClientHello without anything in it. */
    private static final byte[] EMPTY_HELLO = {22, 3, 1, 0, 4, 1, 0, 0, 0};

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void plainHttpIsNamedAsWhatItIsNot(String protocol) throws Exception {
        connect(protocol, false);
        ByteBuf request = Unpooled.copiedBuffer("GET / HTTP/1.1\r\nHost: a\r\n\r\n", StandardCharsets.US_ASCII);
        DecoderException failure = assertThrows(DecoderException.class, () -> server.writeInbound(request));
        assertInstanceOf(NotSslRecordException.class, failure.getCause());
        server.runPendingTasks();
        assertInstanceOf(NotSslRecordException.class, serverHandler.handshakeFuture().cause());
        assertFalse(server.isOpen());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void plainHttpAfterTheHandshakeEndsTheConnection(String protocol) throws Exception {
        connect(protocol, false);
        exchange();
        refusedAsNoRecord(ascii("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "474554");
    }

    /** The first five bytes tell, however they come, and behind whatever. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void plainTextAfterTheHandshakeIsNamedWhenItsHeaderIsWhole(String protocol) throws Exception {
        connect(protocol, false);
        exchange();
        byte[] data = random(100);
        client.writeOutbound(Unpooled.wrappedBuffer(data));
        ByteBuf record = client.readOutbound();
        server.writeInbound(Unpooled.wrappedBuffer(record, ascii("GE")));
        assertArrayEquals(data, received(server));
        server.writeInbound(ascii("T "));
        assertTrue(server.isOpen());
        refusedAsNoRecord(ascii("/"), "474554202f");
    }

    @Test
    void aVersionThatIsNoneIsNamedWhenItsHeaderIsWhole() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        server.writeInbound(Unpooled.wrappedBuffer(new byte[] {23}));
        refusedAsNoRecord(Unpooled.wrappedBuffer(new byte[] {9, 9, 2, 0}), "1709090200");
    }

    @Test
    void aRecordThatIsTooLongIsNotWaitedFor() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        server.writeInbound(Unpooled.wrappedBuffer(new byte[] {23, 3}));
        DecoderException failure = assertThrows(DecoderException.class, () -> server.writeInbound(Unpooled.wrappedBuffer(new byte[] {3, -1, -1})));
        assertEquals(SSLException.class, failure.getCause().getClass());
        assertFalse(server.isOpen());
    }

    private static ByteBuf ascii(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private void refusedAsNoRecord(ByteBuf received, String hex) {
        DecoderException failure = assertThrows(DecoderException.class, () -> server.writeInbound(received));
        NotSslRecordException named = assertInstanceOf(NotSslRecordException.class, failure.getCause());
        assertTrue(named.getMessage().contains(hex), named.getMessage());
        assertFalse(server.isOpen());
        ByteBuf alert = server.readOutbound();
        assertTrue(alert.isReadable(), "the peer is told");
        alert.release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void oneByteAtATimeIsEnough(String protocol) throws Exception {
        connect(protocol, false);
        exchangeBytes();
        assertTrue(clientHandler.handshakeFuture().isSuccess());
        assertTrue(serverHandler.handshakeFuture().isSuccess());
        byte[] data = random(2_000);
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        server.writeAndFlush(Unpooled.wrappedBuffer(data));
        exchangeBytes();
        assertArrayEquals(data, received(server));
        assertArrayEquals(data, received(client));
        client.close();
        exchangeBytes();
        assertTrue(serverHandler.sslCloseFuture().isSuccess());
    }

    private void exchangeBytes() {
        boolean moved = true;
        while (moved) {
            moved = moveBytes(client, server) | moveBytes(server, client);
        }
    }

    private static boolean moveBytes(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        boolean moved = false;
        for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
            moved = true;
            while (sent.isReadable() && to.isOpen()) {
                to.writeInbound(to.alloc().directBuffer(1).writeByte(sent.readByte()));
                to.runPendingTasks();
            }
            sent.release();
        }
        return moved;
    }

    @Test
    void aHelloThatNeverEndsIsCutOffByTheHandshakeTimeout() throws Exception {
        FerronetSslContext context = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePath()).build();
        long begin = System.nanoTime();
        try (Loopback loopback = new Loopback(channel -> {
            SslHandler handler = context.newHandler(channel.alloc());
            handler.setHandshakeTimeoutMillis(300);
            return handler;
        }); Socket socket = new Socket(InetAddress.getLoopbackAddress(), loopback.port())) {
            int sent = dribble(socket, 500);
            assertTrue(sent > 3 && sent < 500, () -> sent + " bytes were taken");
            assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(300), "it was given its time");
            assertInstanceOf(SslHandshakeTimeoutException.class, loopback.server().handshakeFuture().cause());
        }
    }

    /** Sends the beginning of a ClientHello, a byte every 20 ms, until the other side ends the connection; returns how many it took. */
    private static int dribble(Socket socket, int most) throws Exception {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20);
        for (int sent = 0; sent < most; sent++) {
            try {
                socket.getOutputStream().write(sent < HELLO_HEADER.length ? HELLO_HEADER[sent] : 0);
                if (socket.getInputStream().read() < 0) {
                    return sent;
                }
            } catch (java.net.SocketTimeoutException e) {
                // Nothing came: the other side still waits.
            } catch (IOException e) {
                return sent;
            }
        }
        return most;
    }

    @Test
    void theAlertIsDeliveredBeforeTheEnd() throws Exception {
        FerronetSslContext context = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePath()).build();
        try (Loopback loopback = new Loopback(channel -> context.newHandler(channel.alloc()));
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), loopback.port())) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(Loopback.SECONDS));
            socket.getOutputStream().write(EMPTY_HELLO);
            byte[] answer = socket.getInputStream().readAllBytes();
            assertEquals(7, answer.length, "one alert, then the end");
            assertArrayEquals(new byte[] {ALERT, FATAL, DECODE_ERROR}, new byte[] {answer[0], answer[5], answer[6]});
            assertInstanceOf(SSLException.class, loopback.server().handshakeFuture().cause());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anEndInTheMiddleOfARecordIsATruncation(String protocol) throws Exception {
        connect(protocol, false);
        exchange();
        client.writeAndFlush(Unpooled.wrappedBuffer(random(1000)));
        ByteBuf record = client.readOutbound();
        server.writeInbound(record.readSlice(record.readableBytes() - 1).retain());
        record.release();
        server.pipeline().fireChannelInactive();
        assertEquals(0, received(server).length, "no byte of a record that is not whole");
        assertInstanceOf(java.nio.channels.ClosedChannelException.class, serverHandler.sslCloseFuture().cause());
    }
}
