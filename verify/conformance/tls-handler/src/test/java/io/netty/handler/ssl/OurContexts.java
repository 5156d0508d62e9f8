package io.netty.handler.ssl;

import io.ferronet.netty.ssl.FerronetSslContext;
import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.ssl.FerronetSslContextOption;
import io.ferronet.netty.ssl.HandlerBridge;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** Contexts of ours from what Netty's builder hands to those of its providers. */
final class OurContexts {
    /** What the two sides have in common. */
    record Common(X509Certificate[] trusted, TrustManagerFactory trustManagers, X509Certificate[] chain, PrivateKey key, KeyManagerFactory keyManagers,
            Iterable<String> ciphers, CipherSuiteFilter filter, ApplicationProtocolConfig protocols, String[] versions, long cacheSize, long timeout) {
        private FerronetSslContextBuilder on(FerronetSslContextBuilder builder) {
            if (trusted != null) {
                builder.trustManager(trusted);
            } else if (trustManagers != null) {
                builder.trustManager(trustManagers);
            }
            return builder.ciphers(ciphers, filter).applicationProtocolConfig(protocols).protocols(versions).sessionCacheSize(cacheSize).sessionTimeout(timeout);
        }
    }

    private OurContexts() {
    }

    static FerronetSslContext client(Common common, String endpointIdentification, List<SNIServerName> names, Map.Entry<SslContextOption<?>, Object>[] options)
            throws SSLException {
        FerronetSslContextBuilder builder = common.on(FerronetSslContextBuilder.forClient());
        if (common.chain != null) {
            builder.keyManager(common.key, common.chain);
        } else if (common.keyManagers != null) {
            builder.keyManager(common.keyManagers);
        }
        if (names != null) {
            names.forEach(builder::serverName);
        }
        return HandlerBridge.unreleased(with(options, builder.endpointIdentificationAlgorithm(endpointIdentification)).build());
    }

    static FerronetSslContext server(Common common, ClientAuth clientAuth, boolean startTls, Map.Entry<SslContextOption<?>, Object>[] options) throws SSLException {
        FerronetSslContextBuilder builder = common.key == null ? FerronetSslContextBuilder.forServer(common.keyManagers)
            : FerronetSslContextBuilder.forServer(common.key, common.chain);
        return HandlerBridge.unreleased(with(options, common.on(builder).clientAuth(clientAuth).startTls(startTls)).build());
    }

    private static FerronetSslContextBuilder with(Map.Entry<SslContextOption<?>, Object>[] options, FerronetSslContextBuilder builder) {
        for (Map.Entry<SslContextOption<?>, Object> option : options) {
            if (option.getKey() == OpenSslContextOption.GROUPS) {
                builder.option(FerronetSslContextOption.GROUPS, (String[]) option.getValue());
            } else if (option.getKey() == OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES) {
                builder.option(FerronetSslContextOption.MAX_CERTIFICATE_LIST_BYTES, (Integer) option.getValue());
            } else {
                throw new IllegalArgumentException("the option " + option.getKey() + " has no counterpart in FerronetSslContextOption that is known here: add it to OurContexts");
            }
        }
        return builder;
    }
}
