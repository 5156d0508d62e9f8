package io.ferronet.netty.ssl;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.CipherSuiteFilter;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.SslContextOption;
import java.io.File;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Builds a {@link FerronetSslContext}, with the words of Netty's {@code SslContextBuilder}. What is not supported (TLS 1.0 and 1.1, suites with CBC, NPN) is refused when it is set or
 * built, with a text that says what and why. Not for use by several threads at once.
 *
 * <p>Defaults: TLS 1.2 and 1.3; a client trusts what Java trusts ({@code cacerts}, {@code javax.net.ssl.trustStore}), checks the host name and sends it.
 */
public final class FerronetSslContextBuilder {
    private final boolean client;
    private final Map<SslContextOption<?>, Object> options = new LinkedHashMap<>();
    private final List<SNIServerName> serverNames = new ArrayList<>();
    private final KeySource key = new KeySource();
    private final TrustSource trust = new TrustSource();
    private Iterable<String> ciphers;
    private CipherSuiteFilter cipherFilter = IdentityCipherSuiteFilter.INSTANCE;
    private ApplicationProtocolConfig protocolConfig = ApplicationProtocolConfig.DISABLED;
    private ClientAuth clientAuth = ClientAuth.NONE;
    private String[] protocols;
    private long sessionCacheSize;
    private long sessionTimeout;
    private boolean startTls;
    private boolean enableOcsp;
    private String endpointIdentificationAlgorithm = FerronetSslContext.defaultEndpointIdentification();

    private FerronetSslContextBuilder(boolean client) {
        this.client = client;
    }

    /**
     * A client.
     *
     * @return a builder
     */
    public static FerronetSslContextBuilder forClient() {
        return new FerronetSslContextBuilder(true);
    }

    /**
     * A server with a certificate chain and a key in PEM files.
     *
     * @param keyCertChainFile the chain, the end entity's certificate first
     * @param keyFile the key: PKCS#8, PKCS#1 or SEC1
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(File keyCertChainFile, File keyFile) {
        return new FerronetSslContextBuilder(false).keyManager(keyCertChainFile, keyFile);
    }

    /**
     * A server with a certificate chain and a key in PEM files.
     *
     * @param keyCertChainFile the chain, the end entity's certificate first
     * @param keyFile the key
     * @param keyPassword the password of an encrypted PKCS#8 key, or {@code null}
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(File keyCertChainFile, File keyFile, String keyPassword) {
        return new FerronetSslContextBuilder(false).keyManager(keyCertChainFile, keyFile, keyPassword);
    }

    /**
     * A server with a certificate chain and a key in PEM.
     *
     * @param keyCertChainInputStream the chain, the end entity's certificate first; not closed
     * @param keyInputStream the key; not closed
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(InputStream keyCertChainInputStream, InputStream keyInputStream) {
        return new FerronetSslContextBuilder(false).keyManager(keyCertChainInputStream, keyInputStream);
    }

    /**
     * A server with a certificate chain and a key in PEM.
     *
     * @param keyCertChainInputStream the chain, the end entity's certificate first; not closed
     * @param keyInputStream the key; not closed
     * @param keyPassword the password of an encrypted PKCS#8 key, or {@code null}
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(InputStream keyCertChainInputStream, InputStream keyInputStream, String keyPassword) {
        return new FerronetSslContextBuilder(false).keyManager(keyCertChainInputStream, keyInputStream, keyPassword);
    }

    /**
     * A server with a key; one that cannot be exported signs in delegated tasks.
     *
     * @param key the key
     * @param keyCertChain the chain, the end entity's certificate first
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(PrivateKey key, X509Certificate... keyCertChain) {
        return new FerronetSslContextBuilder(false).keyManager(key, keyCertChain);
    }

    /**
     * A server with a key; one that cannot be exported signs in delegated tasks.
     *
     * @param key the key
     * @param keyCertChain the chain, the end entity's certificate first
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(PrivateKey key, Iterable<? extends X509Certificate> keyCertChain) {
        return new FerronetSslContextBuilder(false).keyManager(key, keyCertChain);
    }

    /**
     * A server that asks a key manager, in delegated tasks.
     *
     * @param keyManagerFactory makes the key manager
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(KeyManagerFactory keyManagerFactory) {
        return new FerronetSslContextBuilder(false).keyManager(keyManagerFactory);
    }

    /**
     * A server that asks a key manager, in delegated tasks.
     *
     * @param keyManager the key manager
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(KeyManager keyManager) {
        return new FerronetSslContextBuilder(false).keyManager(keyManager);
    }

    /**
     * A server with the keys of a key store.
     *
     * @param keyStore the key store
     * @param keyPassword the password of its keys
     * @return a builder
     */
    public static FerronetSslContextBuilder forServer(KeyStore keyStore, char[] keyPassword) {
        return new FerronetSslContextBuilder(false).keyManager(keyStore, keyPassword);
    }

