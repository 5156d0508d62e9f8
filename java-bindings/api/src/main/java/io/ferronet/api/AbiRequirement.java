package io.ferronet.api;

/**
 * What a caller needs of a library.
 *
 * @param builtFor the revision that the caller was built for
 * @param minimum the oldest revision with which it works
 * @param fingerprint the layout fingerprint of {@code builtFor}
 * @param features {@link Feature} bits without which it cannot work
 * @param version the caller's version, for messages
 */
public record AbiRequirement(int builtFor, int minimum, long fingerprint, long features, String version) {
    /** The revision of the C surface that these Java modules are built for. */
    public static final int REVISION = 4;
    /** What these Java modules need. */
    public static final AbiRequirement CURRENT = new AbiRequirement(REVISION, 4, 0x12ea57e3016d5ee3L, 0L, "0.1.0");
}
