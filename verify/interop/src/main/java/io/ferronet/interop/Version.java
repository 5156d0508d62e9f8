package io.ferronet.interop;

/** A version of the protocol. */
enum Version {
    TLS12("1.2", "TLSv1.2", "-tls1_2", "-cipher", 0x0303),
    TLS13("1.3", "TLSv1.3", "-tls1_3", "-ciphersuites", 0x0304);

    final String label;
    final String java;
    final String opensslOption;
    final String opensslSuites;
    final int code;

    Version(String label, String java, String opensslOption, String opensslSuites, int code) {
        this.label = label;
        this.java = java;
        this.opensslOption = opensslOption;
        this.opensslSuites = opensslSuites;
        this.code = code;
    }
}
