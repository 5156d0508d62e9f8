package com.example.stranger;

import io.ferronet.netty.compression.FerronetHttpContentCompressor;
import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** An HTTPS server that answers everything with the same text, compressed on request. */
public final class Server implements AutoCloseable {
    /** What it answers. */
    public static final String TEXT = "Hello, stranger! ".repeat(100);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, FerronetIoHandler.newFactory());
    private final ChannelGroup children = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final SslContext tls;
    private final Channel channel;

    /**
     * Starts it on a free port.
     *
     * @param certificate a PEM file
     * @param key a PEM file
     */
    public Server(File certificate, File key) throws Exception {
        tls = FerronetSslContextBuilder.forServer(certificate, key).build();
        channel = new ServerBootstrap().group(group).channel(FerronetServerSocketChannel.class).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel child) {
                children.add(child);
                child.pipeline().addLast(tls.newHandler(child.alloc()), new HttpServerCodec(), new FerronetHttpContentCompressor(),
                    new HttpObjectAggregator(1 << 16), new Answer());
            }
        }).bind("127.0.0.1", 0).sync().channel();
    }

    /** The port. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Waits until it is closed by something else. */
    public void await() throws InterruptedException {
        channel.closeFuture().sync();
    }

    @Override
    public void close() throws InterruptedException {
        channel.close().sync();
        children.close().sync();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        ReferenceCountUtil.release(tls);
    }

    private static final class Answer extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                Unpooled.copiedBuffer(TEXT, StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain");
            boolean keepAlive = HttpUtil.isKeepAlive(request);
            HttpUtil.setContentLength(response, response.content().readableBytes());
            HttpUtil.setKeepAlive(response, keepAlive);
            var written = context.writeAndFlush(response);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }
}
