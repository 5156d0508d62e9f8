package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bodies of requests, and the cases that went wrong in Netty's history. */
@ExtendWith(LeakCheck.class)
class HttpDecompressorTest {
    private static final byte[] BODY = Corpus.variedJson(10_000);

    private static EmbeddedChannel started(FerronetHttpContentDecompressor handler, String encoding) {
        EmbeddedChannel channel = new EmbeddedChannel(handler);
        start(channel, encoding);
        return channel;
    }

    private static void start(EmbeddedChannel channel, String encoding) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
        request.headers().set(HttpHeaderNames.CONTENT_ENCODING, encoding).set(HttpHeaderNames.CONTENT_LENGTH, 1);
        channel.writeInbound(request);
        HttpRequest seen = channel.readInbound();
        assertNull(seen.headers().get(HttpHeaderNames.CONTENT_ENCODING));
        assertNull(seen.headers().get(HttpHeaderNames.CONTENT_LENGTH));
    }

    /** The decompressed parts so far; whether the last part came is the caller's to ask. */
    private static byte[] take(EmbeddedChannel channel) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (HttpContent part = channel.readInbound(); part != null; part = channel.readInbound()) {
            body.writeBytes(ByteBufUtil.getBytes(part.content()));
            part.release();
        }
        return body.toByteArray();
    }

    private static void send(EmbeddedChannel channel, byte[] packed, int chunk) {
        for (int at = 0; at < packed.length; at += chunk) {
            channel.writeInbound(new DefaultHttpContent(Unpooled.copiedBuffer(packed, at, Math.min(chunk, packed.length - at))));
        }
    }

    @Test
    void everyEncodingNameIsKnown() {
        String[][] names = {{"gzip", "GZIP"}, {"x-gzip", "GZIP"}, {"deflate", "ZLIB"}, {"x-deflate", "ZLIB"}, {"deflate", "NONE"}, {"GZip", "GZIP"}};
        for (String[] name : names) {
            EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), name[0]);
            send(channel, Jdk.compress(ZlibWrapper.valueOf(name[1]), BODY), 999);
            channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
            assertArrayEquals(BODY, take(channel), Arrays.toString(name));
            channel.finishAndReleaseAll();
        }
        EmbeddedChannel strict = started(new FerronetHttpContentDecompressor(true, 0), "deflate");
        byte[] raw = Jdk.compress(ZlibWrapper.NONE, BODY);
        assertThrows(DecompressionException.class, () -> send(strict, raw, 10_000));
        strict.finishAndReleaseAll();
    }

    @Test
    void issues11805And7566HeaderAndFooterMayComeByteByByte() {
        EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
        send(channel, Jdk.compress(ZlibWrapper.GZIP, BODY), 1);
        channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
        assertArrayEquals(BODY, take(channel));
        channel.finishAndReleaseAll();
    }

    @Test
    void issue11521EveryFieldOfTheHeaderMayComeByteByByte() {
        // FHCRC, FEXTRA, FNAME and FCOMMENT (RFC 1952, 2.3.1).
        byte[] plain = Jdk.compress(ZlibWrapper.GZIP, BODY);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        packed.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 4, 0, 'a', 'b', 'c', 'd', 'n', 'a', 'm', 'e', 0, 't', 'e', 'x', 't', 0});
        CRC32 checksum = new CRC32();
        checksum.update(packed.toByteArray());
        packed.write((int) checksum.getValue());
        packed.write((int) checksum.getValue() >> 8);
        packed.write(plain, 10, plain.length - 10);
        for (int chunk : new int[] {1, 7, packed.size()}) {
            EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
            send(channel, packed.toByteArray(), chunk);
            channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
            assertArrayEquals(BODY, take(channel));
            channel.finishAndReleaseAll();
        }
        byte[] damaged = packed.toByteArray();
        damaged[26] ^= 1;
        EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
        assertThrows(DecompressionException.class, () -> send(channel, damaged, 1));
        channel.finishAndReleaseAll();
    }

    @Test
    void aLengthInTheTrailerThatIsNoLengthChangesNothing() {
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        // The last four bytes of a part are the length only in the last one.
        for (int split : new int[] {20, 100, packed.length - 5}) {
            for (int told : new int[] {1, 300, 65_000, -1}) {
                byte[] first = Arrays.copyOf(packed, split);
                EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
                channel.writeInbound(new DefaultHttpContent(Unpooled.copiedBuffer(first)));
                channel.writeInbound(new DefaultHttpContent(Unpooled.copiedBuffer(packed, split, packed.length - split)));
                channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
                assertArrayEquals(BODY, take(channel));
                channel.finishAndReleaseAll();

                byte[] lying = packed.clone();
                for (int i = 0; i < 4; i++) {
                    lying[lying.length - 4 + i] = (byte) (told >> (8 * i));
                }
                EmbeddedChannel refusing = started(new FerronetHttpContentDecompressor(0), "gzip");
                assertThrows(DecompressionException.class, () -> send(refusing, lying, lying.length));
                refusing.finishAndReleaseAll();
            }
        }
    }

    @Test
    void pr10948MembersThatFollowEachOtherAreOneBody() {
        byte[] member = Jdk.compress(ZlibWrapper.GZIP, BODY);
        byte[] packed = Arrays.copyOf(member, member.length * 2);
        System.arraycopy(member, 0, packed, member.length, member.length);
        for (int chunk : new int[] {1, 100, member.length, packed.length}) {
            EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
            send(channel, packed, chunk);
            channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
            byte[] body = take(channel);
            assertEquals(2 * BODY.length, body.length);
            assertArrayEquals(BODY, Arrays.copyOfRange(body, BODY.length, body.length));
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void issue971AnEmptyBodyStaysEmpty() {
        EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
        channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
        assertEquals(LastHttpContent.EMPTY_LAST_CONTENT, channel.readInbound());
        channel.finishAndReleaseAll();
    }

    @Test
    void aBodyThatIsCutOffIsAnErrorAndHasNoEnd() {
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
        send(channel, Arrays.copyOf(packed, packed.length - 1), 500);
        DecompressionException e = assertThrows(DecompressionException.class, () -> channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT));
        assertTrue(e.getMessage().contains("FERRONET_ERR_TRUNCATED"), e.getMessage());
        for (HttpContent part = channel.readInbound(); part != null; part = channel.readInbound()) {
            assertFalse(part instanceof LastHttpContent);
            part.release();
        }
        channel.finishAndReleaseAll();
    }

    @Test
    void aConnectionThatIsLostInTheMiddleIsNoErrorOfTheBody() {
        EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
        send(channel, Arrays.copyOf(Jdk.compress(ZlibWrapper.GZIP, BODY), 100), 100);
        take(channel);
        assertFalse(channel.finish());
    }

    @Test
    void aDamagedBodyFailsAtEveryFurtherPart() {
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        packed[20] ^= (byte) 0xff;
        EmbeddedChannel channel = started(new FerronetHttpContentDecompressor(0), "gzip");
        assertThrows(DecompressionException.class, () -> send(channel, packed, packed.length));
        assertThrows(DecompressionException.class, () -> channel.writeInbound(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[5]))));
        assertThrows(DecompressionException.class, () -> channel.writeInbound(new DefaultLastHttpContent()));
        take(channel);
        channel.finishAndReleaseAll();
    }

    @Test
    void issues6168And15005ABombIsBoundedByDefaultAndByMaxAllocation() {
        byte[] bomb = Jdk.compress(ZlibWrapper.GZIP, new byte[64 << 20]);
        EmbeddedChannel byDefault = started(new FerronetHttpContentDecompressor(), "gzip");
        DecompressionException e = assertThrows(DecompressionException.class, () -> send(byDefault, bomb, 8192));
        assertTrue(e.getMessage().contains("FERRONET_ERR_LIMIT") && e.getMessage().contains("FerronetDecompressionLimits"), e.getMessage());
        assertTrue(take(byDefault).length <= (16 << 20) + 65_536);
        byDefault.finishAndReleaseAll();
        EmbeddedChannel allocation = started(new FerronetHttpContentDecompressor(1000), "gzip");
        e = assertThrows(DecompressionException.class, () -> send(allocation, bomb, 8192));
        assertTrue(e.getMessage().startsWith("Decompression buffer has reached maximum size"), e.getMessage());
        allocation.finishAndReleaseAll();
        EmbeddedChannel lifted = started(new FerronetHttpContentDecompressor(false, 0, FerronetDecompressionLimits.UNBOUNDED), "gzip");
        send(lifted, bomb, 8192);
        lifted.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
        assertEquals(64 << 20, take(lifted).length);
        lifted.finishAndReleaseAll();
    }

    @Test
    void pr8922WithAutoReadOffItReadsOnUntilThereIsOutput() {
        AtomicInteger reads = new AtomicInteger();
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext ctx) {
                reads.incrementAndGet();
            }
        }, new FerronetZlibDecoder(ZlibWrapper.GZIP, 0));
        channel.config().setAutoRead(false);
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, BODY);
        int before = reads.get();
        channel.writeInbound(Unpooled.copiedBuffer(packed, 0, 5));
        assertEquals(before + 1, reads.get(), "a header gives no output");
        channel.writeInbound(Unpooled.copiedBuffer(packed, 5, packed.length - 5));
        assertEquals(before + 1, reads.get(), "output was given");
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
            part.release();
        }
        channel.finishAndReleaseAll();
    }
}
