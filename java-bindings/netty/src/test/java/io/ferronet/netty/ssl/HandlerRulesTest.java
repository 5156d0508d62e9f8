package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLProtocolException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Promises, events and failures around the handshake, as users of {@link SslHandler} know them. */
class HandlerRulesTest extends HandlerPair {
    private static final byte[] DATA = {1, 2, 3, 4};

    @Test
    void anEmptyWriteIsDoneDuringTheHandshake() throws Exception {
        connect("TLSv1.3", false);
        ChannelFuture empty = client.writeAndFlush(Unpooled.EMPTY_BUFFER);
        assertTrue(empty.isSuccess(), () -> "not done: " + empty.cause());
        ChannelFuture full = client.writeAndFlush(Unpooled.wrappedBuffer(DATA));
        ChannelFuture behind = client.writeAndFlush(Unpooled.EMPTY_BUFFER);
        assertFalse(full.isDone() || behind.isDone());
        exchange();
        assertTrue(full.isSuccess() && behind.isSuccess());
        assertEquals(DATA.length, received(server).length);
    }

    @Test
    void aHandshakeMessageOutOfPlaceIsAProtocolError() throws Exception {
        connect("TLSv1.3", false);
        // A ServerHello of one byte, which nobody sends to a server; its record comes in two pieces.
        server.writeInbound(Unpooled.wrappedBuffer(new byte[] {22, 3, 1, 0, 5}));
        assertNull(server.readInbound());
        DecoderException thrown = assertThrows(DecoderException.class, () -> server.writeInbound(Unpooled.wrappedBuffer(new byte[] {2, 0, 0, 1, 0})));
        assertInstanceOf(SSLProtocolException.class, thrown.getCause());
        assertInstanceOf(SSLProtocolException.class, serverHandler.handshakeFuture().cause());
    }

