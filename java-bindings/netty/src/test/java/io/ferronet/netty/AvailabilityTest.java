package io.ferronet.netty;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.TestJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether Ferronet can be used, and how one learns that it cannot. */
@Timeout(120)
class AvailabilityTest {
    @Test
    void available() {
        assertTrue(Ferronet.isAvailable(), () -> Ferronet.unavailabilityCause().toString());
        assertNull(Ferronet.unavailabilityCause());
        assertDoesNotThrow(Ferronet::ensureAvailability);
        assertNotNull(Ferronet.backend());
        assertTrue(Ferronet.library().abi().revision() >= 1);
    }

    /** A missing library: no class fails to initialise, and every way says what to do. */
    @Test
    void missingLibrary() throws Exception {
        String output = TestJvm.run(AvailabilityProbe.class, "-Dferronet.library.path=/no/such/library.so");
        for (String part : new String[] {"available false", "cause LibraryLoadException", "/no/such/library.so", "ensure UnsatisfiedLinkError",
            "factory IllegalStateException: Ferronet is not available", "channel IllegalStateException", "backend IllegalStateException"}) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }

    /** Classes that refer to each other are first used by many threads at once. */
    @Test
    void firstUseByManyThreads() throws Exception {
        String output = TestJvm.run(FirstUseProbe.class, "-Dferronet.library.path=" + System.getProperty("ferronet.library.path"));
        assertTrue(output.contains("done 28 of 28, available true"), output);
    }

    /** A version of Netty outside the range, told by the file that every Netty jar has: both versions are named. */
    @ParameterizedTest
    @ValueSource(strings = {"4.1.130.Final", "4.2.12.Final", "4.3.0.Final"})
    void unsupportedNetty(String version, @TempDir Path directory) throws Exception {
        Path file = Files.createDirectories(directory.resolve("META-INF")).resolve("io.netty.versions.properties");
        Files.writeString(file, "netty-transport.version=" + version + "\nnetty-transport.buildDate=2026-01-01 00\\:00\\:00 +0000\n"
            + "netty-transport.commitDate=2026-01-01 00\\:00\\:00 +0000\nnetty-transport.shortCommitHash=0\nnetty-transport.longCommitHash=0\n"
            + "netty-transport.repoStatus=clean\n");
        String output = TestJvm.runWith(directory, AvailabilityProbe.class, "-Dferronet.library.path=" + System.getProperty("ferronet.library.path"));
        for (String part : new String[] {"available false", "cause UnsupportedOperationException: netty-transport " + version + " is not supported",
            "this Ferronet needs 4.2.17.Final", "factory IllegalStateException"}) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }
}
