package io.ferronet.contract;

import io.ferronet.api.Completion;
import io.ferronet.api.Region;
import io.ferronet.api.Submission;
import java.nio.ByteBuffer;

/** Steps that queue operations and look at their completions. */
final class OperationSteps {
    private OperationSteps() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "queue" -> queue(w);
            case "await" -> await(w);
            case "take" -> {
                Operation operation = w.operation(w.word(2));
                if (operation.last < 0) {
                    throw w.failure("%s has no descriptor", operation.name);
                }
                accepted(w, w.word(1), operation.last);
            }
            case "drain" -> drain(w, w.operation(w.word(1)), w.number(2));
            case "result" -> {
                Operation operation = w.operation(w.word(1));
                if (!w.compare(operation.last, w.word(2), w.number(3))) {
                    throw w.failure("the result of %s is %d, expected %s %s", operation.name, operation.last, w.word(2), w.word(3));
                }
            }
            case "before" -> {
                Operation first = w.operation(w.word(1));
                Operation second = w.operation(w.word(2));
                if (!first.finished || !second.finished || first.finishOrder > second.finishOrder) {
                    throw w.failure("%s did not complete before %s", first.name, second.name);
                }
            }
            case "lend" -> {
                for (long i = w.number(1); i > 0; i--) {
                    lend(w, w.current, "lend", w.current.lent.size(), (int) w.number(2));
                }
            }
            case "relend" -> relend(w, w.current);
            default -> {
                return false;
            }
        }
        return true;
    }

    static Sock accepted(World w, String name, int descriptor) {
        Sock socket = w.newSocket(name, descriptor);
        socket.seedOut = 2;
        socket.seedIn = 1;
        return socket;
    }

    static Operation queueReceive(World w, String name, Sock socket, int length, int flags) {
        Operation operation = new Operation(name, socket.loop, socket, Submission.OP_RECV);
        ByteBuffer record = socket.loop.queue(w, operation);
        record.put(Submission.OFFSET_FLAGS, (byte) flags);
        operation.lent = (flags & Submission.FLAG_LENT) != 0;
        if (!operation.lent) {
            operation.bytes = World.allocate(length);
            record.putLong(Submission.OFFSET_ADDR0, w.address(operation.bytes)).putInt(Submission.OFFSET_LEN0, length);
        }
        return operation;
    }

    static Operation queueSend(World w, String name, Sock socket, int first, int second, int flags) {
        Operation operation = new Operation(name, socket.loop, socket, Submission.OP_SEND);
        ByteBuffer record = socket.loop.queue(w, operation);
        operation.bytes = World.allocate(first + second);
        for (int i = 0; i < first + second; i++) {
            operation.bytes.put(i, Sock.pattern(socket.seedOut, socket.sent++));
        }
        long address = w.address(operation.bytes);
        record.put(Submission.OFFSET_FLAGS, (byte) flags);
        record.putLong(Submission.OFFSET_ADDR0, address).putInt(Submission.OFFSET_LEN0, first);
        if (second > 0) {
            record.putLong(Submission.OFFSET_ADDR1, address + first).putInt(Submission.OFFSET_LEN1, second);
        }
        return operation;
    }

    static Operation queueSimple(World w, String name, Sock socket, int kind, int flags, int length) {
        Operation operation = new Operation(name, socket.loop, socket, kind);
        socket.loop.queue(w, operation).put(Submission.OFFSET_FLAGS, (byte) flags).putInt(Submission.OFFSET_LEN0, length);
        return operation;
    }

    static Operation queueConnect(World w, String name, Sock socket, ByteBuffer address) {
        Operation operation = new Operation(name, socket.loop, socket, Submission.OP_CONNECT);
        socket.loop.queue(w, operation).putLong(Submission.OFFSET_ADDR0, w.address(address));
        // The record is copied before the call returns, so it may change when it was handed over.
        socket.loop.submit(w);
        spoil(address);
        return operation;
    }

    private static void spoil(ByteBuffer copied) {
        for (int i = 0; i < copied.capacity(); i++) {
            copied.put(i, (byte) 0xff);
        }
    }

    /** queue ID gather SOCKET LENGTH...: the regions lie in one block, but with a gap of one byte between them. */
    private static void queueGather(World w, Sock socket) {
        int count = w.words() - 4;
        int total = 0;
        for (int i = 0; i < count; i++) {
            total += (int) w.number(4 + i);
        }
        Operation operation = new Operation(w.word(1), socket.loop, socket, Submission.OP_SEND_GATHER);
        ByteBuffer record = socket.loop.queue(w, operation);
        ByteBuffer regions = World.allocate(count * Region.SIZE);
        operation.bytes = World.allocate(total + count);
        int at = 0;
        for (int i = 0; i < count; i++) {
            int length = (int) w.number(4 + i);
            regions.putLong(i * Region.SIZE + Region.OFFSET_ADDR, w.address(operation.bytes) + at);
            regions.putLong(i * Region.SIZE + Region.OFFSET_LEN, length);
            for (int j = 0; j < length; j++) {
                operation.bytes.put(at++, Sock.pattern(socket.seedOut, socket.sent++));
            }
            at++;
        }
        record.putLong(Submission.OFFSET_ADDR0, w.address(regions)).putInt(Submission.OFFSET_LEN0, count);
        socket.loop.submit(w);
        spoil(regions);
    }

    private static void lend(World w, Loop loop, String name, int identity, int length) {
        Operation operation = new Operation(name, loop, null, Submission.OP_LEND);
        operation.bytes = World.allocate(length);
        putLend(w, loop.queue(w, operation), identity, operation.bytes, length);
        if (identity == loop.lent.size()) {
            loop.lent.add(new Loop.Lent(operation.bytes));
        }
    }

    private static void putLend(World w, ByteBuffer record, int identity, ByteBuffer bytes, int length) {
        record.putLong(Submission.OFFSET_ADDR0, w.address(bytes)).putInt(Submission.OFFSET_LEN0, length);
        record.putLong(Submission.OFFSET_ARG0, identity);
    }

    /** Lends again what came back. */
    private static void relend(World w, Loop loop) {
        for (int i = 0; i < loop.lent.size(); i++) {
            Loop.Lent lent = loop.lent.get(i);
            if (!lent.held) {
                Operation operation = new Operation("lend", loop, null, Submission.OP_LEND);
                operation.bytes = lent.bytes;
                putLend(w, loop.queue(w, operation), i, lent.bytes, lent.bytes.capacity());
                lent.held = true;
            }
        }
    }

    /** queue ID raw SOCKET|- with any field set: what the library must refuse. */
    private static void queueRaw(World w) {
        Sock socket = w.word(3).equals("-") ? null : w.socket(w.word(3));
        Loop loop = socket == null ? w.current : socket.loop;
        Operation operation = new Operation(w.word(1), loop, socket, (int) w.arg("op", 0));
        ByteBuffer record = loop.queue(w, operation);
        operation.kind = 0;
        operation.number = (int) w.arg("socket", operation.number);
        record.put(Submission.OFFSET_FLAGS, (byte) w.arg("flags", 0));
        record.putShort(Submission.OFFSET_RESERVED0, (short) w.arg("reserved0", 0));
        record.putInt(Submission.OFFSET_SOCKET, operation.number);
        record.putInt(Submission.OFFSET_LEN0, (int) w.arg("len0", 0)).putInt(Submission.OFFSET_LEN1, (int) w.arg("len1", 0));
        record.putLong(Submission.OFFSET_ARG0, w.arg("arg0", 0)).putLong(Submission.OFFSET_RESERVED1, w.arg("reserved1", 0));
        if (w.has("memory")) {
            operation.bytes = World.allocate(4096);
            record.putLong(Submission.OFFSET_ADDR0, w.address(operation.bytes));
        }
    }

    private static void queue(World w) {
        String id = w.word(1);
        String kind = w.word(2);
        if (kind.equals("raw")) {
            queueRaw(w);
            return;
        }
        if (kind.equals("lend")) {
            lend(w, w.current, id, (int) w.number(3), (int) w.number(4));
            return;
        }
        Sock socket = w.socket(w.word(3));
        if (socket.loop == null) {
            throw w.failure("%s was not added to a reactor", socket.name);
        }
        int multishot = w.has("multishot") ? Submission.FLAG_MULTISHOT : 0;
        switch (kind) {
            case "accept" -> queueSimple(w, id, socket, Submission.OP_ACCEPT, multishot, 0);
            case "connect" -> queueConnect(w, id, socket, SocketSteps.address(w, 4));
            case "recv" -> {
                boolean lent = w.has("lent");
                queueReceive(w, id, socket, lent ? 0 : (int) w.number(4), lent ? Submission.FLAG_LENT | multishot : 0);
            }
            case "send" -> queueSend(w, id, socket, (int) w.number(4), (int) w.arg("second", 0), w.has("more") ? Submission.FLAG_MORE : 0);
            case "gather" -> queueGather(w, socket);
            case "poll" -> queueSimple(w, id, socket, Submission.OP_POLL, 0, (int) w.number(4));
            case "shutdown" -> queueSimple(w, id, socket, Submission.OP_SHUTDOWN, 0, (int) w.number(4));
            case "close" -> queueSimple(w, id, socket, Submission.OP_CLOSE, 0, 0);
            case "cancel" -> {
                Operation operation = new Operation(id, socket.loop, socket, Submission.OP_CANCEL);
                ByteBuffer record = socket.loop.queue(w, operation);
                if (w.has("all")) {
                    record.put(Submission.OFFSET_FLAGS, Submission.FLAG_ALL);
                } else {
                    record.putLong(Submission.OFFSET_ARG0, w.allOperations.indexOf(w.operation(w.text("target", ""))) + 1L);
                }
            }
            default -> throw w.failure("unknown operation %s", kind);
        }
    }

    private static void await(World w) {
        Operation operation = w.operation(w.word(1));
        Operation.Result done = operation.loop.next(w, operation);
        long extra = w.arg("extra", -1);
        boolean more = (done.flags() & Completion.FLAG_MORE) != 0;
        w.expect(done.result());
        if (w.has("more") && !more) {
            throw w.failure("%s ended", operation.name);
        }
        if (!w.has("more") && !w.has("any") && more) {
            throw w.failure("%s goes on", operation.name);
        }
        if (extra >= 0 && done.extra() != extra) {
            throw w.failure("%s: extra is %d", operation.name, done.extra());
        }
    }

    /** Takes completions that go on until so many bytes came. */
    private static void drain(World w, Operation operation, long total) {
        long got = 0;
        while (got < total) {
            Operation.Result done = operation.loop.next(w, operation);
            if (done.result() <= 0 || (done.flags() & Completion.FLAG_MORE) == 0) {
                throw w.failure("%s: %d after %d of %d bytes", operation.name, done.result(), got, total);
            }
            got += done.result();
        }
        if (got != total) {
            throw w.failure("%s: %d bytes instead of %d", operation.name, got, total);
        }
    }
}
