package io.ferronet.bench;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.net.httpserver.HttpServer;
import io.netty.channel.Channel;
import io.netty.util.Version;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the running process says about itself, served as JSON on a port of its own, off the measured loop. */
final class Metrics {
    private static final List<String> VM_OPTIONS = List.of(
            "MaxHeapSize", "InitialHeapSize", "UseSerialGC", "UseG1GC", "UseParallelGC", "TieredStopAtLevel",
            "UseDynamicNumberOfCompilerThreads", "ActiveProcessorCount");

    private Metrics() {
    }

    static int serve(Transport transport, Tls tls, Channel server, Options options) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        http.createContext("/metrics", exchange -> {
            byte[] body = json(values(transport, tls, server, options)).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        http.createContext("/memory", exchange -> {
            System.gc();
            var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
            byte[] body = json(Map.of("heap_used", heap.getUsed())).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        http.start();
        return http.getAddress().getPort();
    }

    private static Map<String, Object> values(Transport transport, Tls tls, Channel server, Options options) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("transport", transport.name());
        values.put("backend", transport.backend().get());
        values.put("library", transport.library().get());
        values.put("server_channel", server.getClass().getSimpleName());
        values.put("auto_read", options.autoRead());
        values.put("loop_threads", loopThreads());
        values.putAll(transport.counters().get());
        values.putAll(tls.seen());
        values.put("jit_ms", ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
        values.put("gc", gcNames());
        values.put("gc_count", gcTotal(GarbageCollectorMXBean::getCollectionCount));
        values.put("gc_ms", gcTotal(GarbageCollectorMXBean::getCollectionTime));
        values.put("heap_max", Runtime.getRuntime().maxMemory());
        values.put("jvm_arguments", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        values.put("vm_options", vmOptions());
        values.put("java", Runtime.version().toString());
        values.put("netty", nettyVersion());
        return values;
    }

    private static long loopThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith(Main.LOOP_NAME)).count();
    }

    private static String gcNames() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining("+"));
    }

    private static long gcTotal(java.util.function.ToLongFunction<GarbageCollectorMXBean> measure) {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(measure).sum();
    }

    private static String vmOptions() {
        HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return VM_OPTIONS.stream()
                .map(name -> name + "=" + vm.getVMOption(name).getValue())
                .collect(Collectors.joining(" "));
    }

    private static String nettyVersion() {
        return new TreeMap<>(Version.identify()).values().stream()
                .map(Version::artifactVersion)
                .distinct()
                .collect(Collectors.joining("+"));
    }

    private static String json(Map<String, Object> values) {
        return values.entrySet().stream()
                .map(e -> '"' + e.getKey() + "\":" + literal(e.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String literal(Object value) {
        return value instanceof String text
                ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : value.toString();
    }
}
