package io.ferronet.ffm;

import io.ferronet.api.AbiRequirement;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LibraryLoadException.Kind;
import io.ferronet.api.spi.NativeLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** The native library of a jar, found through its service entry. */
final class Packaged {
    private final NativeLibrary library;

    private Packaged(NativeLibrary library) {
        this.library = library;
    }

    /**
     * Finds the library for this platform.
     *
     * @return the library
     * @throws LibraryLoadException if there is none, or several that differ
     */
    static Packaged find() throws LibraryLoadException {
        String classifier = Platform.classifier();
        Map<String, NativeLibrary> fitting = new LinkedHashMap<>();
        Set<String> others = new TreeSet<>();
        List<String> errors = new ArrayList<>();
        for (ClassLoader loader : loaders()) {
            Iterator<NativeLibrary> libraries = ServiceLoader.load(NativeLibrary.class, loader).iterator();
            while (true) {
                try {
                    if (!libraries.hasNext()) {
                        break;
                    }
                    NativeLibrary library = libraries.next();
                    if (library.classifier().equals(classifier)) {
                        fitting.putIfAbsent(library.sha256(), library);
                    } else {
                        others.add(library.classifier());
                    }
                } catch (ServiceConfigurationError | LinkageError e) {
                    String error = e.toString();
                    if (errors.contains(error)) {
                        // An unreadable provider list fails in the same way at every step.
                        break;
                    }
                    errors.add(error);
                }
            }
        }
        if (fitting.isEmpty()) {
            throw new LibraryLoadException(Kind.NOT_FOUND, "no native library for " + classifier + " is on the class path or module path"
                + (others.isEmpty() ? "" : " (only for " + String.join(", ", others) + ")")
                + (errors.isEmpty() ? "" : " (unusable: " + String.join("; ", errors) + ")")
                + ": add the dependency io.ferronet:ferronet-native:" + AbiRequirement.CURRENT.version() + " with classifier " + classifier
                + ", or set -Dferronet.library.path=FILE", errors, null);
        }
        if (fitting.size() > 1) {
            List<String> places = fitting.values().stream().map(library -> new Packaged(library).source()).toList();
            throw new LibraryLoadException(Kind.AMBIGUOUS, "several different native libraries for " + classifier + " are present: "
                + String.join(" and ", places) + ": keep one of them", places, null);
        }
        return new Packaged(fitting.values().iterator().next());
    }

    private static Set<ClassLoader> loaders() {
        Set<ClassLoader> loaders = new LinkedHashSet<>();
        loaders.add(Packaged.class.getClassLoader());
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            loaders.add(context);
        }
        return loaders;
    }

    String sha256() {
        return library.sha256();
    }

    /** The file name to give to the extracted library, which debuggers and profilers show. */
    String fileName() {
        String resource = library.resource();
        return resource.substring(resource.lastIndexOf('/') + 1);
    }

    /**
     * Where the library is, for messages. It is the service class' own jar: a class loader would answer with the first jar that has such a resource.
     */
    String source() {
        CodeSource jar = library.getClass().getProtectionDomain().getCodeSource();
        String place = jar != null && jar.getLocation() != null ? jar.getLocation().toString() : library.getClass().getName();
        return place + "!/" + library.resource();
    }

    /**
     * Reads the library whole, and compares it with what the class says of it.
     *
     * @return its bytes
     * @throws LibraryLoadException if they cannot be read or are not the expected ones
     */
    byte[] read() throws LibraryLoadException {
        String source = source();
        byte[] content = new byte[Math.toIntExact(library.size())];
        try (InputStream stream = library.open()) {
            if (stream == null) {
                throw new LibraryLoadException(Kind.NOT_FOUND, "the jar of " + library.getClass().getName() + " has no resource "
                    + library.resource() + ": replace the jar");
            }
            int length = stream.readNBytes(content, 0, content.length);
            if (length < content.length) {
                throw new LibraryLoadException(Kind.TRUNCATED, source + " is truncated: it has " + length + " bytes of " + content.length
                    + ": replace the jar");
            }
            String actual = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
            if (stream.read() >= 0 || !actual.equals(library.sha256())) {
                Arrays.fill(content, (byte) 0);
                throw new LibraryLoadException(Kind.ALTERED, source + " was altered: its SHA-256 is " + actual + ", but " + library.sha256()
                    + " was packaged: replace the jar");
            }
            return content;
        } catch (IOException e) {
            throw new LibraryLoadException(Kind.ALTERED, source + " cannot be read: " + e + ": replace the jar", List.of(), e);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
