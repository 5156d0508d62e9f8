package io.ferronet.interop;

import io.netty.pkitesting.CertificateBuilder.Algorithm;

/** The kind of an end entity's key. */
enum Key {
    ECDSA(Algorithm.ecp256), RSA(Algorithm.rsa2048), ED25519(Algorithm.ed25519);

    final Algorithm algorithm;

    Key(Algorithm algorithm) {
        this.algorithm = algorithm;
    }
}
