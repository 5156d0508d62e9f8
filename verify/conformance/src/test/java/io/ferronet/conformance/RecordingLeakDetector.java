package io.ferronet.conformance;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps every leak report of the process, for {@link LeakCheck}; Netty itself only logs them. */
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    /** Called by Netty's factory, which finds the class by a system property. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    /** Looked up by Netty's factory too, for callers of its deprecated methods. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval, long ignoredMaxActive) {
        this(resourceType, samplingInterval);
    }

    static Queue<String> reports() {
        return REPORTS;
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        REPORTS.add(resourceType + " was not released: " + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        REPORTS.add(resourceType + " was not released");
    }
}
