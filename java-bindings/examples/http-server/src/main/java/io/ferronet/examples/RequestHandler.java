package io.ferronet.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http2.HttpConversionUtil;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Answers the requests of one connection, in order; a request that the client sends while the last answer is still leaving waits its turn. */
final class RequestHandler extends ChannelInboundHandlerAdapter {
    private static final AsciiString TEXT = AsciiString.cached("text/plain; charset=utf-8");
    private static final AsciiString READ_METHODS = AsciiString.cached("GET, HEAD");
    private static final AsciiString UPLOAD_METHODS = AsciiString.cached("POST, PUT");
    /** The stream that a request of HTTP/2 came on, and its response must go to. */
    private static final AsciiString STREAM = HttpConversionUtil.ExtensionHeaderNames.STREAM_ID.text();
    /** Bytes of an uploaded body at most. */
    private static final long MAX_BODY = 1L << 30;

    private final ServerStatistics statistics;
    private HttpRequest request;
    private Upload upload;

    RequestHandler(ServerStatistics statistics) {
        this.statistics = statistics;
    }

    /** A body that is being received. */
    private static final class Upload {
        private final MessageDigest digest = sha256();
        private long length;

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        void add(ByteBuf content) {
            length += content.readableBytes();
            for (var part : content.nioBuffers()) {
                digest.update(part);
            }
        }

        String json() {
            return "{\"length\":" + length + ",\"sha256\":\"" + ByteBufUtil.hexDump(digest.digest()) + "\"}";
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        statistics.accepted();
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        statistics.closed();
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest next) {
                begin(context, next);
            }
            if (message instanceof HttpContent content && request != null) {
                receive(context, content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
        context.fireChannelReadComplete();
    }

    /** A client that does not read its answers is not read from either. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof DecompressionException && request != null) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, cause.getMessage());
            return;
        }
        if (!(cause instanceof IOException)) {
            System.err.println("closing " + context.channel() + ": " + cause);
        }
        context.close();
    }

    private void begin(ChannelHandlerContext context, HttpRequest next) {
        statistics.requested();
        request = next;
        upload = null;
        if (next.decoderResult().isFailure()) {
            refuse(context, status(next.decoderResult().cause()), next.decoderResult().cause().getMessage());
            return;
        }
        if (HttpUtil.getContentLength(next, 0L) > MAX_BODY) {
            refuse(context, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "a body may have " + MAX_BODY + " bytes");
            return;
        }
        if (HttpUtil.is100ContinueExpected(next)) {
            context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
        if (isUpload(next) && "/upload".equals(path(next))) {
            upload = new Upload();
        }
    }

    private static boolean isUpload(HttpRequest request) {
        return request.method().equals(HttpMethod.POST) || request.method().equals(HttpMethod.PUT);
    }

    private static HttpResponseStatus status(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return HttpResponseStatus.REQUEST_URI_TOO_LONG;
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
        }
        return HttpResponseStatus.BAD_REQUEST;
    }

    private void receive(ChannelHandlerContext context, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, content.decoderResult().cause().getMessage());
            return;
        }
        if (upload != null) {
            upload.add(content.content());
            if (upload.length > MAX_BODY) {
                refuse(context, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "a body may have " + MAX_BODY + " bytes");
                return;
            }
        }
        if (content instanceof LastHttpContent) {
            answer(context);
        }
    }

    private void answer(ChannelHandlerContext context) {
        String path = path(request);
        boolean reads = request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        switch (path) {
            case "/", "/json", "/stats" -> {
                if (reads) {
                    document(context, path);
                } else {
                    wrongMethod(context, READ_METHODS);
                }
            }
            case "/upload" -> {
                if (upload != null) {
                    send(context, HttpResponseStatus.OK, HttpHeaderValues.APPLICATION_JSON, text(upload.json()), null);
                } else {
                    wrongMethod(context, UPLOAD_METHODS);
                }
            }
            default -> send(context, HttpResponseStatus.NOT_FOUND, TEXT, text("no such document: " + path + '\n'), null);
        }
    }

    private void document(ChannelHandlerContext context, String path) {
        switch (path) {
            case "/" -> send(context, HttpResponseStatus.OK, TEXT, Documents.hello(), null);
            case "/json" -> send(context, HttpResponseStatus.OK, HttpHeaderValues.APPLICATION_JSON, Documents.json(), null);
            default -> send(context, HttpResponseStatus.OK, HttpHeaderValues.APPLICATION_JSON, text(statistics.json()), null);
        }
    }

    private void wrongMethod(ChannelHandlerContext context, AsciiString allowed) {
        send(context, HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, text(path(request) + " takes " + allowed + '\n'), allowed);
    }

    private void send(ChannelHandlerContext context, HttpResponseStatus status, AsciiString type, ByteBuf body, AsciiString allowed) {
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        boolean head = request.method().equals(HttpMethod.HEAD);
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, head ? Unpooled.EMPTY_BUFFER : body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type).setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        if (head) {
            body.release();
        }
        if (allowed != null) {
            response.headers().set(HttpHeaderNames.ALLOW, allowed);
        }
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        answerTo(request, response);
        request = null;
        upload = null;
        if (keepAlive) {
            context.write(response);
        } else {
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** Answers and closes: what follows on the connection cannot be understood, or is not wanted. */
    private void refuse(ChannelHandlerContext context, HttpResponseStatus status, String why) {
        ByteBuf body = text(why + '\n');
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, TEXT).setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
            .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        answerTo(request, response);
        request = null;
        upload = null;
        context.channel().config().setAutoRead(false);
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    private static void answerTo(HttpRequest request, FullHttpResponse response) {
        String stream = request.headers().get(STREAM);
        if (stream != null) {
            response.headers().set(STREAM, stream);
        }
    }

    private static String path(HttpRequest request) {
        String uri = request.uri();
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }
}
