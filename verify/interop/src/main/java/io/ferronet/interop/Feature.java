package io.ferronet.interop;

/** What a cell tries beside moving data, which all do. */
enum Feature {
    ECHO, ALPN_NONE, CLIENT_AUTH, RESUMPTION, SNI, SNI_HANDLER, CHAIN_15, CHAIN_30, CHAIN_60, CLIENT_CHAIN_60;

    /** How many KiB of certificates the server shows, or 0. */
    int serverKib() {
        return switch (this) {
            case CHAIN_15 -> 15;
            case CHAIN_30 -> 30;
            case CHAIN_60 -> 60;
            default -> 0;
        };
    }

    int clientKib() {
        return this == CLIENT_CHAIN_60 ? 60 : 0;
    }

    boolean clientHasKey() {
        return this == CLIENT_AUTH || this == CLIENT_CHAIN_60;
    }

    boolean severalNames() {
        return this == SNI || this == SNI_HANDLER;
    }
}