    /** The transport refuses the first flight, and with it all that waits for the handshake. */
    @Test
    void aFailedWriteOfTheHandshakeFailsWhatWaits() throws Exception {
        connect("TLSv1.3", false);
        List<ChannelPromise> flights = new ArrayList<>();
        FerronetSslHandler handler = (FerronetSslHandler) FerronetSslContextBuilder.forClient().build().newHandler(ByteBufAllocator.DEFAULT);
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                flights.add(promise);
                ReferenceCountUtil.release(message);
            }
        }, handler);
        ChannelFuture waiting = channel.write(Unpooled.wrappedBuffer(DATA));
        assertFalse(flights.isEmpty());
        flights.forEach(flight -> flight.tryFailure(new IllegalStateException("the transport is broken")));
        channel.runPendingTasks();
        assertInstanceOf(SSLException.class, handler.handshakeFuture().cause());
        assertInstanceOf(SSLException.class, waiting.cause());
        channel.finishAndReleaseAll();
    }

    /** A channel that is closed before its handler hears that it is active has no handshake, so that there is none to be told of as a failure. */
    @Test
    void withoutAHandshakeThereIsNoEventOfIt() throws Exception {
        connect("TLSv1.3", false);
        SslHandler handler = FerronetSslContextBuilder.forClient().build().newHandler(ByteBufAllocator.DEFAULT);
        boolean[] active = {false};
        EmbeddedChannel channel = new EmbeddedChannel(DefaultChannelId.newInstance(), false, false, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.close();
            }
        }, handler, new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext context) {
                active[0] = true;
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof SslHandshakeCompletionEvent completion) {
                    context.fireExceptionCaught(completion.cause());
                }
            }
        }) {
            @Override
            public boolean isActive() {
                return active[0] && super.isActive();
            }
        };
        channel.register();
        assertTrue(active[0]);
        assertFalse(channel.isOpen());
        assertFalse(channel.finishAndReleaseAll());
    }

    @Test
    void aWriteMayFailTheHandshakeBeforeTheChannelIsActive() throws Exception {
        connect("TLSv1.3", false);
        SslHandler handler = FerronetSslContextBuilder.forClient().build().newHandler(ByteBufAllocator.DEFAULT);
        handler.engine().setEnabledProtocols(new String[] {"TLSv1.2"});
        handler.engine().setEnabledCipherSuites(new String[] {"TLS_AES_128_GCM_SHA256"});
        handler.engine().setEnabledProtocols(new String[0]);
        AtomicReference<Throwable> told = new AtomicReference<>();
        boolean[] active = {false};
        EmbeddedChannel channel = new EmbeddedChannel(DefaultChannelId.newInstance(), false, false, handler, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                told.set(cause);
            }
        }) {
            @Override
            public boolean isActive() {
                return active[0] && super.isActive();
            }
        };
        channel.register();
        ChannelFuture write = channel.writeAndFlush(Unpooled.wrappedBuffer(DATA));
        active[0] = true;
        channel.pipeline().fireChannelActive();
        channel.runPendingTasks();
        assertInstanceOf(SSLHandshakeException.class, handler.handshakeFuture().cause());
        assertInstanceOf(SSLHandshakeException.class, write.cause());
        assertFalse(told.get() instanceof AssertionError, () -> "told of " + told.get());
        channel.finishAndReleaseAll();
    }

    @Test
    void theNativeSessionIsGivenBackWithTheHandler() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        FerronetSslEngine engine = (FerronetSslEngine) serverHandler.engine();
        assertTrue(engine.holdsSession());
        server.close();
        assertFalse(engine.holdsSession());
        assertNull(server.pipeline().get(SslHandler.class));
        assertEquals("TLSv1.3", engine.getSession().getProtocol());
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2, true", "TLSv1.3, true", "TLSv1.2, false", "TLSv1.3, false"})
    void theSecondConnectionResumesByATicket(String version, boolean givenKey) throws Exception {
        FerronetSslContext[] servers = new FerronetSslContext[2];
        for (int i = 0; i < servers.length; i++) {
            servers[i] = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot()).protocols(version).build();
            if (givenKey) {
                servers[i].sessionContext().setTicketKeys(random(48));
            }
        }
        FerronetSslContext clients = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).protocols(version).build();
        for (int i = 0; i < 2; i++) {
            serverHandler = (FerronetSslHandler) servers[i].newHandler(ByteBufAllocator.DEFAULT);
            clientHandler = (FerronetSslHandler) clients.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443);
            server = new EmbeddedChannel(serverHandler);
            client = new EmbeddedChannel(clientHandler);
            exchange();
            server.writeOutbound(Unpooled.wrappedBuffer(DATA));
            exchange();
            assertEquals(DATA.length, received(client).length);
            // Servers with keys of their own cannot read each other's tickets.
            assertEquals(i > 0 && givenKey, ((FerronetSslSession) clientHandler.engine().getSession()).isResumed());
            finish();
        }
    }

    @Test
    void aSniHandlerMayPutAHandlerOfItsOwnInItsPlace() throws Exception {
        connect("TLSv1.3", false);
        SslContext context = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot()).build();
        List<String> names = new ArrayList<>();
        server = new EmbeddedChannel(new SniHandler(name -> context) {
            @Override
            protected void replaceHandler(ChannelHandlerContext replaced, String hostname, SslContext chosen) {
                names.add(hostname);
                assertSame(context, chosen);
                serverHandler = (FerronetSslHandler) chosen.newHandler(replaced.alloc());
                replaced.pipeline().replace(this, "tls", serverHandler);
            }
        });
        exchange();
        assertEquals(List.of(Keys.HOST), names);
        client.writeOutbound(Unpooled.wrappedBuffer(DATA));
        exchange();
        assertEquals(DATA.length, received(server).length);
        assertTrue(serverHandler.directBytes() >= DATA.length);
        FerronetSslEngine engine = (FerronetSslEngine) serverHandler.engine();
        server.close();
        assertFalse(engine.holdsSession());
    }

    /** TLS 1.2 answers a close_notify at once, and so do we with 1.3, as OpenSSL does; the JDK does not. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aCloseNotifyIsAnsweredAtOnce(String version) throws Exception {
        connect(version, false);
        exchange();
        server.close();
        move(server, client);
        ByteBuf answer = client.readOutbound();
        assertTrue(answer != null && answer.readableBytes() >= 7, "no close_notify");
        answer.release();
    }

    /** Our session answers with no_renegotiation; the peer hears of it in bounded time, and neither side goes on for ever. */
    @Test
    void aPeerThatRenegotiatesIsRefused() throws Exception {
        SslContext servers = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot()).build();
        SslContext clients = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).trustManager(BUNDLE.toTrustManagerFactory()).protocols("TLSv1.2").build();
        try (Loopback loopback = new Loopback(channel -> servers.newHandler(channel.alloc()))) {
            Loopback.Client connection = loopback.connect(channel -> clients.newHandler(channel.alloc(), Keys.HOST, 443));
            assertArrayEquals(DATA, connection.echo(DATA));
            Future<Channel> again = connection.handler.renegotiate();
            assertTrue(again.await(Loopback.SECONDS, TimeUnit.SECONDS), "the peer waits for ever");
            assertInstanceOf(SSLException.class, again.cause());
            assertTrue(connection.channel.closeFuture().await(Loopback.SECONDS, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @CsvSource({"EXPIRED, 45", "NOT_YET_VALID, 45", "REVOKED, 44", "INVALID_SIGNATURE, 46", "UNSPECIFIED, 46"})
    void theReasonOfAValidatorBecomesTheAlert(BasicReason reason, int alert) {
        CertPathValidatorException inner = new CertPathValidatorException("x", null, (CertPath) null, -1, reason);
        assertEquals(alert, PeerVerifier.alert(new CertificateException(inner)));
        assertEquals(alert, PeerVerifier.alert(new CertificateException("outer", new CertificateException(inner))));
    }
}
