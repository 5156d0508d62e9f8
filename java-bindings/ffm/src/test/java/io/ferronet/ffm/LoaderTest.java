package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.FerronetBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The loader in fresh JVMs. */
class LoaderTest {
    private static final String CLASSIFIER = Platform.classifier();
    private static final byte[] LIBRARY = Staged.content();

    @TempDir
    Path directory;

    private ChildJvm jvm() throws IOException {
        Path temporary = directory.resolve("tmp");
        if (!Files.exists(temporary)) {
            Files.createDirectory(temporary);
        }
        return new ChildJvm().option("-Djava.io.tmpdir=" + temporary);
    }

    private Path jar() throws IOException {
        return new NativeJar("sound", LIBRARY).write(directory);
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
            return files.toList();
        }
    }

    private static void assertLoaded(String output) {
        assertTrue(output.startsWith("LOADED "), output);
        assertTrue(output.contains("version=0.1.0"), output);
        assertTrue(output.contains("name=FERRONET_ERR_BUSY"), output);
        assertTrue(output.contains("mappings=1\n"), output);
    }

    private static void assertFailed(String kind, String output, String... parts) {
        assertTrue(output.startsWith("FAILED " + kind + "\n"), output);
        for (String part : parts) {
            assertTrue(output.contains(part), () -> part + " is not in: " + output);
        }
        assertTrue(output.contains("mappings=0\n"), output);
    }

    @Test
    void aJarOnTheClassPath() throws Exception {
        String output = jvm().jar(jar()).run("load");
        assertLoaded(output);
        assertTrue(output.contains("sound.jar!/" + NativeJar.RESOURCE + " mapped from " + directory.resolve("tmp").resolve("ferronet-")), output);
        assertEquals(List.of(), left(), "nothing is left behind");
    }

    @Test
    void theFileIsKeptOnRequest() throws Exception {
        assertLoaded(jvm().jar(jar()).option("-Dferronet.native.keep=true").run("load"));
        assertEquals(1, left().size());
        Path kept = left().get(0).resolve("libferronet.so");
        assertEquals("r-x------", PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(left().get(0))));
        assertEquals(-1, Files.mismatch(kept, Staged.library()));
    }

    @Test
    void namedModules() throws Exception {
        Path ffm = ChildJvm.location(FfmBindingProvider.class);
        String output = jvm().runModules("io.ferronet.ffm", List.of(ChildJvm.location(FerronetBinding.class), ffm, jar()), "load");
        assertLoaded(output);
        assertFalse(output.contains("WARNING"), output);
    }

    @Test
    void anExplicitFile() throws Exception {
        String output = jvm().option("-Dferronet.library.path=" + Staged.library()).run("load");
        assertTrue(output.startsWith("LOADED " + Staged.library() + "\n"), output);
        assertLoaded(output);
    }

    @Test
    void anExplicitFileThatIsMissingIsAHardFailure() throws Exception {
        Path missing = directory.resolve("missing.so");
        String output = jvm().jar(jar()).option("-Dferronet.library.path=" + missing).run("load");
        assertFailed("NOT_FOUND", output, "-Dferronet.library.path=" + missing + " names a file that does not exist");
        assertFailed("NOT_A_LIBRARY", jvm().option("-Dferronet.library.path=" + directory).run("load"), "names no regular file");
    }

    @Test
    void noNativeJar() throws Exception {
        assertFailed("NOT_FOUND", jvm().run("load"), "no native library for " + CLASSIFIER,
            "add the dependency io.ferronet:ferronet-native:0.1.0 with classifier " + CLASSIFIER, "-Dferronet.library.path=FILE");
    }

    @Test
    void aNativeJarForAnotherPlatformOnly() throws Exception {
        Path other = new NativeJar("other", LIBRARY).classifier("solaris-sparcv9").write(directory);
        assertFailed("NOT_FOUND", jvm().jar(other).run("load"), "(only for solaris-sparcv9)", "classifier " + CLASSIFIER);
    }

    @Test
    void equalJarsCountAsOneAndDifferentOnesAreRefused() throws Exception {
        Path same = new NativeJar("same", LIBRARY).write(directory);
        assertLoaded(jvm().jar(jar()).jar(same).run("load"));
        Path different = new NativeJar("different", altered()).write(directory);
        assertFailed("AMBIGUOUS", jvm().jar(jar()).jar(different).run("load"), "sound.jar!/", "different.jar!/", "keep one of them");
    }

    @Test
    void aTruncatedLibrary() throws Exception {
        Path truncated = new NativeJar("truncated", LIBRARY).resource(Arrays.copyOf(LIBRARY, LIBRARY.length - 1)).write(directory);
        assertFailed("TRUNCATED", jvm().jar(truncated).run("load"), "truncated.jar!/" + NativeJar.RESOURCE,
            "it has " + (LIBRARY.length - 1) + " bytes of " + LIBRARY.length);
        Path file = Files.write(directory.resolve("half.so"), Arrays.copyOf(LIBRARY, LIBRARY.length / 2));
        assertFailed("TRUNCATED", jvm().option("-Dferronet.library.path=" + file).run("load"), file + " is truncated");
        Path empty = Files.createFile(directory.resolve("empty.so"));
        assertFailed("TRUNCATED", jvm().option("-Dferronet.library.path=" + empty).run("load"), empty + " has 0 bytes");
    }

    @Test
    void anAlteredLibrary() throws Exception {
        Path altered = new NativeJar("altered", LIBRARY).resource(altered()).write(directory);
        assertFailed("ALTERED", jvm().jar(altered).run("load"), NativeJar.sha256(LIBRARY), NativeJar.sha256(altered()), "replace the jar");
        Path longer = new NativeJar("longer", LIBRARY).resource(Arrays.copyOf(LIBRARY, LIBRARY.length + 1)).write(directory);
        assertFailed("ALTERED", jvm().jar(longer).run("load"), "longer.jar!/");
        Path hollow = new NativeJar("hollow", LIBRARY).resource(null).write(directory);
        assertFailed("NOT_FOUND", jvm().jar(hollow).run("load"), "has no resource " + NativeJar.RESOURCE);
    }

    @Test
    void anotherProcessor() throws Exception {
        byte[] foreign = LIBRARY.clone();
        int machine = Platform.machine() == 183 ? 62 : 183;
        foreign[18] = (byte) machine;
        String[] parts = {"ELF machine " + machine, "but this JVM runs on " + Platform.processor(), "classifier " + CLASSIFIER};
        assertFailed("WRONG_ARCHITECTURE", jvm().jar(new NativeJar("foreign", foreign).write(directory)).run("load"), parts);
        Path file = Files.write(directory.resolve("foreign.so"), foreign);
        assertFailed("WRONG_ARCHITECTURE", jvm().option("-Dferronet.library.path=" + file).run("load"), parts);
    }

    @Test
    void noLibraryAtAll() throws Exception {
        Path text = Files.writeString(directory.resolve("text.so"), "#!/bin/sh\n".repeat(20));
        assertFailed("NOT_A_LIBRARY", jvm().option("-Dferronet.library.path=" + text).run("load"),
            text + " is not an ELF file: it begins with 23212f62 instead of 7f454c46");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_24)
    void nativeAccessDenied() throws Exception {
        assertFailed("NATIVE_ACCESS_DENIED", jvm().jar(jar()).withoutNativeAccess().option("--illegal-native-access=deny").run("load"),
            "start it with --enable-native-access=ALL-UNNAMED");
        List<Path> modules = List.of(ChildJvm.location(FerronetBinding.class), ChildJvm.location(FfmBindingProvider.class), jar());
        assertFailed("NATIVE_ACCESS_DENIED", jvm().option("--illegal-native-access=deny").runModules("java.base", modules, "load"),
            "start it with --enable-native-access=io.ferronet.ffm");
    }

    @Test
    void aTemporaryDirectoryThatCannotBeWritten() throws Exception {
        Path work = Files.createDirectory(directory.resolve("work"));
        ChildJvm unwritable = new ChildJvm().jar(jar()).option("-Djava.io.tmpdir=/proc");
        String memory = unwritable.run("load");
        assertTrue(memory.contains("mapped from /proc/self/fd/"), memory);
        assertTrue(memory.startsWith("LOADED "), memory);
        String runtime = unwritable.environment("XDG_RUNTIME_DIR", work.toString()).run("load");
        assertTrue(runtime.contains("mapped from " + work), runtime);
        assertLoaded(runtime);
        Path configured = Files.createDirectory(directory.resolve("configured"));
        String output = unwritable.option("-Dferronet.native.workdir=" + configured).run("load");
        assertTrue(output.contains("mapped from " + configured), output);
        assertLoaded(output);
        try (Stream<Path> files = Stream.concat(Files.list(work), Files.list(configured))) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void manyThreadsAtOnce() throws Exception {
        String output = jvm().jar(jar()).run("threads", "32");
        assertTrue(output.startsWith("bindings=1\n"), output);
        assertTrue(output.contains("mappings=1\n"), output);
        assertEquals(List.of(), left());
    }

    @Test
    void classLoadersShareOneMapping() throws Exception {
        String output = jvm().jar(jar()).run("loaders", "3");
        assertEquals(1, output.split("shared=false", -1).length - 1, output);
        assertEquals(2, output.split("shared=true", -1).length - 1, output);
        assertEquals(3, output.split("name=FERRONET_ERR_BUSY", -1).length - 1, output);
        assertTrue(output.contains("mappings=1\n"), output);
        String memory = new ChildJvm().jar(jar()).option("-Djava.io.tmpdir=/proc").run("loaders", "2");
        assertEquals(1, memory.split("shared=true", -1).length - 1, memory);
    }

    @Test
    void nothingKeepsAClassLoaderAlive() throws Exception {
        String output = jvm().jar(jar()).run("reloads", "10");
        assertTrue(output.startsWith("alive=0\n"), output);
        assertTrue(output.contains("mappings=1\n"), output);
        assertEquals(List.of(), left());
    }

    private static byte[] altered() {
        byte[] altered = LIBRARY.clone();
        altered[altered.length / 2] ^= 1;
        return altered;
    }
}
