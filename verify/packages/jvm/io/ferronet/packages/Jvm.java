package io.ferronet.packages;

import static io.ferronet.packages.Suite.require;
import static io.ferronet.packages.Suite.requireEqual;
import static io.ferronet.packages.Suite.requireParts;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A fresh JVM with a temporary directory of its own. */
final class Jvm {
    private static final String PROBE = "io.ferronet.probe.LoaderProbe";
    private static final long LIMIT_SECONDS = 180;
    private static int made;

    private final Staged staged;
    private final List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1"));
    private final Map<String, String> environment = new TreeMap<>();
    private final List<String> before = new ArrayList<>();
    private final List<Path> classPath = new ArrayList<>();
    private final Path temporary;
    private Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    private String access = "--enable-native-access=ALL-UNNAMED";

    Jvm(Staged staged) throws IOException {
        this.staged = staged;
        temporary = Files.createDirectory(staged.scratch().resolve("tmp" + made++));
        options.add("-Djava.io.tmpdir=" + temporary);
    }

    Path temporary() {
        return temporary;
    }

    Jvm option(String option) {
        options.add(option);
        return this;
    }

    /** Later options win over the one that the constructor adds. */
    Jvm temporary(Path directory) {
        return option("-Djava.io.tmpdir=" + directory);
    }

    Jvm environment(String name, Path value) {
        environment.put(name, value.toString());
        return this;
    }

    /** Words before the command, which run it in another way. */
    Jvm under(String... words) {
        before.addAll(List.of(words));
        return this;
    }

    Jvm access(String option) {
        access = option;
        return this;
    }

    Jvm java(Path program) {
        java = program;
        return this;
    }

    Jvm jar(Path jar) {
        classPath.add(jar);
        return this;
    }

    /** Runs the loader's probe on the staged jars without a native one, and on those that were added. */
    String probe(String... arguments) throws IOException, InterruptedException {
        List<Path> paths = Stream.concat(Stream.of(staged.api(), staged.ffm(), staged.probe()), classPath.stream()).toList();
        return run(Stream.concat(Stream.of("-cp", join(paths), PROBE), Stream.of(arguments)).toList());
    }

    /** Starts the JVM and returns what it wrote. */
    String run(List<String> arguments) throws IOException, InterruptedException {
        Running running = start(arguments);
        return running.output();
    }

    Running startProbe(String... arguments) throws IOException {
        List<Path> paths = Stream.concat(Stream.of(staged.api(), staged.ffm(), staged.probe()), classPath.stream()).toList();
        return start(Stream.concat(Stream.of("-cp", join(paths), PROBE), Stream.of(arguments)).toList());
    }

    private Running start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(java.toString());
        command.addAll(options);
        if (access != null) {
            command.add(access);
        }
        command.addAll(arguments);
        Path output = Files.createTempFile(staged.scratch(), "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().keySet().removeAll(List.of("XDG_RUNTIME_DIR", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"));
        builder.environment().putAll(environment);
        return new Running(builder.start(), output);
    }

    record Running(Process process, Path file) {
        String output() throws IOException, InterruptedException {
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            String text = Files.readString(file);
            require(ended, "the JVM did not end: " + text);
            return text;
        }
    }

    static String join(List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** The probe loaded the library, once, without a warning; returns where it was mapped from. */
    static String requireLoaded(String output) {
        require(output.startsWith("LOADED "), output);
        require(!output.contains("WARNING"), output);
        requireParts(output, "name=FERRONET_ERR_BUSY", "mappings=1\n");
        return output.substring("LOADED ".length(), output.indexOf('\n'));
    }

    /** As {@link #requireLoaded}, from a file in memory, whose name the mapping does not have. */
    static void requireLoadedFromMemory(String output) {
        require(output.startsWith("LOADED ") && !output.contains("WARNING"), output);
        requireParts(output, "name=FERRONET_ERR_BUSY", "mapped from /proc/self/fd/");
    }

    static void requireFailed(String kind, String output, String... parts) {
        require(output.startsWith("FAILED " + kind + "\n"), output);
        requireParts(output, parts);
        requireParts(output, "mappings=0\n");
    }

    static void requireEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            requireEqual(List.of(), files.toList());
        }
    }
}
