package io.ferronet.interop;

/** A cipher suite, for each version and kind of key. */
enum Suite {
    AES_128("AES_128_GCM_SHA256", "AES128-GCM-SHA256", 0x1301, 0xc02b, 0xc02f),
    AES_256("AES_256_GCM_SHA384", "AES256-GCM-SHA384", 0x1302, 0xc02c, 0xc030),
    CHACHA20("CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305", 0x1303, 0xcca9, 0xcca8);

    private final String java;
    private final String openssl;
    private final int tls13;
    private final int ecdsa;
    private final int rsa;

    Suite(String java, String openssl, int tls13, int ecdsa, int rsa) {
        this.java = java;
        this.openssl = openssl;
        this.tls13 = tls13;
        this.ecdsa = ecdsa;
        this.rsa = rsa;
    }

    String java(Version version, Key key) {
        return version == Version.TLS13 ? "TLS_" + java : "TLS_ECDHE_" + (key == Key.RSA ? "RSA" : "ECDSA") + "_WITH_" + java;
    }

    String openssl(Version version, Key key) {
        return version == Version.TLS13 ? java(version, key) : "ECDHE-" + (key == Key.RSA ? "RSA" : "ECDSA") + '-' + openssl;
    }

    /** Java's name of a suite by its number on the wire. */
    static String nameOf(int code) {
        for (Suite suite : values()) {
            if (suite.tls13 == code) {
                return suite.java(Version.TLS13, Key.ECDSA);
            }
            if (suite.ecdsa == code) {
                return suite.java(Version.TLS12, Key.ECDSA);
            }
            if (suite.rsa == code) {
                return suite.java(Version.TLS12, Key.RSA);
            }
        }
        return String.format("suite 0x%04x", code);
    }
}
