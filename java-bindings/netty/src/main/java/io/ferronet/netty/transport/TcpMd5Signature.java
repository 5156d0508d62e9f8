package io.ferronet.netty.transport;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** TCP_MD5SIG: a key for each peer address, as the kernel's {@code struct tcp_md5sig} (linux/tcp.h). */
final class TcpMd5Signature {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_MD5SIG = 14;
    private static final int MAX_KEY_LENGTH = 80;
    private static final int SIZE = 216;
    private static final int OFFSET_KEY_LENGTH = 130;
    private static final int OFFSET_KEY = 136;
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int OFFSET_IPV4 = 4;
    private static final int OFFSET_IPV6 = 8;

    private final SocketDescriptor socket;
    private Map<InetAddress, byte[]> keys = Map.of();

    TcpMd5Signature(SocketDescriptor socket) {
        this.socket = socket;
    }

    /** Replaces all keys. */
    synchronized void set(Map<InetAddress, byte[]> newKeys) {
        for (Map.Entry<InetAddress, byte[]> entry : newKeys.entrySet()) {
            int length = entry.getValue().length;
            if (length == 0 || length > MAX_KEY_LENGTH) {
                throw new IllegalArgumentException("option TCP_MD5SIG: a key of " + length + " bytes for " + entry.getKey() + " (expected: 1 to "
                    + MAX_KEY_LENGTH + ')');
            }
        }
        for (InetAddress address : keys.keySet()) {
            if (!newKeys.containsKey(address)) {
                install(address, new byte[0]);
            }
        }
        newKeys.forEach(this::install);
        keys = new HashMap<>(newKeys);
    }

    private void install(InetAddress address, byte[] key) {
        ByteBuffer record = ByteBuffer.allocate(SIZE).order(ByteOrder.nativeOrder());
        byte[] bytes = address.getAddress();
        if (socket.isIpv6()) {
            record.putShort(0, AF_INET6);
            if (address instanceof Inet4Address) {
                record.put(OFFSET_IPV6 + 10, new byte[] {(byte) 0xff, (byte) 0xff}).put(OFFSET_IPV6 + 12, bytes);
            } else {
                record.put(OFFSET_IPV6, bytes);
            }
        } else {
            record.putShort(0, AF_INET).put(OFFSET_IPV4, bytes);
        }
        record.putShort(OFFSET_KEY_LENGTH, (short) key.length).put(OFFSET_KEY, key);
        socket.rawOption("TCP_MD5SIG", IPPROTO_TCP, TCP_MD5SIG, record, " for " + address);
    }
}
