package io.ferronet.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ferronet.api.Backend;
import org.junit.jupiter.api.Test;

/** The command line. */
class ServerOptionsTest {
    @Test
    void values() {
        assertEquals(new ServerOptions(8080, Backend.AUTO, 0, true, ServerOptions.NO_TLS, null, null, false), ServerOptions.parse());
        assertEquals(new ServerOptions(0, Backend.IO_URING, 3, true, ServerOptions.NO_TLS, null, null, false), ServerOptions.parse("--port", "0", "--backend", "io_uring", "--threads", "3"));
        assertEquals(new ServerOptions(8080, Backend.POLL, 0, true, ServerOptions.NO_TLS, null, null, true), ServerOptions.parse("--backend", "poll", "--help"));
        assertEquals(new ServerOptions(8080, Backend.AUTO, 0, false, ServerOptions.NO_TLS, null, null, false), ServerOptions.parse("--gzip", "off"));
    }

    @Test
    void mistakes() {
        assertMessage("unknown option --prot", "--prot", "1");
        assertMessage("--port needs a value", "--port");
        assertMessage("--port 65536 (expected: 0 to 65535)", "--port", "65536");
        assertMessage("--port -1 (expected: 0 to 65535)", "--port", "-1");
        assertMessage("--port x (expected: 0 to 65535)", "--port", "x");
        assertMessage("--threads 1025 (expected: 0 to 1024)", "--threads", "1025");
        assertMessage("--tls-port 65536 (expected: 0 to 65535)", "--tls-port", "65536");
        assertMessage("--cert no/such/file (expected: a file that is there)", "--tls-port", "0", "--cert", "no/such/file");
        assertMessage("--gzip maybe (expected: on or off)", "--gzip", "maybe");
        assertMessage("--backend epoll (expected: auto, io_uring or poll)", "--backend", "epoll");
    }

    private static void assertMessage(String message, String... arguments) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> ServerOptions.parse(arguments)).getMessage());
    }
}
