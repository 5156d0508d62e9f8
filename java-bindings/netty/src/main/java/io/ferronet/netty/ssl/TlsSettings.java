package io.ferronet.netty.ssl;

import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;

/** Everything that the connections of a context have in common. Not changed any more once a context has it. */
final class TlsSettings {
    static final int DEFAULT_CACHE_SIZE = 20_480;
    static final int DEFAULT_TIMEOUT_SECONDS = 300;

    /** Who judges the peer's certificates. */
    enum Trust {
        /** The trust manager. */
        MANAGER,
        /** The operating system's store. */
        PLATFORM
    }

    /** What a server does with its client's certificate. */
    enum ClientCertificate {
        NONE, OPTIONAL, REQUIRED
    }

    final boolean client;
    Trust trust = Trust.MANAGER;
    X509TrustManager trustManager = NoTrust.INSTANCE;
    /** Chooses credentials in a task, if it is there. */
    X509ExtendedKeyManager keyManager;
    /** Keys that the library holds. */
    List<KeyEntry> keys = List.of();
    Set<TlsVersion> versions = EnumSet.allOf(TlsVersion.class);
    List<CipherSuite> suites = List.of(CipherSuite.values());
    /** Empty: all of the library's. */
    List<String> groups = List.of();
    List<String> alpn = List.of();
    /** Whether a server goes on without a common protocol. */
    boolean alpnOptional = true;
    ClientCertificate clientCertificate = ClientCertificate.NONE;
    String endpointIdentification;
    int cacheSize = DEFAULT_CACHE_SIZE;
    int timeoutSeconds = DEFAULT_TIMEOUT_SECONDS;
    boolean tickets = true;
    boolean cached = true;
    int ticketCount;
    byte[] ticketKeys = {};
    boolean compressCertificates;
    boolean clientOrder;
    boolean everyFlightIsTask;
    int maxCertificateBytes;
    String keyLogFile;
    Consumer<String> keyLog;

    TlsSettings(boolean client) {
        this.client = client;
    }

    /**
     * A key with its chain.
     *
     * @param chain the certificates, the end entity's first
     * @param key the key, PEM or DER; {@code null} if {@code external} signs
     * @param external a key that cannot be taken out of where it is
     * @param ocspResponse what is stapled; empty for nothing
     */
    record KeyEntry(X509Certificate[] chain, byte[] key, java.security.PrivateKey external, byte[] ocspResponse) {
        KeyEntry {
            Objects.requireNonNull(chain, "chain");
        }
    }

    TlsSettings copy() {
        TlsSettings copy = new TlsSettings(client);
        copy.trust = trust;
        copy.trustManager = trustManager;
        copy.keyManager = keyManager;
        copy.keys = keys;
        copy.versions = versions;
        copy.suites = suites;
        copy.groups = groups;
        copy.alpn = alpn;
        copy.alpnOptional = alpnOptional;
        copy.clientCertificate = clientCertificate;
        copy.endpointIdentification = endpointIdentification;
        copy.cacheSize = cacheSize;
        copy.timeoutSeconds = timeoutSeconds;
        copy.tickets = tickets;
        copy.cached = cached;
        copy.ticketCount = ticketCount;
        copy.ticketKeys = ticketKeys;
        copy.compressCertificates = compressCertificates;
        copy.clientOrder = clientOrder;
        copy.everyFlightIsTask = everyFlightIsTask;
        copy.maxCertificateBytes = maxCertificateBytes;
        copy.keyLogFile = keyLogFile;
        copy.keyLog = keyLog;
        return copy;
    }
}
