package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.ferronet.api.ReactorConfig;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What a {@link FerronetIoHandler} is built with. Every value has a default that needs no number. Immutable.
 */
public final class FerronetIoHandlerConfig {
    private static final int DEFAULT_LENT_BUFFERS = 128;
    private static final int DEFAULT_LENT_BUFFER_SIZE = 16 * 1024;
    private static final int DEFAULT_COPY_THRESHOLD = 2048;

    private final Backend backend;
    private final int submissionCapacity;
    private final int completionCapacity;
    private final int ringEntries;
    private final int lentBuffers;
    private final int lentBufferSize;
    private final int copyThreshold;
    private final long disabledRingFeatures;
    private final ByteBufAllocator allocator;

    private FerronetIoHandlerConfig(Builder builder) {
        backend = builder.backend;
        submissionCapacity = builder.submissionCapacity;
        completionCapacity = builder.completionCapacity;
        ringEntries = builder.ringEntries;
        lentBuffers = builder.lentBuffers;
        lentBufferSize = builder.lentBufferSize;
        copyThreshold = Math.min(builder.copyThreshold, builder.lentBufferSize);
        disabledRingFeatures = builder.disabledRingFeatures;
        allocator = builder.allocator;
    }

    /**
     * Starts a configuration with all defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The backend that is asked for.
     *
     * @return by default {@link Backend#AUTO}
     */
    public Backend backend() {
        return backend;
    }

    /**
     * Lent receive buffers of a loop at most.
     *
     * @return a power of two
     */
    public int lentBuffers() {
        return lentBuffers;
    }

    /**
     * Size of a lent receive buffer.
     *
     * @return bytes
     */
    public int lentBufferSize() {
        return lentBufferSize;
    }

    /**
     * The largest number of received bytes that are copied out of a lent buffer instead of handing a part of the buffer to the pipeline.
     *
     * @return bytes
     */
    public int copyThreshold() {
        return copyThreshold;
    }

    /**
     * The allocator of the lent buffers. A channel that uses another one receives into buffers of its own.
     *
     * @return by default {@link ByteBufAllocator#DEFAULT}
     */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    void write(ByteBuffer record, int flags) {
        record.putInt(ReactorConfig.OFFSET_SIZE, ReactorConfig.SIZE);
        record.putInt(ReactorConfig.OFFSET_BACKEND, backend.number());
        record.putInt(ReactorConfig.OFFSET_FLAGS, flags);
        record.putInt(ReactorConfig.OFFSET_SUBMISSION_CAPACITY, submissionCapacity);
        record.putInt(ReactorConfig.OFFSET_COMPLETION_CAPACITY, completionCapacity);
        record.putInt(ReactorConfig.OFFSET_RING_ENTRIES, ringEntries);
        record.putInt(ReactorConfig.OFFSET_LENT_CAPACITY, lentBuffers);
        record.putInt(ReactorConfig.OFFSET_RESERVED, 0);
        record.putLong(ReactorConfig.OFFSET_DISABLED_RING_FEATURES, disabledRingFeatures);
    }

    /** Builds a configuration. Not for use by several threads at once. */
    public static final class Builder {
        private Backend backend = Backend.AUTO;
        private int submissionCapacity;
        private int completionCapacity;
        private int ringEntries;
        private int lentBuffers = DEFAULT_LENT_BUFFERS;
        private int lentBufferSize = DEFAULT_LENT_BUFFER_SIZE;
        private int copyThreshold = DEFAULT_COPY_THRESHOLD;
        private long disabledRingFeatures;
        private ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;

        private Builder() {
        }

        /**
         * Asks for a backend. {@link Backend#AUTO} falls back and says why; the others fail if they are refused.
         *
         * @param backend the backend
         * @return this
         */
        public Builder backend(Backend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return this;
        }

        /**
         * Sets how many operations can be queued between two calls.
         *
         * @param records a power of two, 16 to 65,536
         * @return this
         */
        public Builder submissionCapacity(int records) {
            submissionCapacity = powerOfTwo("submissionCapacity", records, 16, 65_536);
            return this;
        }

        /**
         * Sets how many completions one turn can deliver.
         *
         * @param records a power of two, 16 to 65,536
         * @return this
         */
        public Builder completionCapacity(int records) {
            completionCapacity = powerOfTwo("completionCapacity", records, 16, 65_536);
            return this;
        }

        /**
         * Sets the submission entries of the ring of the io_uring backend.
         *
         * @param entries a power of two, 8 to 32,768
         * @return this
         */
        public Builder ringEntries(int entries) {
            ringEntries = powerOfTwo("ringEntries", entries, 8, 32_768);
            return this;
        }

        /**
         * Sets how many receive buffers a loop lends to its reactor at most. The first of them are allocated when the first channel reads, and twice as many
         * whenever a receive finds none free.
         *
         * @param buffers a power of two, 1 to 32,768
         * @return this
         */
        public Builder lentBuffers(int buffers) {
            lentBuffers = powerOfTwo("lentBuffers", buffers, 1, 32_768);
            return this;
        }

        /**
         * Sets the size of a lent receive buffer, which is also the largest number of bytes that one read delivers.
         *
         * @param bytes 64 to 16,777,216
         * @return this
         */
        public Builder lentBufferSize(int bytes) {
            lentBufferSize = range("lentBufferSize", bytes, 64, 1 << 24);
            return this;
        }

        /**
         * Sets up to which number of received bytes they are copied, so that the lent buffer can be used again.
         *
         * @param bytes 0 or more
         * @return this
         */
        public Builder copyThreshold(int bytes) {
            copyThreshold = range("copyThreshold", bytes, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Switches off abilities of the kernel, to measure or to work around a fault.
         *
         * @param features {@link io.ferronet.api.RingFeature} bits
         * @return this
         */
        public Builder disabledRingFeatures(long features) {
            disabledRingFeatures = features;
            return this;
        }

        /**
         * Sets the allocator of the lent buffers.
         *
         * @param allocator an allocator that any thread may use
         * @return this
         */
        public Builder allocator(ByteBufAllocator allocator) {
            this.allocator = Objects.requireNonNull(allocator, "allocator");
            return this;
        }

        /**
         * Finishes the configuration.
         *
         * @return the configuration
         */
        public FerronetIoHandlerConfig build() {
            return new FerronetIoHandlerConfig(this);
        }

        private static int powerOfTwo(String name, int value, int from, int to) {
            if (Integer.bitCount(value) != 1) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: a power of two from " + from + " to " + to + ")");
            }
            return range(name, value, from, to);
        }

        private static int range(String name, int value, int from, int to) {
            if (value < from || value > to) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: " + from + " to " + to + ")");
            }
            return value;
        }
    }
}
