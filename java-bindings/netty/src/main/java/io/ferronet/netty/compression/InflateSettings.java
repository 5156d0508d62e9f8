package io.ferronet.netty.compression;

import io.ferronet.api.Codec;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.util.internal.ObjectUtil;

/** How to decompress, in Netty's terms, and how far. */
record InflateSettings(ZlibWrapper wrapper, boolean concatenated, FerronetDecompressionLimits limits) {
    InflateSettings {
        ObjectUtil.checkNotNull(wrapper, "wrapper");
        ObjectUtil.checkNotNull(limits, "limits");
    }

    int format() {
        return switch (wrapper) {
            case GZIP -> Codec.GZIP;
            case ZLIB -> Codec.ZLIB;
            case NONE -> Codec.RAW;
            case ZLIB_OR_NONE -> Codec.AUTO;
        };
    }
}
