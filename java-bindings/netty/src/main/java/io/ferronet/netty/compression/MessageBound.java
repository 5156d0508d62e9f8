package io.ferronet.netty.compression;

import io.netty.handler.codec.compression.DecompressionException;

/** How far a message of a stream is within its limits. The stream goes on behind it, so that the library cannot count for the message alone. */
final class MessageBound {
    private final FerronetDecompressionLimits limits;
    private long input;
    private long output;

    MessageBound(FerronetDecompressionLimits limits) {
        this.limits = limits;
    }

    /** Begins the next message. */
    void reset() {
        input = 0;
        output = 0;
    }

    /** Counts so many bytes more; whether they are too many. */
    boolean isExceededBy(int consumed, int produced) {
        input += consumed;
        output += produced;
        return isTooLong() || limits.maxRatio() != 0 && output > floor() && output > input * limits.maxRatio();
    }

    private boolean isTooLong() {
        return limits.maxOutput() != 0 && output > limits.maxOutput();
    }

    private long floor() {
        return limits.ratioFloor() == 0 ? FerronetDecompressionLimits.DEFAULT.ratioFloor() : limits.ratioFloor();
    }

    /** What is too much, which bound says so, and the remedy. */
    DecompressionException failure() {
        String rule = isTooLong() ? "maxOutput is " + limits.maxOutput() : "maxRatio is " + limits.maxRatio() + " above " + floor() + " bytes";
        return new DecompressionException("inflate failed: FERRONET_ERR_LIMIT: " + input + " bytes of a message gave " + output + " bytes or more, but " + rule
            + ": refuse the message, or raise the bound if the peer is trusted; FerronetDecompressionLimits has the bounds");
    }
}
