package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ferronet.api.spi.NativeLibrary;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;

/** A jar like {@code ferronet-native}'s, whose resource may differ from what its service class says. */
final class NativeJar {
    static final String RESOURCE = "META-INF/native/" + Platform.classifier() + "/libferronet.so";

    private final String name;
    private final byte[] declared;
    private byte[] resource;
    private String classifier = Platform.classifier();

    /**
     * A jar that is in order.
     *
     * @param name a Java identifier: the service class' package
     * @param library the library's bytes
     */
    NativeJar(String name, byte[] library) {
        this.name = name;
        this.declared = library;
        this.resource = library;
    }

    NativeJar resource(byte[] bytes) {
        resource = bytes;
        return this;
    }

    NativeJar classifier(String other) {
        classifier = other;
        return this;
    }

    Path write(Path directory) throws IOException {
        Path classes = Files.createDirectories(directory.resolve(name + "-classes"));
        Path source = Files.createDirectories(classes.resolve(name)).resolve("Library.java");
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
            """, name, classifier, RESOURCE, sha256(declared), declared.length));
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler().run(null, messages, messages, "-proc:none", "-cp",
            ChildJvm.location(NativeLibrary.class).toString(), source.toString());
        assertEquals(0, status, messages.toString(StandardCharsets.UTF_8));
        Path jar = directory.resolve(name + ".jar");
        try (OutputStream file = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(file)) {
            entry(zip, "META-INF/services/" + NativeLibrary.class.getName(), (name + ".Library\n").getBytes(StandardCharsets.UTF_8));
            entry(zip, name + "/Library.class", Files.readAllBytes(classes.resolve(name).resolve("Library.class")));
            if (resource != null) {
                entry(zip, RESOURCE, resource);
            }
        }
        return jar;
    }

    private static void entry(ZipOutputStream zip, String name, byte[] content) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(content);
        zip.closeEntry();
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
