package io.ferronet.ffm;

import io.ferronet.api.LibraryLoadException;
import java.nio.file.Path;

/** Says whether a library fits into a process that runs a program: arguments are the two files. In the loader's package, whose check it calls. */
final class LibcProbe {
    private LibcProbe() {
    }

    public static void main(String[] arguments) throws Exception {
        String interpreter = ElfFile.interpreter(Path.of(arguments[1]));
        try {
            ElfFile.check(Path.of(arguments[0]), interpreter);
            System.out.println("FITS " + interpreter);
        } catch (LibraryLoadException e) {
            System.out.println("FAILED " + e.kind() + "\n" + e.getMessage());
        }
    }
}