    /**
     * Adds a key, as {@link #forServer(File, File)}.
     *
     * @param keyCertChainFile the chain
     * @param keyFile the key
     * @return this
     */
    public FerronetSslContextBuilder keyManager(File keyCertChainFile, File keyFile) {
        return keyManager(keyCertChainFile, keyFile, null);
    }

    /**
     * Adds a key, as {@link #forServer(File, File, String)}.
     *
     * @param keyCertChainFile the chain
     * @param keyFile the key
     * @param keyPassword the password of an encrypted PKCS#8 key, or {@code null}
     * @return this
     */
    public FerronetSslContextBuilder keyManager(File keyCertChainFile, File keyFile, String keyPassword) {
        key.set(keyCertChainFile, keyFile, keyPassword);
        return this;
    }

    /**
     * Adds a key, as {@link #forServer(InputStream, InputStream)}.
     *
     * @param keyCertChainInputStream the chain; not closed
     * @param keyInputStream the key; not closed
     * @return this
     */
    public FerronetSslContextBuilder keyManager(InputStream keyCertChainInputStream, InputStream keyInputStream) {
        return keyManager(keyCertChainInputStream, keyInputStream, null);
    }

    /**
     * Adds a key, as {@link #forServer(InputStream, InputStream, String)}.
     *
     * @param keyCertChainInputStream the chain; not closed
     * @param keyInputStream the key; not closed
     * @param keyPassword the password of an encrypted PKCS#8 key, or {@code null}
     * @return this
     */
    public FerronetSslContextBuilder keyManager(InputStream keyCertChainInputStream, InputStream keyInputStream, String keyPassword) {
        key.set(keyCertChainInputStream, keyInputStream, keyPassword);
        return this;
    }

    /**
     * Adds a key, as {@link #forServer(PrivateKey, X509Certificate...)}.
     *
     * @param privateKey the key
     * @param keyCertChain the chain
     * @return this
     */
    public FerronetSslContextBuilder keyManager(PrivateKey privateKey, X509Certificate... keyCertChain) {
        key.set(keyCertChain, privateKey);
        return this;
    }

    /**
     * Adds a key, as {@link #forServer(PrivateKey, Iterable)}.
     *
     * @param privateKey the key
     * @param keyCertChain the chain
     * @return this
     */
    public FerronetSslContextBuilder keyManager(PrivateKey privateKey, Iterable<? extends X509Certificate> keyCertChain) {
        List<X509Certificate> chain = new ArrayList<>();
        keyCertChain.forEach(chain::add);
        return keyManager(privateKey, chain.toArray(X509Certificate[]::new));
    }

    /**
     * Asks a key manager, in delegated tasks.
     *
     * @param keyManagerFactory makes the key manager
     * @return this
     */
    public FerronetSslContextBuilder keyManager(KeyManagerFactory keyManagerFactory) {
        key.set(Objects.requireNonNull(keyManagerFactory, "keyManagerFactory").getKeyManagers());
        return this;
    }

    /**
     * Asks a key manager, in delegated tasks.
     *
     * @param keyManager the key manager
     * @return this
     */
    public FerronetSslContextBuilder keyManager(KeyManager keyManager) {
        key.set(Objects.requireNonNull(keyManager, "keyManager"));
        return this;
    }

    /**
     * Takes the keys of a key store.
     *
     * @param keyStore the key store
     * @param keyPassword the password of its keys
     * @return this
     */
    public FerronetSslContextBuilder keyManager(KeyStore keyStore, char[] keyPassword) {
        key.set(keyStore, keyPassword);
        return this;
    }

    /**
     * Trusts certificates in a PEM file.
     *
     * @param trustCertCollectionFile the certificates; {@code null} for Java's default trust
     * @return this
     */
    public FerronetSslContextBuilder trustManager(File trustCertCollectionFile) {
        trust.set(trustCertCollectionFile);
        return this;
    }

    /**
     * Trusts certificates in PEM.
     *
     * @param trustCertCollectionInputStream the certificates; not closed
     * @return this
     */
    public FerronetSslContextBuilder trustManager(InputStream trustCertCollectionInputStream) {
        trust.set(trustCertCollectionInputStream);
        return this;
    }

