package io.ferronet.contract;

import io.ferronet.api.ReactorAreas;
import io.ferronet.api.ReactorConfig;
import io.ferronet.api.ReactorInfo;
import java.nio.ByteBuffer;

/** Steps around a reactor's life, its turns and its counters. */
final class ReactorSteps {
    private ReactorSteps() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "reactor" -> create(w, w.word(1));
            case "loop" -> {
                create(w, w.word(1));
                w.expect(w.binding.reactorStart(w.handle(w.word(1))));
            }
            case "start" -> w.expect(w.binding.reactorStart(w.handle(w.word(1))));
            case "use" -> w.current = w.loops.get(w.word(1));
            case "areas" -> {
                sized(w, ReactorAreas.SIZE, Fields.AREAS);
                w.expect(w.binding.reactorAreas(w.handle(w.word(1)), w.has("out=null") ? 0 : w.address(w.record)));
            }
            case "info" -> {
                sized(w, ReactorInfo.SIZE, Fields.INFO);
                w.expect(w.binding.reactorInfo(w.handle(w.word(1)), w.has("out=null") ? 0 : w.address(w.record)));
            }
            case "turn" -> turn(w, w.word(1));
            case "submit" -> submit(w, w.word(1));
            case "wake" -> w.expect(w.binding.reactorWake(w.handle(w.word(1))));
            case "add" -> add(w, w.word(1));
            case "remove" -> {
                Sock socket = w.socket(w.word(2));
                int status = w.binding.reactorRemove(w.handle(w.word(1)), socket.number);
                w.expect(status);
                if (status >= 0) {
                    socket.number = 0;
                }
            }
            case "close" -> close(w, w.word(1));
            case "free" -> {
                int status = w.binding.reactorFree(w.handle(w.word(1)));
                w.expect(status);
                Loop loop = w.loops.get(w.word(1));
                if (loop != null && status >= 0) {
                    loop.freed = true;
                }
            }
            case "idle" -> idle(w, w.current, w.number(1));
            case "elapsed" -> {
                Loop loop = w.loops.get(w.word(1));
                long elapsed = loop == null ? -1 : loop.turnNanos / 1_000_000;
                if (!w.compare(elapsed, w.word(2), w.number(3))) {
                    throw w.failure("the turn took %d ms, expected %s %s", elapsed, w.word(2), w.word(3));
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void sized(World w, int size, Fields fields) {
        w.clearRecord();
        w.record.putInt(0, (int) w.arg("size", size));
        w.read(fields);
    }

    private static void create(World w, String name) {
        ByteBuffer config = World.allocate(256);
        ByteBuffer out = World.allocate(8);
        int size = (int) w.arg("size", ReactorConfig.SIZE);
        config.putInt(ReactorConfig.OFFSET_SIZE, size);
        config.putInt(ReactorConfig.OFFSET_BACKEND, (int) w.arg("backend", w.backend));
        config.putInt(ReactorConfig.OFFSET_FLAGS, (int) w.arg("flags", 0));
        config.putInt(ReactorConfig.OFFSET_SUBMISSION_CAPACITY, (int) w.arg("submissions", 0));
        config.putInt(ReactorConfig.OFFSET_COMPLETION_CAPACITY, (int) w.arg("completions", 0));
        config.putInt(ReactorConfig.OFFSET_RING_ENTRIES, (int) w.arg("ring", 0));
        config.putInt(ReactorConfig.OFFSET_LENT_CAPACITY, (int) w.arg("lent", 0));
        config.putInt(ReactorConfig.OFFSET_RESERVED, (int) w.arg("reserved", 0));
        config.putLong(ReactorConfig.OFFSET_DISABLED_RING_FEATURES, w.arg("disabled", 0));
        if (w.has("tail")) {
            config.put(size - 1, (byte) 1);
        }
        int status = w.binding.reactorNew(w.handle(w.text("runtime", "rt")), w.has("config=null") ? 0 : w.address(config),
            w.has("out=null") ? 0 : w.address(out));
        if (status < 0 && out.getLong(0) != 0) {
            throw w.failure("a failed reactor_new wrote its output");
        }
        w.expect(status);
        if (status >= 0) {
            w.current = new Loop(w, name, out.getLong(0));
            w.loops.put(name, w.current);
        }
    }

    private static int submitted(World w, Loop loop) {
        return (int) w.arg("submitted", loop == null ? 0 : loop.queued);
    }

    private static void turn(World w, String name) {
        Loop loop = w.loops.get(name);
        long nanos = w.arg("ns", w.arg("timeout", 0) * 1_000_000);
        long count;
        if (loop != null) {
            count = loop.turn(w, submitted(w, loop), nanos);
            if (count >= 0) {
                loop.queued = 0;
            }
        } else {
            count = w.binding.reactorTurn(w.handle(name), submitted(w, null), nanos);
        }
        w.expect(count);
    }

    private static void submit(World w, String name) {
        Loop loop = w.loops.get(name);
        int status = w.binding.reactorSubmit(w.handle(name), submitted(w, loop));
        if (status >= 0 && loop != null) {
            loop.queued = 0;
        }
        w.expect(status);
    }

    private static void add(World w, String name) {
        Sock socket = w.socket(w.word(2));
        long number = w.binding.reactorAdd(w.handle(name), socket.descriptor);
        w.expect(number);
        if (number >= 0) {
            if (number == 0 || number > Integer.MAX_VALUE) {
                throw w.failure("add returned %d", number);
            }
            socket.number = (int) number;
            socket.loop = w.loops.get(name);
        }
    }

    private static void close(World w, String name) {
        Loop loop = w.loops.get(name);
        long left = w.binding.reactorClose(w.handle(name), w.arg("bound", 1000) * 1_000_000);
        w.expect(left);
        if (loop != null && left >= 0) {
            for (Sock socket : w.allSockets) {
                if (socket.loop == loop && socket.number != 0) {
                    socket.descriptor = -1;
                    socket.number = 0;
                }
            }
        }
    }

    /** Turns for a while; nothing may complete. */
    private static void idle(World w, Loop loop, long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        do {
            long count = loop.turn(w, loop.queued, Math.max(0, end - System.nanoTime()));
            loop.queued = 0;
            if (count != 0) {
                throw w.failure("expected no completion, got %d", count);
            }
        } while (System.nanoTime() < end);
    }
}
