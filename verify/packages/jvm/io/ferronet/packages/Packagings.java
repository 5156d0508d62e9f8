package io.ferronet.packages;

import static io.ferronet.packages.Suite.require;
import static io.ferronet.packages.Suite.requireEqual;
import static io.ferronet.packages.Suite.requireParts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.spi.ToolProvider;

/** The stranger's HTTPS server, packaged in every way in which Java programs are. */
final class Packagings {
    private static final String MAIN = "com.example.stranger.Main";
    private static final String MODULE_ACCESS = "--enable-native-access=io.ferronet.ffm";

    private final Staged staged;
    private final List<String> arguments;

    Packagings(Staged staged) {
        this.staged = staged;
        this.arguments = List.of("once", staged.scratch().resolve("cert.pem").toString(), staged.scratch().resolve("key.pem").toString());
    }

    void addTo(Suite suite) {
        suite.add("class path", () -> answers(new Jvm(staged), List.of("-cp", Jvm.join(staged.libraries()), MAIN)));
        suite.add("module path", () -> answers(new Jvm(staged).access(MODULE_ACCESS), List.of("--module-path", Jvm.join(staged.libraries()),
            "--add-modules", "ALL-MODULE-PATH", "-m", "stranger/" + MAIN)));
        suite.add("jlink image", this::image);
        suite.add("fat jar", () -> answers(new Jvm(staged), List.of("-cp", shaded("fat"), MAIN)));
        suite.add("shaded and relocated jar", () -> answers(new Jvm(staged), List.of("-cp", shaded("first"), "first." + MAIN)));
        suite.add("nested jars of Spring Boot", this::nested);
        suite.add("two relocated copies side by side share one mapping", this::relocatedTwice);
    }

    private String shaded(String name) {
        return staged.project().resolve("target").resolve(name + ".jar").toString();
    }

    private void answers(Jvm jvm, List<String> start) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(start);
        words.addAll(arguments);
        String output = jvm.run(words);
        require(output.startsWith("ANSWERED\n"), output);
        require(!output.contains("WARNING"), output);
        requireParts(output, "mapped from " + jvm.temporary() + "/", "mappings=1\n");
        Jvm.requireEmpty(jvm.temporary());
    }

    private void image() throws IOException, InterruptedException {
        Path image = staged.scratch().resolve("image");
        String roots = "io.ferronet.netty,io.ferronet.ffm,io.ferronet.natives." + Staged.CLASSIFIER.replace('-', '.')
            + ",io.netty.handler,io.netty.codec.http,io.netty.codec.compression,jdk.crypto.ec";
        int status = ToolProvider.findFirst("jlink").orElseThrow().run(System.out, System.out, "--module-path", Jvm.join(modules()),
            "--add-modules", roots, "--output", image.toString());
        requireEqual(0, status);
        Path own = staged.libraries().stream().filter(Packagings::own).findFirst().orElseThrow();
        answers(new Jvm(staged).java(image.resolve("bin/java")).access(MODULE_ACCESS), List.of("-cp", own.toString(), MAIN));
    }

    private List<Path> modules() throws IOException {
        return staged.libraries().stream().filter(jar -> !own(jar)).toList();
    }

    private static boolean own(Path jar) {
        return jar.getFileName().toString().startsWith("stranger-");
    }

    private void nested() throws IOException, InterruptedException {
        Map<String, byte[]> entries = new TreeMap<>(Zips.all(staged.project().resolve("target/boot/loader.jar")));
        entries.remove("META-INF/MANIFEST.MF");
        for (Path jar : staged.libraries()) {
            if (own(jar)) {
                Zips.all(jar).forEach((name, content) -> entries.put("BOOT-INF/classes/" + name, content));
            } else {
                entries.put("BOOT-INF/lib/" + jar.getFileName(), Files.readAllBytes(jar));
            }
        }
        // Its loader finds what is nested through the entries of the folders.
        entries.put("BOOT-INF/classes/", new byte[0]);
        entries.put("BOOT-INF/lib/", new byte[0]);
        Map<String, byte[]> ordered = new LinkedHashMap<>();
        ordered.put("META-INF/MANIFEST.MF", ("Manifest-Version: 1.0\nMain-Class: org.springframework.boot.loader.launch.JarLauncher\n"
            + "Start-Class: " + MAIN + "\nSpring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n"
            + "Enable-Native-Access: ALL-UNNAMED\n").getBytes(StandardCharsets.UTF_8));
        ordered.putAll(entries);
        Path boot = Zips.write(staged.scratch().resolve("boot.jar"), ordered);
        // The manifest grants native access, as its jar is the one that is started.
        answers(new Jvm(staged).access(null), List.of("-jar", boot.toString()));
    }

    private void relocatedTwice() throws IOException, InterruptedException {
        Path classes = Files.createDirectories(staged.scratch().resolve("both"));
        Path source = classes.resolve("Both.java");
        Files.writeString(source, """
            import java.io.File;
            import java.nio.file.*;
            class Both {
                public static void main(String[] arguments) throws Exception {
                    for (String copy : new String[] {"first", "second"}) {
                        System.out.println(Class.forName(copy + ".com.example.stranger.Main").getMethod("once", File.class, File.class)
                            .invoke(null, new File(arguments[1]), new File(arguments[2])));
                    }
                    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
                        System.out.println("mappings=" + lines.filter(line -> line.contains("r-xp") && line.contains("libferronet")).count());
                    }
                }
            }
            """);
        Zips.compile(staged, classes, source);
        List<String> words = new ArrayList<>(List.of("-cp", shaded("first") + ":" + shaded("second") + ":" + classes, "Both"));
        words.addAll(arguments);
        String output = new Jvm(staged).run(words);
        requireEqual(2, output.split("ANSWERED\n", -1).length - 1);
        requireParts(output, "shared=false\n", "shared=true\n", "mappings=1\n");
        require(!output.contains("WARNING"), output);
    }
}