    /**
     * Trusts certificates.
     *
     * @param trustCertCollection the certificates; {@code null} for Java's default trust
     * @return this
     */
    public FerronetSslContextBuilder trustManager(X509Certificate... trustCertCollection) {
        trust.set(trustCertCollection);
        return this;
    }

    /**
     * Trusts certificates.
     *
     * @param trustCertCollection the certificates
     * @return this
     */
    public FerronetSslContextBuilder trustManager(Iterable<? extends X509Certificate> trustCertCollection) {
        List<X509Certificate> certificates = new ArrayList<>();
        trustCertCollection.forEach(certificates::add);
        return trustManager(certificates.toArray(X509Certificate[]::new));
    }

    /**
     * Asks a trust manager, in delegated tasks.
     *
     * @param trustManagerFactory makes the trust manager; {@code null} for Java's default trust
     * @return this
     */
    public FerronetSslContextBuilder trustManager(TrustManagerFactory trustManagerFactory) {
        trust.set(trustManagerFactory == null ? null : trustManagerFactory.getTrustManagers());
        return this;
    }

    /**
     * Asks a trust manager, in delegated tasks. One that knows nothing of engines is asked about the chain, and the host name is checked beside it.
     *
     * @param trustManager the trust manager; {@code null} for Java's default trust
     * @return this
     */
    public FerronetSslContextBuilder trustManager(TrustManager trustManager) {
        trust.set(trustManager == null ? null : new TrustManager[] {trustManager});
        return this;
    }

    /**
     * The cipher suites, under the names of Java (and IANA) or of OpenSSL; one that is not supported is refused.
     *
     * @param newCiphers the suites, the preferred first; {@code null} for all
     * @return this
     */
    public FerronetSslContextBuilder ciphers(Iterable<String> newCiphers) {
        return ciphers(newCiphers, IdentityCipherSuiteFilter.INSTANCE);
    }

    /**
     * The cipher suites, under the names of Java (and IANA) or of OpenSSL.
     *
     * @param newCiphers the suites, the preferred first; {@code null} for all
     * @param filter decides what happens with those that are not supported
     * @return this
     */
    public FerronetSslContextBuilder ciphers(Iterable<String> newCiphers, CipherSuiteFilter filter) {
        ciphers = newCiphers;
        cipherFilter = Objects.requireNonNull(filter, "cipherFilter");
        return this;
    }

    /**
     * The versions of the protocol.
     *
     * @param newProtocols {@code TLSv1.3}, {@code TLSv1.2}; {@code null} for both
     * @return this
     * @throws IllegalArgumentException if a version is not supported
     */
    public FerronetSslContextBuilder protocols(String... newProtocols) {
        if (newProtocols != null) {
            TlsVersion.parse(newProtocols);
        }
        protocols = newProtocols == null ? null : newProtocols.clone();
        return this;
    }

    /**
     * The versions of the protocol.
     *
     * @param newProtocols {@code TLSv1.3}, {@code TLSv1.2}
     * @return this
     * @throws IllegalArgumentException if a version is not supported
     */
    public FerronetSslContextBuilder protocols(Iterable<String> newProtocols) {
        List<String> names = new ArrayList<>();
        newProtocols.forEach(names::add);
        return protocols(names.toArray(String[]::new));
    }

    /**
     * The application protocols, by ALPN. A server goes on without one in common, or ends the handshake, as the configuration says.
     *
     * @param config the configuration; {@code null} for none
     * @return this
     * @throws IllegalArgumentException if it asks for NPN, or for a protocol that the peer did not offer
     */
    public FerronetSslContextBuilder applicationProtocolConfig(ApplicationProtocolConfig config) {
        ApplicationProtocolConfig checked = config == null ? ApplicationProtocolConfig.DISABLED : config;
        AlpnNames.check(checked);
        protocolConfig = checked;
        return this;
    }

    /**
     * What a server does with its client's certificate.
     *
     * @param newClientAuth by default {@link ClientAuth#NONE}
     * @return this
     */
    public FerronetSslContextBuilder clientAuth(ClientAuth newClientAuth) {
        clientAuth = Objects.requireNonNull(newClientAuth, "clientAuth");
        return this;
    }

    /**
     * Sessions that are kept for resumption.
     *
     * @param size the number; 0 for the default of 20,480
     * @return this
     */
    public FerronetSslContextBuilder sessionCacheSize(long size) {
        sessionCacheSize = atLeastZero("sessionCacheSize", size);
        return this;
    }

    /**
     * How long a session can be resumed.
     *
     * @param seconds the time, at most 604,800; 0 for the default of 300
     * @return this
     */
    public FerronetSslContextBuilder sessionTimeout(long seconds) {
        sessionTimeout = atLeastZero("sessionTimeout", seconds);
        return this;
    }

