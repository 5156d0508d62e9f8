package io.ferronet.nativeimage;

import org.graalvm.nativeimage.c.CContext;
import org.graalvm.nativeimage.c.constant.CConstant;
import org.graalvm.nativeimage.c.struct.CFieldOffset;
import org.graalvm.nativeimage.c.struct.CStruct;
import org.graalvm.nativeimage.c.struct.SizeOf;
import org.graalvm.word.PointerBase;

/** What the C compiler says about the static library's header while the image is built. */
@CContext(LibraryDirectives.class)
final class Layout {
    private Layout() {
    }

    @CConstant("FERRONET_ABI_REVISION")
    static native int revision();

    @CConstant("FERRONET_LAYOUT_FINGERPRINT")
    static native long fingerprint();

    /** The metadata block. The bodies are replaced by the offsets. */
    @CContext(LibraryDirectives.class)
    @CStruct("ferronet_abi_info")
    interface AbiBlock extends PointerBase {
        @CFieldOffset("magic")
        static int magic() {
            throw new AssertionError();
        }

        @CFieldOffset("struct_size")
        static int structSize() {
            throw new AssertionError();
        }

        @CFieldOffset("features_built")
        static int featuresBuilt() {
            throw new AssertionError();
        }

        @CFieldOffset("layout_fingerprint")
        static int layoutFingerprint() {
            throw new AssertionError();
        }

        @CFieldOffset("build_id")
        static int buildId() {
            throw new AssertionError();
        }
    }

    static int abiBlockSize() {
        return SizeOf.get(AbiBlock.class);
    }
}
