package io.ferronet.contract;

import io.ferronet.api.Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Steps around descriptors: open, bind, listen, names, options. */
final class SocketSteps {
    private SocketSteps() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "open" -> {
                int descriptor = w.binding.socketOpen((int) w.number(2), (int) w.arg("kind", Address.KIND_STREAM));
                if (descriptor >= 0) {
                    w.newSocket(w.word(1), descriptor);
                }
                w.expect(descriptor);
            }
            case "descriptor" -> w.newSocket(w.word(1), (int) w.number(2)).borrowed = true;
            case "remember" -> {
                Sock source = w.socket(w.word(2));
                Sock copy = w.newSocket(w.word(1), source.descriptor);
                copy.borrowed = true;
                copy.number = source.number;
                copy.loop = source.loop;
            }
            case "bind" -> {
                ByteBuffer address = w.word(2).equals("null") ? null : address(w, 2);
                w.expect(w.binding.socketBind(descriptor(w), address == null ? 0 : w.address(address)));
            }
            case "listen" -> w.expect(w.binding.socketListen(descriptor(w), (int) w.number(2)));
            case "local" -> {
                readName(w);
                w.expect(w.binding.socketLocalAddress(descriptor(w), w.has("out=null") ? 0 : w.address(w.record)));
            }
            case "peer" -> {
                readName(w);
                w.expect(w.binding.socketPeerAddress(descriptor(w), w.has("out=null") ? 0 : w.address(w.record)));
            }
            case "host" -> {
                byte[] wanted = parse(w, w.word(1));
                byte[] got = new byte[wanted.length];
                w.record.get(Address.OFFSET_DATA, got);
                if (w.record.getInt(Address.OFFSET_LENGTH) != wanted.length || !Arrays.equals(got, wanted)) {
                    throw w.failure("the host is not %s", w.word(1));
                }
            }
            case "agree" -> {
                agree(w, w.word(1), w.word(2));
                agree(w, w.word(2), w.word(1));
            }
            case "shutdown" -> w.expect(w.binding.socketShutdown(descriptor(w), (int) w.number(2)));
            case "close-socket" -> {
                Sock socket = w.socket(w.word(1));
                int status = w.binding.socketClose(socket.descriptor);
                if (status >= 0) {
                    socket.descriptor = -1;
                }
                w.expect(status);
            }
            case "set" -> w.expect(w.binding.socketSetOption(descriptor(w), (int) w.number(2), w.number(3)));
            case "get" -> {
                ByteBuffer value = World.allocate(8);
                w.expect(w.binding.socketGetOption(descriptor(w), (int) w.number(2), w.has("out=null") ? 0 : w.address(value)));
                w.clearRecord();
                w.record.putLong(0, value.getLong(0));
                w.read(Fields.VALUE);
            }
            case "set-raw" -> {
                ByteBuffer value = World.allocate(8).putInt(0, (int) w.number(4));
                w.expect(w.binding.socketSetRawOption(descriptor(w), (int) w.number(2), (int) w.number(3),
                    w.has("value=null") ? 0 : w.address(value), (int) w.arg("length", 4)));
            }
            case "get-raw" -> {
                ByteBuffer value = World.allocate(8);
                ByteBuffer length = World.allocate(4).putInt(0, (int) w.arg("length", 4));
                w.expect(w.binding.socketGetRawOption(descriptor(w), (int) w.number(2), (int) w.number(3),
                    w.has("value=null") ? 0 : w.address(value), w.address(length)));
                w.clearRecord();
                w.record.putLong(0, value.getInt(0)).putInt(8, length.getInt(0));
                w.read(Fields.VALUE);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static int descriptor(World w) {
        return w.socket(w.word(1)).descriptor;
    }

    private static void readName(World w) {
        w.clearRecord();
        w.read(Fields.ADDRESS);
    }

    private static byte[] parse(World w, String host) {
        if (!host.matches("[0-9.]+|[0-9a-fA-F:]+")) {
            throw w.failure("%s is no address", host);
        }
        try {
            return InetAddress.getByName(host).getAddress();
        } catch (UnknownHostException e) {
            throw w.failure("%s is no address", host);
        }
    }

    private static ByteBuffer localAddress(World w, String socket) {
        ByteBuffer address = World.allocate(Address.SIZE);
        w.must("address of " + socket, w.binding.socketLocalAddress(w.socket(socket).descriptor, w.address(address)));
        return address;
    }

    /** HOST PORT at words {@code index} and the next (port-of=SOCKET: its local port), or to=SOCKET: its local address. */
    static ByteBuffer address(World w, int index) {
        String to = w.text("to", null);
        ByteBuffer address;
        if (to != null) {
            address = localAddress(w, to);
        } else {
            byte[] host = parse(w, w.word(index));
            String portOf = w.text("port-of", null);
            address = World.allocate(Address.SIZE);
            address.putInt(Address.OFFSET_FAMILY, host.length == 4 ? Address.FAMILY_IPV4 : Address.FAMILY_IPV6);
            address.putInt(Address.OFFSET_LENGTH, host.length);
            address.put(Address.OFFSET_DATA, host);
            address.putInt(Address.OFFSET_PORT,
                portOf == null ? (int) w.number(index + 1) : localAddress(w, portOf).getInt(Address.OFFSET_PORT));
        }
        override(w, address, "family", Address.OFFSET_FAMILY);
        override(w, address, "length", Address.OFFSET_LENGTH);
        override(w, address, "scope", Address.OFFSET_SCOPE_ID);
        return address;
    }

    private static void override(World w, ByteBuffer address, String key, int offset) {
        address.putInt(offset, (int) w.arg(key, address.getInt(offset)));
    }

    private static void agree(World w, String one, String other) {
        ByteBuffer local = localAddress(w, one);
        ByteBuffer peer = World.allocate(Address.SIZE);
        w.must("peer of " + other, w.binding.socketPeerAddress(w.socket(other).descriptor, w.address(peer)));
        if (local.getInt(Address.OFFSET_PORT) == 0 || !local.equals(peer)) {
            throw w.failure("the local address of %s is not the peer address of %s", one, other);
        }
    }
}
