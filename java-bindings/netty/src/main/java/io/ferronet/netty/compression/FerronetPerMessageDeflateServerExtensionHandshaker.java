package io.ferronet.netty.compression;

import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionData;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionDecoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionEncoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilterProvider;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtension;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import io.netty.util.internal.ObjectUtil;

/**
 * Negotiates permessage-deflate (RFC 7692) as {@link PerMessageDeflateServerExtensionHandshaker} does, and compresses with the native library. Window
 * sizes are supported without further libraries. {@link FerronetDecompressionLimits} hold for each message that is received.
 */
public final class FerronetPerMessageDeflateServerExtensionHandshaker implements WebSocketServerExtensionHandshaker {
    /** The smallest window, as its base-two logarithm. */
    public static final int MIN_WINDOW_SIZE = PerMessageDeflateServerExtensionHandshaker.MIN_WINDOW_SIZE;
    /** The largest window, as its base-two logarithm. */
    public static final int MAX_WINDOW_SIZE = PerMessageDeflateServerExtensionHandshaker.MAX_WINDOW_SIZE;
    /** Memory for matches and codes unless told otherwise. */
    public static final int DEFAULT_MEM_LEVEL = DeflateSettings.DEFAULT_MEM_LEVEL;
    /** The least memory for matches and codes. */
    public static final int MIN_MEM_LEVEL = PerMessageDeflateServerExtensionHandshaker.MIN_MEM_LEVEL;
    /** The most memory for matches and codes. */
    public static final int MAX_MEM_LEVEL = PerMessageDeflateServerExtensionHandshaker.MAX_MEM_LEVEL;

    private final PerMessageDeflateServerExtensionHandshaker negotiation;
    private final int level;
    private final int memLevel;
    private final int maxAllocation;
    private final FerronetDecompressionLimits limits;
    private final WebSocketExtensionFilterProvider filters;

    /** Level 6; clients may choose the server's window; buffers of any size. */
    public FerronetPerMessageDeflateServerExtensionHandshaker() {
        this(0);
    }

    /**
     * Level 6; clients may choose the server's window.
     *
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int maxAllocation) {
        this(DeflateSettings.DEFAULT_LEVEL, true, MAX_WINDOW_SIZE, false, false, maxAllocation);
    }

    /**
     * What is negotiated; buffers of any size.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext) {
        this(compressionLevel, allowServerWindowSize, preferredClientWindowSize, allowServerNoContext, preferredClientNoContext, 0);
    }

    /**
     * What is negotiated.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext, int maxAllocation) {
        this(compressionLevel, allowServerWindowSize, preferredClientWindowSize, allowServerNoContext, preferredClientNoContext,
            WebSocketExtensionFilterProvider.DEFAULT, maxAllocation);
    }

    /**
     * What is negotiated, and the server's own window and memory.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     * @param serverWindowSize the largest window that the server compresses with, 8 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext, int serverWindowSize, int memLevel, int maxAllocation) {
        this(compressionLevel, allowServerWindowSize, preferredClientWindowSize, allowServerNoContext, preferredClientNoContext, serverWindowSize,
            memLevel, WebSocketExtensionFilterProvider.DEFAULT, maxAllocation);
    }

    /**
     * What is negotiated, and frames that are left out; buffers of any size.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     * @param filters says which frames are not compressed or decompressed
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext, WebSocketExtensionFilterProvider filters) {
        this(compressionLevel, allowServerWindowSize, preferredClientWindowSize, allowServerNoContext, preferredClientNoContext, filters, 0);
    }

    /**
     * What is negotiated, and frames that are left out.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     * @param filters says which frames are not compressed or decompressed
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext, WebSocketExtensionFilterProvider filters, int maxAllocation) {
        this(compressionLevel, allowServerWindowSize, preferredClientWindowSize, allowServerNoContext, preferredClientNoContext, MAX_WINDOW_SIZE,
            DEFAULT_MEM_LEVEL, filters, maxAllocation);
    }

    /**
     * All settings.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     * @param serverWindowSize the largest window that the server compresses with, 8 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     * @param filters says which frames are not compressed or decompressed
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext, int serverWindowSize, int memLevel,
            WebSocketExtensionFilterProvider filters, int maxAllocation) {
        this(compressionLevel, allowServerWindowSize, preferredClientWindowSize, allowServerNoContext, preferredClientNoContext, serverWindowSize,
            memLevel, filters, maxAllocation, FerronetDecompressionLimits.DEFAULT);
    }

    /**
     * All settings, frames that are left out, and other limits.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param allowServerWindowSize whether a client may choose the window that the server compresses with
     * @param preferredClientWindowSize the window that the client is asked to compress with, 8 to 15
     * @param allowServerNoContext whether a client may ask for messages that do not refer to each other
     * @param preferredClientNoContext whether the client is asked for such messages
     * @param serverWindowSize the largest window that the server compresses with, 8 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     * @param filters says which frames are not compressed or decompressed
     * @param maxAllocation largest buffer of decompressed content in bytes; 0 for none
     * @param limits how much a message may become
     */
    public FerronetPerMessageDeflateServerExtensionHandshaker(int compressionLevel, boolean allowServerWindowSize, int preferredClientWindowSize,
            boolean allowServerNoContext, boolean preferredClientNoContext, int serverWindowSize, int memLevel,
            WebSocketExtensionFilterProvider filters, int maxAllocation, FerronetDecompressionLimits limits) {
        this.limits = ObjectUtil.checkNotNull(limits, "limits");
        negotiation = new PerMessageDeflateServerExtensionHandshaker(compressionLevel, allowServerWindowSize, preferredClientWindowSize,
            allowServerNoContext, preferredClientNoContext, serverWindowSize, memLevel, filters, maxAllocation);
        level = compressionLevel;
        this.memLevel = memLevel;
        this.maxAllocation = maxAllocation;
        this.filters = filters;
    }

    @Override
    public WebSocketServerExtension handshakeExtension(WebSocketExtensionData extensionData) {
        WebSocketServerExtension agreed = negotiation.handshakeExtension(extensionData);
        if (agreed == null) {
            return null;
        }
        PerMessageDeflate codecs = new PerMessageDeflate(level, memLevel, maxAllocation, limits, filters,
            agreed.newReponseData().parameters(), "server", "client");
        return new WebSocketServerExtension() {
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

            @Override
            public WebSocketExtensionData newReponseData() {
                return agreed.newReponseData();
            }
        };
    }
}
