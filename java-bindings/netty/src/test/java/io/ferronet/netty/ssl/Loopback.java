package io.ferronet.netty.ssl;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A server that echoes and its clients, on Netty's NIO, with TLS handlers of the test. Every wait is bounded. */
final class Loopback implements AutoCloseable {
    static final int SECONDS = 20;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<SslHandler> servers = new LinkedBlockingQueue<>();
    private final Channel listener;

    Loopback(Function<Channel, SslHandler> handlers) throws InterruptedException {
        listener = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                SslHandler handler = handlers.apply(channel);
                servers.add(handler);
                channel.pipeline().addLast(handler, new Echo());
            }
        }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** The server's handler of the next connection, once its handshake is over. */
    SslHandler server() throws InterruptedException {
        SslHandler handler = servers.poll(SECONDS, TimeUnit.SECONDS);
        handler.handshakeFuture().await(SECONDS, TimeUnit.SECONDS);
        return handler;
    }

    Client connect(Function<Channel, SslHandler> handlers, ChannelHandler... more) throws InterruptedException {
        Client client = new Client();
        client.channel = new Bootstrap().group(group).channel(NioSocketChannel.class).handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                client.handler = handlers.apply(channel);
                channel.pipeline().addLast(client.handler).addLast(more).addLast(client);
            }
        }).connect(listener.localAddress()).sync().channel();
        return client;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(SECONDS, TimeUnit.SECONDS);
    }

    private static final class Echo extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            context.writeAndFlush(message.retain());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** A connection; the failure of its handshake is its handler's. */
    static final class Client extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        private byte[] sent;
        private ByteBuf received;
        Channel channel;
        SslHandler handler;

        byte[] echo(byte[] data) throws InterruptedException, ExecutionException, TimeoutException {
            sent = data;
            received = Unpooled.buffer(data.length);
            channel.writeAndFlush(Unpooled.wrappedBuffer(data)).addListener(future -> {
                if (!future.isSuccess()) {
                    answer.completeExceptionally(future.cause());
                }
            });
            return answer.get(SECONDS, TimeUnit.SECONDS);
        }

        Throwable failure() {
            handler.handshakeFuture().awaitUninterruptibly(SECONDS, TimeUnit.SECONDS);
            return handler.handshakeFuture().cause();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            received.writeBytes(message);
            if (received.readableBytes() >= sent.length) {
                byte[] bytes = new byte[received.readableBytes()];
                received.readBytes(bytes);
                answer.complete(bytes);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            answer.completeExceptionally(new java.nio.channels.ClosedChannelException());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            answer.completeExceptionally(cause);
            context.close();
        }
    }
}
