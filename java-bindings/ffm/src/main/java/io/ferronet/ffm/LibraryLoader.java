package io.ferronet.ffm;

import io.ferronet.api.AbiCheck;
import io.ferronet.api.AbiInfo;
import io.ferronet.api.AbiMismatchException;
import io.ferronet.api.AbiMismatchException.Mismatch;
import io.ferronet.api.AbiRequirement;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LibraryLoadException.Kind;
import io.ferronet.api.LoadedLibrary;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * Finds the native library, maps it, and checks that it fits: {@code -Dferronet.library.path=FILE}, or the library of a
 * {@code ferronet-native} jar.
 */
final class LibraryLoader {
    /**
     * Names the file that one jar's content was mapped from, so that a second class loader finds the mapping. Followed by the SHA-256. It does not
     * begin with the package's name, because tools that relocate packages change such texts too, and their copies should find one another.
     */
    static final String MAPPED = "ferronet.mapped.";

    /**
     * A library that fits.
     *
     * @param library what is known about it
     * @param addresses address of each {@link Function}, by ordinal
     */
    record Result(LoadedLibrary library, long[] addresses) {
    }

    private record Found(SymbolLookup symbols, String file, String source, boolean shared) {
    }

    /**
     * Loads the library.
     *
     * @param required what the caller needs of it
     * @return the library
     * @throws LibraryLoadException what was tried, with each error, and what to set
     */
    Result load(AbiRequirement required) throws LibraryLoadException {
        long start = System.nanoTime();
        try {
            DynamicLinker linker = new DynamicLinker();
            String explicit = System.getProperty("ferronet.library.path");
            Found found = explicit != null ? explicit(linker, explicit) : packaged(linker);
            AbiInfo abi = verify(linker, found.symbols, found.file, required);
            long[] addresses = addresses(found, abi);
            return new Result(new LoadedLibrary(found.source, abi.target(), abi, System.nanoTime() - start, found.shared), addresses);
        } catch (IllegalCallerException e) {
            Module module = LibraryLoader.class.getModule();
            String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
            throw new LibraryLoadException(Kind.NATIVE_ACCESS_DENIED, "the JVM denies native access to Ferronet: start it with --enable-native-access="
                + name, List.of(), e);
        }
    }

    private static Found explicit(DynamicLinker linker, String value) throws LibraryLoadException {
        String setting = "-Dferronet.library.path=" + value;
        Path path;
        try {
            path = Path.of(value).toAbsolutePath();
        } catch (InvalidPathException e) {
            throw new LibraryLoadException(Kind.NOT_FOUND, setting + " is not a path: " + e.getMessage(), List.of(), e);
        }
        if (!Files.exists(path)) {
            throw new LibraryLoadException(Kind.NOT_FOUND, setting + " names a file that does not exist: correct the path, or remove the property");
        }
        if (!Files.isRegularFile(path)) {
            throw new LibraryLoadException(Kind.NOT_A_LIBRARY, setting + " names no regular file: correct the path, or remove the property");
        }
        try {
            if (Platform.linux()) {
                ElfFile.check(path);
            }
            return new Found(linker.open(path.toString()), path.toString(), path.toString(), false);
        } catch (IOException e) {
            String reason = e.getClass() == IOException.class ? e.getMessage() : e.toString();
            throw new LibraryLoadException(Kind.NOT_MAPPED, setting + " cannot be loaded: " + reason, List.of(reason), e);
        }
    }

    private static Found packaged(DynamicLinker linker) throws LibraryLoadException {
        Packaged packaged = Packaged.find();
        String source = packaged.source();
        String key = MAPPED + packaged.sha256();
        // Interned strings are the only objects that all class loaders have in common without a registry.
        synchronized (key.intern()) {
            String earlier = System.getProperty(key);
            SymbolLookup symbols = earlier == null ? null : linker.mapped(earlier);
            if (symbols != null) {
                return new Found(symbols, source, source + " mapped from " + earlier, true);
            }
            byte[] content = packaged.read();
            if (Platform.linux()) {
                ElfFile.check(content, source);
            }
            Extraction.Mapped mapped = new Extraction(linker, content, packaged.fileName()).map(source);
            System.setProperty(key, mapped.path());
            return new Found(mapped.symbols(), source, source + " mapped from " + mapped.path(), false);
        }
    }

    /**
     * Checks a mapped library before any other of its symbols is used.
     *
     * @param linker calls the one function
     * @param symbols the library
     * @param file its file, for messages
     * @param required what the caller needs
     * @return its metadata
     * @throws AbiMismatchException if it does not fit
     */
    static AbiInfo verify(DynamicLinker linker, SymbolLookup symbols, String file, AbiRequirement required) throws AbiMismatchException {
        String name = Function.ABI.symbol();
        MemorySegment symbol = symbols.find(name).orElseThrow(() -> new AbiMismatchException(Mismatch.MISSING_SYMBOL,
            file + " is not a Ferronet library: it has no symbol " + name));
        long address = linker.call(symbol);
        if (address == 0) {
            throw new AbiMismatchException(Mismatch.BAD_MAGIC, file + " is not a Ferronet library: " + name + "() returned NULL");
        }
        MemorySegment start = MemorySegment.ofAddress(address);
        ByteBuffer head = start.reinterpret(8).asByteBuffer().order(ByteOrder.nativeOrder());
        AbiCheck.verifyHead(head.getInt(AbiInfo.OFFSET_MAGIC), head.getInt(AbiInfo.OFFSET_STRUCT_SIZE), file);
        AbiInfo abi = AbiInfo.read(start.reinterpret(AbiInfo.SIZE).asByteBuffer().order(ByteOrder.nativeOrder()));
        AbiCheck.verify(abi, required, file);
        return abi;
    }

    private static long[] addresses(Found found, AbiInfo abi) throws AbiMismatchException {
        Function[] functions = Function.values();
        long[] addresses = new long[functions.length];
        for (Function function : functions) {
            addresses[function.ordinal()] = found.symbols.find(function.symbol()).map(MemorySegment::address).orElseThrow(
                () -> new AbiMismatchException(Mismatch.MISSING_SYMBOL, found.file + " has ABI revision " + abi.revision()
                    + ", but not its function " + function.symbol() + ": replace the file"));
        }
        return addresses;
    }
}
