package io.ferronet.bench.compression;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The samples of a run, and the Markdown table of them. The first peer of a row is the one that all others are compared with. */
public final class Table {
    /** A row where ours is larger by more than this does not count as a win. */
    private static final double LARGER = 1.05;
    private static final int SMALL = 4096;
    private static final int MEDIUM = 16 * 1024;
    private static final int LARGE = 128 * 1024;
    private static final Pattern SAMPLE =
        Pattern.compile("\\{\"row\":\"([^\"]+)\",\"peer\":\"([^\"]+)\",\"round\":(\\d+),\"bytes\":(\\d+),\"us\":([0-9.]+)\\}");
    private static final Pattern ROW = Pattern.compile("(inflate|gzip level (\\d)), (\\d+) B (\\w+)");

    private final Map<String, Map<String, Column>> rows = new LinkedHashMap<>();
    private final PrintWriter raw;

    /** What a peer has in a row: a time for each round. */
    private static final class Column {
        private final List<Double> times = new ArrayList<>();
        private int bytes;
    }

    /** A table whose samples are written to that as well, a line of JSON each. */
    Table(PrintWriter raw) {
        this.raw = raw;
    }

    /**
     * Prints the table of samples that an earlier run has written.
     *
     * @param files what {@code -raw=FILE} gave
     * @throws IOException when a file cannot be read
     */
    public static void main(String[] files) throws IOException {
        Table table = new Table(new PrintWriter(PrintWriter.nullWriter()));
        for (String file : files) {
            for (String line : Files.readAllLines(Path.of(file), StandardCharsets.UTF_8)) {
                Matcher sample = SAMPLE.matcher(line);
                if (!sample.matches()) {
                    throw new IllegalArgumentException("no sample: " + line);
                }
                table.add(sample.group(1), sample.group(2), Integer.parseInt(sample.group(3)), Integer.parseInt(sample.group(4)),
                    Double.parseDouble(sample.group(5)));
            }
        }
        head();
        table.rows.keySet().forEach(table::print);
    }

    static void head() {
        System.out.println("| row | peer | bytes | us | ratio (smallest..largest) | |");
        System.out.println("| --- | --- | ---: | ---: | ---: | --- |");
    }

    /** A sample; those of a peer come in the order of the rounds. */
    void add(String row, String peer, int round, int bytes, double us) {
        Column column = rows.computeIfAbsent(row, ignored -> new LinkedHashMap<>()).computeIfAbsent(peer, ignored -> new Column());
        column.times.add(us);
        column.bytes = bytes;
        raw.printf(Locale.ROOT, "{\"row\":\"%s\",\"peer\":\"%s\",\"round\":%d,\"bytes\":%d,\"us\":%.2f}%n", row, peer, round, bytes, us);
    }

    /** Prints the lines of a row: medians over the rounds of the times, and of the ratios within a round. */
    void print(String row) {
        raw.flush();
        Column reference = null;
        for (Map.Entry<String, Column> peer : rows.get(row).entrySet()) {
            Column column = peer.getValue();
            reference = reference == null ? column : reference;
            int rounds = Math.min(column.times.size(), reference.times.size());
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                ratios[round] = column.times.get(round) / reference.times.get(round);
            }
            Arrays.sort(ratios);
            double[] times = column.times.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            String note = peer.getKey().startsWith("ferronet") ? note(row, ratios[rounds / 2], column.bytes / (double) reference.bytes) : "";
            System.out.printf(Locale.ROOT, "| %s | %s | %d | %.1f | %.2f (%.2f..%.2f) | %s |%n", row, peer.getKey(), column.bytes, times[rounds / 2],
                ratios[rounds / 2], ratios[0], ratios[rounds - 1], note);
        }
    }

    private static String note(String row, double ratio, double size) {
        if (size > LARGER) {
            return "larger by more than 5 %: no win";
        }
        double goal = goal(row);
        return goal == 0 ? "" : String.format(Locale.ROOT, "goal %.2f: %s", goal, ratio <= goal ? "reached" : "missed");
    }

    /** The ratio that a row is to reach; 0 for none. */
    private static double goal(String row) {
        Matcher parts = ROW.matcher(row);
        if (!parts.matches()) {
            return 0;
        }
        int size = Integer.parseInt(parts.group(3));
        if (parts.group(2) == null) {
            return size < MEDIUM ? 0.9 : 0.7;
        }
        if (size <= SMALL) {
            return 0.95;
        }
        if ("6".equals(parts.group(2))) {
            return 0.75;
        }
        if (size != LARGE) {
            return 0;
        }
        return "varied".equals(parts.group(4)) ? 0.7 : 0.45;
    }
}
