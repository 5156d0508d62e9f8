package io.ferronet.netty.ssl;

import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.CertificateBuilder;
import java.security.NoSuchAlgorithmException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** What Netty's tests need of contexts, engines and handlers of ours, and what these handlers have moved. */
public final class HandlerBridge {
    private static final SSLContext DEFAULT = newDefault();
    private static final Queue<FerronetSslHandler> MADE = new ConcurrentLinkedQueue<>();

    private HandlerBridge() {
    }

    /** The engines and the sessions of a context, for those who ask a {@code JdkSslContext} for them. */
    public static SSLContext sslContext(FerronetSslContext context) {
        return new SSLContext(new FerronetSslContextSpi.Configured(context.nativeContext()), new FerronetSslProvider(), "TLS") { };
    }

    /** A context in the place of one of Netty's that its tests do not release. */
    public static FerronetSslContext unreleased(FerronetSslContext context) {
        context.stopTracking();
        return context;
    }

    /** In the place of {@link SSLContext#getDefault}. It has a key, because our servers want one before they read what a client sends. */
    public static SSLContext defaultContext() throws NoSuchAlgorithmException {
        return DEFAULT;
    }

    private static SSLContext newDefault() {
        try {
            SSLContext context = SSLContext.getInstance("TLS", new FerronetSslProvider());
            context.init(new CertificateBuilder().subject("CN=localhost").setIsCertificateAuthority(true).ecp256().buildSelfSigned().toKeyManagerFactory().getKeyManagers(), null, null);
            return context;
        } catch (Exception e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** In the place of the constructor of {@code SslHandler}: a handler of ours for an engine of ours. */
    public static SslHandler handler(SSLEngine engine) {
        return engine instanceof FerronetSslEngine ours ? made(new FerronetSslHandler(ours, false)) : new SslHandler(engine);
    }

    /** The same for the one with an executor. */
    public static SslHandler handler(SSLEngine engine, Executor executor) {
        return engine instanceof FerronetSslEngine ours ? made(new FerronetSslHandler(ours, false, executor)) : new SslHandler(engine, executor);
    }

    /** Counts a handler. */
    public static SslHandler made(SslHandler handler) {
        MADE.add((FerronetSslHandler) handler);
        return handler;
    }

    /** The handlers that were made. */
    public static int handlers() {
        return MADE.size();
    }

    /** The bytes of data that they have moved past the engine. */
    public static long directBytes() {
        return MADE.stream().mapToLong(FerronetSslHandler::directBytes).sum();
    }
}
