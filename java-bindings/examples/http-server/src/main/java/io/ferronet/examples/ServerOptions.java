package io.ferronet.examples;

import io.ferronet.api.Backend;
import java.io.File;
import java.util.Locale;

/**
 * The command line of {@link HttpServer}.
 *
 * @param port the port, 0 for a free one
 * @param backend the backend that the event loops ask for
 * @param threads event loops, 0 for one per processor
 * @param gzip whether responses are compressed for clients that ask for it, and compressed bodies of requests accepted
 * @param tlsPort the port of https, 0 for a free one, -1 for no https
 * @param certificate the certificate chain of https, PEM; {@code null} for a self-signed one
 * @param key its key, PEM
 * @param help whether only the usage is wanted
 */
record ServerOptions(int port, Backend backend, int threads, boolean gzip, int tlsPort, File certificate, File key, boolean help) {
    static final String USAGE = """
        usage: HttpServer [--port PORT] [--backend auto|io_uring|poll] [--threads N] [--gzip on|off]
                          [--tls-port PORT [--cert FILE --key FILE]]
          --port PORT     listen on 127.0.0.1:PORT, 0 to 65535; 0 takes a free port (default 8080)
          --backend NAME  auto falls back from io_uring to poll and says why (default auto)
          --threads N     event loops, 0 to 1024; 0 is one per processor (default 0)
          --gzip on|off   compress responses and accept compressed requests, gzip and deflate (default on)
          --tls-port PORT serve https on 127.0.0.1:PORT too, 0 to 65535; 0 takes a free port (default none)
          --cert FILE     certificate chain of https, PEM (default a self-signed certificate, made at start)
          --key FILE      its private key, PEM
          --help          print this and exit
        """;
    static final int NO_TLS = -1;
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
        boolean gzip = true;
        int tlsPort = NO_TLS;
        File certificate = null;
        File key = null;
        boolean help = false;
        for (int i = 0; i < arguments.length; i++) {
            String option = arguments[i];
            switch (option) {
                case "--port" -> port = number(option, value(arguments, ++i), 0xffff);
                case "--backend" -> backend = backend(value(arguments, ++i));
                case "--threads" -> threads = number(option, value(arguments, ++i), MAX_THREADS);
                case "--gzip" -> gzip = onOrOff(option, value(arguments, ++i));
                case "--tls-port" -> tlsPort = number(option, value(arguments, ++i), 0xffff);
                case "--cert" -> certificate = file(option, value(arguments, ++i));
                case "--key" -> key = file(option, value(arguments, ++i));
                case "--help" -> help = true;
                default -> throw new IllegalArgumentException("unknown option " + option);
            }
        }
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException((key == null ? "--cert" : "--key") + " needs " + (key == null ? "--key" : "--cert") + " beside it");
        }
        if (certificate != null && tlsPort == NO_TLS) {
            throw new IllegalArgumentException("--cert needs --tls-port beside it");
        }
        return new ServerOptions(port, backend, threads, gzip, tlsPort, certificate, key, help);
    }

    private static File file(String option, String name) {
        File file = new File(name);
        if (!file.isFile()) {
            throw new IllegalArgumentException(option + " " + name + " (expected: a file that is there)");
        }
        return file;
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

    private static boolean onOrOff(String option, String text) {
        return switch (text) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException(option + " " + text + " (expected: on or off)");
        };
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
