package io.ferronet.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Tests the staged Java artifacts from outside. Arguments: the staged repository, the stranger's built project, a scratch directory with {@code cert.pem},
 * {@code key.pem}, {@code crates.txt} and the classes of this program and of the probe, the source tree, and optionally a pattern of names.
 */
final class Main {
    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        Path scratch = Path.of(arguments[2]).toRealPath();
        Staged staged = new Staged(Path.of(arguments[0]).toRealPath(), Path.of(arguments[1]).toRealPath(), scratch, Path.of(arguments[3]).toRealPath(),
            Files.readAllLines(scratch.resolve("crates.txt")));
        Suite suite = new Suite();
        new Contents(staged).addTo(suite);
        new Packagings(staged).addTo(suite);
        new Sharing(staged).addTo(suite);
        new Places(staged).addTo(suite);
        new Refusals(staged).addTo(suite);
        if (!suite.run(Pattern.compile(arguments.length > 4 ? arguments[4] : ""))) {
            System.exit(1);
        }
    }
}