    private static long atLeastZero(String name, long value) {
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 to " + Integer.MAX_VALUE + ")");
        }
        return value;
    }

    /**
     * Whether the first message of a connection is not encrypted.
     *
     * @param newStartTls by default it is encrypted
     * @return this
     */
    public FerronetSslContextBuilder startTls(boolean newStartTls) {
        startTls = newStartTls;
        return this;
    }

    /**
     * OCSP stapling. A client always asks for a response, which {@code ExtendedSSLSession.getStatusResponses} has; a server staples {@link FerronetSslContextOption#OCSP_RESPONSE}.
     *
     * @param newEnableOcsp whether a server staples
     * @return this
     */
    public FerronetSslContextBuilder enableOcsp(boolean newEnableOcsp) {
        enableOcsp = newEnableOcsp;
        return this;
    }

    /**
     * How a client identifies its server.
     *
     * @param algorithm {@code HTTPS}, which is the default, or {@code LDAPS}; {@code null} or empty checks no name, so that any trusted certificate will do
     * @return this
     */
    public FerronetSslContextBuilder endpointIdentificationAlgorithm(String algorithm) {
        endpointIdentificationAlgorithm = algorithm;
        return this;
    }

    /**
     * Adds a server name that a client sends instead of its peer's host.
     *
     * @param serverName the name
     * @return this
     */
    public FerronetSslContextBuilder serverName(SNIServerName serverName) {
        serverNames.add(Objects.requireNonNull(serverName, "serverName"));
        return this;
    }

    /**
     * Sets what Netty's builder has no word for.
     *
     * @param <T> the type of the value
     * @param option one of {@link FerronetSslContextOption}
     * @param value the value; {@code null} for the default
     * @return this
     * @throws IllegalArgumentException if the option is not one of ours
     */
    public <T> FerronetSslContextBuilder option(SslContextOption<T> option, T value) {
        if (!(option instanceof FerronetSslContextOption)) {
            throw new IllegalArgumentException("option " + option + " is not supported (expected: one of FerronetSslContextOption)");
        }
        if (value == null) {
            options.remove(option);
        } else {
            option.validate(value);
            options.put(option, value);
        }
        return this;
    }

    /**
     * Builds the context.
     *
     * @return a context
     * @throws SSLException if a key or certificate cannot be used; the text says why
     * @throws IllegalArgumentException if the configuration contradicts itself or asks for what is not supported
     */
    public FerronetSslContext build() throws SSLException {
        TlsSettings settings = new TlsSettings(client);
        settings.suites = CipherSuite.selected(ciphers, cipherFilter);
        String[] names = protocols == null ? TlsVersion.namesOf(Set.of(TlsVersion.values())) : protocols;
        // As with the JDK, a version without a suite stays enabled, and is never negotiated.
        settings.versions = TlsVersion.parse(names);
        if (settings.suites.stream().noneMatch(suite -> settings.versions.contains(suite.isTls13() ? TlsVersion.TLS_1_3 : TlsVersion.TLS_1_2))) {
            throw new IllegalArgumentException("no version is left: protocols " + List.of(names) + " have none of the cipher suites " + settings.suites);
        }
        if (protocolConfig.protocol() == ApplicationProtocolConfig.Protocol.ALPN) {
            settings.alpn = protocolConfig.supportedProtocols();
            settings.alpnOptional = protocolConfig.selectorFailureBehavior() != ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT;
        }
        settings.clientCertificate = client ? TlsSettings.ClientCertificate.NONE : switch (clientAuth) {
            case REQUIRE -> TlsSettings.ClientCertificate.REQUIRED;
            case OPTIONAL -> TlsSettings.ClientCertificate.OPTIONAL;
            default -> TlsSettings.ClientCertificate.NONE;
        };
        settings.cacheSize = sessionCacheSize == 0 ? TlsSettings.DEFAULT_CACHE_SIZE : (int) sessionCacheSize;
        settings.timeoutSeconds = sessionTimeout == 0 ? TlsSettings.DEFAULT_TIMEOUT_SECONDS : (int) sessionTimeout;
        settings.endpointIdentification = client ? endpointIdentificationAlgorithm : null;
        BuilderOptions.apply(options, settings);
        trust.apply(settings);
        byte[] response = (byte[]) options.get(FerronetSslContextOption.OCSP_RESPONSE);
        key.apply(settings, enableOcsp && response != null ? response : new byte[0]);
        return new FerronetSslContext(new NativeTlsContext(settings), protocolConfig, serverNames, startTls);
    }
}
