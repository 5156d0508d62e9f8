package io.ferronet.netty.compression;

import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilter;

/** Our decoder of messages with the constructors that Netty's tests call. */
public final class PerMessageDeflateDecoderOfTests extends PerMessageDeflate.Decoder {
    /** Without a filter. */
    public PerMessageDeflateDecoderOfTests(boolean noContext, int maxAllocation) {
        this(noContext, WebSocketExtensionFilter.NEVER_SKIP, maxAllocation);
    }

    /** With a filter. */
    public PerMessageDeflateDecoderOfTests(boolean noContext, WebSocketExtensionFilter filter, int maxAllocation) {
        super(noContext, filter, maxAllocation, FerronetDecompressionLimits.DEFAULT);
    }
}
