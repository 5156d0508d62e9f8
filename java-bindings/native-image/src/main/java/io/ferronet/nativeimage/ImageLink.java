package io.ferronet.nativeimage;

import io.ferronet.api.AbiCheck;
import io.ferronet.api.AbiInfo;
import io.ferronet.api.AbiMismatchException;
import io.ferronet.api.AbiMismatchException.Mismatch;
import io.ferronet.api.AbiRequirement;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LoadedLibrary;
import io.ferronet.api.spi.LinkedBinding;
import java.nio.ByteBuffer;

/** Binds the library that is part of the image. Made while the image is built; each isolate has its own copy. */
final class ImageLink implements LinkedBinding {
    private final String source;
    private FerronetBinding bound;

    /**
     * A link to a static library.
     *
     * @param source where it came from, for messages
     */
    ImageLink(String source) {
        this.source = source;
    }

    @Override
    public synchronized FerronetBinding bind() throws LibraryLoadException {
        if (bound == null) {
            long start = System.nanoTime();
            AbiInfo abi = verified();
            bound = new ImageBinding(new LoadedLibrary("the image itself, linked from " + source, abi.target(), abi, System.nanoTime() - start, false));
        }
        return bound;
    }

    private AbiInfo verified() throws AbiMismatchException {
        checkHeader();
        long address = Functions.abi();
        if (address == 0) {
            throw new AbiMismatchException(Mismatch.BAD_MAGIC, source + " is not a Ferronet library: ferronet_abi() returned NULL");
        }
        ByteBuffer head = ImageBinding.view(address, Long.BYTES);
        AbiCheck.verifyHead(head.getInt(AbiInfo.OFFSET_MAGIC), head.getInt(AbiInfo.OFFSET_STRUCT_SIZE), source);
        AbiInfo abi = AbiInfo.read(ImageBinding.view(address, AbiInfo.SIZE));
        AbiCheck.verify(abi, AbiRequirement.CURRENT, source);
        return abi;
    }

    /** The header that the image was compiled with must describe what these classes read. */
    private void checkHeader() throws AbiMismatchException {
        boolean sameBlock = Layout.AbiBlock.magic() == AbiInfo.OFFSET_MAGIC && Layout.AbiBlock.structSize() == AbiInfo.OFFSET_STRUCT_SIZE
            && Layout.AbiBlock.featuresBuilt() == AbiInfo.OFFSET_FEATURES_BUILT
            && Layout.AbiBlock.layoutFingerprint() == AbiInfo.OFFSET_LAYOUT_FINGERPRINT
            && Layout.AbiBlock.buildId() == AbiInfo.OFFSET_BUILD_ID && Layout.abiBlockSize() >= AbiInfo.SIZE;
        boolean sameRecords = Layout.revision() != AbiRequirement.REVISION || Layout.fingerprint() == AbiRequirement.CURRENT.fingerprint();
        if (!sameBlock || !sameRecords) {
            throw new AbiMismatchException(Mismatch.FINGERPRINT, source + " holds a ferronet.h of revision " + Layout.revision()
                + " whose structures are not those of these Java modules (revision " + AbiRequirement.REVISION + "): take both from one release");
        }
    }
}
