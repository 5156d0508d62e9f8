package io.ferronet.packages;

import static io.ferronet.packages.Suite.require;
import static io.ferronet.packages.Suite.requireEqual;
import static io.ferronet.packages.Suite.requireParts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Several class loaders, several processes. */
final class Sharing {
    private static final int RELOADS = 50;
    private static final int PROCESSES = 16;
    /** A loader of the application takes 6 MB, and forty of them are loaded between the two measurements. */
    private static final long FLAT = 8 << 20;

    private final Staged staged;

    Sharing(Staged staged) {
        this.staged = staged;
    }

    void addTo(Suite suite) {
        suite.add("class loaders share one mapping", () -> {
            Jvm jvm = new Jvm(staged).jar(staged.nativeJar());
            String output = jvm.probe("loaders", "3");
            requireEqual(1, output.split("shared=false", -1).length - 1);
            requireEqual(2, output.split("shared=true", -1).length - 1);
            requireParts(output, "mappings=1\n");
            Jvm.requireEmpty(jvm.temporary());
        });
        suite.add("class loaders with different libraries have one each", this::different);
        suite.add("32 threads at once", () -> {
            Jvm jvm = new Jvm(staged).jar(staged.nativeJar());
            requireParts(jvm.probe("threads", "32"), "bindings=1\n", "mappings=1\n");
            Jvm.requireEmpty(jvm.temporary());
        });
        suite.add(PROCESSES + " JVMs at once", this::processes);
        suite.add(RELOADS + " reloads of a web application", this::reloads);
    }

    private void different() throws Exception {
        byte[] library = staged.library();
        String first = Zips.ofLibrary(staged, "one", Staged.CLASSIFIER, library).toString();
        String second = Zips.ofLibrary(staged, "other", Staged.CLASSIFIER, Arrays.copyOf(library, library.length + 1)).toString();
        List<String> common = List.of(staged.api().toString(), staged.ffm().toString(), staged.probe().toString());
        String output = new Jvm(staged).run(List.of("-cp", staged.scratch().resolve("driver").toString(), "io.ferronet.packages.Loaders",
            String.join(":", common) + ":" + first, String.join(":", common) + ":" + second));
        requireEqual(2, output.split("shared=false", -1).length - 1);
        requireParts(output, "one.jar!/", "other.jar!/", "mappings=2\n");
    }

    private void processes() throws Exception {
        Jvm jvm = new Jvm(staged).jar(staged.nativeJar());
        List<Jvm.Running> running = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            running.add(jvm.startProbe("load"));
        }
        for (Jvm.Running one : running) {
            Jvm.requireLoaded(one.output());
        }
        Jvm.requireEmpty(jvm.temporary());
    }

    private void reloads() throws Exception {
        Jvm jvm = new Jvm(staged);
        String output = jvm.run(List.of("-cp", staged.scratch().resolve("driver").toString(), "io.ferronet.packages.Reloads",
            String.valueOf(RELOADS), Jvm.join(staged.libraries()), staged.scratch().resolve("cert.pem").toString(),
            staged.scratch().resolve("key.pem").toString()));
        requireEqual(2L, output.lines().filter("alive=0"::equals).count());
        requireParts(output, "mappings=1\n");
        require(number(output, "metaspace") < FLAT, output);
        require(number(output, "threads") <= 0, output);
        Jvm.requireEmpty(jvm.temporary());
    }

    private static long number(String output, String key) {
        return output.lines().filter(line -> line.startsWith(key + "=")).mapToLong(line -> Long.parseLong(line.substring(key.length() + 1)))
            .findFirst().orElseThrow();
    }
}
