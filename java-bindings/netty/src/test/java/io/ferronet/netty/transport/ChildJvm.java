package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A fresh JVM with the class path of the tests, for what a process can do only once. */
final class ChildJvm {
    private static final long LIMIT_SECONDS = 60;

    private final List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-Dio.netty.leakDetection.level=paranoid"));
    private final Map<String, String> environment = new HashMap<>();

    ChildJvm option(String option) {
        options.add(option);
        return this;
    }

    ChildJvm environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** The library that the tests themselves use. */
    ChildJvm withLibrary() {
        return option("-Dferronet.library.path=" + System.getProperty("ferronet.library.path"));
    }

    /** The library with the test hooks. */
    ChildJvm withHooks() {
        return option("-Dferronet.library.path=" + hooks());
    }

    static Path hooks() {
        return Path.of(System.getProperty("ferronet.stage"), "hooks", "lib", "libferronet.so.1").toAbsolutePath().normalize();
    }

    /** Runs a main class on the class path; what it printed. */
    String run(Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> tail = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), main.getName()));
        tail.addAll(List.of(arguments));
        return start(tail);
    }

    /** Runs a JVM with these arguments after the options; what it printed. */
    String start(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(arguments);
        File output = File.createTempFile("child", ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
            builder.environment().putAll(environment);
            Process process = builder.start();
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            String text = java.nio.file.Files.readString(output.toPath(), StandardCharsets.UTF_8);
            assertTrue(ended, () -> "did not end:\n" + text);
            assertEquals(0, process.exitValue(), text);
            return text;
        } finally {
            java.nio.file.Files.delete(output.toPath());
        }
    }
}
