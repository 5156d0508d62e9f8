package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Status;
import io.ferronet.api.Tls;
import io.ferronet.api.TlsConfig;
import io.ferronet.api.TlsSessionConfig;
import io.ferronet.api.TlsStubs;
import io.ferronet.netty.internal.NativeCleaner;
import io.ferronet.netty.internal.NativeRuntime;
import java.io.ByteArrayOutputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;

/**
 * A native TLS context, made at its first session and again when its cache is configured anew. Any thread. It is freed when it is closed and nobody holds it, or when
 * nothing refers to it any more; sessions keep what they need of it.
 */
final class NativeTlsContext {
    private static final int MAX_TICKET_KEY = 48;

    private final TlsSettings settings;
    private final FerronetSslSessionContext sessions;
    private final CredentialChooser chooser;
    private final EngineParameters parameters;
    private final ContextLifetime lifetime;

    NativeTlsContext(TlsSettings settings) {
        this.settings = settings;
        sessions = new FerronetSslSessionContext(this, settings);
        parameters = new EngineParameters(settings);
        chooser = settings.keyManager == null ? null : new CredentialChooser(settings.keyManager);
        lifetime = new ContextLifetime(chooser == null ? null : chooser.kept());
    }

    TlsSettings settings() {
        return settings;
    }

    FerronetSslSessionContext sessions() {
        return sessions;
    }

    /** What engines negotiate for unless something is set; never changed. */
    EngineParameters parameters() {
        return parameters;
    }

    CredentialChooser chooser() {
        return chooser;
    }

    /**
     * Makes the native context, so that a configuration which the library refuses is found out now.
     *
     * @throws SSLException if it is refused; the text says why
     */
    void open() throws SSLException {
        current();
    }

    /**
     * Begins a session.
     *
     * @param special what is special to it
     * @param hooks what answers the library; held weakly
     * @throws SSLException if the library refuses it
     */
    NativeTlsSession newSession(SessionSettings special, TlsHooks hooks) throws SSLException {
        FerronetBinding binding = NativeRuntime.get().binding();
        ContextLifetime.Handle context = use();
        long user = binding.tlsRegister(new SessionCallbacks(binding, this, hooks));
        NativeTlsSession session = null;
        try (NativeConfig config = new NativeConfig(binding, TlsSessionConfig.SIZE)) {
            write(config, special, user);
            int status = binding.tlsSessionNew(context.value, config.address(), config.handleAddress());
            if (Status.isError(status)) {
                throw TlsFailures.configuration("a TLS session", status, binding.lastError(context.value));
            }
            session = new NativeTlsSession(binding, config.handle(), user);
            return session;
        } finally {
            context.used();
            if (session == null) {
                binding.tlsUnregister(user);
            }
        }
    }

    private void write(NativeConfig config, SessionSettings special, long user) {
        int flags = special.hostChecked() ? 0 : Tls.NO_HOST_CHECK;
        if (special.serverName() == null) {
            flags |= Tls.NO_SNI;
        }
        config.putInt(TlsSessionConfig.OFFSET_FLAGS, flags).putLong(TlsSessionConfig.OFFSET_USER, user);
        config.put(TlsSessionConfig.OFFSET_SERVER_NAME, special.serverName() != null ? special.serverName() : special.checkedName());
        // Sessions whose peer has no name must not be mixed up with each other.
        config.put(TlsSessionConfig.OFFSET_SESSION_KEY, settings.client ? special.key() != null ? special.key() : "#" + user : null);
        config.putInt(TlsSessionConfig.OFFSET_MIN_VERSION, oldest(special.versions())).putInt(TlsSessionConfig.OFFSET_MAX_VERSION, newest(special.versions()));
        if (!settings.client) {
            config.putInt(TlsSessionConfig.OFFSET_CLIENT_AUTH, 1 + special.clientCertificate().ordinal());
        }
        config.putInt(TlsSessionConfig.OFFSET_ALPN_POLICY, 1 + (special.alpnOptional() ? Tls.ALPN_ACCEPT : Tls.ALPN_FATAL));
        config.putAlpn(TlsSessionConfig.OFFSET_ALPN, special.alpn());
        if (!special.suites().equals(settings.suites)) {
            config.put(TlsSessionConfig.OFFSET_SUITES, names(special.suites()));
        }
        if (!special.groups().equals(settings.groups)) {
            config.put(TlsSessionConfig.OFFSET_GROUPS, String.join(":", special.groups()));
        }
    }

