package io.ferronet.netty.transport;

import io.ferronet.api.SocketOption;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;

/** The options of a kind of channel that live in the kernel: one table, read and written through the socket. Immutable after its construction. */
final class SocketOptions {
    private static final String[] NETTY_CLASSES = {"io.netty.channel.epoll.EpollChannelOption#", "io.netty.channel.uring.IoUringChannelOption#"};

    private final Map<ChannelOption<?>, Entry> entries = new LinkedHashMap<>();
    private final Map<String, Entry> aliases = new LinkedHashMap<>();

    private record Entry(String name, int number, Type type, int least, int most) {
        long toNative(Object value) {
            if (type == Type.INTEGER && ((Integer) value < least || (Integer) value > most)) {
                throw new IllegalArgumentException("option " + name + ": " + value + " (expected: " + least + " to " + most + ')');
            }
            return type.toNative(name, value);
        }
    }

    private enum Type {
        BOOLEAN {
            @Override
            Object fromNative(long value) {
                return value != 0;
            }

            @Override
            long toNative(String name, Object value) {
                return (Boolean) value ? 1 : 0;
            }
        },
        INTEGER {
            @Override
            Object fromNative(long value) {
                return (int) value;
            }

            @Override
            long toNative(String name, Object value) {
                return (Integer) value;
            }
        },
        LONG {
            @Override
            Object fromNative(long value) {
                return value;
            }

            @Override
            long toNative(String name, Object value) {
                long number = (Long) value;
                if (number < 0 || number > 0xffff_ffffL) {
                    throw new IllegalArgumentException("option " + name + ": " + number + " (expected: 0 to 4294967295)");
                }
                return number;
            }
        };

        abstract Object fromNative(long value);

        abstract long toNative(String name, Object value);
    }

    /** Options of a connection. */
    static SocketOptions stream() {
        return new SocketOptions()
            .integer(ChannelOption.SO_RCVBUF, SocketOption.RCVBUF, 1, Integer.MAX_VALUE)
            .integer(ChannelOption.SO_SNDBUF, SocketOption.SNDBUF, 1, Integer.MAX_VALUE)
            .bool(ChannelOption.SO_KEEPALIVE, SocketOption.KEEPALIVE)
            .bool(ChannelOption.SO_REUSEADDR, SocketOption.REUSEADDR)
            .bool(UnixChannelOption.SO_REUSEPORT, SocketOption.REUSEPORT)
            .integer(ChannelOption.SO_LINGER, SocketOption.LINGER, -1, 65_535)
            .integer(ChannelOption.IP_TOS, SocketOption.TOS, 0, 255)
            .bool(ChannelOption.TCP_NODELAY, SocketOption.TCP_NODELAY)
            .bool(ChannelOption.TCP_FASTOPEN_CONNECT, SocketOption.TCP_FASTOPEN_CONNECT)
            .bool(FerronetChannelOption.TCP_CORK, SocketOption.TCP_CORK)
            .unsigned(FerronetChannelOption.TCP_NOTSENT_LOWAT, SocketOption.TCP_NOTSENT_LOWAT)
            .integer(FerronetChannelOption.TCP_KEEPIDLE, SocketOption.TCP_KEEPIDLE, 0, Integer.MAX_VALUE)
            .integer(FerronetChannelOption.TCP_KEEPINTVL, SocketOption.TCP_KEEPINTVL, 0, Integer.MAX_VALUE)
            .integer(FerronetChannelOption.TCP_KEEPCNT, SocketOption.TCP_KEEPCNT, 0, Integer.MAX_VALUE)
            .integer(FerronetChannelOption.TCP_USER_TIMEOUT, SocketOption.TCP_USER_TIMEOUT, 0, Integer.MAX_VALUE)
            .bool(FerronetChannelOption.TCP_QUICKACK, SocketOption.TCP_QUICKACK)
            .integer(FerronetChannelOption.SO_BUSY_POLL, SocketOption.BUSY_POLL, 0, Integer.MAX_VALUE)
            .bool(FerronetChannelOption.IP_FREEBIND, SocketOption.FREEBIND)
            .bool(FerronetChannelOption.IP_TRANSPARENT, SocketOption.TRANSPARENT)
            .bool(FerronetChannelOption.IP_BIND_ADDRESS_NO_PORT, SocketOption.BIND_ADDRESS_NO_PORT);
    }

