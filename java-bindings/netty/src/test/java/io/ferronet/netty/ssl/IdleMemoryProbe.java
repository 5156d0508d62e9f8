package io.ferronet.netty.ssl;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.ObjectName;

/**
 * What {@link IdleMemoryTest} runs in a JVM of its own: the bytes of heap that an idle connection keeps, by the difference of two histograms. Of several batches of
 * connections the one in the middle counts: what the JVM itself allocates meanwhile, or frees, falls into some of them. The property {@code probe}: {@code ferronet},
 * {@code tcnative}, {@code jdk} or {@code none} (a channel without TLS); the version; the side that is kept.
 */
final class IdleMemoryProbe {
    private static final int BATCHES = 5;
    private static final int CONNECTIONS = 400;
    private static final int INSTANCES = 0;
    private static final int BYTES = 1;
    private static final int WARM_UP = 50;
    private static final int LISTED = 40;
    private static final int DATA = 1000;
    private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

    private static final X509Bundle KEY = Keys.server(Algorithm.ecp256);

    private IdleMemoryProbe() {
    }

    public static void main(String[] none) throws Exception {
        String[] arguments = System.getProperty("probe").split(" ");
        boolean server = arguments[2].equals("server");
        SslContext[] contexts = arguments[0].equals("none") ? null : contexts(arguments[0], arguments[1]);
        for (int i = 0; i < WARM_UP; i++) {
            connect(contexts, server);
        }
        List<EmbeddedChannel> kept = new ArrayList<>(BATCHES * CONNECTIONS);
        // Of every class, instances and bytes at the end of each batch; made before the batches, so that it is no part of what they add.
        Map<String, long[]> counts = new HashMap<>();
        count(counts, 0);
        for (int batch = 1; batch <= BATCHES; batch++) {
            for (int i = 0; i < CONNECTIONS; i++) {
                kept.add(connect(contexts, server));
            }
            count(counts, batch);
        }
        List<Integer> batches = IntStream.rangeClosed(1, BATCHES).boxed().sorted(Comparator.comparingLong(batch -> bytes(counts, batch))).toList();
        int middle = batches.get(BATCHES / 2);
        counts.entrySet().stream().filter(entry -> added(entry.getValue(), middle, INSTANCES) >= CONNECTIONS / 2)
            .sorted(Comparator.comparingLong(entry -> -added(entry.getValue(), middle, BYTES))).limit(LISTED)
            .forEach(entry -> System.out.println("  " + (added(entry.getValue(), middle, BYTES) + CONNECTIONS / 2) / CONNECTIONS + " bytes, "
                + (added(entry.getValue(), middle, INSTANCES) + CONNECTIONS / 2) / CONNECTIONS + " of " + entry.getKey()));
        System.out.println("batches " + batches.stream().map(batch -> bytes(counts, batch)).toList());
        System.out.println("bytes " + bytes(counts, middle));
        for (EmbeddedChannel channel : kept) {
            if (contexts != null && !channel.pipeline().get(SslHandler.class).handshakeFuture().isSuccess()) {
                throw new AssertionError("a connection is not open");
            }
        }
    }

    /** What a batch added to a class. */
    private static long added(long[] counts, int batch, int which) {
        return counts[2 * batch + which] - counts[2 * (batch - 1) + which];
    }

    /** What a batch added, for each of its connections. */
    private static long bytes(Map<String, long[]> counts, int batch) {
        return counts.values().stream().mapToLong(ofClass -> added(ofClass, batch, BYTES)).sum() / CONNECTIONS;
    }

    private static SslContext[] contexts(String what, String version) throws Exception {
        if (what.equals("ferronet")) {
            return new SslContext[] {FerronetSslContextBuilder.forClient().trustManager(KEY.toTrustManagerFactory()).protocols(version).build(),
                FerronetSslContextBuilder.forServer(KEY.getKeyPair().getPrivate(), KEY.getCertificatePathWithRoot()).protocols(version).build()};
        }
        SslProvider provider = what.equals("jdk") ? SslProvider.JDK : SslProvider.OPENSSL_REFCNT;
        return new SslContext[] {SslContextBuilder.forClient().sslProvider(provider).trustManager(KEY.toTrustManagerFactory()).protocols(version).build(),
            SslContextBuilder.forServer(KEY.getKeyPair().getPrivate(), KEY.getCertificatePathWithRoot()).sslProvider(provider).protocols(version).build()};
    }

    /** The side of a connection that is kept; the other is dropped as it is. */
    private static EmbeddedChannel connect(SslContext[] contexts, boolean keepServer) {
        EmbeddedChannel server = new EmbeddedChannel(contexts == null ? new ChannelInboundHandlerAdapter() : contexts[1].newHandler(ByteBufAllocator.DEFAULT));
        EmbeddedChannel client = new EmbeddedChannel(contexts == null ? new ChannelInboundHandlerAdapter()
            : contexts[0].newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443));
        exchange(client, server);
        for (EmbeddedChannel channel : new EmbeddedChannel[] {client, server, client, server}) {
            channel.writeOutbound(Unpooled.directBuffer(DATA).writeZero(DATA));
            exchange(client, server);
        }
        if (HandlerPair.received(client).length != 2 * DATA || HandlerPair.received(server).length != 2 * DATA) {
            throw new AssertionError("data is missing");
        }
        return keepServer ? server : client;
    }

    private static void exchange(EmbeddedChannel client, EmbeddedChannel server) {
        boolean moved = true;
        while (moved) {
            moved = HandlerPair.move(client, server) | HandlerPair.move(server, client);
        }
    }

    /** Counts instances and bytes of every class, after a collection. */
    private static void count(Map<String, long[]> counts, int batch) throws Exception {
        String text = null;
        for (int i = 0; i < 3; i++) {
            // What cleaners and finalizers hold is gone after the next collection.
            text = (String) ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
            Thread.sleep(100);
        }
        for (String line : text.split("\n")) {
            Matcher matcher = LINE.matcher(line);
            // What the collector fills gaps with belongs to nobody.
            if (matcher.matches() && !matcher.group(3).contains("FillerElement")) {
                long[] ofClass = counts.computeIfAbsent(matcher.group(3), name -> new long[2 * (BATCHES + 1)]);
                ofClass[2 * batch + INSTANCES] += Long.parseLong(matcher.group(1));
                ofClass[2 * batch + BYTES] += Long.parseLong(matcher.group(2));
            }
        }
    }
}
