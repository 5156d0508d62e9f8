package io.ferronet.examples;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpServerUpgradeHandler.UpgradeEvent;
import io.netty.handler.codec.http2.HttpConversionUtil;
import io.netty.util.ReferenceCountUtil;

/** Hands the request that asked for HTTP/2 on as that of the first stream, which it is (RFC 7540, 3.2). */
final class UpgradedRequest extends ChannelInboundHandlerAdapter {
    private static final int FIRST_STREAM = 1;

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof UpgradeEvent upgrade) {
            FullHttpRequest request = upgrade.upgradeRequest().retain();
            request.headers().setInt(HttpConversionUtil.ExtensionHeaderNames.STREAM_ID.text(), FIRST_STREAM);
            ReferenceCountUtil.release(event);
            ctx.fireChannelRead(request);
            ctx.fireChannelReadComplete();
            ctx.pipeline().remove(this);
            return;
        }
        ctx.fireUserEventTriggered(event);
    }
}
