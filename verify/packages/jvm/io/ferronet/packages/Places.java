package io.ferronet.packages;

import static io.ferronet.packages.Suite.require;
import static io.ferronet.packages.Suite.requireEqual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Directories in which the library cannot, or must not, be extracted. */
final class Places {
    private static final int NOBODY = 65534;
    private static final Duration OLD = Duration.ofMinutes(2);

    private final Staged staged;
    private int mounts;

    Places(Staged staged) {
        this.staged = staged;
    }

    void addTo(Suite suite) {
        suite.add("read-only temporary directory", () -> {
            Path mount = mount();
            Jvm.requireLoadedFromMemory(mounted(mount, "ro").probe("load"));
            Path work = fresh("work");
            Path other = fresh("runtime");
            String second = mounted(mount, "ro").environment("XDG_RUNTIME_DIR", other).probe("load");
            require(Jvm.requireLoaded(second).contains("mapped from " + other + "/"), second);
            String first = mounted(mount, "ro").environment("XDG_RUNTIME_DIR", other).option("-Dferronet.native.workdir=" + work).probe("load");
            require(Jvm.requireLoaded(first).contains("mapped from " + work + "/"), first);
            Jvm.requireEmpty(work);
            Jvm.requireEmpty(other);
        });
        suite.add("temporary directory without execution", () -> Jvm.requireLoadedFromMemory(mounted(mount(), "noexec").probe("load")));
        suite.add("full disk", () -> Jvm.requireLoadedFromMemory(mounted(mount(), "size=1m").probe("load")));
        suite.add("every directory is unusable, each named with its error", this::everywhere);
        suite.add("temporary directory behind a symbolic link", () -> {
            Path real = fresh("real");
            Path link = Files.createSymbolicLink(staged.scratch().resolve("link"), real);
            String output = jvm().temporary(link).probe("load");
            require(Jvm.requireLoaded(output).contains("mapped from " + real.toRealPath() + "/"), output);
            Jvm.requireEmpty(real);
        });
        suite.add("temporary directory that every user may write", () -> {
            Path open = fresh("open");
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            Jvm.requireLoadedFromMemory(jvm().temporary(open).probe("load"));
            Jvm.requireEmpty(open);
            Files.setAttribute(open, "unix:mode", 01777);
            String output = jvm().temporary(open).probe("load");
            require(Jvm.requireLoaded(output).contains("mapped from " + open + "/"), output);
        });
        suite.add("temporary directory of another user", () -> {
            Path other = owned(fresh("other"));
            Jvm.requireLoadedFromMemory(jvm().temporary(other).probe("load"));
            Jvm.requireEmpty(other);
        });
        suite.add("temporary directory that this user cannot enter", () -> {
            Path home = owned(fresh("home"));
            Path closed = fresh("closed");
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
            String user = String.valueOf(NOBODY);
            List<String> words = List.of("setpriv", "--reuid", user, "--regid", user, "--clear-groups");
            for (Path needed : List.of(staged.nativeJar(), staged.probe(), Path.of(System.getProperty("java.home"), "bin", "java"))) {
                if (exits(Stream.concat(words.stream(), Stream.of("test", "-r", needed.toString())).toArray(String[]::new)) != 0) {
                    throw new Suite.Skipped("another user cannot read " + needed);
                }
            }
            Jvm jvm = jvm().under(words.toArray(new String[0]));
            Jvm.requireLoadedFromMemory(jvm.temporary(closed).probe("load"));
            String output = jvm.option("-Dferronet.native.workdir=" + home).probe("load");
            require(Jvm.requireLoaded(output).contains("mapped from " + home + "/"), output);
        });
        suite.add("a crash leaves nothing that piles up", this::crashes);
        suite.add("the file is kept on request", () -> {
            Jvm jvm = jvm().option("-Dferronet.native.keep=true");
            Jvm.requireLoaded(jvm.probe("load"));
            Path kept = left(jvm.temporary()).get(0).resolve("libferronet.so");
            requireEqual("r-x------", PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)));
            requireEqual(Zips.sha256(staged.library()), Zips.sha256(Files.readAllBytes(kept)));
        });
    }

    private Jvm jvm() throws IOException {
        return new Jvm(staged).jar(staged.nativeJar());
    }

    private Path fresh(String name) throws IOException {
        return Files.createDirectory(staged.scratch().resolve(name + mounts++)).toRealPath();
    }

    private Path mount() throws IOException {
        return fresh("mount");
    }

    /** A JVM whose temporary directory is a file system in memory, which only it sees. */
    private Jvm mounted(Path mount, String options) throws Exception {
        String[] words = {"unshare", "--mount", "sh", "-c", "mount -t tmpfs -o " + options + " tmpfs " + mount + " && exec \"$0\" \"$@\""};
        if (exits(Stream.concat(Stream.of(words), Stream.of("true")).toArray(String[]::new)) != 0) {
            throw new Suite.Skipped("mounting a file system needs the superuser");
        }
        return jvm().under(words).temporary(mount);
    }

    private static int exits(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    }

    private static Path owned(Path directory) throws IOException, Suite.Skipped {
        try {
            Files.setAttribute(directory, "unix:uid", NOBODY);
            return directory;
        } catch (IOException e) {
            throw new Suite.Skipped("only the superuser gives a directory away");
        }
    }

    /** A library that is no ELF file would be refused before; this one is, and its initialiser refuses. */
    private void everywhere() throws Exception {
        Path library = Native.compile(staged, "needy", "int x;", "-Wl,--no-as-needed", Native.stub(staged, "libmissing.so").toString());
        Path work = fresh("work");
        Jvm jvm = new Jvm(staged).jar(Zips.ofLibrary(staged, "needy", Staged.CLASSIFIER, Files.readAllBytes(library)));
        String output = jvm.option("-Dferronet.native.workdir=" + work).probe("load");
        Jvm.requireFailed("NOT_MAPPED", output, "needy.jar!/", "-Djava.io.tmpdir=" + jvm.temporary() + ": ",
            "libmissing.so: cannot open shared object file", "-Dferronet.native.workdir=" + work + ": ", "XDG_RUNTIME_DIR: not set", "memfd: ",
            "set -Dferronet.native.workdir=DIR to a writable directory");
        Jvm.requireEmpty(jvm.temporary());
        Jvm.requireEmpty(work);
    }

    /** The library ends the process while it is being mapped, when the file is still there. */
    private void crashes() throws Exception {
        Path library = Native.compile(staged, "killer",
            "#include <signal.h>\n__attribute__((constructor)) static void end(void) { raise(SIGKILL); }");
        Jvm killed = new Jvm(staged).jar(Zips.ofLibrary(staged, "killer", Staged.CLASSIFIER, Files.readAllBytes(library)));
        for (int round = 0; round < 3; round++) {
            Jvm.Running running = killed.startProbe("load");
            running.output();
            requireEqual(128 + 9, running.process().exitValue());
            List<Path> left = left(killed.temporary());
            requireEqual(1, left.size());
            Files.setLastModifiedTime(left.get(0), FileTime.from(Instant.now().minus(OLD)));
        }
        Jvm.requireLoaded(jvm().temporary(killed.temporary()).probe("load"));
        Jvm.requireEmpty(killed.temporary());
    }

    private static List<Path> left(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
