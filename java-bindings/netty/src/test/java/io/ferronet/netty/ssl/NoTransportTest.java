package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.spi.BindingProvider;
import io.ferronet.netty.transport.TestJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS and compression work where the transport cannot. */
@Timeout(120)
class NoTransportTest {
    private static final String[] WORKS = {"compression true", "engine true", "handler true", "library true, cause null", "end"};

    private static void assertContains(String output, String... parts) {
        for (String part : parts) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }

    /** The binding is replaced by one that is granted no reactor. */
    @Test
    void neitherRingNorPollerIsGranted(@TempDir Path directory) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(BindingProvider.class.getName()), RefusingProvider.class.getName());
        String output = TestJvm.runBehind(directory, NoTransportProbe.class, "-Dferronet.library.path=" + System.getProperty("ferronet.library.path"));
        assertContains(output, WORKS);
        assertContains(output, "available false", "cause no backend of Ferronet runs here: io_uring: a seccomp filter or a security module refuses it (EPERM), "
            + "poll: no descriptor is left (EMFILE)", "factory refused: Ferronet is not available: no backend", "channel refused: ");
    }

    @Test
    void nativeTransportsAreSwitchedOff() throws Exception {
        String output = TestJvm.run(NoTransportProbe.class, "-Dferronet.library.path=" + System.getProperty("ferronet.library.path"), "-Dio.netty.transport.noNative=true");
        assertContains(output, WORKS);
        assertContains(output, "available false", "cause native transports are switched off by -Dio.netty.transport.noNative=true", "factory refused: ", "channel refused: ");
    }
}
