package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.util.IllegalReferenceCountException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A context that is released before its handlers have done their handshakes is there for these, and for nobody else. */
@Timeout(60)
class ContextReleaseTest extends HandlerPair {
    private static final byte[] DATA = random(5_000);

    private SslHandler clientSide;
    private SslHandler serverSide;

    /** How a handler is come by. */
    enum Route {
        HANDLER {
            @Override
            SslHandler handler(SslContext context) {
                return context.isClient() ? context.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443) : context.newHandler(ByteBufAllocator.DEFAULT);
            }
        },
        ENGINE {
            @Override
            SslHandler handler(SslContext context) {
                return new SslHandler(context.isClient() ? context.newEngine(ByteBufAllocator.DEFAULT, Keys.HOST, 443) : context.newEngine(ByteBufAllocator.DEFAULT));
            }
        };

        abstract SslHandler handler(SslContext context);
    }

    private static FerronetSslContext server(String version, boolean keyManager) throws Exception {
        FerronetSslContextBuilder builder = keyManager ? FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory())
            : FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot());
        return builder.protocols(version).build();
    }

    private static FerronetSslContext client(String version) throws Exception {
        return FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).protocols(version).build();
    }

    private void make(Route route, FerronetSslContext clientContext, FerronetSslContext serverContext) {
        clientSide = route.handler(clientContext);
        serverSide = route.handler(serverContext);
    }

    /** The handshake, and data both ways. */
    private void connect() {
        server = new EmbeddedChannel(serverSide);
        client = new EmbeddedChannel(clientSide);
        exchange();
        assertTrue(serverSide.handshakeFuture().isSuccess(), () -> "server: " + serverSide.handshakeFuture().cause());
        assertTrue(clientSide.handshakeFuture().isSuccess(), () -> "client: " + clientSide.handshakeFuture().cause());
        client.writeOutbound(Unpooled.wrappedBuffer(DATA));
        server.writeOutbound(Unpooled.wrappedBuffer(DATA));
        exchange();
        assertArrayEquals(DATA, received(server));
        assertArrayEquals(DATA, received(client));
    }

    private static boolean isFreed(FerronetSslContext context) {
        try {
            context.nativeContext().open();
            return false;
        } catch (SSLException e) {
            assertTrue(e.getMessage().contains("released"), e.getMessage());
            return true;
        }
    }

    @ParameterizedTest
    @CsvSource({"HANDLER, TLSv1.2, false", "HANDLER, TLSv1.3, false", "ENGINE, TLSv1.2, false", "ENGINE, TLSv1.3, false", "HANDLER, TLSv1.2, true", "HANDLER, TLSv1.3, true"})
    void theHandshakeMayComeAfterTheRelease(Route route, String version, boolean keyManager) throws Exception {
        FerronetSslContext serverContext = server(version, keyManager);
        FerronetSslContext clientContext = client(version);
        make(route, clientContext, serverContext);
        assertTrue(serverContext.release() && clientContext.release());
        assertThrows(IllegalReferenceCountException.class, () -> route.handler(serverContext));
        assertThrows(IllegalReferenceCountException.class, () -> route.handler(clientContext));
        assertFalse(isFreed(serverContext) || isFreed(clientContext));
        connect();
        assertTrue(isFreed(serverContext) && isFreed(clientContext));
    }

    @ParameterizedTest
    @CsvSource({"HANDLER, TLSv1.2", "HANDLER, TLSv1.3", "ENGINE, TLSv1.2", "ENGINE, TLSv1.3"})
    void aSessionIsResumedAfterTheRelease(Route route, String version) throws Exception {
        FerronetSslContext serverContext = server(version, false);
        FerronetSslContext clientContext = client(version);
        make(route, clientContext, serverContext);
        connect();
        finish();
        make(route, clientContext, serverContext);
        assertTrue(serverContext.release() && clientContext.release());
        connect();
        assertTrue(((FerronetSslSession) clientSide.engine().getSession()).isResumed());
        assertTrue(isFreed(serverContext) && isFreed(clientContext));
    }

    /** Changed settings have a native context made anew, which the keys are still there for. */
    @Test
    void theContextMayBeMadeAnewAfterTheRelease() throws Exception {
        FerronetSslContext serverContext = server("TLSv1.3", false);
        FerronetSslContext clientContext = client("TLSv1.3");
        make(Route.HANDLER, clientContext, serverContext);
        assertTrue(serverContext.release() && clientContext.release());
        serverContext.sessionContext().setSessionTimeout(7);
        connect();
        assertTrue(isFreed(serverContext) && isFreed(clientContext));
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void theLastHandlerFreesIt(Route route) throws Exception {
        FerronetSslContext serverContext = server("TLSv1.3", false);
        FerronetSslContext clientContext = client("TLSv1.3");
        SSLEngine other = route.handler(serverContext).engine();
        make(route, clientContext, serverContext);
        assertTrue(serverContext.release());
        connect();
        assertFalse(isFreed(serverContext));
        other.closeOutbound();
        other.closeInbound();
        assertTrue(isFreed(serverContext));
        assertFalse(isFreed(clientContext));
        assertTrue(clientContext.release());
    }

    @Test
    void aHandlerWithoutAHandshakeFreesItWithItsChannel() throws Exception {
        FerronetSslContext context = server("TLSv1.3", false);
        EmbeddedChannel channel = new EmbeddedChannel(Route.HANDLER.handler(context));
        assertTrue(context.release());
        assertFalse(isFreed(context));
        channel.close();
        assertTrue(isFreed(context));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aFailedHandshakeFreesIt(String version) throws Exception {
        FerronetSslContext serverContext = server(version, false);
        FerronetSslContext clientContext = FerronetSslContextBuilder.forClient().trustManager(Keys.of("other", Algorithm.ecp256).toTrustManager()).protocols(version).build();
        make(Route.HANDLER, clientContext, serverContext);
        assertTrue(serverContext.release() && clientContext.release());
        server = new EmbeddedChannel(serverSide);
        client = new EmbeddedChannel(clientSide);
        assertThrows(Exception.class, this::exchange);
        assertInstanceOf(SSLException.class, clientSide.handshakeFuture().cause());
        assertTrue(isFreed(clientContext));
        server.close();
        assertTrue(isFreed(serverContext));
    }
}
