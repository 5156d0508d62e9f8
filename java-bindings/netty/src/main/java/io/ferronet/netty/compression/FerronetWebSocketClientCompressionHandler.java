package io.ferronet.netty.compression;

import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.DeflateFrameClientExtensionHandshaker;

/**
 * Asks for permessage-deflate with the native library. Takes the place of
 * {@link io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketClientCompressionHandler}; the obsolete extension {@code deflate-frame} is
 * left to Netty's own codec, whose output only {@code maxAllocation} bounds.
 */
@ChannelHandler.Sharable
public final class FerronetWebSocketClientCompressionHandler extends WebSocketClientExtensionHandler {
    /** Buffers of any size. */
    public static final FerronetWebSocketClientCompressionHandler INSTANCE = new FerronetWebSocketClientCompressionHandler(0);

    /**
     * Level 6; the server may choose the client's window.
     *
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetWebSocketClientCompressionHandler(int maxAllocation) {
        super(new FerronetPerMessageDeflateClientExtensionHandshaker(maxAllocation), new DeflateFrameClientExtensionHandshaker(false, maxAllocation),
            new DeflateFrameClientExtensionHandshaker(true, maxAllocation));
    }
}
