package io.ferronet.nativeimage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.AbiRequirement;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaticLibraryTest {
    private static final String CLASSIFIER = "linux-x86_64-static";
    private static final byte[] ARCHIVE = "!<arch>\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    /** What the tool that packs the jar writes. */
    private static String properties(byte[] archive, int revision, int floor, long fingerprint) throws Exception {
        return "classifier=" + CLASSIFIER + "\ntarget=x86_64-unknown-linux-gnu\nlibrary=libferronet.a\nsize=" + archive.length
            + "\nsha256=" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive))
            + "\nversion=0.1.0\nrevision=" + revision + "\nfloor=" + floor + "\nfingerprint=" + Long.toHexString(fingerprint) + "\n";
    }

    private static String fitting(byte[] archive) throws Exception {
        return properties(archive, AbiRequirement.REVISION, 1, AbiRequirement.CURRENT.fingerprint());
    }

    private Path jar(String name, String properties, byte[] archive) throws IOException {
        Path jar = directory.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            put(out, "abi.properties", properties.getBytes(StandardCharsets.UTF_8));
            if (archive != null) {
                put(out, "libferronet.a", archive);
            }
            put(out, "ferronet.h", "#define X\n".getBytes(StandardCharsets.UTF_8));
            put(out, "link.txt", "-lpthread\n-lm\n".getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }

    private static void put(JarOutputStream out, String name, byte[] content) throws IOException {
        out.putNextEntry(new JarEntry("META-INF/native/" + CLASSIFIER + "/" + name));
        out.write(content);
        out.closeEntry();
    }

    private StaticLibrary extract(Path... jars) throws IOException {
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            urls[i] = jars[i].toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(urls, null)) {
            return StaticLibrary.extract(loader, List.of(CLASSIFIER, "linux-x86_64-musl-static"), Files.createTempDirectory(directory, "files"));
        }
    }

    private String refusal(Path... jars) {
        return assertThrows(UnusableLibraryException.class, () -> extract(jars)).getMessage();
    }

    @Test
    void itsFilesAreWrittenForTheLinkerAndRemovedAgain() throws Exception {
        StaticLibrary library = extract(jar("ferronet-native-static.jar", fitting(ARCHIVE), ARCHIVE));
        assertArrayEquals(ARCHIVE, Files.readAllBytes(library.directory().resolve("lib" + StaticLibrary.NAME + ".a")));
        assertEquals("#define X\n", Files.readString(library.directory().resolve(StaticLibrary.HEADER)));
        assertEquals(List.of("pthread", "m"), library.libraries());
        assertEquals("ferronet-native-static.jar", library.source());
        library.delete();
        assertFalse(Files.exists(library.directory()));
    }

    @Test
    void aMissingLibraryIsNamedAsADependency() {
        String message = refusal();
        assertTrue(message.contains("io.ferronet:ferronet-native:" + AbiRequirement.CURRENT.version() + " with classifier " + CLASSIFIER), message);
    }

    @Test
    void anAlteredLibraryIsRefused() throws Exception {
        byte[] other = ARCHIVE.clone();
        other[3] ^= 1;
        String message = refusal(jar("altered.jar", fitting(ARCHIVE), other));
        assertTrue(message.contains("altered.jar") && message.contains("SHA-256"), message);
    }

    @Test
    void aLibraryOfAnotherReleaseIsRefusedWithBothNumbers() throws Exception {
        String older = refusal(jar("old.jar", properties(ARCHIVE, 3, 1, 1), ARCHIVE));
        assertTrue(older.contains("old.jar") && older.contains("ABI revision 3") && older.contains("at least " + AbiRequirement.CURRENT.minimum()), older);
        String newer = refusal(jar("new.jar", properties(ARCHIVE, 9, 8, 1), ARCHIVE));
        assertTrue(newer.contains("new.jar") && newer.contains("revision 8") && newer.contains("built for " + AbiRequirement.REVISION), newer);
        String broken = refusal(jar("layout.jar", properties(ARCHIVE, AbiRequirement.REVISION, 1, 1), ARCHIVE));
        assertTrue(broken.contains("layout fingerprint"), broken);
    }

    @Test
    void ofTwoDifferentLibrariesNoneIsTaken() throws Exception {
        byte[] other = "!<arch>\nx".getBytes(StandardCharsets.US_ASCII);
        String message = refusal(jar("one.jar", fitting(ARCHIVE), ARCHIVE), jar("two.jar", fitting(other), other));
        assertTrue(message.contains("one.jar") && message.contains("two.jar"), message);
        extract(jar("three.jar", fitting(ARCHIVE), ARCHIVE), jar("four.jar", fitting(ARCHIVE), ARCHIVE)).delete();
    }

    @Test
    void aJarWithoutItsLibraryOrNumbersIsRefused() throws Exception {
        String without = refusal(jar("empty.jar", fitting(ARCHIVE), null));
        assertTrue(without.contains("libferronet.a") && without.contains("empty.jar"), without);
        String unreadable = refusal(jar("words.jar", "revision=four\nfloor=1\nfingerprint=0\n", ARCHIVE));
        assertTrue(unreadable.contains("words.jar") && unreadable.contains("four"), unreadable);
    }
}
