package io.ferronet.contract;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs the contract cases against the Ferronet library that the binding loads.
 *
 * <p>Usage: {@code Main --cases DIR [--backend auto|io_uring|poll] [--only NAME,NAME...] [--fault NAME] [--limit MS]}. Prints
 * {@code ok BACKEND/CASE}, {@code not ok BACKEND/CASE - why} or {@code skip BACKEND/CASE - what is missing}.
 */
public final class Main {
    private static final Map<String, Long> BACKENDS = Map.of("auto", 0L, "io_uring", 1L, "poll", 2L);

    private String cases;
    private String backend = "auto";
    private List<String> only;
    private String fault;
    private long limit = 5000;

    private Main() {
    }

    /**
     * Runs the cases.
     *
     * @param args see the class
     * @throws Exception if the cases cannot be read or the library cannot be loaded
     */
    public static void main(String[] args) throws Exception {
        if (!new Main().read(args)) {
            System.err.println("usage: contract --cases DIR [--backend auto|io_uring|poll] [--only NAME,...] [--fault NAME] [--limit MS]");
            System.exit(2);
        }
        // Failed cases may leave threads inside of the library.
        Runtime.getRuntime().halt(passes(args) ? 0 : 1);
    }

    /**
     * Runs the cases in a process that goes on.
     *
     * @param args see the class
     * @return whether no case failed
     * @throws Exception if the cases cannot be read or the library cannot be loaded
     */
    public static boolean passes(String... args) throws Exception {
        Main main = new Main();
        if (!main.read(args)) {
            throw new IllegalArgumentException("wrong arguments: " + String.join(" ", args));
        }
        return main.run();
    }

    private boolean read(String[] args) {
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--cases" -> cases = args[i + 1];
                case "--backend" -> backend = args[i + 1];
                case "--only" -> only = List.of(args[i + 1].split(","));
                case "--fault" -> fault = args[i + 1];
                case "--limit" -> limit = Long.parseLong(args[i + 1]);
                default -> {
                    return false;
                }
            }
        }
        return args.length % 2 == 0 && cases != null && limit > 0 && BACKENDS.containsKey(backend);
    }

    private boolean run() throws Exception {
        Suite suite = Suite.load(Path.of(cases));
        FerronetBinding binding = FerronetBindings.load();
        boolean passed = true;
        for (Script script : suite.scripts) {
            if (!wanted(script)) {
                continue;
            }
            String name = backend + "/" + script.name();
            String missing = missing(script);
            if (missing != null) {
                System.out.println("skip " + name + " - " + missing);
                continue;
            }
            String failure = Runner.run(binding, suite, script, BACKENDS.get(backend), limit);
            passed &= failure == null;
            System.out.println(failure == null ? "ok " + name : "not ok " + name + " - " + failure);
        }
        System.out.flush();
        return passed;
    }

    private boolean wanted(Script script) {
        for (String need : script.needs()) {
            boolean other = switch (need) {
                case "io_uring", "poll" -> !need.equals(backend);
                default -> need.startsWith("fault=") && !need.equals("fault=" + fault);
            };
            if (other) {
                return false;
            }
        }
        return only == null || only.contains(script.name());
    }

    private static String missing(Script script) throws IOException {
        for (String need : script.needs()) {
            String missing = switch (need) {
                case "io_uring", "poll" -> null;
                case "ipv6" -> hasIpv6() ? null : "IPv6 on the loopback interface";
                case "no-bind-privilege" ->
                    hasBindPrivilege() ? "a process without CAP_NET_BIND_SERVICE: setpriv (util-linux) can start one" : null;
                case "privileged-ports" -> hasPrivilegedPorts() ? null : "ports that need a privilege";
                default -> need.startsWith("fault=") ? null : "an unknown need";
            };
            if (missing != null) {
                return missing;
            }
        }
        return null;
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the privilege for ports below 1024 (CAP_NET_BIND_SERVICE, bit 10) is in force. */
    private static boolean hasBindPrivilege() throws IOException {
        Path file = Path.of("/proc/self/status");
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith("CapEff:")) {
                    return (Long.parseUnsignedLong(line.substring(7).trim(), 16) >> 10 & 1) != 0;
                }
            }
        }
        return Files.isWritable(Path.of("/"));
    }

    private static boolean hasPrivilegedPorts() throws IOException {
        Path file = Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start");
        if (!Files.exists(file)) {
            return true;
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] number = new byte[16]; // The kernel gives such a file in one read; Files.readString begins with one byte.
            return Integer.parseInt(new String(number, 0, in.read(number), StandardCharsets.US_ASCII).trim()) > 1;
        }
    }
}
