package io.ferronet.netty.compression;

import io.netty.handler.codec.compression.DeflateOptions;
import io.netty.handler.codec.compression.ZlibWrapper;

/** Netty's compression options in our terms. Apart from {@link DeflateSettings}, which HTTP's options need not be present for. */
final class CodecSettings {
    private CodecSettings() {
    }

    static DeflateSettings of(ZlibWrapper wrapper, DeflateOptions options) {
        return options == null ? null : new DeflateSettings(wrapper, options.compressionLevel(), options.windowBits(), options.memLevel());
    }
}
