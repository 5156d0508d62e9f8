package io.ferronet.nativeimage;

import io.ferronet.api.AbiCheck;
import io.ferronet.api.AbiInfo;
import io.ferronet.api.AbiMismatchException;
import io.ferronet.api.AbiRequirement;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.graalvm.nativeimage.Platform;
import org.graalvm.nativeimage.Platforms;

/** The static library of the image's target, out of a jar of the class path. Only while an image is built. */
@Platforms(Platform.HOSTED_ONLY.class)
final class StaticLibrary {
    /** The library's name for a linker. */
    static final String NAME = "ferronet";
    /** The header's file. */
    static final String HEADER = "ferronet.h";

    private static final String PROPERTIES = "abi.properties";
    private static final String LINK_LIST = "link.txt";
    private static final String OURS = "io.ferronet:ferronet-native";

    private static StaticLibrary current;

    private final Path directory;
    private final String source;
    private final List<String> libraries;

    private StaticLibrary(Path directory, String source, List<String> libraries) {
        this.directory = directory;
        this.source = source;
        this.libraries = libraries;
    }

    /** The library of the image that is being built. */
    static StaticLibrary current() {
        if (current == null) {
            throw new IllegalStateException("the static library is needed before " + FerronetFeature.class.getName() + " found it");
        }
        return current;
    }

    static void use(StaticLibrary library) {
        current = library;
    }

    /** Where its files are now. */
    Path directory() {
        return directory;
    }

    /** Where it came from, for messages: a jar's name, without the build machine's folders. */
    String source() {
        return source;
    }

    /** What it needs of the system, as names for a linker. */
    List<String> libraries() {
        return libraries;
    }

    /**
     * Finds the library, checks that it fits to these Java modules, and writes its files into a directory.
     *
     * @param loader finds what is on the class path and the module path
     * @param classifiers the classifiers of libraries that fit the image's target; exactly one has to be present
     * @param directory an empty directory
     * @return the library
     * @throws UnusableLibraryException if there is none or it does not fit; the message says what to do
     * @throws IOException if a file cannot be read or written
     */
    static StaticLibrary extract(ClassLoader loader, List<String> classifiers, Path directory) throws IOException {
        Map<String, URL> found = new LinkedHashMap<>();
        List<String> places = new ArrayList<>();
        for (String classifier : classifiers) {
            for (URL properties : Collections.list(loader.getResources("META-INF/native/" + classifier + "/" + PROPERTIES))) {
                String digest = read(properties).getProperty("sha256", "");
                if (found.putIfAbsent(classifier + digest, properties) == null) {
                    places.add(place(properties));
                }
            }
        }
        if (found.isEmpty()) {
            throw new UnusableLibraryException("the static library " + classifiers.get(0) + " is not on the class path or module path: add the dependency " + OURS
                + ":" + AbiRequirement.CURRENT.version() + " with classifier " + classifiers.get(0));
        }
        if (found.size() > 1) {
            throw new UnusableLibraryException("several different static libraries are present: " + String.join(" and ", places) + ": keep one of them");
        }
        URL properties = found.values().iterator().next();
        verify(read(properties), place(properties));
        return copy(properties, directory);
    }

    private static void verify(Properties facts, String place) {
        try {
            AbiInfo abi = new AbiInfo(AbiInfo.MAGIC, AbiInfo.SIZE, Integer.parseInt(facts.getProperty("revision")), Integer.parseInt(facts.getProperty("floor")),
                0, AbiInfo.FLAG_STATIC, 0, Long.parseUnsignedLong(facts.getProperty("fingerprint"), 16), facts.getProperty("version"),
                facts.getProperty("target"), "");
            AbiRequirement required = AbiRequirement.CURRENT;
            // What the library was built with, its properties do not say; the image checks it when it starts.
            AbiCheck.verify(abi, new AbiRequirement(required.builtFor(), required.minimum(), required.fingerprint(), 0, required.version()), place);
        } catch (AbiMismatchException e) {
            throw new UnusableLibraryException(e.getMessage());
        } catch (NumberFormatException e) {
            throw new UnusableLibraryException(place + " has no number where one is expected (" + e.getMessage() + "): replace the jar");
        }
    }

    private static StaticLibrary copy(URL properties, Path directory) throws IOException {
        Properties facts = read(properties);
        String place = place(properties);
        String archive = facts.getProperty("library", "");
        byte[] content = bytes(sibling(properties, archive), place, archive);
        String digest = sha256(content);
        if (!digest.equals(facts.getProperty("sha256"))) {
            throw new UnusableLibraryException(archive + " beside " + place + " was altered: its SHA-256 is " + digest + ", but " + facts.getProperty("sha256")
                + " was packaged: replace the jar");
        }
        Files.write(directory.resolve(archive), content);
        Files.write(directory.resolve(HEADER), bytes(sibling(properties, HEADER), place, HEADER));
        List<String> libraries = new String(bytes(sibling(properties, LINK_LIST), place, LINK_LIST), StandardCharsets.UTF_8).lines()
            .map(word -> word.startsWith("-l") ? word.substring(2) : word).filter(word -> !word.isEmpty()).toList();
        return new StaticLibrary(directory, jar(place), libraries);
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static Properties read(URL url) throws IOException {
        Properties properties = new Properties();
        try (InputStream stream = open(url)) {
            properties.load(stream);
        }
        return properties;
    }

    private static URL sibling(URL properties, String name) throws IOException {
        String text = properties.toString();
        return URI.create(text.substring(0, text.length() - PROPERTIES.length()) + name).toURL();
    }

    private static byte[] bytes(URL url, String place, String name) {
        try (InputStream stream = open(url)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UnusableLibraryException("there is no " + (name.isEmpty() ? "library" : name) + " beside " + place + " (" + e.getMessage() + "): replace the jar");
        }
    }

    /** Without the cache, which would keep the jar open. */
    private static InputStream open(URL url) throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        return connection.getInputStream();
    }

    private static String place(URL properties) {
        return properties.toString();
    }

    /** The name of the jar in a place such as {@code jar:file:/a/b.jar!/META-INF/native/...}; of anything else its last folder's. */
    private static String jar(String place) {
        int end = place.indexOf("!/");
        String file = end < 0 ? place.substring(0, place.lastIndexOf('/')) : place.substring(0, end);
        return file.substring(file.lastIndexOf('/') + 1);
    }

    /** Removes the files again. */
    void delete() throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(directory)) {
            files = listed.toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
        Files.delete(directory);
    }
}
