package io.ferronet.netty.compression;

import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtension;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionData;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionDecoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionEncoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilterProvider;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import io.netty.util.internal.ObjectUtil;

/**
 * Negotiates permessage-deflate (RFC 7692) as {@link PerMessageDeflateClientExtensionHandshaker} does, and compresses with the native library. Window
 * sizes are supported without further libraries. {@link FerronetDecompressionLimits} hold for each message that is received.
 */
public final class FerronetPerMessageDeflateClientExtensionHandshaker implements WebSocketClientExtensionHandshaker {
    private final PerMessageDeflateClientExtensionHandshaker negotiation;
    private final int level;
    private final int maxAllocation;
    private final FerronetDecompressionLimits limits;
    private final WebSocketExtensionFilterProvider filters;

    /** Level 6; the server may choose the client's window; buffers of any size. */
    public FerronetPerMessageDeflateClientExtensionHandshaker() {
        this(0);
    }

    /**
     * Level 6; the server may choose the client's window.
     *
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateClientExtensionHandshaker(int maxAllocation) {
        this(DeflateSettings.DEFAULT_LEVEL, true, PerMessageDeflateServerExtensionHandshaker.MAX_WINDOW_SIZE, false, false, maxAllocation);
    }

    /**
     * What is negotiated; buffers of any size.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowClientWindowSize whether the server may choose the window that the client compresses with
     * @param requestedServerWindowSize the window that the server is asked to compress with, 8 to 15
     * @param allowClientNoContext whether the server may ask for messages that do not refer to each other
     * @param requestedServerNoContext whether the server is asked for such messages
     */
    public FerronetPerMessageDeflateClientExtensionHandshaker(int compressionLevel, boolean allowClientWindowSize, int requestedServerWindowSize,
            boolean allowClientNoContext, boolean requestedServerNoContext) {
        this(compressionLevel, allowClientWindowSize, requestedServerWindowSize, allowClientNoContext, requestedServerNoContext, 0);
    }

    /**
     * What is negotiated.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowClientWindowSize whether the server may choose the window that the client compresses with
     * @param requestedServerWindowSize the window that the server is asked to compress with, 8 to 15
     * @param allowClientNoContext whether the server may ask for messages that do not refer to each other
     * @param requestedServerNoContext whether the server is asked for such messages
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateClientExtensionHandshaker(int compressionLevel, boolean allowClientWindowSize, int requestedServerWindowSize,
            boolean allowClientNoContext, boolean requestedServerNoContext, int maxAllocation) {
        this(compressionLevel, allowClientWindowSize, requestedServerWindowSize, allowClientNoContext, requestedServerNoContext,
            WebSocketExtensionFilterProvider.DEFAULT, maxAllocation);
    }

    /**
     * What is negotiated, and frames that are left out; buffers of any size.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowClientWindowSize whether the server may choose the window that the client compresses with
     * @param requestedServerWindowSize the window that the server is asked to compress with, 8 to 15
     * @param allowClientNoContext whether the server may ask for messages that do not refer to each other
     * @param requestedServerNoContext whether the server is asked for such messages
     * @param filters says which frames are not compressed or decompressed
     */
    public FerronetPerMessageDeflateClientExtensionHandshaker(int compressionLevel, boolean allowClientWindowSize, int requestedServerWindowSize,
            boolean allowClientNoContext, boolean requestedServerNoContext, WebSocketExtensionFilterProvider filters) {
        this(compressionLevel, allowClientWindowSize, requestedServerWindowSize, allowClientNoContext, requestedServerNoContext, filters, 0);
    }

    /**
     * All settings, and frames that are left out.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowClientWindowSize whether the server may choose the window that the client compresses with
     * @param requestedServerWindowSize the window that the server is asked to compress with, 8 to 15
     * @param allowClientNoContext whether the server may ask for messages that do not refer to each other
     * @param requestedServerNoContext whether the server is asked for such messages
     * @param filters says which frames are not compressed or decompressed
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateClientExtensionHandshaker(int compressionLevel, boolean allowClientWindowSize, int requestedServerWindowSize,
            boolean allowClientNoContext, boolean requestedServerNoContext, WebSocketExtensionFilterProvider filters, int maxAllocation) {
        this(compressionLevel, allowClientWindowSize, requestedServerWindowSize, allowClientNoContext, requestedServerNoContext, filters, maxAllocation,
            FerronetDecompressionLimits.DEFAULT);
    }

    /**
     * All settings, frames that are left out, and other limits.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowClientWindowSize whether the server may choose the window that the client compresses with
     * @param requestedServerWindowSize the window that the server is asked to compress with, 8 to 15
     * @param allowClientNoContext whether the server may ask for messages that do not refer to each other
     * @param requestedServerNoContext whether the server is asked for such messages
     * @param filters says which frames are not compressed or decompressed
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     * @param limits how much a message may become
     */
    public FerronetPerMessageDeflateClientExtensionHandshaker(int compressionLevel, boolean allowClientWindowSize, int requestedServerWindowSize,
            boolean allowClientNoContext, boolean requestedServerNoContext, WebSocketExtensionFilterProvider filters, int maxAllocation,
            FerronetDecompressionLimits limits) {
        this.limits = ObjectUtil.checkNotNull(limits, "limits");
        negotiation = new PerMessageDeflateClientExtensionHandshaker(compressionLevel, allowClientWindowSize, requestedServerWindowSize,
            allowClientNoContext, requestedServerNoContext, filters, maxAllocation);
        level = compressionLevel;
        this.maxAllocation = maxAllocation;
        this.filters = filters;
    }

    @Override
    public WebSocketExtensionData newRequestData() {
        return negotiation.newRequestData();
    }

    @Override
    public WebSocketClientExtension handshakeExtension(WebSocketExtensionData extensionData) {
        WebSocketClientExtension agreed = negotiation.handshakeExtension(extensionData);
        if (agreed == null) {
            return null;
        }
        PerMessageDeflate codecs = new PerMessageDeflate(level, DeflateSettings.DEFAULT_MEM_LEVEL, maxAllocation, limits, filters,
            extensionData.parameters(), "client", "server");
        return new WebSocketClientExtension() {
            @Override
            public int rsv() {
                return agreed.rsv();
            }

            @Override
            public WebSocketExtensionEncoder newExtensionEncoder() {
                return codecs.encoder();
            }

            @Override
            public WebSocketExtensionDecoder newExtensionDecoder() {
                return codecs.decoder();
            }
        };
    }
}
