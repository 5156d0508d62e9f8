package io.ferronet.conformance.compression;

import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.netty.handler.codec.compression.JdkZlibEncoder;
import io.netty.handler.codec.compression.ZlibDecoder;
import io.netty.handler.codec.compression.ZlibEncoder;
import io.netty.handler.codec.compression.ZlibTest;
import io.netty.handler.codec.compression.ZlibWrapper;

/** The JDK's encoder, our decoder. */
class DecoderAgainstJdkTest extends ZlibTest {
    @Override
    protected ZlibEncoder createEncoder(ZlibWrapper wrapper) {
        return new JdkZlibEncoder(wrapper);
    }

    @Override
    protected ZlibDecoder createDecoder(ZlibWrapper wrapper, int maxAllocation) {
        return new FerronetZlibDecoder(wrapper, maxAllocation);
    }
}
