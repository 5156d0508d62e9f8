package io.ferronet.netty.ssl;

import io.netty.handler.ssl.CipherSuiteFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The cipher suites that there are, in the library's order of preference, under the names of IANA (and Java) and of OpenSSL. */
enum CipherSuite {
    TLS_AES_256_GCM_SHA384(0x1302, "TLS_AES_256_GCM_SHA384", null),
    TLS_AES_128_GCM_SHA256(0x1301, "TLS_AES_128_GCM_SHA256", null),
    TLS_CHACHA20_POLY1305_SHA256(0x1303, "TLS_CHACHA20_POLY1305_SHA256", null),
    TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384(0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384", "EC"),
    TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256(0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256", "EC"),
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256(0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305", "EC"),
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384(0xc030, "ECDHE-RSA-AES256-GCM-SHA384", "RSA"),
    TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256(0xc02f, "ECDHE-RSA-AES128-GCM-SHA256", "RSA"),
    TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256(0xcca8, "ECDHE-RSA-CHACHA20-POLY1305", "RSA");

    private static final CipherSuite[] ALL = values();

    private final int number;
    private final String openSslName;
    /** What a certificate's key must be with TLS 1.2; {@code null} for the suites of TLS 1.3, which go with any. */
    private final String keyType;

    CipherSuite(int number, String openSslName, String keyType) {
        this.number = number;
        this.openSslName = openSslName;
        this.keyType = keyType;
    }

    int number() {
        return number;
    }

    String openSslName() {
        return openSslName;
    }

    boolean isTls13() {
        return keyType == null;
    }

    /** Bytes of a record that are not its data: the header, what TLS 1.2 sends of a nonce of AES-GCM or the type of TLS 1.3, and the tag. */
    int overhead() {
        return TlsRecords.HEADER + (isTls13() ? 1 : name().contains("_GCM_") ? 8 : 0) + 16;
    }

    /** Whether the suite is one of TLS 1.2 for keys of this type; Ed25519 keys go with the ECDSA suites. */
    boolean takes(String type) {
        return keyType != null && (keyType.equals("RSA") ? type.startsWith("RSA") : !type.startsWith("RSA"));
    }

    /** The authentication type that a trust manager is told of. */
    String authType() {
        return isTls13() ? "UNKNOWN" : keyType.equals("EC") ? "ECDHE_ECDSA" : "ECDHE_RSA";
    }

    /** The suite of a number, or {@code null}. */
    static CipherSuite of(int number) {
        for (CipherSuite suite : ALL) {
            if (suite.number == number) {
                return suite;
            }
        }
        return null;
    }

    /** The suite of a name of either kind, or {@code null}. */
    static CipherSuite find(String name) {
        for (CipherSuite suite : ALL) {
            if (suite.name().equals(name) || suite.openSslName.equals(name)) {
                return suite;
            }
        }
        return null;
    }

    /**
     * The suites of these names.
     *
     * @throws IllegalArgumentException if there is none of a name
     */
    static List<CipherSuite> parse(Collection<String> names) {
        Set<CipherSuite> suites = new LinkedHashSet<>();
        for (String name : names) {
            CipherSuite suite = name == null ? null : find(name);
            if (suite == null) {
                throw new IllegalArgumentException("cipher suite " + name + " is not supported" + reason(name) + "; there are: " + String.join(", ", javaNames()));
            }
            suites.add(suite);
        }
        return List.copyOf(suites);
    }

    private static String reason(String name) {
        if (name == null) {
            return "";
        }
        if (name.contains("CBC")) {
            return " (suites with CBC are left out, because their padding has been attacked again and again)";
        }
        return name.startsWith("TLS_RSA_") || name.startsWith("SSL_") || name.contains("_RC4_") || name.contains("_NULL_")
            ? " (only suites with forward secrecy and authenticated encryption are offered)" : "";
    }

    /**
     * The suites that a filter leaves.
     *
     * @param names under the names of Java or OpenSSL, the preferred first; {@code null} for all
     * @param filter decides what happens with those that are not supported
     * @throws IllegalArgumentException if it leaves one that is not supported
     */
    static List<CipherSuite> selected(Iterable<String> names, CipherSuiteFilter filter) {
        List<String> wanted = null;
        if (names != null) {
            wanted = new ArrayList<>();
            for (String name : names) {
                CipherSuite known = name == null ? null : find(name);
                wanted.add(known == null ? name : known.name());
            }
        }
        List<String> all = List.of(javaNames());
        return parse(List.of(filter.filterCipherSuites(wanted, all, new LinkedHashSet<>(all))));
    }

    static String[] javaNames() {
        return Arrays.stream(ALL).map(Enum::name).toArray(String[]::new);
    }
}
