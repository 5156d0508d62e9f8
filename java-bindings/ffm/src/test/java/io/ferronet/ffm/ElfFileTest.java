package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LibraryLoadException.Kind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ElfFileTest {
    private static final byte[] LIBRARY = Staged.content();

    private static Kind refused(byte[] content) {
        return assertThrows(LibraryLoadException.class, () -> ElfFile.check(content, "FILE")).kind();
    }

    @Test
    void theStagedLibraryIsSound() {
        assertDoesNotThrow(() -> ElfFile.check(LIBRARY, "FILE"));
        assertDoesNotThrow(() -> ElfFile.check(Staged.library()));
    }

    @Test
    void everyTruncationIsSeen() {
        for (int length = 0; length < LIBRARY.length; length += length < 1024 ? 1 : 50_021) {
            assertEquals(Kind.TRUNCATED, refused(Arrays.copyOf(LIBRARY, length)), "length " + length);
        }
        assertEquals(Kind.TRUNCATED, refused(Arrays.copyOf(LIBRARY, LIBRARY.length - 1)));
    }

    @Test
    void classByteOrderAndTypeAreChecked() {
        byte[] bits32 = LIBRARY.clone();
        bits32[4] = 1;
        assertEquals(Kind.WRONG_ARCHITECTURE, refused(bits32));
        byte[] bigEndian = LIBRARY.clone();
        bigEndian[5] = 2;
        assertEquals(Kind.WRONG_ARCHITECTURE, refused(bigEndian));
        byte[] relocatable = LIBRARY.clone();
        relocatable[16] = 1;
        LibraryLoadException exception = assertThrows(LibraryLoadException.class, () -> ElfFile.check(relocatable, "FILE"));
        assertEquals("FILE is not a shared library: ELF type 1 instead of 3", exception.getMessage());
        assertEquals(Kind.NOT_A_LIBRARY, exception.kind());
    }

    @Test
    void damageNeverDoesMoreThanBeRefused() {
        Random random = new Random(1);
        for (int round = 0; round < 2000; round++) {
            byte[] damaged = Arrays.copyOf(LIBRARY, LIBRARY.length);
            for (int i = 0; i < 4; i++) {
                damaged[random.nextInt(1024)] = (byte) random.nextInt();
            }
            try {
                ElfFile.check(damaged, "FILE");
            } catch (LibraryLoadException e) {
                assertTrue(Set.of(Kind.TRUNCATED, Kind.NOT_A_LIBRARY, Kind.WRONG_ARCHITECTURE, Kind.WRONG_LIBC).contains(e.kind()), e.toString());
            }
        }
    }

    @Test
    void theInterpreterTellsTheCLibrary() {
        assertDoesNotThrow(() -> ElfFile.check(Staged.library(), "/lib64/ld-linux-x86-64.so.2"));
        assertDoesNotThrow(() -> ElfFile.check(Staged.library(), (String) null), "what is unknown is no reason to refuse");
        for (String musl : List.of("/lib/ld-musl-x86_64.so.1", "/usr/lib/x86_64-linux-musl/libc.so")) {
            LibraryLoadException refused = assertThrows(LibraryLoadException.class, () -> ElfFile.check(Staged.library(), musl));
            assertEquals(Kind.WRONG_LIBC, refused.kind());
            assertEquals(Staged.library() + " is built for glibc (it needs libc.so.6), but this process runs on musl (" + musl
                + "): use a native library for that C library", refused.getMessage());
        }
    }

    @Test
    void aProcessThatWasStartedThroughItsInterpreterHasThatOne() throws Exception {
        Path interpreter = Path.of(ElfFile.interpreter());
        assertEquals(interpreter.toRealPath().toString(), ElfFile.interpreter(interpreter));
        assertNull(ElfFile.interpreter(Staged.library()), "a library is none");
        assertNull(ElfFile.interpreter(Path.of("/no/such/program")));
    }

    @Test
    void theInterpreterOfThisProcessIsKnown() {
        String interpreter = ElfFile.interpreter();
        assertTrue(Path.of(interpreter).getFileName().toString().startsWith("ld-"), interpreter);
    }
}
