package io.ferronet.interop;

/** Who speaks TLS. */
enum Peer {
    FERRONET, JDK, TCNATIVE, OPENSSL;

    boolean inProcess() {
        return this != OPENSSL;
    }
}
