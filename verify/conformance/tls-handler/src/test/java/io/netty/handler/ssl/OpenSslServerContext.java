package io.netty.handler.ssl;

import java.io.File;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** In the place of Netty's class of this name: what {@code SslContextBuilder} makes for the provider OPENSSL gives handlers of ours. */
public final class OpenSslServerContext extends OpenSslContext {
    /** What a class of the transport suite makes without the builder. */
    @SuppressWarnings("unchecked")
    public OpenSslServerContext(File chain, File key) throws Exception {
        super(OurContexts.server(new OurContexts.Common(null, null, toX509Certificates(chain), toPrivateKey(key, null), null, null, SupportedCipherSuiteFilter.INSTANCE,
            ApplicationProtocolConfig.DISABLED, null, 0, 0), ClientAuth.NONE, false, new Map.Entry[0]));
    }

    OpenSslServerContext(X509Certificate[] trustCertCollection, TrustManagerFactory trustManagerFactory, X509Certificate[] keyCertChain, PrivateKey key, String keyPassword,
            KeyManagerFactory keyManagerFactory, Iterable<String> ciphers, CipherSuiteFilter cipherFilter, ApplicationProtocolConfig apn, long sessionCacheSize,
            long sessionTimeout, ClientAuth clientAuth, String[] protocols, boolean startTls, boolean enableOcsp, String keyStore,
            ResumptionController resumptionController, Map.Entry<SslContextOption<?>, Object>[] options, List<OpenSslCredential> credentials) throws SSLException {
        super(OurContexts.server(new OurContexts.Common(trustCertCollection, trustManagerFactory, keyCertChain, key, keyManagerFactory, ciphers, cipherFilter, apn, protocols,
            sessionCacheSize, sessionTimeout), clientAuth, startTls, options));
    }
}
