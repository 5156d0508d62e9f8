package io.ferronet.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a class that leaked a buffer, and leaves behind which channels it used. */
public final class LeakCheck implements AfterAllCallback {
    @Override
    public void afterAll(ExtensionContext context) throws IOException, InterruptedException {
        // The detector learns of a leak when the collector has cleared the buffer and another one is allocated.
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
            ByteBuf probe = PooledByteBufAllocator.DEFAULT.directBuffer(1);
            probe.release();
        }
        assertEquals(ResourceLeakDetector.Level.PARANOID, ResourceLeakDetector.getLevel());
        UsedChannels.write(Path.of(System.getProperty("ferronet.conformance.channels"), context.getRequiredTestClass().getSimpleName() + ".tsv"));
        assertTrue(RecordingLeakDetector.reports().isEmpty(), () -> String.join("\n", RecordingLeakDetector.reports()));
    }
}
