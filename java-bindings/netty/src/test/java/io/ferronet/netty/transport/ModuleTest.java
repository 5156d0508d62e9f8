package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ferronet and Netty on the module path, in a JVM of its own. */
@Timeout(120)
class ModuleTest {
    @Test
    void namedModules(@TempDir Path directory) throws Exception {
        String output = new ModulePath(directory, ModuleProbe.class).run(new ChildJvm(), "io.ferronet.ffm");
        for (String part : new String[] {"module io.ferronet.netty, module io.netty.transport", "IO_URING 42", "POLL 42"}) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }
}
