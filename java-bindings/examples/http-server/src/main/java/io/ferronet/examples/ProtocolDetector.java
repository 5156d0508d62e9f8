package io.ferronet.examples;

import io.ferronet.netty.compression.FerronetHttpContentCompressor;
import io.ferronet.netty.compression.FerronetHttpContentDecompressor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.HttpToHttp2ConnectionHandler;
import io.netty.handler.codec.http2.HttpToHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.InboundHttp2ToHttpAdapterBuilder;
import java.util.List;
import java.util.function.Supplier;

/**
 * Finds out by the first bytes of a connection whether the client speaks HTTP/2, sets the pipeline up, and leaves it. A client that begins with HTTP/1.1 may
 * ask for HTTP/2 by {@code Upgrade}. With both versions the same handlers see the same messages.
 */
final class ProtocolDetector extends ByteToMessageDecoder {
    private static final int MAX_LINE = 8 * 1024;
    private static final int MAX_HEADERS = 32 * 1024;
    private static final int MAX_CHUNK = 64 * 1024;
    /** Bytes of a request body over HTTP/2 at most, which is collected as a whole. */
    private static final int MAX_COLLECTED = 64 << 20;

    private final boolean gzip;
    private final Supplier<ChannelHandler> application;

    ProtocolDetector(boolean gzip, Supplier<ChannelHandler> application) {
        this.gzip = gzip;
        this.application = application;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
        try {
            int known = Math.min(in.readableBytes(), preface.readableBytes());
            boolean same = ByteBufUtil.equals(preface, preface.readerIndex(), in, in.readerIndex(), known);
            if (same && known < preface.readableBytes()) {
                return;
            }
            ChannelPipeline pipeline = context.pipeline();
            if (same) {
                pipeline.addLast(http2());
            } else {
                HttpServerCodec codec = http1();
                pipeline.addLast(codec, new ProtocolUpgrade(codec, ProtocolDetector::http2), new UpgradedRequest());
            }
            if (gzip) {
                pipeline.addLast(new FerronetHttpContentDecompressor(),
                    new FerronetHttpContentCompressor(StandardCompressionOptions.gzip(1, 15, 8), StandardCompressionOptions.deflate(1, 15, 8)));
            }
            pipeline.addLast(application.get());
            context.fireChannelActive();
            pipeline.remove(this);
        } finally {
            preface.release();
        }
    }

    /** Before a request there is nobody to answer: a client that speaks no TLS on its port, or fails in the handshake, was told by an alert. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    /** The handlers that follow hear of the connection when they are added. */
    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!context.channel().config().isAutoRead()) {
            context.read();
        }
    }

    private static HttpServerCodec http1() {
        return new HttpServerCodec(new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE).setMaxHeaderSize(MAX_HEADERS).setMaxChunkSize(MAX_CHUNK));
    }

    private static HttpToHttp2ConnectionHandler http2() {
        Http2Connection connection = new DefaultHttp2Connection(true);
        return new HttpToHttp2ConnectionHandlerBuilder()
            .connection(connection)
            .frameListener(new InboundHttp2ToHttpAdapterBuilder(connection).maxContentLength(MAX_COLLECTED).propagateSettings(false).build())
            .build();
    }
}
