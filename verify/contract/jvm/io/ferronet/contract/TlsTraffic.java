package io.ferronet.contract;

import io.ferronet.api.Region;
import io.ferronet.api.Status;
import io.ferronet.api.Tls;
import io.ferronet.api.TlsProgress;
import io.ferronet.contract.TlsSteps.Item;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Steps around TLS: the bytes that go between two sessions. */
final class TlsTraffic {
    private static final int ROOM = 20_000;
    private static final int SEED = 7;

    private TlsTraffic() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "tls-handshake" -> handshake(w);
            case "tls-wrap" -> w.expect(wrap(w, item(w), (int) w.arg("length", 0), (int) w.arg("regions", 1)));
            case "tls-give" -> {
                Item from = item(w);
                int status = give(w, TlsSteps.item(w, w.word(2)), from.outbox, (int) w.arg("piece", 1 << 20), (int) w.arg("room", 1 << 20),
                    w.has("in-place"));
                from.outbox = new byte[0];
                w.expect(status);
            }
            case "tls-raw" -> {
                Item item = item(w);
                item.outbox = join(item.outbox, w.word(2).getBytes(StandardCharsets.US_ASCII));
            }
            case "tls-flip" -> {
                Item item = item(w);
                int at = (int) w.number(2);
                item.outbox[at < 0 ? item.outbox.length + at : at] ^= 0x40;
            }
            case "tls-cut" -> {
                Item item = item(w);
                item.outbox = Arrays.copyOf(item.outbox, item.outbox.length - (int) w.number(2));
            }
            case "tls-received" -> count(w, "received", item(w).received);
            case "tls-tasks" -> count(w, "tasks", item(w).tasks);
            case "tls-logged" -> count(w, "lines", item(w).answers.lines);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static Item item(World w) {
        return TlsSteps.item(w, w.word(1));
    }

    private static void count(World w, String what, long number) {
        if (!w.compare(number, w.word(2), w.number(3))) {
            throw w.failure("%s: %d %s", w.word(1), number, what);
        }
    }

    static ByteBuffer region(long address, long length) {
        return World.allocate(Region.SIZE).putLong(Region.OFFSET_ADDR, address).putLong(Region.OFFSET_LEN, length);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    private static byte[] front(ByteBuffer buffer, long length) {
        byte[] bytes = new byte[(int) length];
        buffer.get(0, bytes);
        return bytes;
    }

    /** The address of an empty progress structure in the record. */
    static long progress(World w) {
        w.clearRecord();
        w.record.putInt(TlsProgress.OFFSET_SIZE, TlsProgress.SIZE);
        w.read(Fields.TLS_PROGRESS);
        return w.address(w.record);
    }

    /** Puts so many bytes of the pattern, and what the session has to send, behind its outbox. */
    private static int wrap(World w, Item item, int length, int regions) {
        ByteBuffer data = World.allocate(length);
        for (int i = 0; i < length; i++) {
            data.put(i, Sock.pattern(SEED, item.sent + i));
        }
        ByteBuffer room = World.allocate(ROOM);
        ByteBuffer output = region(w.address(room), room.capacity());
        int at = 0;
        do {
            int count = length > at ? regions : 0;
            ByteBuffer sources = World.allocate(Region.SIZE * count);
            for (int i = 0; i < count; i++) {
                long from = at + (long) (length - at) * i / count;
                long to = at + (long) (length - at) * (i + 1) / count;
                sources.putLong(Region.SIZE * i + Region.OFFSET_ADDR, w.address(data) + from);
                sources.putLong(Region.SIZE * i + Region.OFFSET_LEN, to - from);
            }
            int status = w.binding.tlsSessionWrap(item.pointer, w.address(sources), count, w.address(output), progress(w));
            long produced = w.record.getLong(TlsProgress.OFFSET_PRODUCED);
            item.outbox = join(item.outbox, front(room, produced));
            if (status < 0) {
                return status;
            }
            long consumed = w.record.getLong(TlsProgress.OFFSET_CONSUMED);
            at += (int) consumed;
            item.sent += consumed;
            item.state = w.record.getInt(TlsProgress.OFFSET_STATE);
            if (produced == 0 && consumed == 0) {
                return w.record.getInt(TlsProgress.OFFSET_RESULT) == Tls.CLOSED || at == length ? 0 : Status.BUSY;
            }
        } while (at < length || item.state == Tls.STATE_NEED_WRAP);
        return 0;
    }

    private static int task(World w, Item item) {
        int status = 0;
        while (status >= 0 && item.state == Tls.STATE_NEED_TASK) {
            status = w.binding.tlsSessionTask(item.pointer, progress(w));
            item.state = w.record.getInt(TlsProgress.OFFSET_STATE);
            item.tasks++;
        }
        return status;
    }

    /** Gives bytes to a session, in pieces, and keeps what it does not consume. */
    private static int give(World w, Item item, byte[] bytes, int piece, int room, boolean inPlace) {
        int given = 0;
        int status = 0;
        ByteBuffer out = World.allocate(room);
        ByteBuffer output = region(w.address(out), room);
        do {
            int more = Math.min(piece, bytes.length - given);
            item.inbox = join(item.inbox, Arrays.copyOfRange(bytes, given, given + more));
            given += more;
            boolean quiet = false;
            while (status >= 0 && !quiet) {
                ByteBuffer in = World.allocate(item.inbox.length).put(0, item.inbox);
                ByteBuffer input = region(w.address(in), item.inbox.length);
                status = w.binding.tlsSessionUnwrap(item.pointer, w.address(input), 1, inPlace ? 0 : w.address(output), inPlace ? 0 : 1,
                    inPlace ? Tls.IN_PLACE : 0, progress(w));
                int produced = (int) w.record.getLong(TlsProgress.OFFSET_PRODUCED);
                int consumed = (int) w.record.getLong(TlsProgress.OFFSET_CONSUMED);
                for (int i = 0; i < produced; i++, item.received++) {
                    if ((inPlace ? in : out).get(i) != Sock.pattern(SEED, item.received)) {
                        throw w.failure("byte %d differs", item.received);
                    }
                }
                byte[] rest = front(in, item.inbox.length);
                item.inbox = status < 0 ? item.inbox : Arrays.copyOfRange(rest, consumed, rest.length);
                item.state = w.record.getInt(TlsProgress.OFFSET_STATE);
                quiet = consumed == 0 && item.state != Tls.STATE_NEED_TASK;
                if (status >= 0) {
                    status = task(w, item);
                }
            }
        } while (status >= 0 && given < bytes.length);
        return status;
    }

    /** tls-handshake A B: until both are open, or one of them fails. */
    private static void handshake(World w) {
        Item[] ends = {item(w), TlsSteps.item(w, w.word(2))};
        int piece = (int) w.arg("piece", ROOM);
        int status = 0;
        for (int round = 0; round < 24 && status >= 0; round++) {
            Item from = ends[round % 2];
            Item to = ends[1 - round % 2];
            status = task(w, from);
            if (status >= 0) {
                status = wrap(w, from, 0, 0);
            }
            if (status >= 0 && from.outbox.length > 0) {
                status = give(w, to, from.outbox, piece, ROOM, false);
            }
            if (status >= 0) {
                from.outbox = new byte[0];
            }
        }
        for (Item end : ends) {
            if (status >= 0 && end.state != Tls.STATE_OPEN) {
                throw w.failure("%s is in state %d after the handshake", end.name, end.state);
            }
            if (status < 0) {
                end.outbox = new byte[0];
            }
        }
        w.expect(status);
    }
}
