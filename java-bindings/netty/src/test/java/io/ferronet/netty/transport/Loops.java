package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Event loops on a backend, and what tests start on them. */
final class Loops implements AutoCloseable {
    static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long LIMIT_SECONDS = 20;

    private final EventLoopGroup group;

    Loops(EventLoopGroup group) {
        this.group = group;
    }

    static Loops on(Backend backend) {
        return on(backend, 1);
    }

    static Loops on(Backend backend, int threads) {
        return on(FerronetIoHandlerConfig.builder().backend(backend), threads);
    }

    static Loops on(FerronetIoHandlerConfig.Builder config, int threads) {
        return new Loops(new MultiThreadIoEventLoopGroup(threads, FerronetIoHandler.newFactory(config.build())));
    }

    EventLoopGroup group() {
        return group;
    }

    ServerBootstrap server(Supplier<ChannelHandler> handler) {
        return server(channel -> channel.pipeline().addLast(handler.get()));
    }

    ServerBootstrap server(Consumer<SocketChannel> initializer) {
        return new ServerBootstrap().group(group).channel(FerronetServerSocketChannel.class).childHandler(initializer(initializer))
            .localAddress(ANY_PORT);
    }

    Bootstrap client(ChannelHandler handler) {
        return new Bootstrap().group(group).channel(FerronetSocketChannel.class).handler(handler);
    }

    static ChannelInitializer<SocketChannel> initializer(Consumer<SocketChannel> initializer) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                initializer.accept(channel);
            }
        };
    }

    /** A listener whose accepted channels can be fetched, and which a plain socket connects to. */
    static final class Accepting implements AutoCloseable {
        private final BlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();
        private final Channel listener;

        Accepting(Loops loops, Consumer<SocketChannel> initializer) throws InterruptedException {
            this(loops, initializer, bootstrap -> { });
        }

        Accepting(Loops loops, Consumer<SocketChannel> initializer, Consumer<ServerBootstrap> settings) throws InterruptedException {
            ServerBootstrap bootstrap = loops.server((SocketChannel channel) -> {
                initializer.accept(channel);
                accepted.add(channel);
            });
            settings.accept(bootstrap);
            listener = bootstrap.bind().sync().channel();
        }

        Channel listener() {
            return listener;
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.localAddress();
        }

        Socket connect() throws java.io.IOException {
            Socket socket = new Socket();
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            socket.connect(address());
            return socket;
        }

        SocketChannel next() throws InterruptedException {
            SocketChannel channel = accepted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (channel == null) {
                throw new AssertionError("no connection was accepted");
            }
            return channel;
        }

        @Override
        public void close() {
            listener.close().syncUninterruptibly();
        }
    }

    /** Runs an action on the channel's loop and waits for it. */
    static void run(Channel channel, Runnable action) {
        channel.eventLoop().submit(action).syncUninterruptibly();
    }

    @Override
    public void close() {
        if (!group.shutdownGracefully(0, LIMIT_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the event loops did not end");
        }
    }
}
