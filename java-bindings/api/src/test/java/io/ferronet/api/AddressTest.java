package io.ferronet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AddressTest {
    private final ByteBuffer record = ByteBuffer.allocate(8 + Address.SIZE).order(ByteOrder.nativeOrder());

    private InetSocketAddress roundTrip(InetSocketAddress address, boolean ipv6Socket) {
        Arrays.fill(record.array(), (byte) 0x55);
        Address.put(record, 8, address, ipv6Socket);
        assertEquals(0x5555555555555555L, record.getLong(0));
        for (int i = Address.OFFSET_DATA + record.getInt(8 + Address.OFFSET_LENGTH); i < Address.SIZE; i++) {
            assertEquals(0, record.get(8 + i), "byte " + i);
        }
        return Address.get(record, 8);
    }

    @Test
    void ipv4() throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 65_535);
        assertEquals(address, roundTrip(address, false));
        assertEquals(Address.FAMILY_IPV4, record.getInt(8 + Address.OFFSET_FAMILY));
        assertEquals(4, record.getInt(8 + Address.OFFSET_LENGTH));
        assertEquals(65_535, record.getInt(8 + Address.OFFSET_PORT));
    }

    @Test
    void ipv4OnAnIpv6Socket() throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 1, 2, 3}), 80);
        assertEquals(address, roundTrip(address, true));
        assertEquals(Address.FAMILY_IPV6, record.getInt(8 + Address.OFFSET_FAMILY));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByAddress(new byte[4]), 0);
        assertEquals(new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 0), roundTrip(any, true));
    }

    @Test
    void ipv6KeepsItsScope() throws UnknownHostException {
        byte[] bytes = new byte[16];
        bytes[0] = (byte) 0xfe;
        bytes[1] = (byte) 0x80;
        bytes[15] = 7;
        InetSocketAddress address = new InetSocketAddress(Inet6Address.getByAddress(null, bytes, 3), 443);
        InetSocketAddress back = roundTrip(address, false);
        assertEquals(address, back);
        assertEquals(3, ((Inet6Address) back.getAddress()).getScopeId());
    }

    @Test
    void whatIsNoIpAddress() {
        assertThrows(IllegalArgumentException.class, () -> Address.put(record, 0, InetSocketAddress.createUnresolved("host.invalid", 1)));
        record.putInt(Address.OFFSET_FAMILY, Address.FAMILY_UNIX);
        assertNull(Address.get(record, 0));
    }
}
