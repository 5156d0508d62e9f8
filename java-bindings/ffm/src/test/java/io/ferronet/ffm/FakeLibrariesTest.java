package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ferronet.api.AbiMismatchException;
import io.ferronet.api.AbiRequirement;
import io.ferronet.api.Status;
import java.io.IOException;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The libraries of {@code verify/abi/fakes} that pretend to be Ferronet: each is answered with the exact outcome of its table. */
class FakeLibrariesTest {
    private static final Pattern CASE = Pattern.compile("name=(\\w+) required=0x([0-9a-f]+) outcome=(\\w+) message=(.*)");

    @TempDir
    Path directory;

    private record Fake(String name, long required, String outcome, String message) {
        String messageFor(Path file) {
            AbiRequirement current = AbiRequirement.CURRENT;
            return message.replace("FILE", file.toString()).replace("REVISION+1", String.valueOf(current.builtFor() + 1))
                .replace("REVISION", String.valueOf(current.builtFor())).replace("FINGERPRINT", String.format("0x%016x", current.fingerprint()));
        }
    }

    private static List<Fake> fakes() throws IOException {
        return Files.readAllLines(Staged.repository("verify/abi/fakes/expected.txt")).stream()
            .filter(line -> !line.isEmpty() && !line.startsWith("#")).map(line -> {
                Matcher matcher = CASE.matcher(line);
                assertTrue(matcher.matches(), line);
                return new Fake(matcher.group(1), Long.parseUnsignedLong(matcher.group(2), 16), matcher.group(3), matcher.group(4));
            }).toList();
    }

    @Test
    void theMappedLibraryIsJudged() throws Exception {
        List<Fake> fakes = fakes();
        assertTrue(fakes.size() >= 12, "only " + fakes.size() + " fakes");
        DynamicLinker linker = new DynamicLinker();
        AbiRequirement current = AbiRequirement.CURRENT;
        for (Fake fake : fakes) {
            Path file = compile(Staged.repository("verify/abi/fakes/" + fake.name + ".c"));
            AbiRequirement required = new AbiRequirement(current.builtFor(), current.minimum(), current.fingerprint(), fake.required, current.version());
            SymbolLookup symbols = linker.open(file.toString());
            if (fake.outcome.equals("FERRONET_OK")) {
                assertEquals("fake", LibraryLoader.verify(linker, symbols, file.toString(), required).version(), fake.name);
            } else {
                AbiMismatchException refused = assertThrows(AbiMismatchException.class,
                    () -> LibraryLoader.verify(linker, symbols, file.toString(), required), fake.name);
                assertEquals(fake.messageFor(file), refused.getMessage());
                assertEquals(fake.outcome, Status.name(refused.status()), fake.name);
            }
        }
    }

    @Test
    void theBindingRefusesThemAll() throws Exception {
        for (Fake fake : fakes()) {
            if (fake.required != 0) {
                continue;
            }
            Path file = compile(Staged.repository("verify/abi/fakes/" + fake.name + ".c"));
            String output = new ChildJvm().option("-Dferronet.library.path=" + file).run("load");
            String message = fake.outcome.equals("FERRONET_OK") ? "but not its function ferronet_attach: replace the file" : fake.messageFor(file);
            assertTrue(output.startsWith("FAILED ABI_MISMATCH\n"), output);
            assertTrue(output.contains(message), () -> message + " is not in: " + output);
        }
    }

    @Test
    void aLibraryForMuslIsRefusedBeforeItIsMapped() throws Exception {
        Path source = Files.writeString(directory.resolve("libc.c"), "int stub(void);\nint stub(void) { return 1; }\n");
        Path libc = compile(source, "-nostdlib", "-Wl,-soname=libc.musl-x86_64.so.1");
        Path user = Files.writeString(directory.resolve("user.c"), "int stub(void);\nint use(void);\nint use(void) { return stub(); }\n");
        Path library = compile(user, "-nostdlib", libc.toString());
        assumeTrue(ElfFile.interpreter() != null && !ElfFile.interpreter().contains("ld-musl-"), "this process runs on musl");
        String output = new ChildJvm().option("-Dferronet.library.path=" + library).run("load");
        assertTrue(output.startsWith("FAILED WRONG_LIBC\n" + library + " is built for musl (it needs libc.musl-x86_64.so.1), but this process runs on glibc ("),
            output);
    }

    private Path compile(Path source, String... further) throws IOException, InterruptedException {
        Path library = directory.resolve(source.getFileName().toString().replace(".c", ".so"));
        List<String> command = new ArrayList<>(List.of("cc", "-shared", "-fPIC", "-I" + Staged.repository("headers"),
            "-o", library.toString(), source.toString()));
        command.addAll(List.of(further));
        Process compiler;
        try {
            compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "no C compiler `cc`: " + e.getMessage());
            throw e;
        }
        String messages = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, compiler.waitFor(), messages);
        return library;
    }
}
