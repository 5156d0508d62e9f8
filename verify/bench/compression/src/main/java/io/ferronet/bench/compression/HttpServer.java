package io.ferronet.bench.compression;

import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Answers GET with a document, and POST with the number of bytes that its body had. */
final class HttpServer {
    private final Channel channel;

    private HttpServer(Channel channel) {
        this.channel = channel;
    }

    /** One event loop. */
    record Loop(EventLoopGroup group, ChannelFactory<? extends ServerChannel> channels, long thread) {
        static Loop epoll() throws Exception {
            return of(EpollIoHandler.newFactory(), EpollServerSocketChannel::new);
        }

        static Loop ioUring() throws Exception {
            return of(IoUringIoHandler.newFactory(), IoUringServerSocketChannel::new);
        }

        static Loop ferronet() throws Exception {
            return of(FerronetIoHandler.newFactory(), FerronetServerSocketChannel::new);
        }

        private static Loop of(IoHandlerFactory handlers, ChannelFactory<? extends ServerChannel> channels) throws Exception {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
            return new Loop(group, channels, group.submit(() -> Thread.currentThread().threadId()).get());
        }

        /** CPU time of the loop's thread in nanoseconds. */
        long cpu() {
            return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread);
        }
    }

    static HttpServer start(Loop loop, Supplier<ChannelHandler> codec, byte[] document) throws Exception {
        ByteBuf body = Unpooled.unreleasableBuffer(Unpooled.directBuffer(document.length).writeBytes(document));
        ServerBootstrap bootstrap = new ServerBootstrap().group(loop.group).channelFactory(loop.channels).childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel child) {
                child.pipeline().addLast(new HttpServerCodec(), codec.get(), new Responder(body));
            }
        });
        return new HttpServer(bootstrap.bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel());
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    void stop() throws Exception {
        channel.close().sync();
    }

    private static final class Responder extends ChannelInboundHandlerAdapter {
        private final ByteBuf document;
        private boolean upload;
        private int received;

        Responder(ByteBuf document) {
            this.document = document;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpRequest request) {
                upload = request.method().equals(HttpMethod.POST);
                received = 0;
            }
            if (message instanceof HttpContent content) {
                received += content.content().readableBytes();
            }
            if (message instanceof LastHttpContent) {
                ByteBuf body = upload ? Unpooled.copiedBuffer(Integer.toString(received), StandardCharsets.US_ASCII) : document.duplicate();
                FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
                response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
                response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
                ctx.writeAndFlush(response, ctx.voidPromise());
            }
            ReferenceCountUtil.release(message);
        }
    }
}
