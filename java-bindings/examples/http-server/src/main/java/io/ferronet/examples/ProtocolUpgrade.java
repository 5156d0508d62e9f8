package io.ferronet.examples;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.handler.codec.http2.HttpToHttp2ConnectionHandler;
import io.netty.util.AsciiString;
import java.util.function.Supplier;

/** Answers {@code Upgrade: h2c} with HTTP/2. A request that has a body keeps its version, as it would have to be collected first. */
final class ProtocolUpgrade extends HttpServerUpgradeHandler {
    ProtocolUpgrade(HttpServerCodec codec, Supplier<HttpToHttp2ConnectionHandler> http2) {
        super(codec, protocol -> AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
            ? new Http2ServerUpgradeCodec(http2.get()) : null);
    }

    @Override
    protected boolean shouldHandleUpgradeRequest(HttpRequest request) {
        return !HttpUtil.isTransferEncodingChunked(request) && HttpUtil.getContentLength(request, 0L) == 0;
    }
}
