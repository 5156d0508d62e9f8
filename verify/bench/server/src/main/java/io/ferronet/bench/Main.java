package io.ferronet.bench;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Starts the server, prints one line that says where it listens, and runs until it is killed. */
public final class Main {
    static final int LOOPS = 1;
    /** The loop's thread is found by this name. */
    static final String LOOP_NAME = "bench-loop";

    private Main() {
    }

    /**
     * Entry point.
     *
     * @param arguments see {@link Options}
     * @throws Exception when the transport is unavailable or the port taken
     */
    public static void main(String[] arguments) throws Exception {
        Options options = Options.parse(arguments);
        Transport transport = Transport.named(options.transport());
        Responses responses = new Responses();
        Tls tls = Tls.named(options.tls());
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(LOOPS, new DefaultThreadFactory(LOOP_NAME), transport.handlers());

        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channelFactory(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.AUTO_READ, options.autoRead())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        tls.addTo(channel);
                        channel.pipeline().addLast(new HttpServerCodec(), new RequestHandler(responses, options.autoRead()));
                    }
                });
        Channel server = bootstrap.register().sync().channel();
        if (!options.congestion().equals("default")) {
            transport.setCongestionControl(server, options.congestion());
        }
        server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), options.port())).sync();

        int port = ((InetSocketAddress) server.localAddress()).getPort();
        int metricsPort = Metrics.serve(transport, tls, server, options);
        System.out.println("READY port=" + port + " metrics=" + metricsPort);
        server.closeFuture().sync();
    }
}
