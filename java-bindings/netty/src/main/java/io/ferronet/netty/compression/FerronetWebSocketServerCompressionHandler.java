package io.ferronet.netty.compression;

import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.DeflateFrameServerExtensionHandshaker;

/**
 * Offers permessage-deflate with the native library. Takes the place of
 * {@link io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler}; the obsolete extension {@code deflate-frame} is
 * left to Netty's own codec, whose output only {@code maxAllocation} bounds.
 */
public class FerronetWebSocketServerCompressionHandler extends WebSocketServerExtensionHandler {
    /** Level 6; clients may choose the server's window; buffers of any size. */
    public FerronetWebSocketServerCompressionHandler() {
        this(0);
    }

    /**
     * Level 6; clients may choose the server's window.
     *
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetWebSocketServerCompressionHandler(int maxAllocation) {
        super(new FerronetPerMessageDeflateServerExtensionHandshaker(maxAllocation),
            new DeflateFrameServerExtensionHandshaker(DeflateFrameServerExtensionHandshaker.DEFAULT_COMPRESSION_LEVEL, maxAllocation));
    }
}
