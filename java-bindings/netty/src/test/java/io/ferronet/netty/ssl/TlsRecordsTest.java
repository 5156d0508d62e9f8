package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class TlsRecordsTest {
    private static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        for (int value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    @Test
    void theLengthIsReadFromAWholeHeader() throws SSLException {
        assertEquals(-1, TlsRecords.length(bytes()));
        assertEquals(-1, TlsRecords.length(bytes(23, 3, 3, 0)));
        assertEquals(5 + 0x4100, TlsRecords.length(bytes(23, 3, 3, 0x41, 0)));
        assertEquals(5 + TlsRecords.LARGEST, TlsRecords.length(bytes(23, 3, 3, 0x48, 0)));
    }

    @Test
    void aRecordThatIsTooLongIsRefused() {
        String text = assertThrows(SSLException.class, () -> TlsRecords.length(bytes(23, 3, 3, 0x48, 1))).getMessage();
        assertTrue(text.contains("18433") && text.contains("18432"), text);
    }

    @Test
    void plainHttpIsNoRecord() {
        ByteBuffer http = ByteBuffer.wrap("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        assertTrue(assertThrows(NotSslRecordException.class, () -> TlsRecords.length(http)).getMessage().contains("474554"));
    }

    @Test
    void protocolsSurviveTheWire() {
        List<String> protocols = List.of("h2", "http/1.1");
        assertEquals(protocols, AlpnNames.decode(AlpnNames.encode(protocols)));
        assertThrows(IllegalArgumentException.class, () -> AlpnNames.encode(List.of("")));
        assertThrows(IllegalArgumentException.class, () -> AlpnNames.encode(List.of("x".repeat(256))));
    }

    @Test
    void whatIsNoServerHelloSaysNothing() {
        assertNull(Hellos.server(bytes(23, 3, 3, 0, 1, 0)));
        assertNull(Hellos.server(bytes(22, 3, 3, 0, 4, 2, 0, 0, 0)));
        assertEquals(0, Hellos.clientHelloLength(bytes(2, 0, 0, 1)));
        assertEquals(-1, Hellos.clientHelloLength(bytes(1, 0, 0)));
        assertEquals(4 + 0x010203, Hellos.clientHelloLength(bytes(1, 1, 2, 3)));
    }
}
