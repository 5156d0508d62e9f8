package io.ferronet.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is tested.
 *
 * @param repository the staged Maven repository
 * @param project the built project of a stranger
 * @param scratch a directory for what the tests write
 * @param root the source tree, for test programs
 * @param crates names and versions of what is linked into the library, one a line
 */
record Staged(Path repository, Path project, Path scratch, Path root, List<String> crates) {
    static final String VERSION = "0.1.0";
    static final String CLASSIFIER = "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "aarch_64" : "x86_64");
    static final String RESOURCE = "META-INF/native/" + CLASSIFIER + "/libferronet.so";

    Path artifact(String name, String ending) {
        return repository.resolve("io/ferronet").resolve(name).resolve(VERSION).resolve(name + "-" + VERSION + ending);
    }

    Path api() {
        return artifact("ferronet-api", ".jar");
    }

    Path ffm() {
        return artifact("ferronet-ffm", ".jar");
    }

    Path netty() {
        return artifact("ferronet-netty", ".jar");
    }

    Path nativeJar() {
        return artifact("ferronet-native", "-" + CLASSIFIER + ".jar");
    }

    /** Classes of the loader's probe. */
    Path probe() {
        return scratch.resolve("probe");
    }

    /** The jars that the stranger's Maven resolved, and its own. */
    List<Path> libraries() throws IOException {
        try (Stream<Path> files = Files.list(project.resolve("target/lib"))) {
            return files.sorted(Comparator.naturalOrder()).toList();
        }
    }

    /** The staged library itself. */
    byte[] library() throws IOException {
        return Zips.read(nativeJar(), RESOURCE);
    }
}
