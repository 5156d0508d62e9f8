package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_verification}: offsets in bytes. What a verify callback judges. Size-prefixed, filled by the library. Since
 * revision 3.
 */
public final class TlsVerification {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 64;

    /** {@code uint32_t}: bytes of this structure that the library knows. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: our side: {@link Tls#CLIENT} judges a server's certificates. */
    public static final int OFFSET_SIDE = 4;
    /** {@code uint64_t}: the session's {@code user}. */
    public static final int OFFSET_USER = 8;
    /** {@code uint32_t}: {@link Tls#VERIFY_HOST}. */
    public static final int OFFSET_FLAGS = 16;
    /** {@code uint32_t}: regions at {@code certificates}. */
    public static final int OFFSET_CERTIFICATE_COUNT = 20;
    /** {@code uint64_t}: address of an array of ferronet_region, DER, the end entity's first. */
    public static final int OFFSET_CERTIFICATES = 24;
    /** {@link Region}: A client's {@code server_name}, as text. */
    public static final int OFFSET_SERVER_NAME = 32;
    /** {@link Region}: OCSP response that the server stapled, DER; empty for none. */
    public static final int OFFSET_OCSP_RESPONSE = 48;

    private TlsVerification() {
    }
}
