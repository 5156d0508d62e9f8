package io.netty.handler.ssl;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** In the place of Netty's class of this name: what {@code SslContextBuilder} makes for the provider OPENSSL gives handlers of ours. */
final class OpenSslServerContext extends OpenSslContext {
    OpenSslServerContext(X509Certificate[] trustCertCollection, TrustManagerFactory trustManagerFactory, X509Certificate[] keyCertChain, PrivateKey key, String keyPassword,
            KeyManagerFactory keyManagerFactory, Iterable<String> ciphers, CipherSuiteFilter cipherFilter, ApplicationProtocolConfig apn, long sessionCacheSize,
            long sessionTimeout, ClientAuth clientAuth, String[] protocols, boolean startTls, boolean enableOcsp, String keyStore,
            ResumptionController resumptionController, Map.Entry<SslContextOption<?>, Object>[] options, List<OpenSslCredential> credentials) throws SSLException {
        super(OurContexts.server(new OurContexts.Common(trustCertCollection, trustManagerFactory, keyCertChain, key, keyManagerFactory, ciphers, cipherFilter, apn, protocols,
            sessionCacheSize, sessionTimeout), clientAuth, startTls, options));
    }
}
