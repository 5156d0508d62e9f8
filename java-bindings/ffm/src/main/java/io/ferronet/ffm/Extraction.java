package io.ferronet.ffm;

import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LibraryLoadException.Kind;
import java.io.IOException;
import java.lang.foreign.SymbolLookup;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Brings a library's bytes to a place from which the dynamic linker maps them, and removes the file again. */
final class Extraction {
    /** The JDK copies what is written into a direct buffer of that size, and the thread keeps it for as long as it lives. */
    private static final int WRITTEN_AT_ONCE = 16 * 1024;

    /**
     * A mapped library.
     *
     * @param symbols its symbols
     * @param path where it was mapped from; the file is normally gone
     */
    record Mapped(SymbolLookup symbols, String path) {
    }

    private final DynamicLinker linker;
    private final byte[] content;
    private final String fileName;
    private final List<String> attempts = new ArrayList<>();
    private IOException last;

    Extraction(DynamicLinker linker, byte[] content, String fileName) {
        this.linker = linker;
        this.content = content;
        this.fileName = fileName;
    }

    /**
     * Tries the temporary directory, the configured work directory, the user's runtime directory, and memory.
     *
     * @param source where the bytes came from, for the message
     * @return the mapped library
     * @throws LibraryLoadException if none of them works; it names each with its error
     */
    Mapped map(String source) throws LibraryLoadException {
        Mapped mapped = inDirectory("-Djava.io.tmpdir", System.getProperty("java.io.tmpdir"));
        if (mapped == null) {
            mapped = inDirectory("-Dferronet.native.workdir", System.getProperty("ferronet.native.workdir"));
        }
        if (mapped == null) {
            mapped = inDirectory("XDG_RUNTIME_DIR", System.getenv("XDG_RUNTIME_DIR"));
        }
        if (mapped == null) {
            mapped = inMemory();
        }
        if (mapped == null) {
            throw new LibraryLoadException(Kind.NOT_MAPPED, source + " could not be mapped (" + String.join("; ", attempts)
                + "): set -Dferronet.native.workdir=DIR to a writable directory whose file system is not mounted noexec"
                + ", or -Dferronet.library.path=FILE", attempts, last);
        }
        return mapped;
    }

    private Mapped inDirectory(String setting, String base) {
        if (base == null || base.isEmpty()) {
            attempts.add(setting + ": not set");
            return null;
        }
        try (PrivateDirectory directory = PrivateDirectory.in(Path.of(base), Boolean.getBoolean("ferronet.native.keep"))) {
            Path file = directory.path().resolve(fileName);
            write(file);
            return new Mapped(linker.open(file.toString()), file.toString());
        } catch (IOException | RuntimeException e) {
            failed(setting + "=" + base, e);
            return null;
        }
    }

    private Mapped inMemory() {
        if (!Platform.linux()) {
            return null;
        }
        int descriptor = -1;
        Mapped mapped = null;
        try {
            descriptor = linker.memoryFile();
            String path = "/proc/self/fd/" + descriptor;
            try (FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.WRITE)) {
                write(channel);
            }
            mapped = new Mapped(linker.open(path), path);
        } catch (IOException | RuntimeException e) {
            failed("memfd", e);
        } finally {
            if (mapped == null && descriptor >= 0) {
                linker.close(descriptor);
            }
        }
        return mapped;
    }

    private void failed(String where, Exception e) {
        if (e instanceof IllegalCallerException denied) {
            throw denied;
        }
        attempts.add(where + ": " + (e.getClass() == IOException.class ? e.getMessage() : e.toString()));
        last = e instanceof IOException io ? io : new IOException(e);
    }

    private void write(Path file) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(file, options, PrivateDirectory.mode("rw-------"))) {
            write(channel);
        }
        PrivateDirectory.seal(file);
    }

    private void write(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.position() < content.length) {
            bytes.limit(Math.min(bytes.position() + WRITTEN_AT_ONCE, content.length));
            channel.write(bytes);
        }
    }
}
