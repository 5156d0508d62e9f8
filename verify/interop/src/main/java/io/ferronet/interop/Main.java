package io.ferronet.interop;

import io.netty.handler.ssl.OpenSsl;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs cells of the matrix in this one process: {@code Main OPENSSL DIRECTORY CELLS}, where the last names a file with a cell, or the name of a test of {@link Commands}, on each line. Prints {@code ok CELL} or
 * {@code not ok CELL - why} for each.
 */
public final class Main {
    /** How long anything may take. */
    static final int SECONDS = 15;

    private Main() {
    }

    /**
     * Runs the cells.
     *
     * @param arguments the program, a directory for keys and logs, and the file of cells
     * @throws Exception if the run cannot begin
     */
    public static void main(String[] arguments) throws Exception {
        OpenSsl.ensureAvailability();
        System.out.println("# java " + Runtime.version() + ", " + OpenSsl.versionString());
        try (Loops loops = new Loops()) {
            Path directory = Path.of(arguments[1]);
            Openssl openssl = new Openssl(arguments[0], directory);
            Identities identities = new Identities(directory);
            Matrix matrix = new Matrix(loops, openssl, identities);
            Commands commands = new Commands(loops, openssl, identities);
            for (String name : Files.readAllLines(Path.of(arguments[2]))) {
                long start = System.nanoTime();
                String outcome = outcome(matrix, commands, name);
                System.out.println(outcome + "\n# took " + (System.nanoTime() - start) / 1_000_000 + " ms");
            }
        }
        System.exit(0);
    }

    private static String outcome(Matrix matrix, Commands commands, String name) {
        try {
            if (name.startsWith("commands/")) {
                commands.run(name);
            } else {
                matrix.run(Cell.parse(name));
            }
            return "ok " + name;
        } catch (Exception | Error e) {
            return "not ok " + name + " - " + (e.getMessage() == null ? e.toString() : e.getMessage()).replaceAll("\\s+", " ");
        }
    }
}
