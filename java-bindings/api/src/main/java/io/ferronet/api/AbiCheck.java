package io.ferronet.api;

import io.ferronet.api.AbiMismatchException.Mismatch;

/**
 * Decides whether a library fits a caller. The rule is the same in the C header and in Rust; one case table tests all three.
 */
public final class AbiCheck {
    private AbiCheck() {
    }

    /**
     * Checks what must hold before the rest of the block may be read.
     *
     * @param magic the first four bytes
     * @param structSize the second four bytes
     * @param file the library's file, for the message
     * @throws AbiMismatchException if this is no metadata block
     */
    public static void verifyHead(int magic, int structSize, String file) throws AbiMismatchException {
        if (magic != AbiInfo.MAGIC) {
            throw new AbiMismatchException(Mismatch.BAD_MAGIC, String.format(
                "%s is not a Ferronet library: its ABI block begins with 0x%08x instead of 0x%08x", file, magic, AbiInfo.MAGIC));
        }
        if (Integer.compareUnsigned(structSize, AbiInfo.SIZE) < 0) {
            throw new AbiMismatchException(Mismatch.SHORT_BLOCK, file + " has an ABI block of " + Integer.toUnsignedString(structSize)
                + " bytes, but at least " + AbiInfo.SIZE + " are needed: replace the file");
        }
    }

    /**
     * Checks a library against a requirement.
     *
     * @param info the library's metadata
     * @param required what the caller needs
     * @param file the library's file, for the message
     * @throws AbiMismatchException if they do not fit; the message names both numbers, or the missing feature, and the file
     */
    public static void verify(AbiInfo info, AbiRequirement required, String file) throws AbiMismatchException {
        verifyHead(info.magic(), info.structSize(), file);
        String revision = Integer.toUnsignedString(info.revision());
        if (Integer.compareUnsigned(info.revision(), required.minimum()) < 0) {
            throw new AbiMismatchException(Mismatch.LIBRARY_TOO_OLD, file + " has ABI revision " + revision + ", but at least "
                + Integer.toUnsignedString(required.minimum()) + " is needed: use a newer library");
        }
        if (Integer.compareUnsigned(required.builtFor(), info.floor()) < 0) {
            throw new AbiMismatchException(Mismatch.CALLER_TOO_OLD, file + " serves callers from ABI revision "
                + Integer.toUnsignedString(info.floor()) + " on, but this one was built for "
                + Integer.toUnsignedString(required.builtFor()) + ": rebuild the caller or use an older library");
        }
        if (info.revision() == required.builtFor() && info.fingerprint() != required.fingerprint()) {
            throw new AbiMismatchException(Mismatch.FINGERPRINT, String.format(
                "%s has layout fingerprint 0x%016x for ABI revision %s, but 0x%016x is expected: take library and header from one release",
                file, info.fingerprint(), revision, required.fingerprint()));
        }
        long missing = required.features() & ~info.featuresBuilt();
        if (missing != 0) {
            int bit = Long.numberOfTrailingZeros(missing);
            throw new AbiMismatchException(Mismatch.MISSING_FEATURE, file + " was built without the required feature "
                + Feature.name(bit) + " (bit " + bit + "): use a library that has it");
        }
    }
}
