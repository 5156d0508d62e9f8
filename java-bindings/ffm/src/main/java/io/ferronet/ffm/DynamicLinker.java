package io.ferronet.ffm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The platform's dynamic linker. Where there is {@code dlopen} it is called directly, because {@link SymbolLookup#libraryLookup} drops the reason of a failure;
 * elsewhere the latter is used. What is opened is never closed.
 */
final class DynamicLinker {
    private static final boolean DARWIN = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
    private static final long RTLD_NOW = 2;
    private static final long RTLD_LOCAL = DARWIN ? 4 : 0;
    private static final long RTLD_NOLOAD = DARWIN ? 16 : 4;
    private static final long MFD_CLOEXEC = 1;
    private static final long MFD_EXEC = 16;

    private final Linker linker = Linker.nativeLinker();
    private final SymbolLookup system = linker.defaultLookup();
    private final MethodHandle open = find("dlopen", Shape.J2);
    private final MethodHandle symbol = find("dlsym", Shape.J2);
    private final MethodHandle error = find("dlerror", Shape.J0);

    private MethodHandle find(String name, Shape shape) {
        return system.find(name).map(address -> linker.downcallHandle(address, shape.descriptor())).orElse(null);
    }

    private boolean direct() {
        return open != null && symbol != null && error != null;
    }

    /**
     * Maps a library.
     *
     * @param path its file
     * @return its symbols
     * @throws IOException with the linker's reason
     */
    SymbolLookup open(String path) throws IOException {
        if (!direct()) {
            try {
                return SymbolLookup.libraryLookup(Path.of(path), Arena.global());
            } catch (IllegalArgumentException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        long handle = open(path, RTLD_NOW | RTLD_LOCAL);
        if (handle == 0) {
            throw new IOException(reason(path));
        }
        return symbols(handle);
    }

    /**
     * Finds a library that this process has mapped before under the same path, even if the file is gone.
     *
     * @param path the path that was given to {@link #open(String)}
     * @return its symbols, or {@code null}
     */
    SymbolLookup mapped(String path) {
        if (!direct()) {
            return null;
        }
        long handle = open(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (handle == 0) {
            reason(path);
            return null;
        }
        return symbols(handle);
    }

    /**
     * Makes a file in memory. Its descriptor must stay open once a library was mapped from it: the path is the name under which the linker
     * knows that library, and the next file with this number would be taken for it.
     *
     * @return the descriptor of the empty file
     * @throws IOException if the kernel refuses
     */
    int memoryFile() throws IOException {
        MethodHandle create = find("memfd_create", Shape.J2);
        if (create == null) {
            throw new IOException("the C library has no memfd_create");
        }
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom("libferronet.so").address();
            int descriptor = (int) call(create, name, MFD_CLOEXEC | MFD_EXEC);
            if (descriptor < 0) {
                // Before Linux 6.3 the flag MFD_EXEC is unknown, and its effect the default.
                descriptor = (int) call(create, name, MFD_CLOEXEC);
            }
            if (descriptor < 0) {
                throw new IOException("memfd_create is refused");
            }
            return descriptor;
        }
    }

    /**
     * Closes the file of {@link #memoryFile} from which nothing was mapped.
     *
     * @param descriptor its descriptor
     */
    void close(int descriptor) {
        MethodHandle close = find("close", Shape.J1);
        try {
            long ignored = close == null ? 0 : (long) close.invokeExact((long) descriptor);
        } catch (Throwable t) {
            throw FfmBinding.unexpected(t);
        }
    }

    /**
     * Calls a function without arguments.
     *
     * @param address its address
     * @return its result
     */
    long call(MemorySegment address) {
        try {
            return (long) linker.downcallHandle(address, Shape.J0.descriptor()).invokeExact();
        } catch (Throwable t) {
            throw FfmBinding.unexpected(t);
        }
    }

    private long open(String path, long mode) {
        try (Arena arena = Arena.ofConfined()) {
            return call(open, arena.allocateFrom(path).address(), mode);
        }
    }

    private SymbolLookup symbols(long handle) {
        return name -> {
            try (Arena arena = Arena.ofConfined()) {
                long address = call(symbol, handle, arena.allocateFrom(name).address());
                return address == 0 ? Optional.empty() : Optional.of(MemorySegment.ofAddress(address));
            }
        };
    }

    private String reason(String path) {
        try {
            long text = (long) error.invokeExact();
            return text == 0 ? "cannot open " + path : FfmBinding.string(text);
        } catch (Throwable t) {
            throw FfmBinding.unexpected(t);
        }
    }

    private static long call(MethodHandle handle, long first, long second) {
        try {
            return (long) handle.invokeExact(first, second);
        } catch (Throwable t) {
            throw FfmBinding.unexpected(t);
        }
    }
}
