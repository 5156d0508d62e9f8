package io.ferronet.netty.ssl;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** Certificates for the tests, made once. */
final class Keys {
    static final String HOST = "server.example.org";

    private static final Map<Algorithm, X509Bundle> SERVERS = new ConcurrentHashMap<>();

    private Keys() {
    }

    static X509Bundle server(Algorithm algorithm) {
        return SERVERS.computeIfAbsent(algorithm, key -> of(HOST, key));
    }

    static X509Bundle of(String name, Algorithm algorithm) {
        return of(name, algorithm, "");
    }

    /** With more in the subject than the name. */
    static X509Bundle of(String name, Algorithm algorithm, String more) {
        try {
            X509Bundle authority = new CertificateBuilder().subject("CN=Test authority of " + name).setIsCertificateAuthority(true).algorithm(Algorithm.ecp256).buildSelfSigned();
            return new CertificateBuilder().subject("CN=" + name + more).addSanDnsName(name).algorithm(algorithm).buildIssuedBy(authority);
        } catch (Exception e) {
            throw new AssertionError("no certificate", e);
        }
    }

    /** A context of the JDK or of ours, with one key and trust in the other's authority. */
    static SSLContext context(boolean ours, X509Bundle own, X509Bundle trusted) throws Exception {
        SSLContext context = ours ? SSLContext.getInstance("TLS", new FerronetSslProvider()) : SSLContext.getInstance("TLS", "SunJSSE");
        KeyManager[] keys = own == null ? null : own.toKeyManagerFactory().getKeyManagers();
        TrustManager[] trust = trusted == null ? null : trusted.toTrustManagerFactory().getTrustManagers();
        context.init(keys, trust, null);
        return context;
    }
}