    /** Options of a listener. */
    static SocketOptions server() {
        return new SocketOptions()
            .integer(ChannelOption.SO_RCVBUF, SocketOption.RCVBUF, 1, Integer.MAX_VALUE)
            .bool(ChannelOption.SO_REUSEADDR, SocketOption.REUSEADDR)
            .bool(UnixChannelOption.SO_REUSEPORT, SocketOption.REUSEPORT)
            .integer(ChannelOption.TCP_FASTOPEN, SocketOption.TCP_FASTOPEN, 0, Integer.MAX_VALUE)
            .integer(FerronetChannelOption.TCP_DEFER_ACCEPT, SocketOption.TCP_DEFER_ACCEPT, 0, Integer.MAX_VALUE)
            .bool(FerronetChannelOption.IP_FREEBIND, SocketOption.FREEBIND)
            .bool(FerronetChannelOption.IP_TRANSPARENT, SocketOption.TRANSPARENT);
    }

    private SocketOptions integer(ChannelOption<Integer> option, int number, int least, int most) {
        return add(option, number, Type.INTEGER, least, most);
    }

    private SocketOptions bool(ChannelOption<Boolean> option, int number) {
        return add(option, number, Type.BOOLEAN, 0, 0);
    }

    private SocketOptions unsigned(ChannelOption<Long> option, int number) {
        return add(option, number, Type.LONG, 0, 0);
    }

    private SocketOptions add(ChannelOption<?> option, int number, Type type, int least, int most) {
        String name = option.name().substring(option.name().indexOf('#') + 1);
        Entry entry = new Entry(name, number, type, least, most);
        entries.put(option, entry);
        for (String prefix : NETTY_CLASSES) {
            aliases.put(prefix + name, entry);
        }
        return this;
    }

    private Entry find(ChannelOption<?> option) {
        Entry entry = entries.get(option);
        return entry != null ? entry : aliases.get(option.name());
    }

    boolean contains(ChannelOption<?> option) {
        return find(option) != null || option instanceof IntegerUnixChannelOption || option instanceof RawUnixChannelOption;
    }

    /** Reads an option that the table contains. */
    Object get(SocketDescriptor socket, ChannelOption<?> option) {
        Entry entry = find(option);
        if (entry != null) {
            return entry.type.fromNative(socket.option(entry.name, entry.number));
        }
        if (option instanceof IntegerUnixChannelOption integer) {
            ByteBuffer value = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
            socket.rawOption(option.name(), integer.level(), integer.optname(), value);
            return value.getInt(0);
        }
        RawUnixChannelOption raw = (RawUnixChannelOption) option;
        ByteBuffer value = ByteBuffer.allocate(raw.length());
        socket.rawOption(option.name(), raw.level(), raw.optname(), value);
        return value.flip();
    }

    /** Writes an option that the table contains. */
    void set(SocketDescriptor socket, ChannelOption<?> option, Object value) {
        Entry entry = find(option);
        if (entry != null) {
            socket.option(entry.name, entry.number, entry.toNative(value));
        } else if (option instanceof IntegerUnixChannelOption integer) {
            ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(0, (Integer) value);
            socket.rawOption(option.name(), integer.level(), integer.optname(), bytes, " to " + value);
        } else {
            RawUnixChannelOption raw = (RawUnixChannelOption) option;
            socket.rawOption(option.name(), raw.level(), raw.optname(), (ByteBuffer) value, "");
        }
    }

    /** Adds every option of the table that exists here, with its value; one that does not is left out. */
    void readSupported(SocketDescriptor socket, Map<ChannelOption<?>, Object> values) {
        for (ChannelOption<?> option : entries.keySet()) {
            try {
                Object value = get(socket, option);
                if (value != null) {
                    values.put(option, value);
                }
            } catch (ChannelException e) {
                // The platform, or this socket, has no such option.
            }
        }
    }
}
