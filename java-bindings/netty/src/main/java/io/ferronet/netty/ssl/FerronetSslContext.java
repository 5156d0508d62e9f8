package io.ferronet.netty.ssl;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.io.File;
import java.io.InputStream;
import java.security.Provider;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * Native TLS for Netty pipelines, built by {@link FerronetSslContextBuilder}. Any thread.
 *
 * <p>{@link #release} frees what is native in it, the keys included, as soon as the handlers and engines that it made are done with their handshakes, or are gone. Connections go
 * on; new handlers and engines are refused. What nobody has released is freed when nothing refers to it any more, and then Netty's leak detector reports it, as it does the
 * handlers of channels that were never closed.
 */
public final class FerronetSslContext extends SslContext implements ReferenceCounted {
    private static final Provider PROVIDER = new FerronetSslProvider();
    private static final ResourceLeakDetector<FerronetSslContext> LEAKS = ResourceLeakDetectorFactory.instance().newResourceLeakDetector(FerronetSslContext.class);

    private final NativeTlsContext context;
    private final List<SNIServerName> serverNames;
    /** Its engines are ours, wrapped so that a plain {@code SslHandler} sees what ALPN chose. */
    private final JdkSslContext engines;
    private ResourceLeakTracker<FerronetSslContext> leak;
    private final AbstractReferenceCounted references = new AbstractReferenceCounted() {
        @Override
        public ReferenceCounted touch(Object hint) {
            if (leak != null) {
                leak.record(hint);
            }
            return FerronetSslContext.this;
        }

        @Override
        protected void deallocate() {
            context.close();
            if (leak != null) {
                leak.close(FerronetSslContext.this);
            }
        }
    };

    /** An {@code SSLContext} without a lookup among the security providers. */
    private static final class Configured extends SSLContext {
        Configured(FerronetSslContextSpi spi) {
            super(spi, PROVIDER, "TLS");
        }
    }

    FerronetSslContext(NativeTlsContext context, ApplicationProtocolConfig protocols, List<SNIServerName> serverNames, boolean startTls) throws SSLException {
        super(startTls);
        this.context = context;
        this.serverNames = List.copyOf(serverNames);
        context.open();
        TlsSettings settings = context.settings();
        ClientAuth clientAuth = switch (settings.clientCertificate) {
            case REQUIRED -> ClientAuth.REQUIRE;
            case OPTIONAL -> ClientAuth.OPTIONAL;
            default -> ClientAuth.NONE;
        };
        FerronetSslContextSpi.Configured spi = new FerronetSslContextSpi.Configured(context);
        engines = new JdkSslContext(new Configured(spi), settings.client, settings.suites.stream().map(Enum::name).toList(), IdentityCipherSuiteFilter.INSTANCE,
            protocols, clientAuth, TlsVersion.namesOf(settings.versions), startTls);
        spi.holdContext();
        leak = LEAKS.track(this);
    }

    static X509Certificate[] certificates(File file) throws CertificateException {
        return toX509Certificates(file);
    }

    static X509Certificate[] certificates(InputStream stream) throws CertificateException {
        return toX509Certificates(stream);
    }

    static String defaultEndpointIdentification() {
        return defaultEndpointVerificationAlgorithm;
    }

    /** What native sessions are made of. */
    NativeTlsContext nativeContext() {
        return context;
    }

    @Override
    public boolean isClient() {
        return context.settings().client;
    }

    @Override
    public List<String> cipherSuites() {
        return engines.cipherSuites();
    }

    @Override
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return engines.applicationProtocolNegotiator();
    }

    /** Has it not reported. For tests that put it in the place of a context that nobody releases. */
    void stopTracking() {
        if (leak != null) {
            leak.close(this);
            leak = null;
        }
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator alloc) {
        return configured(engines.newEngine(alloc));
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator alloc, String peerHost, int peerPort) {
        return configured(engines.newEngine(alloc, peerHost, peerPort));
    }

    // By default a client identifies its host and sends its name; the handlers of other contexts than Netty's own get none of that from Netty.

    private FerronetSslEngine handlerEngine(String peerHost, int peerPort) {
        boolean client = isClient();
        FerronetSslEngine engine = new FerronetSslEngine(client ? context : null, client ? null : context, peerHost, peerPort).holdContext();
        if (client && !serverNames.isEmpty()) {
            engine.setServerNames(serverNames);
        }
        engine.track();
        return engine;
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls) {
        return new FerronetSslHandler(handlerEngine(null, -1), startTls);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls, Executor executor) {
        return new FerronetSslHandler(handlerEngine(null, -1), startTls, executor);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls) {
        return new FerronetSslHandler(handlerEngine(peerHost, peerPort), startTls);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls, Executor executor) {
        return new FerronetSslHandler(handlerEngine(peerHost, peerPort), startTls, executor);
    }

    /** The wrapping context sets no endpoint identification and no server names. */
    private SSLEngine configured(SSLEngine engine) {
        if (isClient()) {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm(context.settings().endpointIdentification);
            if (!serverNames.isEmpty()) {
                parameters.setServerNames(serverNames);
            }
            engine.setSSLParameters(parameters);
        }
        return engine;
    }

    @Override
    public FerronetSslSessionContext sessionContext() {
        return context.sessions();
    }

    @Override
    public int refCnt() {
        return references.refCnt();
    }

    @Override
    public FerronetSslContext retain() {
        references.retain();
        return this;
    }

    @Override
    public FerronetSslContext retain(int increment) {
        references.retain(increment);
        return this;
    }

    @Override
    public FerronetSslContext touch() {
        references.touch();
        return this;
    }

    @Override
    public FerronetSslContext touch(Object hint) {
        references.touch(hint);
        return this;
    }

    @Override
    public boolean release() {
        return references.release();
    }

    @Override
    public boolean release(int decrement) {
        return references.release(decrement);
    }
}
