package io.ferronet.packages;

import static io.ferronet.packages.Jvm.requireFailed;
import static io.ferronet.packages.Suite.require;
import static io.ferronet.packages.Suite.requireParts;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Libraries that must not be loaded, and what the message says. */
final class Refusals {
    private static final int MACHINE = 18;
    private static final int AARCH64 = 183;
    private static final int X86_64 = 62;

    private final Staged staged;

    Refusals(Staged staged) {
        this.staged = staged;
    }

    void addTo(Suite suite) {
        suite.add("missing jar", () -> requireFailed("NOT_FOUND", new Jvm(staged).probe("load"),
            "no native library for " + Staged.CLASSIFIER, "add the dependency io.ferronet:ferronet-native:" + Staged.VERSION
            + " with classifier " + Staged.CLASSIFIER, "-Dferronet.library.path=FILE"));
        suite.add("jar of another platform alone", () -> requireFailed("NOT_FOUND", jar(Zips.ofLibrary(staged, "sparc", "solaris-sparcv9",
            staged.library())), "(only for solaris-sparcv9)", "classifier " + Staged.CLASSIFIER));
        suite.add("wrong architecture", this::architecture);
        suite.add("wrong C library", this::libc);
        suite.add("wrong C library, by files of musl's own compiler", this::musl);
        suite.add("truncated library", () -> {
            byte[] library = staged.library();
            requireFailed("TRUNCATED", jar(Zips.altered(staged, "short", Arrays.copyOf(library, library.length - 1))), "short.jar!/"
                + Staged.RESOURCE, "it has " + (library.length - 1) + " bytes of " + library.length, "replace the jar");
            Path file = Files.write(staged.scratch().resolve("half.so"), Arrays.copyOf(library, library.length / 2));
            requireFailed("TRUNCATED", explicit(file), file + " is truncated", "replace the file");
        });
        suite.add("altered library", () -> {
            byte[] library = staged.library();
            byte[] altered = altered();
            requireFailed("ALTERED", jar(Zips.altered(staged, "altered", altered)), "altered.jar!/" + Staged.RESOURCE, Zips.sha256(library),
                Zips.sha256(altered), "replace the jar");
            requireFailed("ALTERED", jar(Zips.altered(staged, "longer", Arrays.copyOf(library, library.length + 1))), "longer.jar!/");
            requireFailed("NOT_FOUND", jar(Zips.altered(staged, "hollow", null)), "has no resource " + Staged.RESOURCE, "replace the jar");
        });
        suite.add("library older than the Java side", () -> mismatch("older_revision", "has ABI revision 0, but at least ", "use a newer library"));
        suite.add("library newer than the Java side", () -> mismatch("newer_floor", "serves callers from ABI revision ",
            "rebuild the caller or use an older library"));
        suite.add("library of the same revision with other layouts", () -> mismatch("fingerprint_differs", "has layout fingerprint ",
            "take library and header from one release"));
        suite.add("equal duplicates count as one", () -> {
            Path copy = Files.copy(staged.nativeJar(), staged.scratch().resolve("copy.jar"));
            Path same = Zips.ofLibrary(staged, "same", Staged.CLASSIFIER, staged.library());
            Jvm.requireLoaded(new Jvm(staged).jar(staged.nativeJar()).jar(copy).jar(same).probe("load"));
        });
        suite.add("different duplicates are refused", () -> requireFailed("AMBIGUOUS", new Jvm(staged).jar(staged.nativeJar())
            .jar(Zips.ofLibrary(staged, "different", Staged.CLASSIFIER, altered())).probe("load"), staged.nativeJar() + "!/", "different.jar!/",
            "keep one of them"));
        suite.add("native access denied on the class path", () -> requireFailed("NATIVE_ACCESS_DENIED", new Jvm(staged).jar(staged.nativeJar())
            .access("--illegal-native-access=deny").probe("load"), "start it with --enable-native-access=ALL-UNNAMED"));
        suite.add("native access denied on the module path", () -> {
            String modules = Jvm.join(List.of(staged.api(), staged.ffm(), staged.nativeJar()));
            Jvm jvm = new Jvm(staged).access("--illegal-native-access=deny");
            List<String> start = List.of("--module-path", modules, "--add-modules", "ALL-MODULE-PATH", "-cp", staged.probe().toString(),
                "io.ferronet.probe.LoaderProbe", "load");
            requireFailed("NATIVE_ACCESS_DENIED", jvm.run(start), "start it with --enable-native-access=io.ferronet.ffm");
            Jvm.requireLoaded(new Jvm(staged).option("--illegal-native-access=deny").access("--enable-native-access=io.ferronet.ffm").run(start));
        });
        suite.add("explicit file", () -> {
            Path file = Files.write(staged.scratch().resolve("explicit-libferronet.so"), staged.library());
            Jvm jvm = new Jvm(staged).option("-Dferronet.library.path=" + file);
            require(Jvm.requireLoaded(jvm.probe("load")).equals(file.toString()), file);
            Jvm.requireEmpty(jvm.temporary());
        });
        suite.add("explicit file that is missing, and no other is taken", () -> {
            Path missing = staged.scratch().resolve("missing.so");
            requireFailed("NOT_FOUND", new Jvm(staged).jar(staged.nativeJar()).option("-Dferronet.library.path=" + missing).probe("load"),
                "-Dferronet.library.path=" + missing + " names a file that does not exist", "correct the path, or remove the property");
            requireFailed("NOT_A_LIBRARY", explicit(staged.scratch()), "names no regular file");
        });
    }

