package io.ferronet.netty;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.TestJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
}
