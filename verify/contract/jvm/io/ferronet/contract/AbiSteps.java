package io.ferronet.contract;

import io.ferronet.api.AbiInfo;
import io.ferronet.api.AttachParams;
import io.ferronet.api.Capabilities;
import io.ferronet.api.LogReceiver;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Steps around the metadata block, attach, probe, statuses and texts. */
final class AbiSteps {
    private AbiSteps() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "abi" -> abi(w);
            case "version" -> version(w);
            case "attach" -> w.expect(attach(w, w.word(1)));
            case "detach" -> detach(w, w.word(1));
            case "probe" -> probe(w);
            case "status-name" -> {
                String got = w.binding.statusName((int) w.number(1));
                if (!w.word(2).equals(got)) {
                    throw w.failure("status %s is called %s", w.word(1), got);
                }
            }
            case "text" -> text(w);
            case "log" -> log(w);
            case "logged" -> {
                int lines = w.runtime(w.word(1)).logLines.get();
                if (!w.compare(lines, w.word(2), w.number(3))) {
                    throw w.failure("%d log lines, expected %s %s", lines, w.word(2), w.word(3));
                }
            }
            case "field" -> field(w);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void abi(World w) {
        AbiInfo info = w.binding.abi();
        w.clearRecord();
        w.record.putInt(AbiInfo.OFFSET_MAGIC, info.magic()).putInt(AbiInfo.OFFSET_STRUCT_SIZE, info.structSize());
        w.record.putInt(AbiInfo.OFFSET_ABI_REVISION, info.revision()).putInt(AbiInfo.OFFSET_ABI_FLOOR, info.floor());
        w.record.putInt(AbiInfo.OFFSET_LIB_VERSION, info.libraryVersion()).putInt(AbiInfo.OFFSET_FLAGS, info.flags());
        w.record.putLong(AbiInfo.OFFSET_FEATURES_BUILT, info.featuresBuilt());
        w.record.putLong(AbiInfo.OFFSET_LAYOUT_FINGERPRINT, info.fingerprint());
        w.read(Fields.ABI);
    }

    private static void version(World w) {
        AbiInfo info = w.binding.abi();
        int packed = info.libraryVersion();
        String expected = (packed >>> 24) + "." + (packed >> 16 & 255) + "." + (packed >> 8 & 255);
        if (!expected.equals(info.version())) {
            throw w.failure("the version is %s as a number and %s as text", expected, info.version());
        }
        if (info.target().isEmpty() || info.buildId().isEmpty()) {
            throw w.failure("target or build id is empty");
        }
    }

    /** Attaches as the step says; with no step at hand, as the runner itself. */
    static int attach(World w, String name) {
        boolean own = w.step == null;
        ByteBuffer params = World.allocate(256);
        ByteBuffer out = World.allocate(8);
        int size = own ? AttachParams.SIZE : (int) w.arg("size", AttachParams.SIZE);
        params.putInt(AttachParams.OFFSET_SIZE, size);
        params.putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, own ? 1 : (int) w.arg("revision", 1));
        params.putLong(AttachParams.OFFSET_REQUIRED_FEATURES, own ? 0 : w.arg("features", 0));
        if (!own && w.has("tail") && size > 0 && size <= params.capacity()) {
            params.put(size - 1, (byte) 1);
        }
        boolean noParams = !own && w.has("params=null");
        boolean noOut = !own && w.has("out=null");
        int status = w.binding.attach(noParams ? 0 : w.address(params), noOut ? 0 : w.address(out));
        if (status < 0 && out.getLong(0) != 0) {
            throw w.failure("a failed attach wrote its output");
        }
        if (status >= 0) {
            World.RuntimeHandle runtime = new World.RuntimeHandle();
            runtime.pointer = out.getLong(0);
            w.runtimes.put(name, runtime);
        } else if (own) {
            throw w.failure("attach: %s", w.binding.statusName(status));
        }
        return status;
    }

    private static void detach(World w, String name) {
        int status = w.binding.detach(w.handle(name));
        w.expect(status);
        if (status >= 0) {
            w.runtime(name).freed = true;
        }
    }

    private static void probe(World w) {
        w.clearRecord();
        w.record.putInt(Capabilities.OFFSET_SIZE, (int) w.arg("size", Capabilities.SIZE));
        w.read(Fields.CAPABILITIES);
        w.expect(w.binding.probe(w.has("out=null") ? 0 : w.address(w.record)));
    }

    private static void text(World w) {
        long handle = w.handle(w.word(1));
        ByteBuffer buffer = World.allocate(1024);
        long length = w.binding.lastError(handle, w.address(buffer), buffer.capacity());
        String full = text(buffer);
        if (length < 0 || length != full.getBytes(StandardCharsets.UTF_8).length) {
            throw w.failure("last_error returned %d for \"%s\"", length, full);
        }
        long capacity = w.arg("capacity", -1);
        if (capacity >= 0) {
            ByteBuffer cut = World.allocate(64);
            byte[] fill = new byte[64];
            Arrays.fill(fill, (byte) 'x');
            cut.put(0, fill);
            long again = w.binding.lastError(handle, capacity == 0 ? 0 : w.address(cut), capacity);
            if (again != length) {
                throw w.failure("last_error returned %d with a small buffer, %d with a large one", again, length);
            }
            if (capacity > 0 && (text(cut).length() != capacity - 1 || !full.startsWith(text(cut)))) {
                throw w.failure("the cut text is \"%s\"", text(cut));
            }
            return;
        }
        for (int i = 2; i < w.words(); i++) {
            if (!full.contains(w.word(i))) {
                throw w.failure("the text \"%s\" does not hold %s", full, w.word(i));
            }
        }
        if (w.words() == 2 && length == 0) {
            throw w.failure("there is no text");
        }
    }

    private static String text(ByteBuffer buffer) {
        int end = 0;
        while (end < buffer.capacity() && buffer.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end];
        buffer.get(0, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void log(World w) {
        String name = w.word(1);
        LogReceiver receiver = null;
        if (!w.has("callback=null") && !name.equals("null")) {
            World.RuntimeHandle runtime = w.runtime(name);
            receiver = (level, text) -> {
                if (level >= LogReceiver.ERROR && level <= LogReceiver.DEBUG && !text.isEmpty()) {
                    runtime.logLines.incrementAndGet();
                }
            };
        }
        w.expect(w.binding.logSet(w.handle(name), (int) w.number(2), receiver));
    }

    private static void field(World w) {
        Long value = w.fields == null ? null : w.fields.get(w.record, w.word(1));
        if (value == null) {
            throw w.failure("no field %s", w.word(1));
        }
        if (!w.compare(value, w.word(2), w.number(3))) {
            throw w.failure("%s is %d, expected %s %s", w.word(1), value, w.word(2), w.word(3));
        }
    }
}
