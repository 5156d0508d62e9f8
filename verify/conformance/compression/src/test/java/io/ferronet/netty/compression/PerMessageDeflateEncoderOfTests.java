package io.ferronet.netty.compression;

import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilter;

/** Our encoder of messages with the constructors that Netty's tests call. */
public final class PerMessageDeflateEncoderOfTests extends PerMessageDeflate.Encoder {
    /** Without a filter. */
    public PerMessageDeflateEncoderOfTests(int level, int window, boolean noContext) {
        this(level, window, noContext, WebSocketExtensionFilter.NEVER_SKIP);
    }

    /** With a filter. */
    public PerMessageDeflateEncoderOfTests(int level, int window, boolean noContext, WebSocketExtensionFilter filter) {
        super(level, window, DeflateSettings.DEFAULT_MEM_LEVEL, noContext, filter);
    }
}
