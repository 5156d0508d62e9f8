package io.ferronet.bench.compression;

import io.netty.handler.codec.compression.StandardCompressionOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.zip.GZIPOutputStream;

/**
 * Rows of CPU time per body: the median over rounds in which the peers take turns, and the median of the ratios within a round. The first peer is the
 * reference, and is there twice: the ratio of the two says how far equal things lie apart.
 */
public final class Main {
    private static final int[] SIZES = {1024, 4096, 16 * 1024, 128 * 1024, 1024 * 1024};
    private static final int[] LEVELS = {1, 6};
    /** A row where ours is larger by more than this does not count as a win. */
    private static final double LARGER = 1.05;

    private final int rounds;
    private final long nanos;
    private final String only;

    private Main(int rounds, int millis, String only) {
        this.rounds = rounds;
        this.nanos = millis * 1_000_000L;
        this.only = only;
    }

    /**
     * Runs the table.
     *
     * @param arguments {@code -rounds=N}, {@code -millis=N} of each sample, {@code -only=TEXT} in a row's name
     * @throws IOException never
     */
    public static void main(String[] arguments) throws IOException {
        int rounds = 9;
        int millis = 200;
        String only = "";
        for (String argument : arguments) {
            String value = argument.substring(argument.indexOf('=') + 1);
            switch (argument.split("=")[0]) {
                case "-rounds" -> rounds = Integer.parseInt(value);
                case "-millis" -> millis = Integer.parseInt(value);
                case "-only" -> only = value;
                default -> throw new IllegalArgumentException("unknown argument " + argument);
            }
        }
        new Main(rounds, millis, only).run();
    }

    private void run() throws IOException {
        System.out.println("| row | peer | bytes | us | ratio | |");
        System.out.println("| --- | --- | ---: | ---: | ---: | --- |");
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
        double[][] times = new double[peers.size()][rounds];
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < peers.size(); i++) {
                int turn = (i + round) % peers.size();
                times[turn][round] = sample(peers.get(turn), nanos);
            }
        }
        int reference = peers.get(0).once();
        for (int i = 0; i < peers.size(); i++) {
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                ratios[round] = times[i][round] / times[0][round];
            }
            int bytes = peers.get(i).once();
            String note = i == 2 && bytes > reference * LARGER ? "larger by more than 5 %: no win" : "";
            System.out.printf(Locale.ROOT, "| %s | %s | %d | %.1f | %.2f | %s |%n", name, peers.get(i).name, bytes, median(times[i]), median(ratios), note);
        }
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

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
