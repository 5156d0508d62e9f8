package io.ferronet.api;

/**
 * Layout of {@code ferronet_tls_credential_config}: offsets in bytes. A certificate chain with its key. Size-prefixed; all memory is copied.
 * Since revision 3.
 */
public final class TlsCredentialConfig {
    /** Bytes of the structure in this revision. */
    public static final int SIZE = 120;

    /** {@code uint32_t}: bytes of this structure that the caller fills. */
    public static final int OFFSET_SIZE = 0;
    /** {@code uint32_t}: must be zero. */
    public static final int OFFSET_FLAGS = 4;
    /** {@link Region}: certificates, the end entity's first: PEM, or DER one behind the other. */
    public static final int OFFSET_CHAIN = 8;
    /** {@link Region}: private key: PEM or DER, of PKCS#8, PKCS#1 or SEC1. Empty with {@code sign}. */
    public static final int OFFSET_KEY = 24;
    /** {@link Region}: password of an encrypted PKCS#8 key, UTF-8. */
    public static final int OFFSET_PASSWORD = 40;
    /** {@link Region}: OCSP response to staple, DER (RFC 6066, 8). Empty for none. */
    public static final int OFFSET_OCSP_RESPONSE = 56;
    /**
     * {@link Region}: server names that it serves, as text with commas in between; "*." in front stands for one label. Empty: the names in the
     * certificate.
     */
    public static final int OFFSET_NAMES = 72;
    /** {@code uint64_t} (address): signs in place of {@code key}. NULL: {@code key} does. */
    public static final int OFFSET_SIGN = 88;
    /** {@code uint64_t} (address): given back to {@code sign}. */
    public static final int OFFSET_SIGN_CONTEXT = 96;
    /**
     * {@link Region}: schemes that {@code sign} offers, the preferred first: an array of uint16_t, numbers of RFC 8446, 4.2.3. Empty: all of the
     * certificate's key type.
     */
    public static final int OFFSET_SCHEMES = 104;

    private TlsCredentialConfig() {
    }
}
