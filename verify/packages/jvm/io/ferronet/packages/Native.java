package io.ferronet.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Small libraries for the tests. */
final class Native {
    private Native() {
    }

    static Path compile(Staged staged, String name, String source, String... more) throws Exception {
        return compile(staged, name, Files.writeString(staged.scratch().resolve(name + ".c"), source + "\n"), more);
    }

    static Path compile(Staged staged, String name, Path source, String... more) throws Exception {
        Path library = staged.scratch().resolve(name + ".so");
        cc(staged, Stream.concat(Stream.of("-shared", "-fPIC", "-o", library.toString(), source.toString()), Stream.of(more)).toList());
        return library;
    }

    /** A library that others can name in what they need. */
    static Path stub(Staged staged, String name) throws Exception {
        Path directory = Files.createDirectories(staged.scratch().resolve("stubs"));
        Path source = Files.writeString(directory.resolve(name + ".c"), "int stub;\n");
        Path library = directory.resolve(name);
        cc(staged, List.of("-shared", "-nostdlib", "-o", library.toString(), source.toString(), "-Wl,-soname," + name));
        return library;
    }

    private static void cc(Staged staged, List<String> words) throws Exception {
        run(staged, Stream.concat(Stream.of("cc"), words.stream()).toList());
    }

    static void run(Staged staged, List<String> command) throws Exception {
        Path log = staged.scratch().resolve("cc.log");
        int status = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
        Suite.require(status == 0, command + ": " + Files.readString(log));
    }

    static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
