package io.ferronet.netty.compression;

import io.ferronet.api.Codec;
import io.ferronet.api.DeflateConfig;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.util.internal.ObjectUtil;

/** How to compress, in Netty's terms: levels as zlib counts them, window bits and memory level with Netty's defaults. */
record DeflateSettings(ZlibWrapper wrapper, int level, int windowBits, int memLevel) {
    static final int DEFAULT_LEVEL = 6;
    static final int DEFAULT_WINDOW_BITS = 15;
    static final int DEFAULT_MEM_LEVEL = 8;

    private static final int LOWEST_LEVEL = -1;
    private static final int HIGHEST_LEVEL = 9;

    DeflateSettings {
        ObjectUtil.checkNotNull(wrapper, "wrapper");
        if (wrapper == ZlibWrapper.ZLIB_OR_NONE) {
            throw new IllegalArgumentException("wrapper 'ZLIB_OR_NONE' is not allowed for compression: use ZLIB or NONE");
        }
        if (level != FerronetZlibEncoder.FASTEST) {
            ObjectUtil.checkInRange(level, LOWEST_LEVEL, HIGHEST_LEVEL, "compressionLevel");
        }
        ObjectUtil.checkInRange(windowBits, 9, 15, "windowBits");
        ObjectUtil.checkInRange(memLevel, 1, 9, "memLevel");
    }

    int format() {
        return switch (wrapper) {
            case GZIP -> Codec.GZIP;
            case NONE -> Codec.RAW;
            default -> Codec.ZLIB;
        };
    }

    int nativeLevel() {
        return switch (level) {
            case LOWEST_LEVEL -> DeflateConfig.LEVEL_DEFAULT;
            case 0 -> DeflateConfig.LEVEL_STORED;
            default -> level;
        };
    }

    /** 0 for the default, which the library may choose by the length of the body. */
    int nativeWindowBits() {
        return windowBits == DEFAULT_WINDOW_BITS ? 0 : windowBits;
    }

    int nativeMemLevel() {
        return memLevel == DEFAULT_MEM_LEVEL ? 0 : memLevel;
    }
}
