package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The encoder and the decoder against {@code java.util.zip}, in every kind of buffer, and what they do with bad input. */
@ExtendWith(LeakCheck.class)
class ZlibCodecTest {
    private static final List<ZlibWrapper> FORMATS = List.of(ZlibWrapper.GZIP, ZlibWrapper.ZLIB, ZlibWrapper.NONE);

    private static byte[] takeOutbound(EmbeddedChannel channel) {
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            result.writeBytes(ByteBufUtil.getBytes(part));
            part.release();
        }
        return result.toByteArray();
    }

    private static byte[] takeInbound(EmbeddedChannel channel) {
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
            assertTrue(part.isDirect());
            result.writeBytes(ByteBufUtil.getBytes(part));
            part.release();
        }
        return result.toByteArray();
    }

    private static byte[] encode(ChannelHandler encoder, byte[] data, int chunk) {
        EmbeddedChannel channel = new EmbeddedChannel(encoder);
        for (int at = 0; at < data.length; at += chunk) {
            channel.writeOutbound(Unpooled.copiedBuffer(data, at, Math.min(chunk, data.length - at)));
        }
        channel.finish();
        return takeOutbound(channel);
    }

    private static byte[] decode(ChannelHandler decoder, byte[] data, int chunk) {
        EmbeddedChannel channel = new EmbeddedChannel(decoder);
        try {
            for (int at = 0; at < data.length; at += chunk) {
                channel.writeInbound(Unpooled.copiedBuffer(data, at, Math.min(chunk, data.length - at)));
            }
            return takeInbound(channel);
        } finally {
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void everyLevelAndFormatIsReadByTheJdk() {
        for (Map.Entry<String, byte[]> document : Corpus.documents().entrySet()) {
            for (ZlibWrapper wrapper : FORMATS) {
                for (int level : new int[] {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, FerronetZlibEncoder.FASTEST}) {
                    byte[] packed = encode(new FerronetZlibEncoder(wrapper, level), document.getValue(), Integer.MAX_VALUE);
                    assertArrayEquals(document.getValue(), Jdk.decompress(wrapper, packed), document.getKey() + " at " + level + " as " + wrapper);
                }
            }
        }
    }

    @Test
    void whatTheJdkWritesIsRead() {
        for (Map.Entry<String, byte[]> document : Corpus.documents().entrySet()) {
            for (ZlibWrapper wrapper : FORMATS) {
                byte[] packed = Jdk.compress(wrapper, document.getValue());
                for (int chunk : new int[] {1000, Integer.MAX_VALUE}) {
                    byte[] result = decode(new FerronetZlibDecoder(wrapper, false, 0, FerronetDecompressionLimits.UNBOUNDED), packed, chunk);
                    assertArrayEquals(document.getValue(), result, document.getKey() + " as " + wrapper);
                }
            }
        }
    }

    @Test
    void randomChunksRoundTrip() {
        Random random = new Random(20);
        byte[] document = Corpus.variedJson(300_000);
        for (int round = 0; round < 100; round++) {
            int from = random.nextInt(document.length - 1);
            byte[] data = Arrays.copyOfRange(document, from, from + 1 + random.nextInt(Math.min(60_000, document.length - from)));
            ZlibWrapper wrapper = FORMATS.get(random.nextInt(3));
            FerronetZlibEncoder encoder = new FerronetZlibEncoder(wrapper, random.nextInt(10), 9 + random.nextInt(7), 1 + random.nextInt(9));
            byte[] packed = encode(encoder, data, 1 + random.nextInt(9_000));
            assertArrayEquals(data, Jdk.decompress(wrapper, packed));
            assertArrayEquals(data, decode(new FerronetZlibDecoder(wrapper, 0), packed, 1 + random.nextInt(500)));
        }
    }

    @Test
    void everyKindOfBufferIsTaken() {
        byte[] data = Corpus.variedJson(150_000);
        byte[] half = Arrays.copyOf(data, 75_000);
        byte[] rest = Arrays.copyOfRange(data, 75_000, data.length);
        List<ByteBuf> buffers = new ArrayList<>(List.of(
            Unpooled.wrappedBuffer(data),
            Unpooled.wrappedBuffer(data).asReadOnly(),
            Unpooled.directBuffer().writeBytes(data),
            PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(data),
            PooledByteBufAllocator.DEFAULT.heapBuffer().writeBytes(data),
            Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(half), Unpooled.directBuffer().writeBytes(rest)),
            Unpooled.wrappedBuffer(Unpooled.directBuffer().writeBytes(half), Unpooled.EMPTY_BUFFER, Unpooled.wrappedBuffer(rest)),
            Unpooled.wrappedBuffer(java.nio.ByteBuffer.allocateDirect(data.length).put(data).flip().asReadOnlyBuffer())));
        for (ByteBuf buffer : buffers) {
            String kind = buffer.toString();
            EmbeddedChannel channel = new EmbeddedChannel(new FerronetZlibEncoder(ZlibWrapper.GZIP));
            channel.writeOutbound(buffer);
            channel.finish();
            byte[] packed = takeOutbound(channel);
            assertEquals(0, buffer.refCnt(), kind);
            assertArrayEquals(data, Jdk.decompress(ZlibWrapper.GZIP, packed), kind);
            ByteBuf split = Unpooled.wrappedBuffer(Unpooled.copiedBuffer(packed, 0, 7), Unpooled.directBuffer().writeBytes(packed, 7, packed.length - 7));
            EmbeddedChannel reader = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0));
            reader.writeInbound(split);
            assertArrayEquals(data, takeInbound(reader), kind);
            reader.finishAndReleaseAll();
        }
    }

    @Test
    void everyWriteIsReadableAtOnce() {
        EmbeddedChannel encoder = new EmbeddedChannel(new FerronetZlibEncoder(ZlibWrapper.GZIP, 1));
        EmbeddedChannel decoder = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0));
        for (int i = 0; i < 50; i++) {
            byte[] message = ("message " + i).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            encoder.writeOutbound(Unpooled.wrappedBuffer(message));
            decoder.writeInbound(Unpooled.wrappedBuffer(takeOutbound(encoder)));
            assertArrayEquals(message, takeInbound(decoder));
        }
        encoder.finish();
        decoder.writeInbound(Unpooled.wrappedBuffer(takeOutbound(encoder)));
        assertTrue(decoder.pipeline().get(FerronetZlibDecoder.class).isClosed());
        decoder.finishAndReleaseAll();
    }

    @Test
    void anEmptyStreamIsAValidOne() {
        assertEquals(20, encode(new FerronetZlibEncoder(ZlibWrapper.GZIP), new byte[0], 1).length);
        for (ZlibWrapper wrapper : FORMATS) {
            assertEquals(0, Jdk.decompress(wrapper, encode(new FerronetZlibEncoder(wrapper), new byte[0], 1)).length);
        }
    }

    @Test
    void aTruncatedStreamIsNeverTakenForACompleteOne() {
        byte[] packed = Jdk.compress(ZlibWrapper.GZIP, Corpus.variedJson(2_000));
        for (int length = 0; length < packed.length; length++) {
            EmbeddedChannel lenient = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0));
            lenient.writeInbound(Unpooled.copiedBuffer(packed, 0, length));
            assertFalse(lenient.pipeline().get(FerronetZlibDecoder.class).isClosed(), "cut to " + length);
            lenient.finishAndReleaseAll();
            EmbeddedChannel strict = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0).requireEnd(true));
            strict.writeInbound(Unpooled.copiedBuffer(packed, 0, length));
            if (length == 0) {
                strict.finishAndReleaseAll();
                continue;
            }
            DecompressionException e = assertThrows(DecompressionException.class, strict::finishAndReleaseAll, "cut to " + length);
            assertTrue(e.getMessage().contains("ends after " + length + " bytes"), e.getMessage());
        }
    }

    @Test
    void aFlippedBitIsAnErrorThatNamesTheByte() {
        byte[] document = Corpus.variedJson(300);
        byte[] packed = Jdk.compress(ZlibWrapper.ZLIB, document);
        for (int at = 0; at < packed.length; at++) {
            byte[] damaged = packed.clone();
            damaged[at] ^= 0x10;
            EmbeddedChannel channel = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.ZLIB, 0).requireEnd(true));
            try {
                channel.writeInbound(Unpooled.wrappedBuffer(damaged));
                byte[] result = takeInbound(channel);
                channel.finishAndReleaseAll();
                // Bits that fill the last byte before the checksum.
                assertEquals(packed.length - 5, at);
                assertArrayEquals(document, result);
            } catch (DecompressionException e) {
                assertTrue(e.getMessage().contains("byte"), e.getMessage());
            } finally {
                channel.releaseInbound();
            }
        }
    }

    @Test
    void aBombStopsAtItsBound() {
        byte[] bomb = Jdk.compress(ZlibWrapper.GZIP, new byte[64 << 20]);
        EmbeddedChannel channel = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0));
        DecompressionException e = assertThrows(DecompressionException.class, () -> channel.writeInbound(Unpooled.wrappedBuffer(bomb)));
        assertTrue(e.getMessage().contains("FerronetDecompressionLimits"), e.getMessage());
        assertTrue(takeInbound(channel).length <= (16 << 20) + 64 * 1024);
        channel.finishAndReleaseAll();
        FerronetDecompressionLimits limits = FerronetDecompressionLimits.maxOutput(1000);
        EmbeddedChannel exact = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP, false, 0, limits));
        assertThrows(DecompressionException.class, () -> exact.writeInbound(Unpooled.wrappedBuffer(Jdk.compress(ZlibWrapper.GZIP, new byte[1001]))));
        assertTrue(takeInbound(exact).length <= 1000);
        exact.finishAndReleaseAll();
        assertEquals(1000, decode(new FerronetZlibDecoder(ZlibWrapper.GZIP, false, 0, limits), Jdk.compress(ZlibWrapper.GZIP, new byte[1000]), 5).length);
        byte[] lifted = decode(new FerronetZlibDecoder(ZlibWrapper.GZIP, false, 0, FerronetDecompressionLimits.UNBOUNDED), bomb, Integer.MAX_VALUE);
        assertEquals(64 << 20, lifted.length);
    }

    @Test
    void aDictionaryIsUsedByBothSides() {
        byte[] dictionary = "{\"id\":,\"name\":\"item\"".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        byte[] data = Corpus.repetitiveJson(60);
        byte[] packed = encode(new FerronetZlibEncoder(dictionary), data, 100);
        assertTrue(packed.length < encode(new FerronetZlibEncoder(), data, 100).length);
        assertArrayEquals(data, decode(new FerronetZlibDecoder(dictionary, 0), packed, 3));
        DecompressionException e = assertThrows(DecompressionException.class, () -> decode(new FerronetZlibDecoder(0), packed, 100));
        assertTrue(e.getMessage().contains("FERRONET_ERR_DICTIONARY"), e.getMessage());
    }

    @Test
    void streamsGoBackToTheLoopsPool() {
        encode(new FerronetZlibEncoder(ZlibWrapper.GZIP), new byte[10], 10);
        int idle = StreamPool.idle();
        for (int i = 0; i < 100; i++) {
            byte[] packed = encode(new FerronetZlibEncoder(ZlibWrapper.GZIP, i % 10), new byte[100], 10);
            decode(new FerronetZlibDecoder(ZlibWrapper.GZIP, 0), packed, 10);
        }
        assertTrue(StreamPool.idle() >= idle && StreamPool.idle() <= 16, idle + " before, " + StreamPool.idle() + " after");
        // A handler that is removed in the middle of its stream gives it back, too, and the next stream is not disturbed.
        EmbeddedChannel half = new EmbeddedChannel(new FerronetZlibEncoder(ZlibWrapper.GZIP));
        half.writeOutbound(Unpooled.wrappedBuffer(new byte[1000]));
        half.pipeline().remove(FerronetZlibEncoder.class);
        takeOutbound(half);
        half.finishAndReleaseAll();
        byte[] data = Corpus.variedJson(500);
        assertArrayEquals(data, Jdk.decompress(ZlibWrapper.GZIP, encode(new FerronetZlibEncoder(ZlibWrapper.GZIP), data, 500)));
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new FerronetZlibEncoder(10));
        assertThrows(IllegalArgumentException.class, () -> new FerronetZlibEncoder(-2));
        assertThrows(IllegalArgumentException.class, () -> new FerronetZlibEncoder(ZlibWrapper.ZLIB_OR_NONE));
        assertThrows(IllegalArgumentException.class, () -> new FerronetZlibEncoder(ZlibWrapper.GZIP, 6, 8, 8));
        assertThrows(IllegalArgumentException.class, () -> new FerronetZlibEncoder(ZlibWrapper.GZIP, 6, 15, 10));
        assertThrows(IllegalArgumentException.class, () -> new FerronetZlibDecoder(-1));
        assertThrows(IllegalArgumentException.class, () -> new FerronetDecompressionLimits(-1, 0, 0));
    }
}
