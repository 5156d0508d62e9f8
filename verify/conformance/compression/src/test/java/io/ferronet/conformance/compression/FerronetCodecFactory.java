package io.ferronet.conformance.compression;

import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.ferronet.netty.compression.FerronetZlibEncoder;
import io.netty.handler.codec.compression.ZlibDecoder;
import io.netty.handler.codec.compression.ZlibEncoder;
import io.netty.handler.codec.compression.ZlibWrapper;

/** What the tests ask of Netty's {@code ZlibCodecFactory}, with our codecs. */
public final class FerronetCodecFactory {
    private FerronetCodecFactory() {
    }

    /** As {@code ZlibCodecFactory} has it. */
    public static boolean isSupportingWindowSizeAndMemLevel() {
        return true;
    }

    /** As {@code ZlibCodecFactory} has it. */
    public static ZlibEncoder newZlibEncoder(ZlibWrapper wrapper) {
        return new FerronetZlibEncoder(wrapper);
    }

    /** As {@code ZlibCodecFactory} has it. */
    public static ZlibEncoder newZlibEncoder(ZlibWrapper wrapper, int level) {
        return new FerronetZlibEncoder(wrapper, level);
    }

    /** As {@code ZlibCodecFactory} has it. */
    public static ZlibEncoder newZlibEncoder(ZlibWrapper wrapper, int level, int windowBits, int memLevel) {
        return new FerronetZlibEncoder(wrapper, level, windowBits, memLevel);
    }

    /** As {@code ZlibCodecFactory} has it. */
    public static ZlibDecoder newZlibDecoder(ZlibWrapper wrapper) {
        return newZlibDecoder(wrapper, 0);
    }

    /** As {@code ZlibCodecFactory} has it. */
    public static ZlibDecoder newZlibDecoder(ZlibWrapper wrapper, int maxAllocation) {
        return new FerronetZlibDecoder(wrapper, true, maxAllocation);
    }
}
