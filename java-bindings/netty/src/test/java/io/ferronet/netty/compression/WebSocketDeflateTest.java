package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.EncoderException;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtension;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtension;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionData;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilterProvider;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtension;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** permessage-deflate between ours and ours, and between ours and Netty's in both roles. */
@ExtendWith(LeakCheck.class)
class WebSocketDeflateTest {
    /** Both ends of a connection after the negotiation. */
    private static final class Connection {
        final EmbeddedChannel server;
        final EmbeddedChannel client;

        Connection(WebSocketServerExtensionHandshaker serverSide, WebSocketClientExtensionHandshaker clientSide) {
            WebSocketServerExtension agreed = serverSide.handshakeExtension(clientSide.newRequestData());
            assertNotNull(agreed);
            WebSocketClientExtension accepted = clientSide.handshakeExtension(agreed.newReponseData());
            assertNotNull(accepted);
            assertEquals(WebSocketExtension.RSV1, agreed.rsv());
            server = new EmbeddedChannel(agreed.newExtensionDecoder(), agreed.newExtensionEncoder());
            client = new EmbeddedChannel(accepted.newExtensionDecoder(), accepted.newExtensionEncoder());
        }

        void close() {
            server.finishAndReleaseAll();
            client.finishAndReleaseAll();
        }
    }

