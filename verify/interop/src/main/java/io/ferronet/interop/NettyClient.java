package io.ferronet.interop;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A client of this process. */
final class NettyClient implements Client {
    private final Cell cell;
    private final Loops loops;
    private final SslContext context;
    private final Observer observer;

    NettyClient(Cell cell, Loops loops, Identities identities, Identity key) throws Exception {
        this.cell = cell;
        this.loops = loops;
        context = Contexts.client(cell, identities.root(), key);
        observer = new Observer(cell.client(), true, context);
    }

    @Override
    public Connection connect(int port, String host) throws Exception {
        Data data = new Data();
        WireTap tap = new WireTap(true);
        CompletableFuture<SslHandler> handler = new CompletableFuture<>();
        Channel channel = new Bootstrap().group(loops.of(cell.client())).channel(Loops.channel(cell.client())).handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel created) {
                SslHandler tls = Contexts.withGroups(context.newHandler(created.alloc(), host, port), cell.client(), cell);
                handler.complete(tls);
                created.pipeline().addLast(tap, tls, data);
            }
        }).connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).sync().channel();
        return new Connected(channel, handler.get(Main.SECONDS, TimeUnit.SECONDS), tap, data);
    }

    @Override
    public void close() {
        ReferenceCountUtil.release(context);
    }

    private final class Connected implements Connection {
        private final Channel channel;
        private final SslHandler handler;
        private final WireTap tap;
        private final Data data;

        Connected(Channel channel, SslHandler handler, WireTap tap, Data data) {
            this.channel = channel;
            this.handler = handler;
            this.tap = tap;
            this.data = data;
        }

        @Override
        public void send(byte[] bytes) {
            channel.writeAndFlush(Unpooled.wrappedBuffer(bytes)).addListener(sent -> {
                if (!sent.isSuccess()) {
                    data.fail(sent.cause());
                }
            });
        }

        @Override
        public byte[] receive(int length) throws Exception {
            try {
                return data.take(length);
            } catch (IOException e) {
                Throwable handshake = handler.handshakeFuture().cause();
                throw new IllegalStateException("the client failed: " + (handshake == null ? e.getCause() : handshake), e);
            }
        }

        @Override
        public Observed observed() throws Exception {
            return observer.observe(handler, tap);
        }

        @Override
        public void close() {
            if (!channel.close().awaitUninterruptibly(Main.SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the client's connection does not end");
            }
        }
    }

    /** Keeps what is received until it is taken. */
    private static final class Data extends SimpleChannelInboundHandler<ByteBuf> {
        private final ByteBuf received = Unpooled.buffer();
        private Throwable failure;

        synchronized byte[] take(int length) throws IOException, InterruptedException, TimeoutException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Main.SECONDS);
            while (received.readableBytes() < length) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (failure != null) {
                    throw new IOException(failure);
                }
                if (left <= 0) {
                    throw new TimeoutException("the client received " + received.readableBytes() + " of " + length + " bytes in " + Main.SECONDS + " s");
                }
                wait(left);
            }
            byte[] bytes = new byte[length];
            received.readBytes(bytes);
            received.discardReadBytes();
            return bytes;
        }

        @Override
        protected synchronized void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            received.writeBytes(message);
            notifyAll();
        }

        synchronized void fail(Throwable cause) {
            if (failure == null) {
                failure = cause;
            }
            notifyAll();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(new ClosedChannelException());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
            context.close();
        }
    }
}