    private static int oldest(Set<TlsVersion> versions) {
        return versions.stream().mapToInt(TlsVersion::number).min().orElse(0);
    }

    private static int newest(Set<TlsVersion> versions) {
        return versions.stream().mapToInt(TlsVersion::number).max().orElse(0);
    }

    private static String names(Collection<CipherSuite> suites) {
        return suites.stream().map(Enum::name).collect(Collectors.joining(":"));
    }

    private ContextLifetime.Handle current() throws SSLException {
        synchronized (lifetime) {
            lifetime.checkNotOver();
            if (lifetime.current() == null) {
                lifetime.setCurrent(make());
            }
            return lifetime.current();
        }
    }

    private ContextLifetime.Handle use() throws SSLException {
        synchronized (lifetime) {
            ContextLifetime.Handle context = current();
            context.use();
            return context;
        }
    }

    /**
     * Keeps it from being freed by {@link #close}, for what begins a session later.
     *
     * @param holder when nothing refers to it any more, the hold ends by itself
     * @return what ends it
     * @throws io.netty.util.IllegalReferenceCountException if it is closed
     */
    Cleaner.Cleanable hold(Object holder) {
        lifetime.hold();
        return NativeCleaner.register(holder, lifetime::giveBack);
    }

    /** Frees what is native, the keys included, as soon as nobody holds it; sessions live on, and none can be begun any more. */
    void close() {
        lifetime.release();
    }

    private ContextLifetime.Handle make() throws SSLException {
        FerronetBinding binding = NativeRuntime.get().binding();
        if (lifetime.credentials() == null) {
            List<NativeCredential> made = new ArrayList<>();
            for (TlsSettings.KeyEntry entry : settings.keys) {
                made.add(NativeCredential.make(entry));
            }
            lifetime.setCredentials(made);
        }
        try (NativeConfig config = new NativeConfig(binding, TlsConfig.SIZE)) {
            write(config, binding);
            int status = binding.tlsContextNew(config.address(), config.handleAddress());
            if (Status.isError(status)) {
                throw TlsFailures.configuration("the TLS context", status, binding.lastError(0));
            }
            return new ContextLifetime.Handle(binding, config.handle());
        }
    }

    private void write(NativeConfig config, FerronetBinding binding) throws SSLException {
        config.putInt(TlsConfig.OFFSET_SIDE, settings.client ? Tls.CLIENT : Tls.SERVER);
        config.putInt(TlsConfig.OFFSET_FLAGS, resumptionFlags() | (settings.everyFlightIsTask ? Tls.TASKS : 0)
            | (settings.clientOrder ? Tls.CLIENT_ORDER : 0) | (settings.compressCertificates ? Tls.COMPRESS_CERTIFICATES : 0));
        config.putInt(TlsConfig.OFFSET_CLIENT_AUTH, settings.client ? 0 : settings.clientCertificate.ordinal());
        config.putInt(TlsConfig.OFFSET_TRUST, settings.trust == TlsSettings.Trust.PLATFORM ? Tls.TRUST_PLATFORM : Tls.TRUST_CALLBACK);
        config.putInt(TlsConfig.OFFSET_MIN_VERSION, oldest(settings.versions)).putInt(TlsConfig.OFFSET_MAX_VERSION, newest(settings.versions));
        config.putInt(TlsConfig.OFFSET_ALPN_POLICY, settings.alpnOptional ? Tls.ALPN_ACCEPT : Tls.ALPN_FATAL);
        List<NativeCredential> credentials = lifetime.credentials();
        config.putInt(TlsConfig.OFFSET_CREDENTIAL_COUNT, credentials.size());
        config.putAddresses(TlsConfig.OFFSET_CREDENTIALS, credentials.stream().mapToLong(NativeCredential::handle).toArray());
        if (!settings.client && settings.trust == TlsSettings.Trust.MANAGER) {
            // A server names these to its clients; the trust manager decides.
            config.put(TlsConfig.OFFSET_ROOTS, encoded(settings.trustManager.getAcceptedIssuers()));
        }
        config.put(TlsConfig.OFFSET_SUITES, names(settings.suites)).put(TlsConfig.OFFSET_GROUPS, String.join(":", settings.groups));
        config.putAlpn(TlsConfig.OFFSET_ALPN, settings.alpn).put(TlsConfig.OFFSET_KEY_LOG_PATH, settings.keyLogFile);
        config.putInt(TlsConfig.OFFSET_SESSION_CACHE_SIZE, sessions.getSessionCacheSize()).putInt(TlsConfig.OFFSET_SESSION_TIMEOUT_S, sessions.getSessionTimeout());
        config.putInt(TlsConfig.OFFSET_TICKET_COUNT, settings.ticketCount).putLong(TlsConfig.OFFSET_MAX_CERTIFICATE_BYTES, settings.maxCertificateBytes);
        config.put(TlsConfig.OFFSET_TICKET_KEYS, settings.ticketKeys);
        if (settings.trust == TlsSettings.Trust.MANAGER) {
            TlsStubs stubs = binding.tlsStubs();
            config.putLong(TlsConfig.OFFSET_VERIFY, stubs.verify()).putLong(TlsConfig.OFFSET_VERIFY_CONTEXT, stubs.context());
        }
        if (chooser != null) {
            TlsStubs stubs = binding.tlsStubs();
            config.putLong(TlsConfig.OFFSET_CHOOSE, stubs.choose()).putLong(TlsConfig.OFFSET_CHOOSE_CONTEXT, stubs.context());
        }
        if (settings.keyLog != null) {
            TlsStubs stubs = binding.tlsStubs();
            config.putLong(TlsConfig.OFFSET_KEY_LOG, stubs.keyLog()).putLong(TlsConfig.OFFSET_KEY_LOG_CONTEXT, stubs.context());
        }
    }

