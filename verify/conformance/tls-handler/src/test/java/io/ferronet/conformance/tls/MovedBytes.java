package io.ferronet.conformance.tls;

import io.ferronet.netty.ssl.HandlerBridge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Writes down, for each test class, how many handlers of ours each of its methods made, and how many bytes of data they moved while it ran. */
public final class MovedBytes implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private final Map<String, long[]> sums = new ConcurrentSkipListMap<>();
    private long handlers;
    private long bytes;

    @Override
    public void beforeEach(ExtensionContext context) {
        handlers = HandlerBridge.handlers();
        bytes = HandlerBridge.directBytes();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        long[] sum = sums.computeIfAbsent(context.getRequiredTestMethod().getName(), name -> new long[2]);
        sum[0] += HandlerBridge.handlers() - handlers;
        sum[1] += HandlerBridge.directBytes() - bytes;
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        String folder = System.getProperty("ferronet.moved");
        if (folder == null) {
            throw new IllegalStateException("the property ferronet.moved names no folder for what was moved");
        }
        Files.createDirectories(Path.of(folder));
        List<String> lines = sums.entrySet().stream().map(sum -> sum.getKey() + "\t" + sum.getValue()[0] + "\t" + sum.getValue()[1]).toList();
        Files.write(Path.of(folder, context.getRequiredTestClass().getSimpleName() + ".tsv"), lines);
        sums.clear();
    }
}
