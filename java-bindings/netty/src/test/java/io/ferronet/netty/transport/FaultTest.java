package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the library or the system refuses, injected through the library with the test hooks, each in a JVM of its own. */
@Timeout(120)
class FaultTest {
    private static void assertContains(String output, String... parts) {
        for (String part : parts) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }

    /** io_uring is refused to the second loop: AUTO falls back and says why, an explicit choice fails with the reason. */
    @ParameterizedTest
    @CsvSource({"EPERM, DENIED", "ENOSYS, KERNEL_TOO_OLD", "ENOMEM, MEMLOCK", "EMFILE, DESCRIPTORS"})
    void uringIsRefusedLater(Errno errno, String reason) throws Exception {
        String output = new ChildJvm().withHooks().run(FaultProbe.class, "fallback", "AUTO", String.valueOf(errno.number()));
        assertContains(output, "first IO_URING", "second POLL " + reason + " " + errno.status(), "third " + errno.status() + " ",
            "backend IO_URING failed", "event POLL " + reason + " " + errno.status(), "end");
    }

    @OnBothBackends
    void descriptorsAreUsedUp(Backend backend) throws Exception {
        String output = new ChildJvm().withHooks().run(FaultProbe.class, "accept", backend.name());
        assertContains(output, "caught " + Errno.EMFILE.number() + " accept on ", "EMFILE", "echoed 7", "end");
    }

    @Test
    void memoryOfAnOperationThatCannotBeCancelledIsGivenUp() throws Exception {
        String output = new ChildJvm().withHooks().run(FaultProbe.class, "abandoned", Backend.IO_URING.name());
        assertContains(output, "in time, abandoned true, unregistered false", "the other loop accepts", "end");
    }

    @OnBothBackends
    void closesEndThoughTheReactorFails(Backend backend) throws Exception {
        String output = new ChildJvm().withHooks().run(FaultProbe.class, "closing", backend.name());
        assertContains(output, "sending true", "lingering true", "write true", "end");
    }

    @OnBothBackends
    void panicClosesTheLoopsChannelsOnly(Backend backend) throws Exception {
        String output = new ChildJvm().withHooks().run(FaultProbe.class, "panic", backend.name());
        assertContains(output, "peer reads -1", "task runs", "late the event loop is shutting down", "the other loop accepts", "end");
    }
}
