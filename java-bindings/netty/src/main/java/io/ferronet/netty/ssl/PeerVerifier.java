package io.ferronet.netty.ssl;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateRevokedException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/** Asks a trust manager about the peer's certificates, and checks the host where the trust manager does not. */
final class PeerVerifier {
    private static final int BAD_CERTIFICATE = 42;
    private static final int CERTIFICATE_REVOKED = 44;
    private static final int CERTIFICATE_EXPIRED = 45;
    private static final int CERTIFICATE_UNKNOWN = 46;
    private static final int UNKNOWN_CA = 48;
    /** The JDK's properties for the longest chain, with its defaults. */
    private static final String LONGEST = "jdk.tls.maxCertificateChainLength";
    private static final String LONGEST_FOR_CLIENTS = "jdk.tls.client.maxInboundCertificateChainLength";
    private static final int LONGEST_FOR_CLIENTS_DEFAULT = 10;
    private static final String LONGEST_FOR_SERVERS = "jdk.tls.server.maxInboundCertificateChainLength";
    private static final int LONGEST_FOR_SERVERS_DEFAULT = 8;

    private PeerVerifier() {
    }

    /**
     * Judges a chain.
     *
     * @param manager the trust manager
     * @param hooks the connection
     * @param client whether this side is the client
     * @param suite the cipher suite, {@code null} if it is not known
     * @param certificates DER, the end entity's first
     * @throws CertificateException if it is refused
     */
    static void verify(X509TrustManager manager, TlsHooks hooks, boolean client, CipherSuite suite, List<byte[]> certificates) throws CertificateException {
        int longest = longest(client);
        if (certificates.size() > longest) {
            throw new CertificateException("the peer's chain has " + certificates.size() + " certificates (at most " + longest + ", which the property "
                + (client ? LONGEST_FOR_CLIENTS : LONGEST_FOR_SERVERS) + " sets)");
        }
        X509Certificate[] chain = FerronetSslSession.parse(certificates);
        hooks.handshakeSession().setPeerCertificates(chain);
        SSLEngine engine = hooks.engine();
        String authType = client ? suite == null ? "UNKNOWN" : suite.authType() : keyAlgorithm(chain[0]);
        if (manager instanceof X509ExtendedTrustManager extended) {
            if (client) {
                extended.checkServerTrusted(chain, authType, engine);
            } else {
                extended.checkClientTrusted(chain, authType, engine);
            }
            return;
        }
        if (client) {
            manager.checkServerTrusted(chain, authType);
            checkHost(engine, hooks.hostNames(), chain[0]);
        } else {
            manager.checkClientTrusted(chain, authType);
        }
    }

    private static int longest(boolean client) {
        return client ? Integer.getInteger(LONGEST_FOR_CLIENTS, Integer.getInteger(LONGEST, LONGEST_FOR_CLIENTS_DEFAULT))
            : Integer.getInteger(LONGEST_FOR_SERVERS, Integer.getInteger(LONGEST, LONGEST_FOR_SERVERS_DEFAULT));
    }

    private static String keyAlgorithm(X509Certificate certificate) {
        return certificate.getPublicKey().getAlgorithm();
    }

    /** A trust manager that is told of no connection cannot know the host. */
    private static void checkHost(SSLEngine engine, List<String> names, X509Certificate certificate) throws CertificateException {
        String algorithm = engine.getSSLParameters().getEndpointIdentificationAlgorithm();
        if (algorithm == null || algorithm.isEmpty()) {
            return;
        }
        if (!algorithm.equalsIgnoreCase("HTTPS") && !algorithm.equalsIgnoreCase("LDAPS")) {
            throw new CertificateException("endpoint identification algorithm " + algorithm + " is not known (expected: HTTPS, LDAPS, or none)");
        }
        CertificateException failure = null;
        for (String name : names) {
            try {
                HostNameCheck.check(name, certificate);
                return;
            } catch (CertificateException e) {
                failure = e;
            }
        }
        if (failure == null) {
            HostNameCheck.check(null, certificate);
        }
        throw failure;
    }

    /** Validators say why by the reason alone, and what they throw is wrapped. */
    private static int alert(BasicReason reason) {
        return switch (reason) {
            case EXPIRED, NOT_YET_VALID -> CERTIFICATE_EXPIRED;
            case REVOKED -> CERTIFICATE_REVOKED;
            default -> CERTIFICATE_UNKNOWN;
        };
    }

    /** The alert that tells the peer why. */
    static int alert(CertificateException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
                return CERTIFICATE_EXPIRED;
            }
            if (cause instanceof CertificateRevokedException) {
                return CERTIFICATE_REVOKED;
            }
            if (cause instanceof CertPathValidatorException path && path.getReason() instanceof BasicReason reason) {
                int alert = alert(reason);
                if (alert != CERTIFICATE_UNKNOWN) {
                    return alert;
                }
            }
            String name = cause.getClass().getName();
            if (name.equals("sun.security.provider.certpath.SunCertPathBuilderException")) {
                return UNKNOWN_CA;
            }
            if (cause == cause.getCause()) {
                break;
            }
        }
        String message = String.valueOf(failure.getMessage());
        return message.startsWith("No subject alternative") || message.startsWith("No name matching") ? BAD_CERTIFICATE : CERTIFICATE_UNKNOWN;
    }
}
