package io.ferronet.netty.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What this module says to Native Image about itself: Netty looks for annotations at the methods of every handler, makes channels by their constructor, and the JCA
 * its services.
 */
class ImageMetadataTest {
    private static final String METADATA = "/META-INF/native-image/io.ferronet/ferronet-netty/reachability-metadata.json";

    private static String metadata() throws IOException {
        try (InputStream stream = ImageMetadataTest.class.getResourceAsStream(METADATA)) {
            assertNotNull(stream, METADATA);
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<Class<?>> classes() throws Exception {
        Path source = Path.of(NativeRuntime.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(source)) {
            return classes(source);
        }
        try (FileSystem jar = FileSystems.newFileSystem(source)) {
            return classes(jar.getPath("/"));
        }
    }

    private static List<Class<?>> classes(Path root) throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".class") && !file.getFileName().toString().contains("-info")).toList()) {
                String name = root.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", "");
                classes.add(Class.forName(name, false, ImageMetadataTest.class.getClassLoader()));
            }
        }
        return classes;
    }

    private static boolean hasPublicDefaultConstructor(Class<?> type) {
        return Arrays.stream(type.getConstructors()).mapToInt(Constructor::getParameterCount).anyMatch(count -> count == 0);
    }

    @Test
    void everyHandlerAndChannelIsNamed() throws Exception {
        TreeSet<String> expected = new TreeSet<>();
        for (Class<?> type : classes()) {
            if (ChannelHandler.class.isAssignableFrom(type) && !type.isInterface()
                || Channel.class.isAssignableFrom(type) && hasPublicDefaultConstructor(type)) {
                expected.add(type.getName());
            }
        }
        expected.add("io.ferronet.netty.ssl.FerronetSslContextSpi$Tls");
        expected.add("io.ferronet.netty.ssl.FerronetSslContextSpi$Tls12");
        TreeSet<String> named = new TreeSet<>();
        Matcher type = Pattern.compile("\"type\": \"(io\\.ferronet\\.[^\"]+)\"").matcher(metadata());
        while (type.find()) {
            named.add(type.group(1));
        }
        assertEquals(expected, named);
    }

    @Test
    void whatIsNamedExists() throws Exception {
        Matcher name = Pattern.compile("\"type(?:Reached)?\": \"([^\"]+)\"").matcher(metadata());
        int count = 0;
        while (name.find()) {
            Class.forName(name.group(1), false, getClass().getClassLoader());
            count++;
        }
        assertEquals(30, count);
    }
}
