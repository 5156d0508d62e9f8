package io.ferronet.interop;

import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.ferronet.netty.transport.FerronetSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.TimeUnit;

/** Event loops for all cells: Ferronet's TLS runs on Ferronet's transport, all else on Netty's NIO. */
final class Loops implements AutoCloseable {
    private final EventLoopGroup own = new MultiThreadIoEventLoopGroup(2, FerronetIoHandler.newFactory());
    private final EventLoopGroup nio = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

    EventLoopGroup of(Peer peer) {
        return peer == Peer.FERRONET ? own : nio;
    }

    static Class<? extends Channel> channel(Peer peer) {
        return peer == Peer.FERRONET ? FerronetSocketChannel.class : NioSocketChannel.class;
    }

    static Class<? extends ServerChannel> serverChannel(Peer peer) {
        return peer == Peer.FERRONET ? FerronetServerSocketChannel.class : NioServerSocketChannel.class;
    }

    @Override
    public void close() {
        own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        nio.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        own.terminationFuture().awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
