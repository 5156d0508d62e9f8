package io.ferronet.ffm;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;

/**
 * A fresh directory for one library's file, whose content nobody but this user can exchange: it is private itself, and so is every directory
 * above it. It goes with {@link #close}, and what a killed process left of its own goes with the next one that is made beside it.
 */
final class PrivateDirectory implements AutoCloseable {
    /** Begins the name of a directory that is removed again. */
    static final String PREFIX = "ferronet-load-";
    /** Begins the name of one that was asked to stay. */
    static final String KEPT_PREFIX = "ferronet-kept-";
    /** Files are there for a fraction of a second, so what is as old as this belongs to a process that was killed. */
    static final long ABANDONED_MILLIS = 60_000;

    private static final boolean POSIX = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final boolean UNIX = FileSystems.getDefault().supportedFileAttributeViews().contains("unix");
    private static final String OWN = "rwx------";
    private static final int PERMISSIONS = 0777;
    private static final int OWN_BITS = 0700;
    private static final int OTHERS_WRITE = 02;
    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    private final Path path;
    private boolean kept;

    private PrivateDirectory(Path path, boolean kept) {
        this.path = path;
        this.kept = kept;
    }

    /**
     * Makes one.
     *
     * @param base where; symbolic links are followed
     * @param kept whether it stays
     * @return the directory, empty
     * @throws IOException if it cannot be made, or would not be private
     */
    static PrivateDirectory in(Path base, boolean kept) throws IOException {
        Path real = base.toRealPath();
        Path path = Files.createTempDirectory(real, kept ? KEPT_PREFIX : PREFIX, mode(OWN));
        PrivateDirectory directory = new PrivateDirectory(path, kept);
        try {
            directory.requirePrivate(real);
        } catch (IOException | RuntimeException e) {
            directory.kept = false;
            directory.close();
            throw e;
        }
        return directory;
    }

    Path path() {
        return path;
    }

    /** The attribute that gives a new file or directory these permissions, where there are any. */
    static FileAttribute<?>[] mode(String permissions) {
        return POSIX ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
            : new FileAttribute<?>[0];
    }

    /** Lets the owner read and execute a file that was written. */
    static void seal(Path file) throws IOException {
        if (POSIX) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-x------"));
        }
    }

    /** Removes the directory and its files, unless it was asked to stay. A mapped library needs neither. */
    @Override
    public void close() {
        if (!kept) {
            empty(path);
            delete(path);
        }
    }

    private void requirePrivate(Path base) throws IOException {
        if (!UNIX) {
            return;
        }
        Owned own = Owned.of(path);
        if ((own.mode & PERMISSIONS) != OWN_BITS) {
            throw new IOException("its file system does not keep a directory private (mode " + Integer.toOctalString(own.mode & PERMISSIONS) + ")");
        }
        // Whoever may rename a directory on the way can put his own in its place between the writing and the mapping.
        for (Path at = base; at != null; at = at.getParent()) {
            Owned above = Owned.of(at);
            if (above.user != ROOT && above.user != own.user) {
                throw new IOException(at + " belongs to another user (" + above.user + "), who could exchange the library");
            }
            if ((above.mode & (OTHERS_WRITE | STICKY)) == OTHERS_WRITE) {
                throw new IOException(at + " lets every user exchange the library (mode " + Integer.toOctalString(above.mode & PERMISSIONS)
                    + " without the sticky bit)");
            }
        }
        sweep(base, own.user);
    }

    private static void sweep(Path base, int user) {
        FileTime limit = FileTime.from(Instant.now().minusMillis(ABANDONED_MILLIS));
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(base, entry -> entry.getFileName().toString().startsWith(PREFIX))) {
            for (Path entry : entries) {
                if (abandoned(entry, user, limit)) {
                    empty(entry);
                    Files.deleteIfExists(entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Tidying up after others is no reason to fail; another process may be doing the same.
        }
    }

    private static boolean abandoned(Path entry, int user, FileTime limit) {
        try {
            Owned owned = Owned.of(entry);
            return owned.user == user && (owned.mode & PERMISSIONS) == OWN_BITS && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
                && Files.getLastModifiedTime(entry, LinkOption.NOFOLLOW_LINKS).compareTo(limit) < 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void empty(Path directory) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                delete(file);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Then the directory cannot be removed either, which is tried next.
        }
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // Where a mapped file cannot be removed (Windows), it goes when the process ends.
            path.toFile().deleteOnExit();
        }
    }

    private record Owned(int user, int mode) {
        static Owned of(Path path) throws IOException {
            Map<String, Object> attributes = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
            return new Owned((Integer) attributes.get("uid"), (Integer) attributes.get("mode"));
        }
    }
}
