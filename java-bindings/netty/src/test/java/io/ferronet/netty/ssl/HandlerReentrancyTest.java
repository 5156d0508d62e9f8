package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;

/** What users do from within the calls of the handler, and what the peer's session does between data. */
class HandlerReentrancyTest extends HandlerPair {
    private void connected() throws Exception {
        connect("TLSv1.3", false);
        exchange();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** All that a channel has sent, in one buffer. */
    private static ByteBuf sealed(EmbeddedChannel channel) {
        ByteBuf all = channel.alloc().directBuffer();
        for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
            all.writeBytes(sent);
            sent.release();
        }
        return all;
    }

    @Test
    void whatIsReceivedFromWithinAReadComesAfterIt() throws Exception {
        connected();
        byte[] first = random(40_000);
        byte[] second = random(1_000);
        client.writeAndFlush(Unpooled.wrappedBuffer(first));
        ByteBuf begin = sealed(client);
        client.writeAndFlush(Unpooled.wrappedBuffer(second));
        ByteBuf later = sealed(client);
        AtomicBoolean once = new AtomicBoolean();
        server.pipeline().addAfter(server.pipeline().context(SslHandler.class).name(), null, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (once.compareAndSet(false, true)) {
                    context.pipeline().fireChannelRead(later);
                }
                context.fireChannelRead(message);
            }
        });
        // The first read completes a record and has more behind it, when the second comes in between.
        server.writeInbound(server.alloc().directBuffer().writeBytes(begin, 10));
        server.writeInbound(begin);
        assertTrue(once.get());
        assertArrayEquals(joined(first, second), received(server));
    }

    @Test
    void whatIsWrittenWhenWritabilityChangesComesAfterWhatIsBeingWritten() throws Exception {
        connected();
        byte[] first = random(900_000);
        byte[] second = random(100);
        client.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1_000, 2_000));
        List<ChannelFuture> nested = new ArrayList<>();
        int[] full = {0};
        client.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                // Told at once when the first records are written; what the waiting message changes is told later.
                if (!context.channel().isWritable() && ++full[0] == 1) {
                    nested.add(context.channel().writeAndFlush(Unpooled.wrappedBuffer(second)));
                }
            }
        });
        ChannelFuture written = client.writeAndFlush(client.alloc().directBuffer().writeBytes(first));
        exchange();
        assertTrue(written.isSuccess());
        assertEquals(1, nested.size());
        assertTrue(nested.get(0).isSuccess());
        assertArrayEquals(joined(first, second), received(server));
    }

    @Test
    void removalFromWithinAWriteFailsTheRest() throws Exception {
        connected();
        client.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1_000, 2_000));
        int[] full = {0};
        client.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                if (!context.channel().isWritable() && ++full[0] == 1) {
                    context.pipeline().remove(SslHandler.class);
                }
            }
        });
        ByteBuf message = client.alloc().directBuffer().writeBytes(random(1_000_000));
        ChannelFuture written = client.writeAndFlush(message);
        client.runPendingTasks();
        assertNotNull(written.cause());
        assertEquals(0, message.refCnt());
    }

    @Test
    void closingFromWithinAReadDropsNothingThatCameBefore() throws Exception {
        connected();
        byte[] data = random(50_000);
        server.pipeline().addAfter(server.pipeline().context(SslHandler.class).name(), null, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.fireChannelRead(message);
                context.close();
            }
        });
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        server.writeInbound(sealed(client));
        assertArrayEquals(data, received(server));
        assertFalse(server.isOpen());
        ByteBuf closeNotify = sealed(server);
        assertTrue(closeNotify.isReadable());
        closeNotify.release();
    }

    @Test
    void removalFromWithinAReadGivesTheRestToTheNext() throws Exception {
        connected();
        byte[] data = random(1_000);
        byte[] plain = random(77);
        server.pipeline().addAfter(server.pipeline().context(SslHandler.class).name(), null, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.fireChannelRead(message);
                if (context.pipeline().get(SslHandler.class) != null) {
                    context.pipeline().remove(SslHandler.class);
                }
            }
        });
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        ByteBuf records = sealed(client);
        server.writeInbound(server.alloc().directBuffer().writeBytes(records, 10));
        server.writeInbound(records.writeBytes(plain));
        assertArrayEquals(joined(data, plain), received(server));
    }

    @Test
    void dataAroundTheUpdateOfAKeyArrivesAtOnce() throws Exception {
        FerronetSslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot()).build();
        SslContext jdk = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).trustManager(BUNDLE.toTrustManagerFactory()).protocols("TLSv1.3").build();
        assertInstanceOf(JdkSslContext.class, jdk);
        serverHandler = (FerronetSslHandler) serverContext.newHandler(io.netty.buffer.ByteBufAllocator.DEFAULT);
        server = new EmbeddedChannel(serverHandler);
        SSLEngine engine = jdk.newEngine(io.netty.buffer.ByteBufAllocator.DEFAULT, Keys.HOST, 443);
        client = new EmbeddedChannel(new SslHandler(engine));
        exchange();
        byte[] first = random(20_000);
        byte[] second = random(30_000);
        client.writeAndFlush(Unpooled.wrappedBuffer(first));
        // After the handshake of TLS 1.3 the JDK updates its key, and asks the peer for the same.
        engine.beginHandshake();
        client.writeAndFlush(Unpooled.wrappedBuffer(second));
        server.writeInbound(sealed(client));
        assertArrayEquals(joined(first, second), received(server));
        byte[] answer = random(40_000);
        server.writeAndFlush(Unpooled.wrappedBuffer(answer));
        exchange();
        assertArrayEquals(answer, received(client));
    }

    @Test
    void aRefusedServerNameIsToldByAnAlert() throws Exception {
        connect("TLSv1.3", false);
        SSLParameters parameters = serverHandler.engine().getSSLParameters();
        parameters.setSNIMatchers(List.of(SNIHostName.createSNIMatcher("other\\.test")));
        serverHandler.engine().setSSLParameters(parameters);
        for (EmbeddedChannel channel : List.of(client, server)) {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    events.add(cause);
                }
            });
        }
        exchange();
        assertInstanceOf(SSLHandshakeException.class, serverHandler.handshakeFuture().cause());
        assertInstanceOf(SSLException.class, clientHandler.handshakeFuture().cause());
        assertTrue(clientHandler.handshakeFuture().cause().getMessage().toLowerCase(java.util.Locale.ROOT).contains("name"), () -> clientHandler.handshakeFuture().cause().toString());
    }

    @Test
    void writersHearOfAFailedHandshakeAfterItsEvent() throws Exception {
        connect("TLSv1.3", false);
        List<String> order = new ArrayList<>();
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof SslHandshakeCompletionEvent) {
                    order.add("handshake");
                }
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                order.add("inactive");
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                assertNotNull(cause.getMessage());
            }
        });
        ChannelFuture waiting = server.writeAndFlush(Unpooled.wrappedBuffer(random(10)));
        waiting.addListener(future -> order.add("write"));
        server.writeInbound(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", java.nio.charset.StandardCharsets.US_ASCII));
        server.runPendingTasks();
        assertEquals(List.of("handshake", "write", "inactive"), order);
        assertEquals(serverHandler.handshakeFuture().cause(), waiting.cause());
    }

    @Test
    void whatWaitsForTheHandshakeIsSentAfterItsEvent() throws Exception {
        connect("TLSv1.3", false);
        List<String> order = new ArrayList<>();
        client.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof SslHandshakeCompletionEvent) {
                    order.add("handshake");
                }
            }
        });
        client.writeAndFlush(Unpooled.wrappedBuffer(random(10))).addListener(future -> order.add("write"));
        exchange();
        assertEquals(List.of("handshake", "write"), order);
        assertEquals(10, received(server).length);
    }
}
