package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bodies that are compressed as a whole: whether {@code java.util.zip} reads them, and how large they are beside its own. */
@ExtendWith(LeakCheck.class)
class WholeStreamTest {
    private static final int LONGEST = 70_000;
    /** Five bytes for each stored block of at most 65,535, and the end of the last byte. */
    private static final int BLOCK = 65_535;

    private final WholeBody whole = new WholeBody(UnpooledByteBufAllocator.DEFAULT);
    private final byte[] room = new byte[LONGEST + 1];
    private final Inflater inflater = new Inflater(true);

    private static DeflateSettings settings(int level) {
        return new DeflateSettings(ZlibWrapper.NONE, level, DeflateSettings.DEFAULT_WINDOW_BITS, DeflateSettings.DEFAULT_MEM_LEVEL);
    }

    private byte[] compress(int level, byte[] document) {
        whole.begin(settings(level)).writeOutbound(Unpooled.directBuffer(document.length).writeBytes(document));
        ByteBuf packed = whole.readOutbound();
        try {
            return ByteBufUtil.getBytes(packed);
        } finally {
            packed.release();
        }
    }

    private void isReadByTheJdk(int level, byte[] document, String name) throws DataFormatException {
        byte[] packed = compress(level, document);
        inflater.reset();
        inflater.setInput(packed);
        int length = inflater.inflate(room);
        assertTrue(inflater.finished(), name);
        assertEquals(0, inflater.getRemaining(), name);
        assertTrue(Arrays.equals(document, 0, document.length, room, 0, length), name);
        assertTrue(packed.length <= document.length + 5 * (document.length / BLOCK + 1) + 1, () -> name + " became " + packed.length);
    }

    private static byte[] allSymbols(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 167 + i / 256 * 13);
        }
        return bytes;
    }

    private static byte[] runs(int length) {
        Random random = new Random(length);
        byte[] bytes = new byte[length];
        for (int at = 0; at < length;) {
            int end = Math.min(length, at + 1 + random.nextInt(1 << 1 + random.nextInt(15)));
            Arrays.fill(bytes, at, end, (byte) random.nextInt(3));
            at = end;
        }
        return bytes;
    }

    @Test
    void everyLengthAroundTheEdgesIsReadByTheJdkAndGrowsByStoredBlocksAtMost() throws DataFormatException {
        Map<String, IntFunction<byte[]>> kinds = new LinkedHashMap<>();
        kinds.put("varied", Corpus::variedJson);
        kinds.put("noise", Corpus::noise);
        kinds.put("zeros", byte[]::new);
        kinds.put("all symbols", WholeStreamTest::allSymbols);
        kinds.put("runs", WholeStreamTest::runs);
        kinds.put("Fibonacci's frequencies", Corpus::fibonacci);
        List<Integer> lengths = new ArrayList<>();
        for (int length = 1; length < 40; length++) {
            lengths.add(length);
        }
        for (int bits = 6; bits <= 16; bits++) {
            for (int length = (1 << bits) - 3; length <= (1 << bits) + 3; length++) {
                lengths.add(length);
            }
        }
        Random random = new Random(70);
        for (int i = 0; i < 60; i++) {
            lengths.add(1 + random.nextInt(LONGEST));
        }
        lengths.add(LONGEST);
        for (Map.Entry<String, IntFunction<byte[]>> kind : kinds.entrySet()) {
            for (int length : lengths) {
                byte[] document = kind.getValue().apply(length);
                for (int level : new int[] {1, 3, 6}) {
                    isReadByTheJdk(level, document, kind.getKey() + " of " + length + " at level " + level);
                }
            }
        }
    }

    @Test
    void noLevelGivesMoreThanTheJdksAndFivePercent() {
        for (Map.Entry<String, byte[]> document : Corpus.documents().entrySet()) {
            for (int level = 1; level <= 9; level++) {
                int theirs = jdk(level, document.getValue());
                int ours = compress(level, document.getValue()).length;
                String name = document.getKey() + " at level " + level;
                // Five bytes: what a document of a few bytes differs in.
                assertTrue(ours <= theirs * 105L / 100 + 5, () -> name + ": " + ours + " bytes, the JDK has " + theirs);
            }
        }
    }

    /** A long body in the heap or in parts costs one copy more, and no more bytes or calls than one in direct memory. */
    @Test
    void everyKindOfBufferIsCompressedInOneCall() {
        byte[] document = Corpus.html(300_000);
        int middle = 111_111;
        for (int level : new int[] {1, 6}) {
            byte[] expected = compress(level, document);
            Map<String, ByteBuf> buffers = new LinkedHashMap<>();
            buffers.put("direct", Unpooled.directBuffer(document.length).writeBytes(document));
            buffers.put("heap", Unpooled.wrappedBuffer(document));
            buffers.put("short heap", Unpooled.wrappedBuffer(document, 0, 64 * 1024));
            buffers.put("read-only heap", Unpooled.wrappedBuffer(ByteBuffer.wrap(document).asReadOnlyBuffer()));
            buffers.put("slice", Unpooled.wrappedBuffer(new byte[7], document).slice(7, document.length));
            buffers.put("parts", Unpooled.wrappedBuffer(Unpooled.directBuffer(middle).writeBytes(document, 0, middle),
                Unpooled.wrappedBuffer(document, middle, document.length - middle)));
            for (Map.Entry<String, ByteBuf> buffer : buffers.entrySet()) {
                DeflateSettings settings = settings(level);
                boolean complete = buffer.getValue().readableBytes() == document.length;
                long before = calls(settings);
                whole.begin(settings).writeOutbound(buffer.getValue());
                assertEquals(before + 1, calls(settings), buffer.getKey());
                ByteBuf packed = whole.readOutbound();
                assertTrue(!complete || Arrays.equals(expected, ByteBufUtil.getBytes(packed)), buffer.getKey());
                packed.release();
            }
        }
    }

    /** Calls of the thread's idle stream with these settings. */
    private static long calls(DeflateSettings settings) {
        Deflater stream = StreamPool.deflater(settings, 300_000);
        StreamPool.release(stream);
        return stream.calls();
    }

    /** What is too long to be copied is compressed in pieces, and complete. */
    @Test
    void aVeryLongBodyInTheHeapIsReadByTheJdk() throws DataFormatException {
        byte[] document = Corpus.repetitiveJson((8 << 20) + 1);
        whole.begin(settings(1)).writeOutbound(Unpooled.wrappedBuffer(document));
        ByteBuf packed = whole.readOutbound();
        inflater.reset();
        inflater.setInput(ByteBufUtil.getBytes(packed));
        packed.release();
        byte[] result = new byte[document.length];
        assertEquals(document.length, inflater.inflate(result));
        assertTrue(Arrays.equals(document, result));
    }

    private static int jdk(int level, byte[] document) {
        java.util.zip.Deflater deflater = new java.util.zip.Deflater(level, true);
        try {
            deflater.setInput(document);
            deflater.finish();
            return deflater.deflate(new byte[document.length + 1000]);
        } finally {
            deflater.end();
        }
    }
}
