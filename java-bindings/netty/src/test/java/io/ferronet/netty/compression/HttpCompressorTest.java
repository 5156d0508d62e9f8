package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Netty's rules for responses, and the cases that went wrong in its history. */
@ExtendWith(LeakCheck.class)
class HttpCompressorTest {
    private static final byte[] BODY = Corpus.variedJson(10_000);

    private static EmbeddedChannel requested(HttpMethod method, String... acceptEncodings) {
        EmbeddedChannel channel = new EmbeddedChannel(new FerronetHttpContentCompressor(StandardCompressionOptions.gzip(), StandardCompressionOptions.deflate()));
        request(channel, method, acceptEncodings);
        return channel;
    }

    private static void request(EmbeddedChannel channel, HttpMethod method, String... acceptEncodings) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, method, "/");
        for (String encoding : acceptEncodings) {
            request.headers().add(HttpHeaderNames.ACCEPT_ENCODING, encoding);
        }
        channel.writeInbound(request);
        channel.releaseInbound();
    }

    private static FullHttpResponse response(HttpResponseStatus status, byte[] body) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        HttpUtil.setContentLength(response, body.length);
        return response;
    }

    /** The parts of a response behind its head, to the last one. */
    private static byte[] body(EmbeddedChannel channel) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            HttpContent content = channel.readOutbound();
            body.writeBytes(ByteBufUtil.getBytes(content.content()));
            content.release();
            if (content instanceof LastHttpContent) {
                return body.toByteArray();
            }
        }
    }

    private static void passes(EmbeddedChannel channel, FullHttpResponse response) {
        channel.writeOutbound(response);
        assertEquals(response, channel.readOutbound());
        assertNull(response.headers().get(HttpHeaderNames.CONTENT_ENCODING));
        response.release();
        channel.finishAndReleaseAll();
    }

    @Test
    void issue6808AFullResponseIsOnePieceWithItsLength() {
        for (int length : new int[] {1, 1024, 4096, 16_384, 131_072, 1 << 20}) {
            for (String encoding : new String[] {"gzip", "deflate"}) {
                byte[] document = Corpus.variedJson(length);
                EmbeddedChannel channel = requested(HttpMethod.GET, encoding);
                channel.writeOutbound(response(HttpResponseStatus.OK, document));
                HttpResponse head = channel.readOutbound();
                assertEquals(encoding, head.headers().get(HttpHeaderNames.CONTENT_ENCODING));
                HttpContent content = channel.readOutbound();
                byte[] packed = ByteBufUtil.getBytes(content.content());
                content.release();
                assertInstanceOf(LastHttpContent.class, channel.readOutbound());
                assertNull(channel.readOutbound());
                assertEquals(packed.length, HttpUtil.getContentLength(head));
                assertFalse(HttpUtil.isTransferEncodingChunked(head));
                assertArrayEquals(document, Jdk.decompress("gzip".equals(encoding) ? ZlibWrapper.GZIP : ZlibWrapper.ZLIB, packed));
                channel.finishAndReleaseAll();
            }
        }
    }

    @Test
    void bodiesThatDoNotShrinkAndBodiesInPartsAreCompleteOneAfterTheOther() {
        byte[] noise = new byte[100_000];
        new Random(1).nextBytes(noise);
        EmbeddedChannel channel = new EmbeddedChannel(new FerronetHttpContentCompressor(StandardCompressionOptions.gzip(1, 15, 8)));
        for (byte[] document : new byte[][] {noise, BODY, Arrays.copyOf(noise, 3000), BODY, new byte[] {1}, noise}) {
            for (boolean parts : new boolean[] {false, true}) {
                request(channel, HttpMethod.GET, "gzip");
                int middle = document.length / 2;
                ByteBuf body = parts ? Unpooled.wrappedBuffer(Unpooled.copiedBuffer(document, 0, middle), Unpooled.directBuffer()
                    .writeBytes(document, middle, document.length - middle)) : Unpooled.wrappedBuffer(document);
                channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body));
                HttpResponse head = channel.readOutbound();
                assertEquals("gzip", head.headers().get(HttpHeaderNames.CONTENT_ENCODING));
                assertArrayEquals(document, Jdk.decompress(ZlibWrapper.GZIP, body(channel)));
            }
            // A streamed response between two full ones.
            request(channel, HttpMethod.GET, "gzip");
            channel.writeOutbound(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
            channel.writeOutbound(new DefaultHttpContent(Unpooled.copiedBuffer(BODY)));
            channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
            channel.readOutbound();
            assertArrayEquals(BODY, Jdk.decompress(ZlibWrapper.GZIP, body(channel)));
        }
        assertNull(channel.readOutbound());
        channel.finishAndReleaseAll();
    }

    @Test
    void aFullResponseWithoutALengthIsChunked() {
        EmbeddedChannel channel = requested(HttpMethod.GET, "gzip");
        channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(BODY)));
        HttpResponse head = channel.readOutbound();
        assertTrue(HttpUtil.isTransferEncodingChunked(head));
        assertArrayEquals(BODY, Jdk.decompress(ZlibWrapper.GZIP, body(channel)));
        channel.finishAndReleaseAll();
    }

    @Test
    void everyChunkOfAStreamIsFlushedAndTrailersAreKept() {
        EmbeddedChannel channel = requested(HttpMethod.GET, "gzip");
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        HttpUtil.setContentLength(response, 30);
        channel.writeOutbound(response);
        HttpResponse head = channel.readOutbound();
        assertTrue(HttpUtil.isTransferEncodingChunked(head));
        assertNull(head.headers().get(HttpHeaderNames.CONTENT_LENGTH));
        EmbeddedChannel reader = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0));
        for (int i = 0; i < 3; i++) {
            channel.writeOutbound(new DefaultHttpContent(Unpooled.copiedBuffer("chunk " + i, java.nio.charset.StandardCharsets.US_ASCII)));
            HttpContent chunk = channel.readOutbound();
            reader.writeInbound(chunk.content());
            io.netty.buffer.ByteBuf text = reader.readInbound();
            assertEquals("chunk " + i, text.toString(java.nio.charset.StandardCharsets.US_ASCII));
            text.release();
        }
        LastHttpContent last = new DefaultLastHttpContent();
        last.trailingHeaders().set("X-Sum", "42");
        channel.writeOutbound(last);
        HttpContent end = channel.readOutbound();
        reader.writeInbound(end.content());
        assertTrue(reader.pipeline().get(FerronetZlibDecoder.class).isClosed());
        LastHttpContent trailer = channel.readOutbound();
        assertEquals("42", trailer.trailingHeaders().get("X-Sum"));
        reader.finishAndReleaseAll();
        channel.finishAndReleaseAll();
    }

    @Test
    void issues971And1312AnEmptyBodyStaysEmptyAndAnEmptyStreamIsValid() {
        EmbeddedChannel full = requested(HttpMethod.GET, "gzip");
        passes(full, response(HttpResponseStatus.OK, new byte[0]));
        EmbeddedChannel streamed = requested(HttpMethod.GET, "gzip");
        streamed.writeOutbound(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        streamed.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
        assertInstanceOf(HttpResponse.class, streamed.readOutbound());
        byte[] packed = body(streamed);
        assertEquals(20, packed.length);
        assertEquals(0, Jdk.decompress(ZlibWrapper.GZIP, packed).length);
        streamed.finishAndReleaseAll();
    }

    @Test
    void issues4079And12904InformationalResponsesDoNotUseUpTheRequest() {
        EmbeddedChannel channel = requested(HttpMethod.GET, "gzip");
        for (HttpResponseStatus status : new HttpResponseStatus[] {HttpResponseStatus.CONTINUE, HttpResponseStatus.valueOf(103)}) {
            FullHttpResponse early = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
            channel.writeOutbound(early);
            assertEquals(early, channel.readOutbound());
        }
        channel.writeOutbound(response(HttpResponseStatus.OK, BODY));
        HttpResponse head = channel.readOutbound();
        assertEquals("gzip", head.headers().get(HttpHeaderNames.CONTENT_ENCODING));
        assertArrayEquals(BODY, Jdk.decompress(ZlibWrapper.GZIP, body(channel)));
        channel.finishAndReleaseAll();
    }

    @Test
    void responsesWithoutABodyAndOldVersionsPassUnchanged() {
        passes(requested(HttpMethod.GET, "gzip"), response(HttpResponseStatus.NO_CONTENT, new byte[0]));
        passes(requested(HttpMethod.GET, "gzip"), response(HttpResponseStatus.NOT_MODIFIED, new byte[0]));
        passes(requested(HttpMethod.HEAD, "gzip"), response(HttpResponseStatus.OK, new byte[0]));
        passes(requested(HttpMethod.CONNECT, "gzip"), response(HttpResponseStatus.OK, BODY));
        passes(requested(HttpMethod.GET, "gzip"), new DefaultFullHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK, Unpooled.wrappedBuffer(BODY)));
    }

    @Test
    void pr9557HeadersAreJoinedAndRanked() {
        String[][] cases = {
            {"gzip", "gzip"}, {"deflate", "deflate"}, {"gzip, deflate, br, zstd", "gzip"}, {"gzip;q=0.5, deflate;q=0.9", "deflate"}, {"*", "gzip"},
            {"*;q=0", null}, {"identity", null}, {"", null}, {"gzip;q=0", null}, {"gzip;q=0, *", "deflate"}, {"br", null},
            {"text/html;q=0.3, gzip;q=0.8", "gzip"},
        };
        for (String[] pair : cases) {
            EmbeddedChannel channel = requested(HttpMethod.GET, pair[0]);
            channel.writeOutbound(response(HttpResponseStatus.OK, BODY));
            HttpResponse head = channel.readOutbound();
            assertEquals(pair[1], head.headers().get(HttpHeaderNames.CONTENT_ENCODING), pair[0]);
            channel.finishAndReleaseAll();
        }
        EmbeddedChannel several = requested(HttpMethod.GET, "unknown", "deflate");
        several.writeOutbound(response(HttpResponseStatus.OK, BODY));
        HttpResponse head = several.readOutbound();
        assertEquals("deflate", head.headers().get(HttpHeaderNames.CONTENT_ENCODING));
        several.finishAndReleaseAll();
    }

    @Test
    void anEncodingThatIsSetAlreadyIsRespectedAndSoIsIdentity() {
        for (String encoding : new String[] {"br", "identity", "gzip"}) {
            EmbeddedChannel channel = requested(HttpMethod.GET, "gzip");
            FullHttpResponse response = response(HttpResponseStatus.OK, BODY);
            response.headers().set(HttpHeaderNames.CONTENT_ENCODING, encoding);
            channel.writeOutbound(response);
            assertEquals(response, channel.readOutbound());
            assertEquals(encoding, response.headers().get(HttpHeaderNames.CONTENT_ENCODING));
            response.release();
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void aResponseBelowTheThresholdPasses() {
        EmbeddedChannel channel = new EmbeddedChannel(new FerronetHttpContentCompressor(100, StandardCompressionOptions.gzip()));
        request(channel, HttpMethod.GET, "gzip");
        request(channel, HttpMethod.GET, "gzip");
        FullHttpResponse small = response(HttpResponseStatus.OK, new byte[99]);
        channel.writeOutbound(small);
        assertEquals(small, channel.readOutbound());
        small.release();
        channel.writeOutbound(response(HttpResponseStatus.OK, new byte[100]));
        HttpResponse head = channel.readOutbound();
        assertEquals("gzip", head.headers().get(HttpHeaderNames.CONTENT_ENCODING));
        channel.finishAndReleaseAll();
    }

    @Test
    void pipelinedRequestsKeepTheirOwnEncodings() {
        EmbeddedChannel channel = requested(HttpMethod.GET, "gzip");
        request(channel, HttpMethod.HEAD, "gzip");
        request(channel, HttpMethod.GET, "deflate");
        request(channel, HttpMethod.GET);
        String[] expected = {"gzip", null, "deflate", null};
        for (int i = 0; i < expected.length; i++) {
            channel.writeOutbound(response(HttpResponseStatus.OK, i == 1 ? new byte[0] : BODY));
            HttpResponse head = channel.readOutbound();
            assertEquals(expected[i], head.headers().get(HttpHeaderNames.CONTENT_ENCODING), "response " + i);
            for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
                io.netty.util.ReferenceCountUtil.release(part);
            }
        }
        channel.finishAndReleaseAll();
    }
}
