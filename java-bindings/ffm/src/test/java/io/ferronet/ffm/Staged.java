package io.ferronet.ffm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@code cargo stage} wrote, and the repository around it. */
final class Staged {
    private Staged() {
    }

    static Path library() {
        Path library = Path.of(System.getProperty("ferronet.stage"), "lib", "libferronet.so.1").toAbsolutePath().normalize();
        if (!Files.isRegularFile(library)) {
            throw new IllegalStateException(library + " is missing: run `cargo stage` first, or set -Dferronet.stage");
        }
        return library;
    }

    static byte[] content() {
        try {
            return Files.readAllBytes(library());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path repository(String path) {
        return Path.of(System.getProperty("ferronet.root"), path);
    }
}
