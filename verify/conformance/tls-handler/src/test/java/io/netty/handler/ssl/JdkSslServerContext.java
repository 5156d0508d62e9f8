package io.netty.handler.ssl;

import io.ferronet.netty.ssl.FerronetSslContext;
import io.ferronet.netty.ssl.HandlerBridge;
import io.netty.buffer.ByteBufAllocator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** In the place of Netty's class of this name: what {@code SslContextBuilder} makes for the provider JDK gives handlers of ours. */
@SuppressWarnings({"deprecation", "unchecked"})
final class JdkSslServerContext extends JdkSslContext {
    private final FerronetSslContext ours;

    JdkSslServerContext(Provider provider, X509Certificate[] trustCertCollection, TrustManagerFactory trustManagerFactory, X509Certificate[] keyCertChain, PrivateKey key,
            String keyPassword, KeyManagerFactory keyManagerFactory, Iterable<String> ciphers, CipherSuiteFilter cipherFilter, ApplicationProtocolConfig apn,
            long sessionCacheSize, long sessionTimeout, ClientAuth clientAuth, String[] protocols, boolean startTls, SecureRandom secureRandom, String keyStore,
            ResumptionController resumptionController) throws SSLException {
        this(OurContexts.server(new OurContexts.Common(trustCertCollection, trustManagerFactory, keyCertChain, key, keyManagerFactory, ciphers, cipherFilter, apn, protocols,
            sessionCacheSize, sessionTimeout), clientAuth, startTls, new Map.Entry[0]), ciphers, cipherFilter, apn, clientAuth, protocols, startTls);
    }

    private JdkSslServerContext(FerronetSslContext ours, Iterable<String> ciphers, CipherSuiteFilter cipherFilter, ApplicationProtocolConfig apn, ClientAuth clientAuth,
            String[] protocols, boolean startTls) {
        super(HandlerBridge.sslContext(ours), false, ciphers, cipherFilter, toNegotiator(apn, true), clientAuth, protocols, startTls, null, null, null);
        this.ours = ours;
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls) {
        return HandlerBridge.made(ours.newHandler(alloc));
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls, Executor executor) {
        return HandlerBridge.made(ours.newHandler(alloc, executor));
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls) {
        return HandlerBridge.made(ours.newHandler(alloc, peerHost, peerPort));
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls, Executor executor) {
        return HandlerBridge.made(ours.newHandler(alloc, peerHost, peerPort, executor));
    }
}
