package io.netty.handler.ssl;

import io.ferronet.netty.ssl.FerronetSslContext;
import io.ferronet.netty.ssl.HandlerBridge;
import io.netty.buffer.ByteBufAllocator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** In the place of Netty's class of this name: what {@code SslContextBuilder} makes for the provider JDK gives handlers of ours. */
@SuppressWarnings({"deprecation", "unchecked"})
final class JdkSslClientContext extends JdkSslContext {
    private final FerronetSslContext ours;

    JdkSslClientContext(Provider provider, X509Certificate[] trustCertCollection, TrustManagerFactory trustManagerFactory, X509Certificate[] keyCertChain, PrivateKey key,
            String keyPassword, KeyManagerFactory keyManagerFactory, Iterable<String> ciphers, CipherSuiteFilter cipherFilter, ApplicationProtocolConfig apn,
            String[] protocols, long sessionCacheSize, long sessionTimeout, SecureRandom secureRandom, String keyStoreType, String endpointIdentificationAlgorithm,
            List<SNIServerName> serverNames, ResumptionController resumptionController) throws SSLException {
        this(OurContexts.client(new OurContexts.Common(trustCertCollection, trustManagerFactory, keyCertChain, key, keyManagerFactory, ciphers, cipherFilter, apn, protocols,
            sessionCacheSize, sessionTimeout), endpointIdentificationAlgorithm, serverNames, new Map.Entry[0]), ciphers, cipherFilter, apn, protocols,
            endpointIdentificationAlgorithm, serverNames);
    }

    private JdkSslClientContext(FerronetSslContext ours, Iterable<String> ciphers, CipherSuiteFilter cipherFilter, ApplicationProtocolConfig apn, String[] protocols,
            String endpointIdentificationAlgorithm, List<SNIServerName> serverNames) {
        super(HandlerBridge.sslContext(ours), true, ciphers, cipherFilter, toNegotiator(apn, false), ClientAuth.NONE, protocols, false, endpointIdentificationAlgorithm,
            serverNames, null);
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
