package io.ferronet.contract;

import io.ferronet.api.Codec;
import io.ferronet.api.CodecProgress;
import io.ferronet.api.DeflateConfig;
import io.ferronet.api.InflateConfig;
import io.ferronet.api.Region;
import java.nio.ByteBuffer;

/** Steps around compression: streams, whole buffers, and the documents that go through them. */
final class CodecSteps {
    private static final int CONFIG = 64;

    private CodecSteps() {
    }

    static final class Stream {
        final String name;
        final long pointer;
        final boolean inflate;
        boolean freed;

        Stream(String name, long pointer, boolean inflate) {
            this.name = name;
            this.pointer = pointer;
            this.inflate = inflate;
        }
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "deflate" -> open(w, false);
            case "inflate" -> open(w, true);
            case "process" -> process(w);
            case "call" -> call(w);
            case "buffer-deflate" -> buffer(w, false);
            case "buffer-inflate" -> buffer(w, true);
            case "reset-stream" -> {
                Stream s = stream(w);
                ByteBuffer config = config(w, s.inflate);
                w.expect(s.inflate ? w.binding.inflateReset(s.pointer, addressOr0(w, config)) : w.binding.deflateReset(s.pointer, addressOr0(w, config)));
            }
            case "free-stream" -> {
                Stream s = stream(w);
                int status = free(w, s);
                s.freed |= status >= 0;
                w.expect(status);
            }
            case "dictionary" -> {
                Stream s = stream(w);
                ByteBuffer d = document(w, w.word(2));
                w.expect(s.inflate ? w.binding.inflateSetDictionary(s.pointer, w.address(d), d.limit())
                    : w.binding.deflateSetDictionary(s.pointer, w.address(d), d.limit()));
            }
            default -> {
                return documentStep(w, name);
            }
        }
        return true;
    }

    private static boolean documentStep(World w, String name) {
        switch (name) {
            case "document" -> w.documents.put(w.word(1), generate(w.word(2), (int) w.number(3)));
            case "flip" -> {
                ByteBuffer d = document(w, w.word(1));
                int at = (int) w.number(2);
                at = at < 0 ? d.limit() + at : at;
                d.put(at, (byte) (d.get(at) ^ 0x40));
            }
            case "cut" -> {
                ByteBuffer d = document(w, w.word(1));
                d.limit(d.limit() - (int) w.number(2));
            }
            case "join" -> append(w, w.word(1), document(w, w.word(2)).duplicate());
            case "same" -> {
                ByteBuffer one = document(w, w.word(1));
                ByteBuffer other = document(w, w.word(2));
                if (!one.equals(other)) {
                    throw w.failure("%s has %d bytes, %s has %d, and they differ", w.word(1), one.limit(), w.word(2), other.limit());
                }
            }
            case "length" -> {
                int length = document(w, w.word(1)).limit();
                if (!w.compare(length, w.word(2), w.number(3))) {
                    throw w.failure("%s has %d bytes", w.word(1), length);
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static ByteBuffer generate(String kind, int length) {
        ByteBuffer d = World.allocate(length).limit(length);
        int x = 1;
        for (int i = 0; i < length; i++) {
            x = x * 1103515245 + 12345;
            int high = x >>> 16;
            d.put(i, (byte) (kind.equals("zeros") ? 0 : kind.equals("noise") ? high : i % 6 == 5 ? ' ' : 'a' + high % 5));
        }
        return d;
    }

    private static ByteBuffer document(World w, String name) {
        ByteBuffer d = w.documents.get(name);
        if (d == null) {
            throw w.failure("no document %s", name);
        }
        return d;
    }

    private static void append(World w, String name, ByteBuffer bytes) {
        ByteBuffer old = w.documents.getOrDefault(name, World.allocate(0).limit(0));
        ByteBuffer joined = World.allocate(old.limit() + bytes.remaining());
        joined.put(old.duplicate().rewind()).put(bytes).flip();
        w.documents.put(name, joined);
    }

    private static Stream stream(World w) {
        Stream s = w.streams.get(w.word(1));
        if (s == null) {
            throw w.failure("no stream %s", w.word(1));
        }
        return s;
    }

    private static long addressOr0(World w, ByteBuffer buffer) {
        return buffer == null ? 0 : w.address(buffer);
    }

    /** The configuration that the step's words describe; null with config=null. */
    private static ByteBuffer config(World w, boolean inflate) {
        if (w.has("config=null")) {
            return null;
        }
        ByteBuffer c = World.allocate(CONFIG);
        int size = (int) w.arg("size", inflate ? InflateConfig.SIZE : DeflateConfig.SIZE);
        c.putInt(0, size);
        if (inflate) {
            c.putInt(InflateConfig.OFFSET_FORMAT, (int) w.arg("format", 0)).putInt(InflateConfig.OFFSET_FLAGS, (int) w.arg("flags", 0));
            c.putInt(InflateConfig.OFFSET_WINDOW_BITS, (int) w.arg("window", 0)).putLong(InflateConfig.OFFSET_MAX_OUTPUT, w.arg("max", 0));
            c.putLong(InflateConfig.OFFSET_RATIO_FLOOR, w.arg("floor", 0)).putInt(InflateConfig.OFFSET_MAX_RATIO, (int) w.arg("ratio", 0));
            c.putInt(InflateConfig.OFFSET_RESERVED, (int) w.arg("reserved", 0));
        } else {
            c.putInt(DeflateConfig.OFFSET_FORMAT, (int) w.arg("format", 0)).putInt(DeflateConfig.OFFSET_LEVEL, (int) w.arg("level", 0));
            c.putInt(DeflateConfig.OFFSET_WINDOW_BITS, (int) w.arg("window", 0)).putInt(DeflateConfig.OFFSET_MEMORY_LEVEL, (int) w.arg("memory", 0));
            c.putInt(DeflateConfig.OFFSET_STRATEGY, (int) w.arg("strategy", 0)).putLong(DeflateConfig.OFFSET_EXPECTED_LENGTH, w.arg("expected", 0));
        }
        if (w.has("tail") && size > 0 && size <= CONFIG) {
            c.put(size - 1, (byte) 1);
        }
        return c;
    }

    private static void open(World w, boolean inflate) {
        ByteBuffer config = config(w, inflate);
        ByteBuffer out = World.allocate(8);
        long target = w.has("out=null") ? 0 : w.address(out);
        int status = inflate ? w.binding.inflateNew(addressOr0(w, config), target) : w.binding.deflateNew(addressOr0(w, config), target);
        if (status < 0 != (out.getLong(0) == 0)) {
            throw w.failure("status %d, but the output is %d", status, out.getLong(0));
        }
        if (status >= 0) {
            w.streams.put(w.word(1), new Stream(w.word(1), out.getLong(0), inflate));
        }
        w.expect(status);
    }

    private static ByteBuffer region(long address, long length) {
        return World.allocate(Region.SIZE).putLong(Region.OFFSET_ADDR, address).putLong(Region.OFFSET_LEN, length);
    }

    private static int call(World w, boolean inflate, long stream, ByteBuffer from, ByteBuffer to, int flush, long progress) {
        return inflate ? w.binding.inflateProcess(stream, w.address(from), w.address(to), flush, progress)
            : w.binding.deflateProcess(stream, w.address(from), w.address(to), flush, progress);
    }

    /** process STREAM SOURCE TARGET: all of the source in pieces, all that comes out of it. */
    private static void process(World w) {
        Stream s = stream(w);
        ByteBuffer source = document(w, w.word(2));
        append(w, w.word(3), World.allocate(0).limit(0));
        int piece = (int) w.arg("piece", 1 << 20);
        ByteBuffer room = World.allocate((int) w.arg("room", 1 << 16));
        int last = (int) w.arg("flush", Codec.FLUSH_FINISH);
        w.read(Fields.PROGRESS);
        int at = 0;
        long result;
        while (true) {
            int length = Math.min(piece, source.limit() - at);
            int flush = at + length == source.limit() ? last : Codec.FLUSH_NONE;
            w.clearRecord();
            w.record.putInt(0, CodecProgress.SIZE);
            result = call(w, s.inflate, s.pointer, region(w.address(source) + at, length), region(w.address(room), room.capacity()), flush,
                w.address(w.record));
            if (result < 0) {
                break;
            }
            long consumed = w.record.getLong(CodecProgress.OFFSET_CONSUMED);
            int produced = (int) w.record.getLong(CodecProgress.OFFSET_PRODUCED);
            append(w, w.word(3), room.duplicate().limit(produced));
            at += (int) consumed;
            result = w.record.getInt(CodecProgress.OFFSET_STATE);
            if (consumed == 0 && produced == 0 && result != Codec.END && (at < source.limit() || result == Codec.NEEDS_OUTPUT)) {
                throw w.failure("the stream gets nowhere at byte %d", at);
            }
            if (result == Codec.END || at == source.limit() && result == Codec.NEEDS_INPUT) {
                break;
            }
        }
        w.expect(result);
    }

    /** call STREAM: one call with nothing, for bad arguments. */
    private static void call(World w) {
        Stream s = w.streams.get(w.word(1));
        ByteBuffer memory = World.allocate(16);
        ByteBuffer progress = World.allocate(CodecProgress.SIZE).putInt(0, (int) w.arg("size", CodecProgress.SIZE));
        long address = w.has("overlap") ? w.address(memory) : 0;
        long length = w.has("overlap") ? memory.capacity() : 0;
        w.expect(call(w, s != null && s.inflate || w.has("inflate"), w.handle(w.word(1)), region(address, w.arg("length", length)),
            region(address, length), (int) w.arg("flush", 0), w.has("out=null") ? 0 : w.address(progress)));
    }

    /** buffer-deflate SOURCE TARGET, buffer-inflate SOURCE TARGET: as one call without a handle. */
    private static void buffer(World w, boolean inflate) {
        ByteBuffer source = document(w, w.word(1));
        ByteBuffer out = World.allocate((int) w.arg("capacity", inflate ? 1 << 20 : w.binding.deflateBound(source.limit())));
        ByteBuffer config = config(w, inflate);
        long result = inflate
            ? w.binding.inflateBuffer(addressOr0(w, config), w.address(source), source.limit(), w.address(out), out.capacity())
            : w.binding.deflateBuffer(addressOr0(w, config), w.address(source), source.limit(), w.address(out), out.capacity());
        if (result >= 0) {
            append(w, w.word(2), out.duplicate().limit((int) result));
        }
        w.expect(result);
    }

    private static int free(World w, Stream s) {
        return s.inflate ? w.binding.inflateFree(s.pointer) : w.binding.deflateFree(s.pointer);
    }

    static void close(World w) {
        for (Stream s : w.streams.values()) {
            if (!s.freed) {
                w.must("freeing " + s.name + " at the end", free(w, s));
            }
        }
    }
}
