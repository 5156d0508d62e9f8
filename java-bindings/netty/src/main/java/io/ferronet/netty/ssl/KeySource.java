package io.ferronet.netty.ssl;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;

/** Where a builder has its key from; what was set last counts. */
final class KeySource {
    private X509Certificate[] chain;
    private byte[] encoded;
    private PrivateKey external;
    private X509ExtendedKeyManager manager;

    private void clear() {
        chain = null;
        encoded = null;
        external = null;
        manager = null;
    }

    void set(X509Certificate[] certificates, byte[] key) {
        clear();
        chain = checked(certificates);
        encoded = key;
    }

    void set(X509Certificate[] certificates, PrivateKey key) {
        clear();
        chain = checked(certificates);
        if (key == null) {
            throw new IllegalArgumentException("the private key is null");
        }
        encoded = "PKCS#8".equals(key.getFormat()) ? key.getEncoded() : null;
        external = encoded == null ? key : null;
    }

    /** From PEM files. */
    void set(File chainFile, File keyFile, String password) {
        try {
            set(Files.readAllBytes(chainFile.toPath()), Files.readAllBytes(keyFile.toPath()), password);
        } catch (CertificateException | IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("certificate chain " + chainFile + ", key " + keyFile + ": " + e.getMessage(), e);
        }
    }

    /** From PEM, of streams that stay open. */
    void set(InputStream chainStream, InputStream keyStream, String password) {
        try {
            set(chainStream.readAllBytes(), keyStream.readAllBytes(), password);
        } catch (CertificateException | IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("certificate chain and key of streams: " + e.getMessage(), e);
        }
    }

    private void set(byte[] chainFile, byte[] keyFile, String password) throws CertificateException {
        KeyFiles.expectInOrder(chainFile, keyFile);
        set(FerronetSslContext.certificates(new ByteArrayInputStream(chainFile)), KeyFiles.read(keyFile, password));
    }

    /** All keys of a store, by Java's key manager. */
    void set(KeyStore store, char[] password) {
        try {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            set(factory.getKeyManagers());
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the key store's keys cannot be used: " + e.getMessage(), e);
        }
    }

    void set(KeyManager... managers) {
        clear();
        for (KeyManager candidate : managers) {
            if (candidate instanceof X509ExtendedKeyManager extended) {
                manager = extended;
                return;
            }
            if (candidate instanceof X509KeyManager plain) {
                manager = new ExtendedKeyManager(plain);
                return;
            }
        }
        throw new IllegalArgumentException("no X509KeyManager among the key managers");
    }

    private static X509Certificate[] checked(X509Certificate[] certificates) {
        if (certificates == null || certificates.length == 0) {
            throw new IllegalArgumentException("the certificate chain is empty");
        }
        for (X509Certificate certificate : certificates) {
            if (certificate == null) {
                throw new IllegalArgumentException("a certificate of the chain is null");
            }
        }
        return certificates.clone();
    }

    void apply(TlsSettings settings, byte[] ocspResponse) {
        if (manager != null) {
            settings.keyManager = manager;
        } else if (external != null) {
            settings.keyManager = new SingleKey(chain, external);
        } else if (chain != null) {
            settings.keys = List.of(new TlsSettings.KeyEntry(chain, encoded.clone(), null, ocspResponse));
        }
        if (ocspResponse.length > 0 && chain == null) {
            throw new IllegalArgumentException("an OCSP response is stapled only beside a certificate chain and key, not with a key manager");
        }
    }

    /** A key that cannot leave where it is. */
    private static final class SingleKey extends X509ExtendedKeyManager {
        private static final String ALIAS = "key";

        private final X509Certificate[] chain;
        private final PrivateKey key;

        SingleKey(X509Certificate[] chain, PrivateKey key) {
            this.chain = chain;
            this.key = key;
        }

        private String alias(Set<String> types) {
            String type = chain[0].getPublicKey().getAlgorithm();
            return types.contains(type) || type.startsWith("Ed") && types.contains("EdDSA") ? ALIAS : null;
        }

        @Override
        public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
            return alias(Set.of(keyType));
        }

        @Override
        public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
            return alias(Set.of(keyType));
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal[] issuers, java.net.Socket socket) {
            return alias(Set.of(keyType));
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, java.net.Socket socket) {
            return alias(Set.of(keyType));
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }
}
