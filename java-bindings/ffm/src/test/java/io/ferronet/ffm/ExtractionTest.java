package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LibraryLoadException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtractionTest {
    @TempDir
    Path directory;

    @Test
    void whenNoPlaceWorksTheCauseNamesEachWithItsError() throws Exception {
        String before = System.setProperty("ferronet.native.workdir", directory.toString());
        try {
            byte[] garbage = new byte[4096];
            long memoryFiles = memoryFiles();
            LibraryLoadException failure = assertThrows(LibraryLoadException.class,
                () -> new Extraction(new DynamicLinker(), garbage, "libgarbage.so").map("SOURCE"));
            assertEquals(Kind.NOT_MAPPED, failure.kind());
            List<String> attempts = failure.attempts();
            assertEquals(4, attempts.size(), attempts.toString());
            assertTrue(attempts.get(0).startsWith("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir") + ": "), attempts.toString());
            assertTrue(attempts.get(1).startsWith("-Dferronet.native.workdir=" + directory + ": "), attempts.toString());
            assertTrue(attempts.get(1).contains("invalid ELF header"), attempts.toString());
            assertTrue(attempts.get(2).startsWith("XDG_RUNTIME_DIR"), attempts.toString());
            assertTrue(attempts.get(3).startsWith("memfd: "), attempts.toString());
            assertEquals(memoryFiles, memoryFiles(), "the file in memory is closed");
            attempts.forEach(attempt -> assertTrue(failure.getMessage().contains(attempt), failure.getMessage()));
            assertTrue(failure.getMessage().contains("set -Dferronet.native.workdir=DIR"), failure.getMessage());
        } finally {
            if (before == null) {
                System.clearProperty("ferronet.native.workdir");
            } else {
                System.setProperty("ferronet.native.workdir", before);
            }
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    /** The JDK keeps, for each thread, a direct buffer as large as the largest array that the thread ever wrote at once. */
    @Test
    void theThreadThatWritesKeepsNoBufferOfTheLibrarysSize() throws Exception {
        byte[] garbage = new byte[64 << 20];
        FutureTask<Long> kept = new FutureTask<>(() -> {
            long before = anonymousMemory();
            assertThrows(LibraryLoadException.class, () -> new Extraction(new DynamicLinker(), garbage, "libgarbage.so").map("SOURCE"));
            return anonymousMemory() - before;
        });
        Thread.ofPlatform().start(kept);
        assertTrue(kept.get() < garbage.length / 2, kept.get() + " bytes more in memory");
    }

    private static long anonymousMemory() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return 1024 * Long.parseLong(lines.filter(line -> line.startsWith("RssAnon:")).findAny().orElseThrow().replaceAll("\\D", ""));
        }
    }

    private static long memoryFiles() throws Exception {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(descriptor -> {
                try {
                    return Files.readSymbolicLink(descriptor).toString().contains("memfd:");
                } catch (IOException e) {
                    return false;
                }
            }).count();
        }
    }

    @Test
    void aFileSystemWithoutExecutionIsPassedOver() throws Exception {
        Path mount = Files.createDirectory(directory.resolve("mount"));
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "noexec,size=32m", "tmpfs", mount.toString());
        assumeTrue(mounted, "mounting a tmpfs without execution is not permitted");
        try {
            Path jar = new NativeJar("sound", Staged.content()).write(directory);
            String output = new ChildJvm().jar(jar).option("-Djava.io.tmpdir=" + mount).run("load");
            assertTrue(output.startsWith("LOADED "), output);
            assertTrue(output.contains("mapped from /proc/self/fd/"), output);
            try (Stream<Path> left = Files.list(mount)) {
                assertEquals(0, left.count());
            }
        } finally {
            run("umount", mount.toString());
        }
    }

    private static boolean run(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }
}