    /** Sends a message in fragments; returns the compressed bytes. */
    private static int send(EmbeddedChannel from, EmbeddedChannel to, byte[] message, int fragments) {
        int size = Math.max(1, (message.length + fragments - 1) / fragments);
        int packed = 0;
        List<byte[]> parts = new ArrayList<>();
        for (int i = 0; i < fragments; i++) {
            int at = Math.min(message.length, i * size);
            var content = Unpooled.copiedBuffer(message, at, Math.min(size, message.length - at));
            boolean last = i == fragments - 1;
            from.writeOutbound(i == 0 ? new BinaryWebSocketFrame(last, 0, content) : new ContinuationWebSocketFrame(last, 0, content));
            WebSocketFrame frame = from.readOutbound();
            assertEquals(i == 0 ? WebSocketExtension.RSV1 : 0, frame.rsv());
            assertEquals(last, frame.isFinalFragment());
            packed += frame.content().readableBytes();
            to.writeInbound(frame);
            WebSocketFrame received = to.readInbound();
            assertEquals(0, received.rsv());
            parts.add(ByteBufUtil.getBytes(received.content()));
            received.release();
        }
        byte[] whole = new byte[message.length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, whole, at, part.length);
            at += part.length;
        }
        assertEquals(message.length, at);
        assertArrayEquals(message, whole);
        return packed;
    }

    private static void talk(Connection connection) {
        byte[] text = Corpus.variedJson(3_000);
        for (byte[] message : new byte[][] {text, text, Corpus.repetitiveJson(70_000), {}, {'x'}, Corpus.noise(5_000), text}) {
            for (int fragments : new int[] {1, 3}) {
                if (message.length >= fragments || fragments == 1) {
                    send(connection.server, connection.client, message, fragments);
                    send(connection.client, connection.server, message, fragments);
                }
            }
        }
        connection.close();
    }

    @Test
    void everyPairOfImplementationsUnderstandsItself() {
        for (boolean noContext : new boolean[] {false, true}) {
            var ourServer = new FerronetPerMessageDeflateServerExtensionHandshaker(6, true, 15, true, noContext, 0);
            var ourClient = new FerronetPerMessageDeflateClientExtensionHandshaker(6, true, 15, true, noContext, 0);
            var theirServer = new PerMessageDeflateServerExtensionHandshaker(6, false, 15, true, noContext, 0);
            var theirClient = new PerMessageDeflateClientExtensionHandshaker(6, false, 15, true, noContext, 0);
            talk(new Connection(ourServer, ourClient));
            talk(new Connection(ourServer, theirClient));
            talk(new Connection(theirServer, ourClient));
        }
    }

    @Test
    void everyWindowIsKept() {
        for (int window = 8; window <= 15; window++) {
            talk(new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(9, true, window, false, false, 0),
                new FerronetPerMessageDeflateClientExtensionHandshaker(9, true, window, false, false, 0)));
        }
    }

    @Test
    void contextIsTakenOverUnlessTheOtherSideForbidsIt() {
        byte[] text = Corpus.variedJson(2_000);
        Connection kept = new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(0), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        int first = send(kept.server, kept.client, text, 1);
        assertTrue(send(kept.server, kept.client, text, 1) < first / 10);
        kept.close();
        Connection forgotten = new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(6, true, 15, true, true, 0),
            new FerronetPerMessageDeflateClientExtensionHandshaker(6, true, 15, true, true, 0));
        first = send(forgotten.server, forgotten.client, text, 1);
        assertEquals(first, send(forgotten.server, forgotten.client, text, 1));
        forgotten.close();
    }

    @Test
    void controlFramesAndMarkedFramesPass() {
        Connection connection =
            new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(0), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        PingWebSocketFrame ping = new PingWebSocketFrame(Unpooled.copiedBuffer(new byte[] {1}));
        connection.server.writeOutbound(ping);
        assertEquals(ping, connection.server.readOutbound());
        connection.client.writeInbound(ping);
        assertEquals(ping, connection.client.readInbound());
        ping.release();
        TextWebSocketFrame plain = new TextWebSocketFrame("not compressed");
        connection.client.writeInbound(plain);
        assertEquals(plain, connection.client.readInbound());
        plain.release();
        connection.close();
    }

    @Test
    void damagedAndEndlessMessagesAreErrors() {
        Connection connection =
            new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(1000), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        connection.client.writeOutbound(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[100_000])));
        WebSocketFrame bomb = connection.client.readOutbound();
        assertThrows(DecompressionException.class, () -> connection.server.writeInbound(bomb));
        connection.close();
        Connection other = new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(0), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        BinaryWebSocketFrame damaged = new BinaryWebSocketFrame(true, WebSocketExtension.RSV1, Unpooled.copiedBuffer(new byte[] {7, 7, 7}));
        assertThrows(DecompressionException.class, () -> other.server.writeInbound(damaged));
        other.close();
    }

    /** Many short messages, all of which together would be a bomb. */
    @Test
    void theBoundIsThatOfAMessageAndNotOfTheConnection() {
        Connection connection =
            new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(0), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        byte[] message = new byte[100_000];
        long packed = 0;
        long sent = 0;
        while (sent <= 18 << 20) {
            packed += send(connection.server, connection.client, message, 1);
            sent += message.length;
        }
        assertTrue(packed * FerronetDecompressionLimits.DEFAULT.maxRatio() < sent, packed + " bytes for " + sent);
        connection.close();
    }

    @Test
    void aBombIsBoundedByDefaultAndTheBoundCanBeLifted() {
        byte[] bomb = new byte[20 << 20];
        Connection bounded =
            new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(0), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        bounded.client.writeOutbound(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(bomb)));
        WebSocketFrame frame = bounded.client.readOutbound();
        DecompressionException e = assertThrows(DecompressionException.class, () -> bounded.server.writeInbound(frame));
        assertTrue(e.getMessage().contains("maxRatio is 200 above 16777216 bytes") && e.getMessage().contains("FerronetDecompressionLimits"), e.getMessage());
        bounded.close();
        send(lifted(FerronetDecompressionLimits.UNBOUNDED), bomb);
        send(lifted(FerronetDecompressionLimits.maxOutput(1000)), new byte[1000]);
        e = assertThrows(DecompressionException.class, () -> send(lifted(FerronetDecompressionLimits.maxOutput(1000)), new byte[1001]));
        assertTrue(e.getMessage().contains("maxOutput is 1000"), e.getMessage());
    }

    private static Connection lifted(FerronetDecompressionLimits limits) {
        var filters = WebSocketExtensionFilterProvider.DEFAULT;
        return new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(6, true, 15, false, false, 15, 8, filters, 0, limits),
            new FerronetPerMessageDeflateClientExtensionHandshaker(6, true, 15, false, false, filters, 0, limits));
    }

    /** In both directions, and ends the connection. */
    private static void send(Connection connection, byte[] message) {
        try {
            send(connection.client, connection.server, message, 1);
            send(connection.server, connection.client, message, 1);
        } finally {
            connection.close();
        }
    }

    @Test
    void theServersOwnWindowIsAnnounced() {
        var server = new FerronetPerMessageDeflateServerExtensionHandshaker(6, true, 15, false, false, 10, 5, 0);
        WebSocketServerExtension agreed = server.handshakeExtension(new WebSocketExtensionData("permessage-deflate", Map.of()));
        assertEquals("10", agreed.newReponseData().parameters().get("server_max_window_bits"));
        talk(new Connection(server, new FerronetPerMessageDeflateClientExtensionHandshaker(0)));
    }

    @Test
    void anEmptyFrameThatEndsNothingIsRefusedAsNettysIs() {
        Connection connection =
            new Connection(new FerronetPerMessageDeflateServerExtensionHandshaker(0), new FerronetPerMessageDeflateClientExtensionHandshaker(0));
        TextWebSocketFrame frame = new TextWebSocketFrame(false, 0, Unpooled.EMPTY_BUFFER);
        assertThrows(EncoderException.class, () -> connection.server.writeOutbound(frame));
        connection.close();
    }

    @Test
    void anotherExtensionIsDeclined() {
        assertNull(new FerronetPerMessageDeflateServerExtensionHandshaker(0).handshakeExtension(new WebSocketExtensionData("x-other", Map.of())));
    }
}
