package io.ferronet.interop;

/** A group of the key exchange. */
enum Group {
    X25519("x25519", "X25519", 0x001d),
    P256("secp256r1", "P-256", 0x0017),
    P384("secp384r1", "P-384", 0x0018),
    X25519MLKEM768("X25519MLKEM768", "X25519MLKEM768", 0x11ec);

    final String java;
    final String openssl;
    final int code;

    Group(String java, String openssl, int code) {
        this.java = java;
        this.openssl = openssl;
        this.code = code;
    }

    static String nameOf(int code) {
        for (Group group : values()) {
            if (group.code == code) {
                return group.name();
            }
        }
        return String.format("group 0x%04x", code);
    }
}
