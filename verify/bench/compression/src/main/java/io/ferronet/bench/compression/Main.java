package io.ferronet.bench.compression;

import io.netty.handler.codec.compression.StandardCompressionOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.zip.GZIPOutputStream;

/**
 * Rows of CPU time per body: the median over rounds in which the peers take turns, and the median of the ratios within a round. The first peer is the
 * reference, and is there twice: the ratio of the two says how far equal things lie apart.
 */
public final class Main {
    private static final int[] SIZES = {1024, 4096, 16 * 1024, 128 * 1024, 1024 * 1024};
    private static final int[] LEVELS = {1, 6};

    private final int rounds;
    private final long nanos;
    private final String only;
    private final Table table;

    private Main(int rounds, int millis, String only, Table table) {
        this.rounds = rounds;
        this.nanos = millis * 1_000_000L;
        this.only = only;
        this.table = table;
    }

    /**
     * Runs the table.
     *
     * @param arguments {@code -rounds=N}, {@code -millis=N} of each sample, {@code -only=TEXT} in a row's name, {@code -raw=FILE} for all samples
     * @throws IOException when the file cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        int rounds = 9;
        int millis = 200;
        String only = "";
        String file = "/dev/null";
        for (String argument : arguments) {
            String value = argument.substring(argument.indexOf('=') + 1);
            switch (argument.split("=")[0]) {
                case "-rounds" -> rounds = Integer.parseInt(value);
                case "-millis" -> millis = Integer.parseInt(value);
                case "-only" -> only = value;
                case "-raw" -> file = value;
                default -> throw new IllegalArgumentException("unknown argument " + argument);
            }
        }
        try (PrintWriter raw = new PrintWriter(file, StandardCharsets.UTF_8)) {
            new Main(rounds, millis, only, new Table(raw)).run();
        }
    }

    private void run() throws IOException {
        Table.head();
        List<Function<Integer, byte[]>> documents = List.of(Documents::varied, Documents::repetitive);
        String[] names = {"varied", "repetitive"};
        for (int i = 0; i < names.length; i++) {
            for (int size : SIZES) {
                byte[] document = documents.get(i).apply(size);
                for (int level : LEVELS) {
                    row("gzip level " + level + ", " + size + " B " + names[i], List.of(
                        Peer.netty("jdk", "gzip", StandardCompressionOptions.gzip(level, 15, 8), document),
                        Peer.netty("jdk-again", "gzip", StandardCompressionOptions.gzip(level, 15, 8), document),
                        Peer.ours("ferronet", "gzip", level, document),
                        Peer.netty("brotli4j", "br", StandardCompressionOptions.brotli(), document),
                        Peer.netty("zstd", "zstd", StandardCompressionOptions.zstd(), document)));
                }
                byte[] packed = gzip(document);
                row("inflate, " + size + " B " + names[i], List.of(Peer.body("jdk", false, packed), Peer.body("jdk-again", false, packed),
                    Peer.body("ferronet", true, packed)));
            }
        }
    }

    static byte[] gzip(byte[] document) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(document);
        }
        return packed.toByteArray();
    }

    private void row(String name, List<Peer> peers) {
        if (!name.contains(only)) {
            return;
        }
        for (Peer peer : peers) {
            // Until it is compiled.
            sample(peer, 5 * nanos);
        }
        for (int round = 0; round < rounds; round++) {
            double[] times = new double[peers.size()];
            for (int i = 0; i < times.length; i++) {
                int turn = (i + round) % times.length;
                times[turn] = sample(peers.get(turn), nanos);
            }
            for (int i = 0; i < times.length; i++) {
                table.add(name, peers.get(i).name, round, peers.get(i).once(), times[i]);
            }
        }
        table.print(name);
    }

    /** CPU time of this thread for one body, in microseconds. */
    private static double sample(Peer peer, long nanos) {
        var threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        long now;
        long count = 0;
        do {
            peer.once();
            count++;
            now = threads.getCurrentThreadCpuTime();
        } while (now - start < nanos);
        return (now - start) / 1000.0 / count;
    }
}
