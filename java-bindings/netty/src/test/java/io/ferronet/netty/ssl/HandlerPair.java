package io.ferronet.netty.ssl;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;

/** A client and a server, two channels without a transport. */
abstract class HandlerPair {
    static final X509Bundle BUNDLE = Keys.server(Algorithm.ecp256);

    final List<Object> events = new ArrayList<>();
    EmbeddedChannel client;
    EmbeddedChannel server;
    FerronetSslHandler clientHandler;
    FerronetSslHandler serverHandler;

    void connect(String protocol, boolean startTls) throws Exception {
        FerronetSslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot())
            .protocols(protocol).startTls(startTls).build();
        FerronetSslContext clientContext = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).protocols(protocol).build();
        serverHandler = (FerronetSslHandler) serverContext.newHandler(ByteBufAllocator.DEFAULT);
        clientHandler = (FerronetSslHandler) clientContext.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443);
        server = new EmbeddedChannel(serverHandler, new Recorder());
        if (!startTls) {
            client = new EmbeddedChannel(clientHandler);
        }
    }

    final class Recorder extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            events.add(event);
            context.fireUserEventTriggered(event);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            events.add("read");
            context.fireChannelRead(message);
        }
    }

    /** Moves what both have to send until nothing moves any more. */
    void exchange() {
        boolean moved = true;
        while (moved) {
            moved = move(client, server) | move(server, client);
        }
    }

    static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        boolean moved = false;
        for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
            moved = true;
            if (to.isOpen()) {
                to.writeInbound(sent);
            } else {
                sent.release();
            }
        }
        return moved;
    }

    static byte[] received(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
            all.writeBytes(part);
            part.release();
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @AfterEach
    void finish() {
        for (EmbeddedChannel channel : new EmbeddedChannel[] {client, server}) {
            if (channel != null) {
                channel.finishAndReleaseAll();
            }
        }
    }
}
