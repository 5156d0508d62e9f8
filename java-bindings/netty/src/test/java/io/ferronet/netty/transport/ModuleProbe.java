package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.ferronet.netty.Ferronet;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What {@link ModuleTest} runs with Ferronet and Netty as named modules: an echo on each backend. Uses public classes only. */
public final class ModuleProbe {
    private ModuleProbe() {
    }

    /**
     * Runs the echo.
     *
     * @param arguments none
     * @throws Exception if it fails
     */
    public static void main(String[] arguments) throws Exception {
        Ferronet.ensureAvailability();
        System.out.println(FerronetIoHandler.class.getModule() + ", " + Channel.class.getModule());
        for (Backend backend : new Backend[] {Backend.IO_URING, Backend.POLL}) {
            System.out.println(backend + " " + echo(backend));
        }
    }

    private static int echo(Backend backend) throws Exception {
        FerronetIoHandlerConfig config = FerronetIoHandlerConfig.builder().backend(backend).build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, FerronetIoHandler.newFactory(config));
        CompletableFuture<Integer> echoed = new CompletableFuture<>();
        Channel server = new ServerBootstrap().group(group).channel(FerronetServerSocketChannel.class).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        context.writeAndFlush(message);
                    }
                });
            }
        }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
        Channel client = new Bootstrap().group(group).channel(FerronetSocketChannel.class).handler(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                echoed.complete((int) message.readByte());
            }
        }).connect(server.localAddress()).sync().channel();
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {42}));
        int result = echoed.get(10, TimeUnit.SECONDS);
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        return result;
    }
}
