package io.ferronet.bench.compression;

import io.ferronet.bench.compression.HttpServer.Loop;
import io.ferronet.netty.compression.FerronetDecompressionLimits;
import io.ferronet.netty.compression.FerronetHttpContentCompressor;
import io.ferronet.netty.compression.FerronetHttpContentDecompressor;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.compression.CompressionOptions;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpContentDecompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;

/**
 * Rows of CPU time per response over HTTP on loopback: that of the server's event loop, its system calls included. The peers take turns within a round,
 * and ratios are taken within it, against Netty's own codec on epoll; that one is there twice.
 */
public final class HttpMain {
    private static final int[] SIZES = {1024, 4096, 16 * 1024, 128 * 1024, 1024 * 1024};
    private static final int CONNECTIONS = 8;

    private final int rounds;
    private final long nanos;
    private final String only;
    private final Table table;

    private HttpMain(int rounds, int millis, String only, Table table) {
        this.rounds = rounds;
        this.nanos = millis * 1_000_000L;
        this.only = only;
        this.table = table;
    }

    /** A way to serve a row. */
    private record Way(String name, Loop loop, String encoding, Supplier<ChannelHandler> codec) {
    }

    /**
     * Runs the table.
     *
     * @param arguments {@code -rounds=N}, {@code -millis=N} of each sample, {@code -only=TEXT} in a row's name, {@code -raw=FILE} for all samples
     * @throws Exception when a server does not serve
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = 5;
        int millis = 80;
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
            new HttpMain(rounds, millis, only, new Table(raw)).run();
        }
        System.exit(0);
    }

    private void run() throws Exception {
        Loop epoll = Loop.epoll();
        Loop ring = Loop.ioUring();
        Loop ours = Loop.ferronet();
        Table.head();
        for (String name : new String[] {"varied", "repetitive"}) {
            for (int size : SIZES) {
                byte[] document = "varied".equals(name) ? Documents.varied(size) : Documents.repetitive(size);
                for (int level : new int[] {1, 6}) {
                    CompressionOptions gzip = StandardCompressionOptions.gzip(level, 15, 8);
                    Supplier<ChannelHandler> netty = () -> new HttpContentCompressor(gzip);
                    Supplier<ChannelHandler> ferronet = () -> new FerronetHttpContentCompressor(gzip);
                    row("gzip level " + level + ", " + size + " B " + name, document, null, List.of(
                        new Way("jdk, epoll", epoll, "gzip", netty),
                        new Way("jdk, epoll again", epoll, "gzip", netty),
                        new Way("ferronet, epoll", epoll, "gzip", ferronet),
                        new Way("jdk, io_uring", ring, "gzip", netty),
                        new Way("ferronet, ferronet", ours, "gzip", ferronet),
                        new Way("brotli4j, epoll", epoll, "br", () -> new HttpContentCompressor(StandardCompressionOptions.brotli())),
                        new Way("zstd, epoll", epoll, "zstd", () -> new HttpContentCompressor(StandardCompressionOptions.zstd()))));
                }
                Supplier<ChannelHandler> netty = () -> new HttpContentDecompressor(0);
                Supplier<ChannelHandler> ferronet = () -> new FerronetHttpContentDecompressor(false, 0, FerronetDecompressionLimits.DEFAULT);
                row("inflate, " + size + " B " + name, document, Main.gzip(document), List.of(
                    new Way("jdk, epoll", epoll, null, netty),
                    new Way("jdk, epoll again", epoll, null, netty),
                    new Way("ferronet, epoll", epoll, null, ferronet),
                    new Way("jdk, io_uring", ring, null, netty),
                    new Way("ferronet, ferronet", ours, null, ferronet)));
            }
        }
    }

    private void row(String name, byte[] document, byte[] upload, List<Way> ways) throws Exception {
        if (!name.contains(only)) {
            return;
        }
        List<HttpClient> clients = new ArrayList<>();
        List<HttpServer> servers = new ArrayList<>();
        int[] bytes = new int[ways.size()];
        for (int i = 0; i < ways.size(); i++) {
            Way way = ways.get(i);
            HttpServer server = HttpServer.start(way.loop, way.codec, document);
            servers.add(server);
            HttpClient client = new HttpClient(server.port(), CONNECTIONS, way.encoding, upload);
            clients.add(client);
            bytes[i] = validate(way, client.first(), document, upload);
        }
        for (int i = 0; i < ways.size(); i++) {
            sample(ways.get(i), clients.get(i), 6 * nanos);
        }
        for (int round = 0; round < rounds; round++) {
            double[] times = new double[ways.size()];
            for (int i = 0; i < times.length; i++) {
                int turn = (i + round) % times.length;
                times[turn] = sample(ways.get(turn), clients.get(turn), nanos);
            }
            for (int i = 0; i < times.length; i++) {
                table.add(name, ways.get(i).name, round, bytes[i], times[i]);
            }
        }
        table.print(name);
        for (int i = 0; i < ways.size(); i++) {
            clients.get(i).close();
            servers.get(i).stop();
        }
    }

    /** Whether the server sends what it should; the bytes of its body, or of the upload. */
    private static int validate(Way way, byte[] body, byte[] document, byte[] upload) throws IOException {
        if (upload != null) {
            if (!new String(body, StandardCharsets.US_ASCII).equals(Integer.toString(document.length))) {
                throw new IllegalStateException(way.name + " read " + new String(body, StandardCharsets.US_ASCII) + " of " + document.length + " bytes");
            }
            return upload.length;
        }
        if ("gzip".equals(way.encoding)) {
            byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
            if (!Arrays.equals(unpacked, document)) {
                throw new IllegalStateException(way.name + " sent something else");
            }
        }
        return body.length;
    }

    /** CPU time of the loop for one response, in microseconds. */
    private static double sample(Way way, HttpClient client, long nanos) throws IOException {
        long start = System.nanoTime();
        long before = way.loop.cpu();
        long count = 0;
        do {
            count += client.round();
        } while (System.nanoTime() - start < nanos);
        return (way.loop.cpu() - before) / 1000.0 / count;
    }
}
