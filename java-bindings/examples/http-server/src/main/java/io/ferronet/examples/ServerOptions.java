package io.ferronet.examples;

import io.ferronet.api.Backend;
import java.util.Locale;

/**
 * The command line of {@link HttpServer}.
 *
 * @param port the port, 0 for a free one
 * @param backend the backend that the event loops ask for
 * @param threads event loops, 0 for one per processor
 * @param help whether only the usage is wanted
 */
record ServerOptions(int port, Backend backend, int threads, boolean help) {
    static final String USAGE = """
        usage: HttpServer [--port PORT] [--backend auto|io_uring|poll] [--threads N]
          --port PORT     listen on 127.0.0.1:PORT, 0 to 65535; 0 takes a free port (default 8080)
          --backend NAME  auto falls back from io_uring to poll and says why (default auto)
          --threads N     event loops, 0 to 1024; 0 is one per processor (default 0)
          --help          print this and exit
        """;
    private static final int DEFAULT_PORT = 8080;
    private static final int MAX_THREADS = 1024;

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException if it is wrong; the message says what, and what is expected
     */
    static ServerOptions parse(String... arguments) {
        int port = DEFAULT_PORT;
        Backend backend = Backend.AUTO;
        int threads = 0;
        boolean help = false;
        for (int i = 0; i < arguments.length; i++) {
            String option = arguments[i];
            switch (option) {
                case "--port" -> port = number(option, value(arguments, ++i), 0xffff);
                case "--backend" -> backend = backend(value(arguments, ++i));
                case "--threads" -> threads = number(option, value(arguments, ++i), MAX_THREADS);
                case "--help" -> help = true;
                default -> throw new IllegalArgumentException("unknown option " + option);
            }
        }
        return new ServerOptions(port, backend, threads, help);
    }

    private static String value(String[] arguments, int index) {
        if (index == arguments.length) {
            throw new IllegalArgumentException(arguments[index - 1] + " needs a value");
        }
        return arguments[index];
    }

    private static int number(String option, String text, int most) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below with everything else that is no number of the range.
        }
        throw new IllegalArgumentException(option + " " + text + " (expected: 0 to " + most + ")");
    }

    private static Backend backend(String text) {
        for (Backend backend : Backend.values()) {
            if (backend.name().toLowerCase(Locale.ROOT).equals(text)) {
                return backend;
            }
        }
        throw new IllegalArgumentException("--backend " + text + " (expected: auto, io_uring or poll)");
    }
}
