package io.ferronet.netty.compression;

import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;

/**
 * Offers permessage-deflate with the native library. Takes the place of
 * {@link io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler}, without the obsolete extension {@code deflate-frame}.
 */
public class FerronetWebSocketServerCompressionHandler extends WebSocketServerExtensionHandler {
    /**
     * Level 6; clients may choose the server's window.
     *
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetWebSocketServerCompressionHandler(int maxAllocation) {
        super(new FerronetPerMessageDeflateServerExtensionHandshaker(maxAllocation));
    }
}
