package io.ferronet.netty.ssl;

import io.netty.util.internal.SystemPropertyUtil;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;

/** A context of the provider. It has settings for both sides, because its engines choose theirs. */
public abstract class FerronetSslContextSpi extends SSLContextSpi {
    /** The JDK's properties for tickets. */
    private static final String CLIENT_TICKETS = "jdk.tls.client.enableSessionTicketExtension";
    private static final String SERVER_TICKETS = "jdk.tls.server.enableSessionTicketExtension";

    private final Set<TlsVersion> versions;
    private NativeTlsContext client;
    private NativeTlsContext server;

    FerronetSslContextSpi(Set<TlsVersion> versions) {
        this.versions = versions;
    }

    /** Both versions. */
    public static final class Tls extends FerronetSslContextSpi {
        /** For the provider. */
        public Tls() {
            super(EnumSet.allOf(TlsVersion.class));
        }
    }

    /** TLS 1.2 only. */
    public static final class Tls12 extends FerronetSslContextSpi {
        /** For the provider. */
        public Tls12() {
            super(EnumSet.of(TlsVersion.TLS_1_2));
        }
    }

    /** A context of settings that were made elsewhere, for one side. */
    static final class Configured extends FerronetSslContextSpi {
        private volatile boolean held;

        Configured(NativeTlsContext context) {
            super(context.settings().versions);
            if (context.settings().client) {
                super.client = context;
            } else {
                super.server = context;
            }
        }

        /** From now on its engines hold the context until their handshakes are over. Those before ask it what there is, and are dropped. */
        void holdContext() {
            held = true;
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            FerronetSslEngine engine = (FerronetSslEngine) super.engineCreateSSLEngine(host, port);
            return held ? engine.holdContext() : engine;
        }

        @Override
        protected void engineInit(KeyManager[] keyManagers, TrustManager[] trustManagers, SecureRandom random) throws KeyManagementException {
            throw new KeyManagementException("the context is configured already: FerronetSslContextBuilder made it");
        }
    }

    @Override
    protected void engineInit(KeyManager[] keyManagers, TrustManager[] trustManagers, SecureRandom random) throws KeyManagementException {
        X509ExtendedKeyManager keyManager = keyManager(keyManagers);
        X509TrustManager trustManager = trustManager(trustManagers);
        client = new NativeTlsContext(settings(true, keyManager, trustManager));
        server = new NativeTlsContext(settings(false, keyManager, trustManager));
    }

    private TlsSettings settings(boolean isClient, X509ExtendedKeyManager keyManager, X509TrustManager trustManager) {
        TlsSettings settings = new TlsSettings(isClient);
        settings.keyManager = keyManager;
        settings.trustManager = trustManager;
        settings.versions = versions;
        settings.tickets = SystemPropertyUtil.getBoolean(isClient ? CLIENT_TICKETS : SERVER_TICKETS, true);
        settings.keyLog = KeyLog.ofProperty();
        // As the JDK's: with a list of protocols, one of them must be in common.
        settings.alpnOptional = false;
        return settings;
    }

    private static X509ExtendedKeyManager keyManager(KeyManager[] managers) {
        if (managers == null) {
            return null;
        }
        for (KeyManager manager : managers) {
            if (manager instanceof X509ExtendedKeyManager extended) {
                return extended;
            }
            if (manager instanceof javax.net.ssl.X509KeyManager plain) {
                return new ExtendedKeyManager(plain);
            }
        }
        return null;
    }

    private static X509TrustManager trustManager(TrustManager[] managers) throws KeyManagementException {
        try {
            return TrustSource.first(managers == null ? TrustSource.managers(null) : managers);
        } catch (GeneralSecurityException e) {
            throw new KeyManagementException("the JDK's default trust cannot be had: " + e.getMessage(), e);
        }
    }

    private void checkInitialised() {
        if (client == null && server == null) {
            throw new IllegalStateException("SSLContext is not initialized: call init first");
        }
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
        return engineCreateSSLEngine(null, -1);
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
        checkInitialised();
        return new FerronetSslEngine(client, server, host, port);
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
        checkInitialised();
        return client == null ? null : client.sessions();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
        checkInitialised();
        return server == null ? null : server.sessions();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
        checkInitialised();
        TlsSettings settings = (client != null ? client : server).settings();
        return new EngineParameters(settings).get(null, client != null);
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
        return new SSLParameters(CipherSuite.javaNames(), TlsVersion.namesOf(EnumSet.allOf(TlsVersion.class)));
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
        throw noSockets();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
        throw noSockets();
    }

    private static UnsupportedOperationException noSockets() {
        return new UnsupportedOperationException("the provider " + FerronetSslProvider.NAME + " has engines, but no sockets: use SSLContext.createSSLEngine, or the JDK's provider");
    }
}
