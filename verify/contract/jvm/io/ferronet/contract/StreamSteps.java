package io.ferronet.contract;

import io.ferronet.api.Address;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Submission;
import java.nio.ByteBuffer;

/** Composite steps: connected pairs, and whole streams of bytes. */
final class StreamSteps {
    private StreamSteps() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "pair" -> pair(w);
            case "send" -> {
                int length = (int) w.number(2);
                int result = complete(w, OperationSteps.queueSend(w, "(send)", w.socket(w.word(1)), length, 0, 0));
                if (result != length) {
                    throw w.failure("send: %d of %d bytes", result, length);
                }
            }
            case "recv" -> receive(w, w.socket(w.word(1)), w.number(2));
            case "eof" -> {
                int result = complete(w, OperationSteps.queueReceive(w, "(eof)", w.socket(w.word(1)), 4096, 0));
                if (result != 0) {
                    throw w.failure("expected the end of the stream, got %d", result);
                }
            }
            case "drop" -> drop(w, w.socket(w.word(1)));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static int complete(World w, Operation operation) {
        return operation.loop.next(w, operation).result();
    }

    private static void drop(World w, Sock socket) {
        w.must("close", complete(w, OperationSteps.queueSimple(w, "(close)", socket, Submission.OP_CLOSE, 0, 0)));
    }

    private static void add(World w, Sock socket, Loop loop) {
        socket.number = (int) w.must("add", w.binding.reactorAdd(loop.reactor, socket.descriptor));
        socket.loop = loop;
    }

    /** pair B C [ipv6] [with=REACTOR]: B connected to C, C accepted, both added (C to another reactor when asked for). */
    private static void pair(World w) {
        FerronetBinding binding = w.binding;
        Loop loop = w.current;
        Loop other = w.loops.get(w.text("with", loop.name));
        boolean ipv6 = w.has("ipv6");
        int family = ipv6 ? Address.FAMILY_IPV6 : Address.FAMILY_IPV4;
        Sock listener = w.newSocket("(listener)", (int) w.must("open", binding.socketOpen(family, Address.KIND_STREAM)));
        Sock client = w.newSocket(w.word(1), (int) w.must("open", binding.socketOpen(family, Address.KIND_STREAM)));
        ByteBuffer address = World.allocate(Address.SIZE);
        int length = ipv6 ? 16 : 4;
        address.putInt(Address.OFFSET_FAMILY, family).putInt(Address.OFFSET_LENGTH, length);
        address.put(Address.OFFSET_DATA, (byte) (ipv6 ? 0 : 127)).put(Address.OFFSET_DATA + length - 1, (byte) 1);
        w.must("bind", binding.socketBind(listener.descriptor, w.address(address)));
        w.must("listen", binding.socketListen(listener.descriptor, 16));
        w.must("local address", binding.socketLocalAddress(listener.descriptor, w.address(address)));
        add(w, listener, loop);
        add(w, client, loop);
        Operation accept = OperationSteps.queueSimple(w, "(accept)", listener, Submission.OP_ACCEPT, 0, 0);
        Operation connect = OperationSteps.queueConnect(w, "(connect)", client, address);
        w.must("connect", complete(w, connect));
        Sock accepted = OperationSteps.accepted(w, w.word(2), (int) w.must("accept", complete(w, accept)));
        add(w, accepted, other);
        drop(w, listener);
    }

    private static void receive(World w, Sock socket, long total) {
        long end = socket.received + total;
        while (socket.received < end) {
            int room = (int) Math.min(end - socket.received, 65536);
            Operation operation = OperationSteps.queueReceive(w, "(recv)", socket, room, 0);
            int result = complete(w, operation);
            if (result <= 0) {
                throw w.failure("recv: %d after %d bytes", result, socket.received);
            }
            operation.bytes = null;
        }
    }
}
