package io.ferronet.netty.transport;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a class whose tests leaked a buffer. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Assertions.assertEquals(ResourceLeakDetector.Level.PARANOID, ResourceLeakDetector.getLevel(), "io.netty.leakDetection.level");
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release(); // The detector looks at its queue when something is allocated.
        }
        Assertions.assertNull(RecordingLeakDetector.pollBuffer(), "a buffer leaked");
    }
}
