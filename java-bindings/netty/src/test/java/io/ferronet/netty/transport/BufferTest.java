package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every kind of buffer goes through every channel, whatever the JVM allows: Netty with and without Unsafe, native access for Netty and for Ferronet, on the
 * class path and on the module path.
 */
@Timeout(120)
class BufferTest {
    private static final List<String> ECHOED = List.of("IO_URING default echoed", "IO_URING pooled echoed", "IO_URING adaptive echoed", "IO_URING heap echoed",
        "POLL default echoed", "POLL pooled echoed", "POLL adaptive echoed", "POLL heap echoed", "end");

    private static ChildJvm jvm(boolean unsafe) {
        return new ChildJvm().withLibrary().option("-Dio.netty.noUnsafe=" + !unsafe).option("--illegal-native-access=deny");
    }

    private static void assertContains(String output, List<String> parts) {
        for (String part : parts) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyKindOnTheClassPath(boolean unsafe) throws Exception {
        String output = jvm(unsafe).run(BufferProbe.class);
        assertContains(output, ECHOED);
        assertContains(output, List.of("unsafe " + unsafe + ", native access of Netty true, modules false"));
    }

    /** The JVM's own default: a warning, no refusal. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyKindWithoutTheFlagOnTheClassPath(boolean unsafe) throws Exception {
        String output = new ChildJvm().withLibrary().option("-Dio.netty.noUnsafe=" + !unsafe).start(List.of("-cp", System.getProperty("java.class.path"),
            BufferProbe.class.getName()));
        assertContains(output, ECHOED);
        assertContains(output, List.of("unsafe " + unsafe + ", native access of Netty false", "WARNING: Use --enable-native-access=ALL-UNNAMED"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nativeAccessDeniedOnTheClassPath(boolean unsafe) throws Exception {
        String output = jvm(unsafe).start(List.of("-cp", System.getProperty("java.class.path"), BufferProbe.class.getName()));
        assertContains(output, List.of("unsafe " + unsafe, "unavailable ", "--enable-native-access=ALL-UNNAMED"));
        assertFalse(output.contains("echoed"), output);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void everyKindOnTheModulePath(boolean unsafe, boolean netty, @TempDir Path directory) throws Exception {
        String output = new ModulePath(directory, BufferProbe.class).run(jvm(unsafe), netty ? "io.ferronet.ffm,io.netty.common" : "io.ferronet.ffm");
        assertContains(output, ECHOED);
        assertContains(output, List.of("unsafe " + unsafe + ", native access of Netty " + netty + ", modules true"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nativeAccessDeniedOnTheModulePath(boolean unsafe, @TempDir Path directory) throws Exception {
        String output = new ModulePath(directory, BufferProbe.class).run(jvm(unsafe), "io.netty.common");
        assertContains(output, List.of("unsafe " + unsafe + ", native access of Netty true", "unavailable ", "--enable-native-access=io.ferronet.ffm"));
        assertFalse(output.contains("echoed"), output);
    }
}
