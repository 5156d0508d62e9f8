package io.ferronet.bench;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** Answers each request; with auto-read off it asks for the next message once it has answered the last. */
final class RequestHandler extends ChannelInboundHandlerAdapter {
    private final Responses responses;
    private final boolean autoRead;
    private String path;
    private boolean written;

    RequestHandler(Responses responses, boolean autoRead) {
        this.responses = responses;
        this.autoRead = autoRead;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!autoRead) {
            context.read();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest request) {
            path = request.uri();
        }
        if (message instanceof LastHttpContent) {
            context.write(responses.responseTo(path));
            written = true;
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (written) {
            written = false;
            context.flush();
        }
        if (!autoRead) {
            context.read();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
