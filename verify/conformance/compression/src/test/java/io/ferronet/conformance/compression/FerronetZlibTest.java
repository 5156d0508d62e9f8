package io.ferronet.conformance.compression;

import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.ferronet.netty.compression.FerronetZlibEncoder;
import io.netty.handler.codec.compression.ZlibDecoder;
import io.netty.handler.codec.compression.ZlibEncoder;
import io.netty.handler.codec.compression.ZlibTest;
import io.netty.handler.codec.compression.ZlibWrapper;

/** Ours both ways. */
class FerronetZlibTest extends ZlibTest {
    @Override
    protected ZlibEncoder createEncoder(ZlibWrapper wrapper) {
        return new FerronetZlibEncoder(wrapper);
    }

    @Override
    protected ZlibDecoder createDecoder(ZlibWrapper wrapper, int maxAllocation) {
        return new FerronetZlibDecoder(wrapper, maxAllocation);
    }
}
