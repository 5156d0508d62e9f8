package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2FrameWriter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.HttpToHttp2ConnectionHandlerBuilder;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Request bodies over HTTP/2 that are damaged or too large: their stream is reset, and the connection goes on. Netty's own tests have the others. */
@ExtendWith(LeakCheck.class)
class Http2DecompressorTest {
    private static final byte[] BODY = Corpus.variedJson(20_000);
    /** Bytes of a frame's payload, and less than a stream's window in all: nothing here waits for an update. */
    private static final int FRAME = 8192;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final Set<Integer> ended = new HashSet<>();
    private final Http2FrameWriter writer = new DefaultHttp2FrameWriter();
    private final EmbeddedChannel client = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private EmbeddedChannel server;

    /** Begins a connection whose bodies may become so large. */
    private void connect(FerronetDecompressionLimits limits) {
        Http2Connection connection = new DefaultHttp2Connection(true);
        Http2FrameAdapter listener = new Http2FrameAdapter() {
            @Override
            public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream) {
                received.writeBytes(ByteBufUtil.getBytes(data));
                if (endOfStream) {
                    ended.add(streamId);
                }
                return data.readableBytes() + padding;
            }
        };
        server = new EmbeddedChannel(new HttpToHttp2ConnectionHandlerBuilder().connection(connection)
            .frameListener(limits == null ? new FerronetDelegatingDecompressorFrameListener(connection, listener)
                : new FerronetDelegatingDecompressorFrameListener(connection, listener, false, 0, limits))
            .build());
        server.writeInbound(Http2CodecUtil.connectionPrefaceBuf());
        writer.writeSettings(context(), new Http2Settings(), client.newPromise());
        deliver();
    }

    private ChannelHandlerContext context() {
        return client.pipeline().firstContext();
    }

    /** Moves what the client has written to the server. */
    private void deliver() {
        client.flushOutbound();
        for (ByteBuf bytes = client.readOutbound(); bytes != null; bytes = client.readOutbound()) {
            server.writeInbound(bytes);
        }
    }

    private void begin(int stream) {
        Http2Headers headers = new DefaultHttp2Headers().method("POST").path("/").scheme("http").set("content-encoding", "gzip");
        writer.writeHeaders(context(), stream, headers, 0, false, client.newPromise());
        deliver();
    }

    private void data(int stream, byte[] bytes, boolean end) {
        for (int at = 0; at < bytes.length; at += FRAME) {
            int length = Math.min(FRAME, bytes.length - at);
            boolean last = at + length == bytes.length;
            writer.writeData(context(), stream, Unpooled.copiedBuffer(bytes, at, length), 0, end && last, client.newPromise());
            deliver();
        }
    }

    /** The error code with which the server has reset the stream first, by the frames that it has sent since the last question; -1 for none. */
    private long resetOf(int stream) {
        ByteBuf sent = Unpooled.buffer();
        for (ByteBuf bytes = server.readOutbound(); bytes != null; bytes = server.readOutbound()) {
            sent.writeBytes(bytes);
            bytes.release();
        }
        long code = -1;
        while (sent.isReadable()) {
            int length = sent.readUnsignedMedium();
            int type = sent.readUnsignedByte();
            sent.skipBytes(1);
            int of = sent.readInt();
            ByteBuf payload = sent.readSlice(length);
            assertTrue(type != Http2FrameTypes.GO_AWAY, "the connection has ended");
            if (type == Http2FrameTypes.RST_STREAM && of == stream && code < 0) {
                code = payload.readUnsignedInt();
            }
        }
        sent.release();
        return code;
    }

    private void isResetWithoutAnEnd() {
        assertEquals(Http2Error.INTERNAL_ERROR.code(), resetOf(3));
        assertTrue(ended.isEmpty(), "the listener takes the body for a complete one");
    }

    /** The next stream of the connection is not disturbed. */
    private void anotherStreamIsRead(int stream) {
        received.reset();
        begin(stream);
        data(stream, Jdk.compress(ZlibWrapper.GZIP, BODY), true);
        assertArrayEquals(BODY, received.toByteArray());
        assertTrue(ended.contains(stream));
        assertEquals(-1, resetOf(stream));
    }

    @AfterEach
    void close() {
        server.finishAndReleaseAll();
        client.finishAndReleaseAll();
    }

    @Test
    void aBombIsBoundedByDefault() {
        connect(null);
        begin(3);
        data(3, Jdk.compress(ZlibWrapper.GZIP, new byte[32 << 20]), true);
        isResetWithoutAnEnd();
        assertTrue(received.size() <= (16 << 20) + 65_536, () -> received.size() + " bytes");
        anotherStreamIsRead(5);
    }

    @Test
    void theBoundIsLifted() {
        connect(FerronetDecompressionLimits.UNBOUNDED);
        begin(3);
        data(3, Jdk.compress(ZlibWrapper.GZIP, new byte[32 << 20]), true);
        assertEquals(-1, resetOf(3));
        assertEquals(32 << 20, received.size());
        assertTrue(ended.contains(3));
    }

    @Test
    void aBodyThatIsCutOffHasNoEnd() {
        connect(null);
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        begin(3);
        data(3, Arrays.copyOf(packed, packed.length - 1), true);
        isResetWithoutAnEnd();
        anotherStreamIsRead(5);
    }

    @Test
    void aDamagedBodyHasNoEnd() {
        connect(null);
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        packed[packed.length - 6] ^= 1;
        begin(3);
        data(3, packed, true);
        isResetWithoutAnEnd();
        anotherStreamIsRead(5);
    }

    @Test
    void aStreamThatTheClientResetsInTheMiddleIsNoError() {
        connect(null);
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        begin(3);
        data(3, Arrays.copyOf(packed, packed.length / 2), false);
        writer.writeRstStream(context(), 3, Http2Error.CANCEL.code(), client.newPromise());
        deliver();
        assertEquals(-1, resetOf(3));
        assertTrue(ended.isEmpty(), "the listener takes the body for a complete one");
        anotherStreamIsRead(5);
    }

    @Test
    void aConnectionThatIsLostInTheMiddleIsNoEndOfTheBody() {
        connect(null);
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        begin(3);
        data(3, Arrays.copyOf(packed, packed.length / 2), false);
        server.close();
        assertTrue(received.size() > 0);
        assertTrue(ended.isEmpty(), "the listener takes the body for a complete one");
    }
}
