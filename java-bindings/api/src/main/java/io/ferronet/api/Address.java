package io.ferronet.api;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Layout of {@code ferronet_address}: offsets in bytes, families and socket kinds; and its translation to Java's addresses.
 * Frozen since revision 1.
 */
public final class Address {
    /** Bytes of a record. */
    public static final int SIZE = 128;

    /** {@code uint32_t}: one of the {@code FAMILY} values. */
    public static final int OFFSET_FAMILY = 0;
    /** {@code uint32_t}: port in host byte order. */
    public static final int OFFSET_PORT = 4;
    /** {@code uint32_t}: IPv6 scope id, vsock context id, otherwise 0. */
    public static final int OFFSET_SCOPE_ID = 8;
    /** {@code uint32_t}: valid bytes in the data. */
    public static final int OFFSET_LENGTH = 12;
    /** {@code uint8_t[112]}: IP address in network byte order, or the Unix name. */
    public static final int OFFSET_DATA = 16;

    /** Unix socket name. */
    public static final int FAMILY_UNIX = 1;
    /** IPv4. */
    public static final int FAMILY_IPV4 = 4;
    /** IPv6. */
    public static final int FAMILY_IPV6 = 6;
    /** vsock. */
    public static final int FAMILY_VSOCK = 40;

    /** A byte stream. */
    public static final int KIND_STREAM = 1;
    /** Datagrams. */
    public static final int KIND_DATAGRAM = 2;

    private Address() {
    }

    /**
     * Writes an address record.
     *
     * @param record a buffer in native byte order
     * @param offset where the record begins in it
     * @param address a resolved address; an IPv4 address becomes an IPv4 record
     * @throws IllegalArgumentException if the address is unresolved
     */
    public static void put(ByteBuffer record, int offset, InetSocketAddress address) {
        put(record, offset, address, false);
    }

    /**
     * Writes an address record.
     *
     * @param record a buffer in native byte order
     * @param offset where the record begins in it
     * @param address a resolved address
     * @param ipv6Socket whether it is for an IPv6 socket: an IPv4 address then becomes its IPv4-mapped IPv6 form
     * @throws IllegalArgumentException if the address is unresolved
     */
    public static void put(ByteBuffer record, int offset, InetSocketAddress address, boolean ipv6Socket) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException("unresolved address: " + address);
        }
        record.put(offset, new byte[SIZE]);
        record.putInt(offset + OFFSET_PORT, address.getPort());
        byte[] bytes = ip.getAddress();
        if (ip instanceof Inet4Address && ipv6Socket) {
            bytes = mapped(bytes, ip.isAnyLocalAddress());
        }
        boolean ipv6 = bytes.length == 16;
        record.putInt(offset + OFFSET_FAMILY, ipv6 ? FAMILY_IPV6 : FAMILY_IPV4);
        record.putInt(offset + OFFSET_LENGTH, bytes.length);
        if (ip instanceof Inet6Address scoped) {
            record.putInt(offset + OFFSET_SCOPE_ID, scoped.getScopeId());
        }
        record.put(offset + OFFSET_DATA, bytes);
    }

    /**
     * Reads an address record.
     *
     * @param record a buffer in native byte order
     * @param offset where the record begins in it
     * @return the address, an IPv4-mapped one in its IPv4 form; {@code null} if the record holds no IP address
     */
    public static InetSocketAddress get(ByteBuffer record, int offset) {
        int family = record.getInt(offset + OFFSET_FAMILY);
        if (family != FAMILY_IPV4 && family != FAMILY_IPV6) {
            return null;
        }
        byte[] bytes = new byte[family == FAMILY_IPV6 ? 16 : 4];
        record.get(offset + OFFSET_DATA, bytes);
        int scope = record.getInt(offset + OFFSET_SCOPE_ID);
        try {
            InetAddress ip = scope != 0 ? Inet6Address.getByAddress(null, bytes, scope) : InetAddress.getByAddress(bytes);
            return new InetSocketAddress(ip, record.getInt(offset + OFFSET_PORT));
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + bytes.length + " bytes was refused", e);
        }
    }

    private static byte[] mapped(byte[] ipv4, boolean any) {
        byte[] ipv6 = new byte[16];
        if (!any) {
            ipv6[10] = (byte) 0xff;
            ipv6[11] = (byte) 0xff;
            System.arraycopy(ipv4, 0, ipv6, 12, 4);
        }
        return ipv6;
    }
}
