package io.ferronet.netty.compression;

import io.ferronet.api.DeflateConfig;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Status;
import java.nio.ByteBuffer;

/** A native compression stream. */
final class Deflater extends NativeStream {
    /** The library gives bodies up to this length another window and memory level. */
    private static final long SMALL_BODY = 4096;

    private DeflateSettings settings;
    private boolean small;

    Deflater(DeflateSettings settings, long expectedLength) {
        super(DeflateConfig.SIZE);
        write(settings, expectedLength);
        open();
    }

    static boolean isSmall(long expectedLength) {
        return expectedLength > 0 && expectedLength <= SMALL_BODY;
    }

    /** Whether a reset to these allocates nothing. */
    boolean fits(DeflateSettings other, boolean otherSmall) {
        return small == otherSmall && settings.wrapper() == other.wrapper() && settings.windowBits() == other.windowBits()
            && settings.memLevel() == other.memLevel();
    }

    void reset(DeflateSettings newSettings, long expectedLength) {
        long config = 0;
        if (!newSettings.equals(settings) || isSmall(expectedLength) != small) {
            write(newSettings, expectedLength);
            config = configAddress();
        }
        int status = binding.deflateReset(handle(), config);
        if (Status.isError(status)) {
            throw new IllegalStateException(failure("a reset", status));
        }
    }

    private void write(DeflateSettings newSettings, long expectedLength) {
        settings = newSettings;
        small = isSmall(expectedLength);
        ByteBuffer memory = config();
        int at = configOffset();
        memory.putInt(at + DeflateConfig.OFFSET_FORMAT, newSettings.format());
        memory.putInt(at + DeflateConfig.OFFSET_LEVEL, newSettings.nativeLevel());
        memory.putInt(at + DeflateConfig.OFFSET_WINDOW_BITS, newSettings.nativeWindowBits());
        memory.putInt(at + DeflateConfig.OFFSET_MEMORY_LEVEL, newSettings.nativeMemLevel());
        memory.putLong(at + DeflateConfig.OFFSET_EXPECTED_LENGTH, expectedLength);
    }

    @Override
    int create(long config, long out) {
        return binding.deflateNew(config, out);
    }

    @Override
    Runnable cleanup(FerronetBinding functions, long stream) {
        return () -> functions.deflateFree(stream);
    }

    @Override
    int process(long input, long output, int flush, long progress) {
        return binding.deflateProcess(handle(), input, output, flush, progress);
    }

    @Override
    int setDictionary(long dictionary, int length) {
        return binding.deflateSetDictionary(handle(), dictionary, length);
    }
}
