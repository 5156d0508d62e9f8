package io.ferronet.netty.compression;

import io.netty.util.internal.ObjectUtil;

/**
 * How much a compressed stream may become. A stream may give {@code ratioFloor} bytes whatever its own size, and {@code maxRatio} times the
 * bytes that were received above that; {@code maxOutput} bounds it absolutely. More is a
 * {@link io.netty.handler.codec.compression.DecompressionException}.
 *
 * @param maxOutput bytes that a stream (a body, with all gzip members, or a WebSocket message) may give; 0 for no such bound
 * @param ratioFloor bytes that a stream may give before its ratio counts; 0 for 16 MiB
 * @param maxRatio bytes of output for each byte of input; 0 for no such bound
 */
public record FerronetDecompressionLimits(long maxOutput, long ratioFloor, int maxRatio) {
    /** 16 MiB, or 200 bytes for each byte received above that. What the handlers use unless told. */
    public static final FerronetDecompressionLimits DEFAULT = new FerronetDecompressionLimits(0, 16L << 20, 200);
    /** No bound: what Netty does. For trusted peers only. */
    public static final FerronetDecompressionLimits UNBOUNDED = new FerronetDecompressionLimits(0, 0, 0);

    /** Checks the numbers. */
    public FerronetDecompressionLimits {
        ObjectUtil.checkPositiveOrZero(maxOutput, "maxOutput");
        ObjectUtil.checkPositiveOrZero(ratioFloor, "ratioFloor");
        ObjectUtil.checkPositiveOrZero(maxRatio, "maxRatio");
    }

    /**
     * An absolute bound beside the default ratio.
     *
     * @param bytes bytes that a stream may give
     * @return the limits
     */
    public static FerronetDecompressionLimits maxOutput(long bytes) {
        return new FerronetDecompressionLimits(ObjectUtil.checkPositive(bytes, "bytes"), DEFAULT.ratioFloor, DEFAULT.maxRatio);
    }
}
