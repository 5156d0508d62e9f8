package io.ferronet.interop;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server of this process. */
final class NettyServer implements Server {
    /** One connection after its handshake. */
    private record Done(SslContext context, SslHandler handler, WireTap tap, Throwable failure) {
    }

    private final Map<String, SslContext> contexts = new LinkedHashMap<>();
    private final Map<SslContext, Observer> observers = new LinkedHashMap<>();
    private final BlockingQueue<Done> connections = new LinkedBlockingQueue<>();
    private final Channel listener;
    private volatile Throwable trouble;

    NettyServer(Cell cell, Loops loops, Identities identities, List<Identity> keys) throws Exception {
        Peer peer = cell.server();
        // tcnative chooses its key by the kind only, so that names are a matter of Netty's handler.
        boolean byHandler = cell.feature() == Feature.SNI_HANDLER || cell.feature() == Feature.SNI && peer == Peer.TCNATIVE;
        if (byHandler) {
            for (Identity key : keys) {
                contexts.put(key.host(), Contexts.server(cell, identities.root(), List.of(key)));
            }
        } else {
            contexts.put("", Contexts.server(cell, identities.root(), keys));
        }
        for (SslContext context : contexts.values()) {
            observers.put(context, new Observer(peer, false, context));
        }
        SslContext single = contexts.get("");
        listener = new ServerBootstrap().group(loops.of(peer)).channel(Loops.serverChannel(peer)).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                WireTap tap = new WireTap(false);
                if (byHandler) {
                    Map<String, SslContext> mapping = contexts;
                    SniHandler names = new SniHandler((String name) -> mapping.getOrDefault(name, mapping.values().iterator().next()));
                    channel.pipeline().addLast(tap, names, new Echo(tap));
                } else {
                    channel.pipeline().addLast(tap, Contexts.withGroups(single.newHandler(channel.alloc()), peer, cell), new Echo(tap));
                }
            }
        }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    }

    @Override
    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public Observed observed() throws Exception {
        Done done = connections.poll(Main.SECONDS, TimeUnit.SECONDS);
        if (done == null) {
            throw new IllegalStateException("the server has not finished a handshake in " + Main.SECONDS + " s");
        }
        if (done.failure != null) {
            throw new IllegalStateException("the server's handshake failed: " + done.failure, done.failure);
        }
        return observers.get(done.context).observe(done.handler, done.tap);
    }

    @Override
    public String trouble() {
        Throwable last = trouble;
        return last == null ? "" : last.toString();
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        for (SslContext context : new ArrayList<>(contexts.values())) {
            ReferenceCountUtil.release(context);
        }
    }

    private final class Echo extends SimpleChannelInboundHandler<ByteBuf> {
        private final WireTap tap;

        Echo(WireTap tap) {
            this.tap = tap;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent done) {
                SslHandler handler = context.pipeline().get(SslHandler.class);
                SslContext used = contexts.get("");
                if (used == null && handler != null && handler.engine().getSession().getLocalCertificates() != null) {
                    used = byCertificate(handler);
                }
                trouble = done.cause();
                connections.add(new Done(used, handler, tap, done.cause()));
            }
            context.fireUserEventTriggered(event);
        }

        private SslContext byCertificate(SslHandler handler) {
            String subject = ((java.security.cert.X509Certificate) handler.engine().getSession().getLocalCertificates()[0]).getSubjectX500Principal().getName();
            return contexts.get(subject.substring("CN=".length()));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            context.writeAndFlush(message.retain());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            trouble = cause;
            context.close();
        }
    }
}
