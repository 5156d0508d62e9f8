package io.ferronet.packages;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;

/** Reads jars, and makes such as the tests need. */
final class Zips {
    private static final String SERVICE = "META-INF/services/io.ferronet.api.spi.NativeLibrary";

    private Zips() {
    }

    static byte[] read(Path jar, String name) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile()); InputStream stream = zip.getInputStream(zip.getEntry(name))) {
            return stream.readAllBytes();
        }
    }

    static Map<String, byte[]> all(Path jar) throws IOException {
        Map<String, byte[]> entries = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (!entry.isDirectory()) {
                    entries.put(entry.getName(), zip.readAllBytes());
                }
            }
        }
        return entries;
    }

    /** Writes a jar; a nested jar is stored as it is, because Spring Boot's loader reads it in its place. */
    static Path write(Path jar, Map<String, byte[]> entries) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                ZipEntry header = new ZipEntry(entry.getKey());
                if (entry.getKey().endsWith(".jar")) {
                    CRC32 sum = new CRC32();
                    sum.update(entry.getValue());
                    header.setMethod(ZipEntry.STORED);
                    header.setSize(entry.getValue().length);
                    header.setCrc(sum.getValue());
                }
                zip.putNextEntry(header);
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        }
        return jar;
    }

    /** The staged native jar with another library in it, of which the class knows nothing. */
    static Path altered(Staged staged, String name, byte[] library) throws IOException {
        Map<String, byte[]> entries = all(staged.nativeJar());
        if (library == null) {
            entries.remove(Staged.RESOURCE);
        } else {
            entries.put(Staged.RESOURCE, library);
        }
        return write(staged.scratch().resolve(name + ".jar"), entries);
    }

    /** A native jar in order, with a library of the test's. */
    static Path ofLibrary(Staged staged, String name, String classifier, byte[] library) throws IOException {
        Path classes = Files.createDirectories(staged.scratch().resolve(name + "-classes"));
        Path source = classes.resolve("Library.java");
        Files.writeString(source, String.format("""
            package %s;
            public final class Library implements io.ferronet.api.spi.NativeLibrary {
                public Library() { }
                @Override public String classifier() { return "%s"; }
                @Override public String target() { return "test"; }
                @Override public String resource() { return "%s"; }
                @Override public String sha256() { return "%s"; }
                @Override public long size() { return %dL; }
                @Override public int revision() { return 1; }
                @Override public int floor() { return 1; }
                @Override public long fingerprint() { return 0L; }
            }
            """, name, classifier, Staged.RESOURCE, sha256(library), library.length));
        compile(staged, classes, source);
        Map<String, byte[]> entries = new TreeMap<>();
        entries.put(SERVICE, (name + ".Library\n").getBytes(StandardCharsets.UTF_8));
        entries.put(name + "/Library.class", Files.readAllBytes(classes.resolve(name).resolve("Library.class")));
        entries.put(Staged.RESOURCE, library);
        return write(staged.scratch().resolve(name + ".jar"), entries);
    }

    /** Compiles a source against the staged API. */
    static void compile(Staged staged, Path classes, Path... sources) {
        String[] arguments = new String[5 + sources.length];
        System.arraycopy(new String[] {"-proc:none", "-cp", staged.api().toString(), "-d", classes.toString()}, 0, arguments, 0, 5);
        for (int i = 0; i < sources.length; i++) {
            arguments[5 + i] = sources[i].toString();
        }
        Suite.requireEqual(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments));
    }

    static String sha256(byte[] bytes) {
        return digest("SHA-256", bytes);
    }

    static String digest(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
