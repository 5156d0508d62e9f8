package io.ferronet.netty.ssl;

import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;

/** Asks a key manager for the key of a connection, and keeps the native credentials of the keys that it has given. Any thread. */
final class CredentialChooser {
    private static final int KEPT = 256;

    /** Equal chains and keys are the same credential. */
    private record Identity(List<X509Certificate> chain, PrivateKey key) {
    }

    private final X509ExtendedKeyManager manager;
    private final ConcurrentHashMap<Identity, NativeCredential> credentials = new ConcurrentHashMap<>();

    CredentialChooser(X509ExtendedKeyManager manager) {
        this.manager = manager;
    }

    /** The credentials, for whoever clears them; each is freed when no connection uses it any more. */
    Map<?, NativeCredential> kept() {
        return credentials;
    }

    /** A server's credential for a client that takes these schemes and suites, or {@code null}. */
    NativeCredential forServer(TlsHooks hooks, List<SignatureScheme> schemes, List<CipherSuite> offered, boolean tls13) throws SSLException {
        SSLEngine engine = hooks.engine();
        for (String type : keyTypes(schemes, offered, tls13)) {
            NativeCredential credential = credential(manager.chooseEngineServerAlias(type, null, engine));
            if (credential != null) {
                return credential;
            }
        }
        return null;
    }

    /** A client's credential for a server's request, or {@code null}. */
    NativeCredential forClient(TlsHooks hooks, List<SignatureScheme> schemes, Principal[] issuers) throws SSLException {
        String[] types = SignatureScheme.keyTypes(schemes).toArray(String[]::new);
        if (types.length == 0) {
            return null;
        }
        return credential(manager.chooseEngineClientAlias(types, issuers, hooks.engine()));
    }

    /** With TLS 1.2 the suite must fit the key too. */
    private static Set<String> keyTypes(List<SignatureScheme> schemes, List<CipherSuite> suites, boolean tls13) {
        Set<String> types = SignatureScheme.keyTypes(schemes);
        if (tls13) {
            return types;
        }
        Set<String> fitting = new LinkedHashSet<>();
        for (String type : types) {
            if (suites.stream().anyMatch(suite -> suite.takes(type))) {
                fitting.add(type);
            }
        }
        return fitting;
    }

    private NativeCredential credential(String alias) throws SSLException {
        if (alias == null) {
            return null;
        }
        X509Certificate[] chain = manager.getCertificateChain(alias);
        PrivateKey key = manager.getPrivateKey(alias);
        if (chain == null || chain.length == 0 || key == null) {
            return null;
        }
        Identity identity = new Identity(List.of(chain), key);
        NativeCredential known = credentials.get(identity);
        if (known != null) {
            return known;
        }
        NativeCredential made = NativeCredential.of(chain, key);
        if (credentials.size() >= KEPT) {
            // A key manager that makes keys anew each time must not fill the memory.
            credentials.clear();
        }
        NativeCredential other = credentials.putIfAbsent(identity, made);
        return other == null ? made : other;
    }
}
