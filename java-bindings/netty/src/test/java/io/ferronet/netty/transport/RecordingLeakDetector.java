package io.ferronet.netty.transport;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Collects the leaks that Netty finds. Chosen by {@code io.netty.customResourceLeakDetector}.
 *
 * @param <T> type of the tracked resources
 */
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

    /**
     * Called by Netty.
     *
     * @param resourceType type of the tracked resources
     * @param samplingInterval interval of the samples
     */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    /**
     * Looked up by Netty, for callers of a method that it has deprecated.
     *
     * @param resourceType type of the tracked resources
     * @param samplingInterval interval of the samples
     * @param ignored the most resources at a time, which Netty does not look at any more
     */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval, long ignored) {
        this(resourceType, samplingInterval);
    }

    /**
     * The next report, which is forgotten.
     *
     * @return what was not released, or {@code null}
     */
    public static String poll() {
        return LEAKS.poll();
    }

    /** The next report of a buffer; those of other resources, which tests need not release, are forgotten. */
    static String pollBuffer() {
        String leak = LEAKS.poll();
        while (leak != null && leak.startsWith("FerronetSsl")) {
            leak = LEAKS.poll();
        }
        return leak;
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        LEAKS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        LEAKS.add(resourceType);
    }
}
