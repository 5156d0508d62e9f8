package io.ferronet.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The metadata block of a library ({@code ferronet_abi_info}). Unsigned numbers are kept in types of the same width.
 *
 * @param magic {@link #MAGIC} in every Ferronet library
 * @param structSize bytes of the block that the library knows
 * @param revision revision of the library's C surface
 * @param floor oldest revision whose callers work unchanged
 * @param libraryVersion major, minor and patch in the upper three bytes
 * @param flags {@code FLAG} bits
 * @param featuresBuilt {@link Feature} bits
 * @param fingerprint hash of the layout table of the revision
 * @param version version as text
 * @param target the Rust target
 * @param buildId commit, or {@code unreleased}
 */
public record AbiInfo(int magic, int structSize, int revision, int floor, int libraryVersion, int flags, long featuresBuilt,
        long fingerprint, String version, String target, String buildId) {
    /** The bytes {@code FNAB} as a little-endian number. */
    public static final int MAGIC = 0x42414e46;
    /** Bytes of the block in revision 1; no library has fewer. */
    public static final int SIZE = 128;

    /** The library is linked statically. */
    public static final int FLAG_STATIC = 1;
    /** Debug assertions are compiled in. */
    public static final int FLAG_DEBUG = 2;
    /** Test hooks are compiled in. */
    public static final int FLAG_TEST_HOOKS = 4;

    /** {@code uint32_t}: magic. */
    public static final int OFFSET_MAGIC = 0;
    /** {@code uint32_t}: bytes of the block. */
    public static final int OFFSET_STRUCT_SIZE = 4;
    /** {@code uint32_t}: revision. */
    public static final int OFFSET_ABI_REVISION = 8;
    /** {@code uint32_t}: floor. */
    public static final int OFFSET_ABI_FLOOR = 12;
    /** {@code uint32_t}: version as a number. */
    public static final int OFFSET_LIB_VERSION = 16;
    /** {@code uint32_t}: flags. */
    public static final int OFFSET_FLAGS = 20;
    /** {@code uint64_t}: features. */
    public static final int OFFSET_FEATURES_BUILT = 24;
    /** {@code uint64_t}: layout fingerprint. */
    public static final int OFFSET_LAYOUT_FINGERPRINT = 32;
    /** {@code char[24]}: version. */
    public static final int OFFSET_VERSION = 40;
    /** {@code char[40]}: target. */
    public static final int OFFSET_TARGET = 64;
    /** {@code char[24]}: build. */
    public static final int OFFSET_BUILD_ID = 104;

    /**
     * Reads a block. The caller has made sure of magic and size ({@link AbiCheck#verifyHead}).
     *
     * @param block a buffer in native byte order whose index 0 is the block's first byte; at least {@link #SIZE} bytes
     * @return its content
     */
    public static AbiInfo read(ByteBuffer block) {
        return new AbiInfo(block.getInt(OFFSET_MAGIC), block.getInt(OFFSET_STRUCT_SIZE), block.getInt(OFFSET_ABI_REVISION),
            block.getInt(OFFSET_ABI_FLOOR), block.getInt(OFFSET_LIB_VERSION), block.getInt(OFFSET_FLAGS),
            block.getLong(OFFSET_FEATURES_BUILT), block.getLong(OFFSET_LAYOUT_FINGERPRINT),
            text(block, OFFSET_VERSION, OFFSET_TARGET), text(block, OFFSET_TARGET, OFFSET_BUILD_ID), text(block, OFFSET_BUILD_ID, SIZE));
    }

    private static String text(ByteBuffer block, int from, int end) {
        byte[] bytes = new byte[end - from];
        block.get(from, bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
