package io.ferronet.bench;

import io.ferronet.netty.Ferronet;
import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * The smallest HTTPS server that a user could write, and nothing that only measures, so that the time from the start of the process to the first response
 * is the libraries'. Says on its first line where it listens, and how long the loading of the native libraries took.
 */
public final class StartUp {
    private StartUp() {
    }

    /**
     * Entry point.
     *
     * @param arguments {@code ferronet} or {@code tcnative}, the certificate's and the key's PEM files, and optionally {@code once} for a process that
     *     ends with its first connection
     * @throws Exception when a library is unavailable
     */
    public static void main(String[] arguments) throws Exception {
        boolean ferronet = arguments[0].equals("ferronet");
        File certificate = new File(arguments[1]);
        File key = new File(arguments[2]);
        long start = System.nanoTime();
        if (ferronet) {
            Ferronet.ensureAvailability();
        } else {
            Epoll.ensureAvailability();
            OpenSsl.ensureAvailability();
        }
        long loaded = System.nanoTime() - start;
        SslContext context = ferronet ? FerronetSslContextBuilder.forServer(certificate, key).build()
                : SslContextBuilder.forServer(certificate, key).sslProvider(SslProvider.OPENSSL_REFCNT).build();
        IoHandlerFactory handlers = ferronet ? FerronetIoHandler.newFactory() : EpollIoHandler.newFactory();
        Class<? extends ServerChannel> type = ferronet ? FerronetServerSocketChannel.class : EpollServerSocketChannel.class;
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
        boolean once = arguments.length > 3;
        Channel server = new ServerBootstrap().group(group).channel(type).childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(context.newHandler(channel.alloc()), new HttpServerCodec(), new Answer());
                if (once) {
                    channel.closeFuture().addListener(closed -> channel.parent().close());
                }
            }
        }).bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0)).sync().channel();
        System.out.println("READY port=" + ((InetSocketAddress) server.localAddress()).getPort() + " library_us=" + loaded / 1000);
        server.closeFuture().sync();
        group.shutdownGracefully();
    }

    private static final class Answer extends SimpleChannelInboundHandler<HttpObject> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (part instanceof LastHttpContent) {
                FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                        Unpooled.copiedBuffer("Hello, World!", StandardCharsets.US_ASCII));
                HttpUtil.setContentLength(response, response.content().readableBytes());
                context.writeAndFlush(response);
            }
        }
    }
}
