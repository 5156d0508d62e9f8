package io.ferronet.netty.ssl;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Where a builder has its trust from; what was set last counts. */
final class TrustSource {
    private TrustManager[] managers;
    private boolean set;

    void set(X509Certificate[] certificates) {
        if (certificates == null) {
            set((TrustManager[]) null);
            return;
        }
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < certificates.length; i++) {
                store.setCertificateEntry(Integer.toString(i), certificates[i]);
            }
            set(managers(store));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the trusted certificates cannot be used: " + e.getMessage(), e);
        }
    }

    /** From a PEM file; of {@code null}, Java's default trust. */
    void set(File certificates) {
        try {
            set(FerronetSslContext.certificates(certificates));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("trusted certificates " + certificates + ": " + e.getMessage(), e);
        }
    }

    /** From PEM, of a stream that stays open. */
    void set(InputStream certificates) {
        try {
            set(FerronetSslContext.certificates(certificates));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("trusted certificates of a stream: " + e.getMessage(), e);
        }
    }

    void set(TrustManager[] newManagers) {
        managers = newManagers;
        set = newManagers != null;
    }

    /** The trust managers of a store; of {@code null}, Java's default trust. */
    static TrustManager[] managers(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /** The first one that judges certificates; without any nobody is trusted. */
    static X509TrustManager first(TrustManager[] candidates) {
        for (TrustManager candidate : candidates) {
            if (candidate instanceof X509TrustManager manager) {
                return manager;
            }
        }
        return NoTrust.INSTANCE;
    }

    void apply(TlsSettings settings) {
        if (settings.trust == TlsSettings.Trust.PLATFORM) {
            if (set) {
                throw new IllegalArgumentException("PLATFORM_ROOTS and a trust manager exclude each other: set one of them");
            }
            return;
        }
        if (!settings.client && settings.clientCertificate == TlsSettings.ClientCertificate.NONE && !set) {
            return;
        }
        try {
            settings.trustManager = first(set ? managers : managers(null));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("Java's default trust cannot be had: " + e.getMessage(), e);
        }
    }
}
