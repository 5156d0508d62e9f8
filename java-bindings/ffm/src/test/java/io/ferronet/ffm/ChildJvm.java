package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.FerronetBinding;
import io.ferronet.probe.LoaderProbe;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A fresh JVM that runs {@link LoaderProbe}. */
final class ChildJvm {
    private final List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    private final Map<String, String> environment = new HashMap<>();
    private final List<Path> classPath = new ArrayList<>();
    private String nativeAccess = "ALL-UNNAMED";

    static Path location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    ChildJvm option(String option) {
        options.add(option);
        return this;
    }

    ChildJvm environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    ChildJvm withoutNativeAccess() {
        nativeAccess = null;
        return this;
    }

    ChildJvm jar(Path jar) {
        classPath.add(jar);
        return this;
    }

    /**
     * Runs the probe on the class path.
     *
     * @param arguments the probe's arguments
     * @return what it printed on both outputs
     */
    String run(String... arguments) throws IOException, InterruptedException {
        List<Path> paths = Stream.concat(Stream.of(location(FerronetBinding.class), location(FfmBindingProvider.class),
            location(LoaderProbe.class)), classPath.stream()).toList();
        List<String> command = new ArrayList<>(List.of("-cp", join(paths), LoaderProbe.class.getName()));
        command.addAll(List.of(arguments));
        return start(command);
    }

    /**
     * Runs the probe with the library as named modules.
     *
     * @param modules name of a root module, and the module path
     * @return what it printed on both outputs
     */
    String runModules(String module, List<Path> modules, String... arguments) throws IOException, InterruptedException {
        nativeAccess = module;
        List<String> command = new ArrayList<>(List.of("--module-path", join(modules), "--add-modules", "ALL-MODULE-PATH",
            "-cp", location(LoaderProbe.class).toString(), LoaderProbe.class.getName()));
        command.addAll(List.of(arguments));
        return start(command);
    }

    private String start(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        if (nativeAccess != null) {
            command.add("--enable-native-access=" + nativeAccess);
        }
        command.addAll(arguments);
        Path output = Files.createTempFile("probe-", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().keySet().removeAll(List.of("XDG_RUNTIME_DIR", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
            builder.environment().putAll(environment);
            Process process = builder.start();
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            String text = Files.readString(output);
            assertTrue(ended, () -> "the child did not end: " + text);
            return text;
        } finally {
            Files.delete(output);
        }
    }

    private static String join(List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