    private int resumptionFlags() {
        boolean cached = sessions.isSessionCacheEnabled();
        if (!settings.tickets && !cached) {
            return Tls.NO_RESUMPTION;
        }
        return (settings.tickets ? 0 : Tls.NO_TICKETS) | (cached ? 0 : Tls.NO_SESSION_CACHE);
    }

    private static byte[] encoded(X509Certificate[] certificates) throws SSLException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            for (X509Certificate certificate : certificates) {
                bytes.writeBytes(certificate.getEncoded());
            }
        } catch (CertificateEncodingException e) {
            throw new SSLException("an accepted issuer of the trust manager has no encoding: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    /** Takes the cache's size and timeout over; what was kept is forgotten, what was counted is not. */
    void reconfigure() {
        synchronized (lifetime) {
            lifetime.replaceCurrent();
        }
    }

    void setTicketKeys(byte[]... keys) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] key : keys) {
            if (key.length != MAX_TICKET_KEY) {
                throw new IllegalArgumentException("a ticket key has " + key.length + " bytes (expected: " + MAX_TICKET_KEY + ", 16 of name and 32 of key)");
            }
            bytes.writeBytes(key);
        }
        byte[] all = bytes.toByteArray();
        synchronized (lifetime) {
            settings.ticketKeys = all;
            withBytes(all, FerronetBinding::tlsContextSetTicketKeys, "the ticket keys");
        }
    }

    void removeSession(byte[] id, String key) {
        byte[] name = settings.client ? key == null ? null : key.getBytes(StandardCharsets.UTF_8) : id;
        if (name != null && name.length > 0) {
            synchronized (lifetime) {
                withBytes(name, FerronetBinding::tlsContextRemoveSession, "the session");
            }
        }
    }

    void clearSessions() {
        synchronized (lifetime) {
            if (lifetime.current() != null) {
                NativeRuntime.get().binding().tlsContextClearSessions(lifetime.current().value);
            }
        }
    }

    private interface Call {
        int run(FerronetBinding binding, long context, long address, long length);
    }

    /** Calls the library with bytes that are wiped then, if there is a native context. */
    private void withBytes(byte[] bytes, Call call, String what) {
        if (lifetime.current() == null) {
            return;
        }
        FerronetBinding binding = NativeRuntime.get().binding();
        long context = lifetime.current().value;
        ByteBuffer copy = ByteBuffer.allocateDirect(Math.max(1, bytes.length)).put(bytes);
        int status = call.run(binding, context, binding.addressOf(copy), bytes.length);
        copy.clear();
        while (copy.hasRemaining()) {
            copy.put((byte) 0);
        }
        if (Status.isError(status)) {
            throw new IllegalArgumentException(what + ": " + Status.name(status) + ": " + binding.lastError(context));
        }
    }

    FerronetSslStatistics statistics() {
        synchronized (lifetime) {
            return lifetime.statistics();
        }
    }
}