    private String jar(Path jar) throws Exception {
        Jvm jvm = new Jvm(staged).jar(jar);
        String output = jvm.probe("load");
        Jvm.requireEmpty(jvm.temporary());
        return output;
    }

    private String explicit(Path file) throws Exception {
        return new Jvm(staged).option("-Dferronet.library.path=" + file).probe("load");
    }

    private byte[] altered() throws Exception {
        byte[] altered = staged.library();
        altered[altered.length / 2] ^= 1;
        return altered;
    }

    private void architecture() throws Exception {
        byte[] foreign = staged.library();
        int machine = foreign[MACHINE] == X86_64 ? AARCH64 : X86_64;
        foreign[MACHINE] = (byte) machine;
        String[] parts = {"(ELF machine " + machine + ", 64 bits)", "but this JVM runs on ", "classifier " + Staged.CLASSIFIER};
        requireFailed("WRONG_ARCHITECTURE", jar(Zips.ofLibrary(staged, "foreign", Staged.CLASSIFIER, foreign)), parts);
        requireFailed("WRONG_ARCHITECTURE", explicit(Files.write(staged.scratch().resolve("foreign.so"), foreign)), parts);
    }

    /** Libraries that name musl as their C library, in both of the names that it has. */
    private void libc() throws Exception {
        for (String name : List.of("libc.so", "libc.musl-x86_64.so.1")) {
            Path library = Native.compile(staged, "musl", "int x;", "-nostdlib", "-Wl,--no-as-needed", Native.stub(staged, name).toString());
            String[] parts = {"is built for musl (it needs " + name + "), but this process runs on glibc (/lib", "use a native library for that C library"};
            requireFailed("WRONG_LIBC", explicit(library), parts);
            requireFailed("WRONG_LIBC", jar(Zips.ofLibrary(staged, "musl", Staged.CLASSIFIER, Files.readAllBytes(library))), parts);
        }
    }

    private void musl() throws Exception {
        if (!Native.runs("musl-gcc", "--version")) {
            throw new Suite.Skipped("musl-gcc is missing");
        }
        Path source = Files.writeString(staged.scratch().resolve("small.c"), "int main(void) { return 0; }\n");
        Path library = staged.scratch().resolve("small.so");
        Path program = staged.scratch().resolve("small");
        Native.run(staged, List.of("musl-gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", library.toString(), source.toString()));
        Native.run(staged, List.of("musl-gcc", "-o", program.toString(), source.toString()));
        requireFailed("WRONG_LIBC", explicit(library), library + " is built for musl (it needs libc.so)");
        requireFailed("WRONG_LIBC", jar(Zips.ofLibrary(staged, "small", Staged.CLASSIFIER, Files.readAllBytes(library))), "is built for musl");
        // The other way round there is no JVM at hand: the detector reads the program that such a process would run.
        Path glibc = Files.write(staged.scratch().resolve("glibc.so"), staged.library());
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String refused = fits(glibc, program);
        require(refused.startsWith("FAILED WRONG_LIBC\n"), refused);
        requireParts(refused, glibc + " is built for glibc (it needs libc.so.6), but this process runs on musl (/lib/ld-musl-");
        require(fits(library, program).startsWith("FITS /lib/ld-musl-"), library);
        require(fits(glibc, java).startsWith("FITS /lib"), java);
        require(fits(library, java).startsWith("FAILED WRONG_LIBC\n"), java);
    }

    private String fits(Path library, Path program) throws Exception {
        String classPath = Jvm.join(List.of(staged.api(), staged.ffm(), staged.probe()));
        return new Jvm(staged).run(List.of("-cp", classPath, "io.ferronet.ffm.LibcProbe", library.toString(), program.toString()));
    }

    /** The library has to be mapped before it can say which it is; it stays, and nothing of it is used. */
    private void mismatch(String fake, String... parts) throws Exception {
        Path source = staged.root().resolve("verify/abi/fakes").resolve(fake + ".c");
        Path library = Native.compile(staged, fake, source, "-I" + staged.root().resolve("headers"));
        String packaged = jar(Zips.ofLibrary(staged, fake, Staged.CLASSIFIER, Files.readAllBytes(library)));
        require(packaged.startsWith("FAILED ABI_MISMATCH\n"), packaged);
        requireParts(packaged, parts);
        requireParts(packaged, fake + ".jar!/" + Staged.RESOURCE);
        String explicit = explicit(library);
        require(explicit.startsWith("FAILED ABI_MISMATCH\n"), explicit);
        requireParts(explicit, parts);
        requireParts(explicit, library.toString());
    }
}
