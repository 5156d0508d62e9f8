package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
    private static final int NOBODY = 65534;

    @TempDir
    Path base;

    private List<Path> left(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private Path child(String name, String permissions) throws IOException {
        Path child = Files.createDirectory(base.resolve(name));
        Files.setPosixFilePermissions(child, PosixFilePermissions.fromString(permissions));
        return child;
    }

    @Test
    void itIsPrivateAndGoes() throws IOException {
        try (PrivateDirectory directory = PrivateDirectory.in(base, false)) {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())));
            Files.writeString(directory.path().resolve("file"), "x");
        }
        assertEquals(List.of(), left(base));
    }

    @Test
    void oneThatIsKeptStays() throws IOException {
        try (PrivateDirectory directory = PrivateDirectory.in(base, true)) {
            Files.writeString(directory.path().resolve("file"), "x");
        }
        assertEquals(1, left(base).size());
        assertEquals("x", Files.readString(left(base).get(0).resolve("file")));
    }

    @Test
    void aLinkIsFollowedOnce() throws IOException {
        Path real = child("real", "rwxr-xr-x");
        Path link = Files.createSymbolicLink(base.resolve("link"), real);
        try (PrivateDirectory directory = PrivateDirectory.in(link, false)) {
            assertEquals(real.toRealPath(), directory.path().getParent(), "what the link is changed to later does not matter");
        }
        assertEquals(List.of(), left(real));
    }

    @Test
    void whatEveryUserMayRenameIsRefused() throws IOException {
        Path open = child("open", "rwxrwxrwx");
        IOException refused = assertThrows(IOException.class, () -> PrivateDirectory.in(open, true));
        assertEquals(open.toRealPath() + " lets every user exchange the library (mode 777 without the sticky bit)", refused.getMessage());
        Path below = Files.createDirectory(open.resolve("below"));
        assertTrue(assertThrows(IOException.class, () -> PrivateDirectory.in(below, false)).getMessage().startsWith(open.toRealPath() + " lets"));
        assertEquals(List.of(below), left(open));
        Files.setAttribute(open, "unix:mode", 01777);
        PrivateDirectory.in(open, false).close();
    }

    @Test
    void whatAnotherUserOwnsIsRefused() throws IOException {
        Path other = child("other", "rwxrwxr-x");
        assumeTrue(owned(other, NOBODY), "only the superuser gives a directory away");
        IOException refused = assertThrows(IOException.class, () -> PrivateDirectory.in(other, false));
        assertEquals(other.toRealPath() + " belongs to another user (65534), who could exchange the library", refused.getMessage());
        assertEquals(List.of(), left(other));
    }

    @Test
    void whatAKilledProcessLeftGoesWithTheNext() throws IOException {
        Path abandoned = abandoned(base.resolve(PrivateDirectory.PREFIX + "1"));
        Path fresh = Files.createDirectory(base.resolve(PrivateDirectory.PREFIX + "2"), PrivateDirectory.mode("rwx------"));
        Path kept = abandoned(base.resolve(PrivateDirectory.KEPT_PREFIX + "3"));
        Path visible = abandoned(base.resolve(PrivateDirectory.PREFIX + "4"));
        Files.setPosixFilePermissions(visible, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path target = abandoned(base.resolve("target"));
        Path link = Files.createSymbolicLink(base.resolve(PrivateDirectory.PREFIX + "5"), target);
        PrivateDirectory.in(base, false).close();
        assertFalse(Files.exists(abandoned));
        for (Path there : List.of(fresh, kept, visible, link, target.resolve("file"))) {
            assertTrue(Files.exists(there), there.toString());
        }
    }

    @Test
    void whatAnotherUserLeftIsNotTouched() throws IOException {
        Path other = abandoned(base.resolve(PrivateDirectory.PREFIX + "1"));
        assumeTrue(owned(other, NOBODY), "only the superuser gives a directory away");
        PrivateDirectory.in(base, false).close();
        assertTrue(Files.exists(other.resolve("file")));
    }

    private static boolean owned(Path path, int user) {
        try {
            Files.setAttribute(path, "unix:uid", user);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Path abandoned(Path path) throws IOException {
        Files.createDirectory(path, PrivateDirectory.mode("rwx------"));
        Files.writeString(path.resolve("file"), "x");
        return Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusMillis(PrivateDirectory.ABANDONED_MILLIS + 5_000)));
    }
}
