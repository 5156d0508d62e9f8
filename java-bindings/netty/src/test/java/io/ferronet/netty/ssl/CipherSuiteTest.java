package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Tls;
import io.ferronet.netty.internal.NativeRuntime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CipherSuiteTest {
    @Test
    void bothNamesAreKnown() {
        assertEquals(List.of(CipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, CipherSuite.TLS_AES_128_GCM_SHA256),
            CipherSuite.parse(List.of("ECDHE-RSA-AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256")));
    }

    @Test
    void anUnknownSuiteIsNamedWithTheReason() {
        String text = assertThrows(IllegalArgumentException.class, () -> CipherSuite.parse(List.of("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"))).getMessage();
        assertTrue(text.contains("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256") && text.contains("padding") && text.contains("TLS_AES_128_GCM_SHA256"), text);
    }

    @Test
    void oldVersionsAreRefusedWithTheReason() {
        for (String old : List.of("TLSv1", "TLSv1.1", "SSLv3")) {
            String text = assertThrows(IllegalArgumentException.class, () -> TlsVersion.parse("TLSv1.2", old)).getMessage();
            assertTrue(text.contains(old) && text.contains("8996") && text.contains("TLSv1.3"), text);
        }
    }

    /** The suites of the library, which are written down here too, because Java needs their numbers. */
    @Test
    void theLibraryHasTheSameSuites() {
        var binding = NativeRuntime.get().binding();
        ByteBuffer memory = ByteBuffer.allocateDirect(4096);
        long length = binding.tlsNames(Tls.NAMES_SUITES, binding.addressOf(memory), memory.capacity());
        byte[] text = new byte[(int) length];
        memory.get(text);
        String own = Arrays.stream(CipherSuite.values()).map(suite -> suite.name() + '=' + suite.openSslName()).sorted().collect(Collectors.joining(","));
        assertEquals(own, String.join(",", new TreeSet<>(List.of(new String(text, StandardCharsets.UTF_8).split("[,:]")))));
    }
}
