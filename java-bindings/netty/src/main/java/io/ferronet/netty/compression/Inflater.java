package io.ferronet.netty.compression;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.InflateConfig;
import io.ferronet.api.Status;
import java.nio.ByteBuffer;

/** A native decompression stream. */
final class Inflater extends NativeStream {
    private InflateSettings settings;

    Inflater(InflateSettings settings) {
        super(InflateConfig.SIZE);
        write(settings);
        open();
    }

    void reset(InflateSettings newSettings) {
        long config = 0;
        if (!newSettings.equals(settings)) {
            write(newSettings);
            config = configAddress();
        }
        int status = binding.inflateReset(handle(), config);
        if (Status.isError(status)) {
            throw new IllegalStateException(failure("a reset", status));
        }
    }

    private void write(InflateSettings newSettings) {
        settings = newSettings;
        FerronetDecompressionLimits limits = newSettings.limits();
        ByteBuffer memory = config();
        int at = configOffset();
        memory.putInt(at + InflateConfig.OFFSET_FORMAT, newSettings.format());
        int flags = (newSettings.concatenated() ? InflateConfig.FLAG_CONCATENATED : 0) | (limits.maxRatio() == 0 ? InflateConfig.FLAG_UNBOUNDED : 0);
        memory.putInt(at + InflateConfig.OFFSET_FLAGS, flags);
        memory.putLong(at + InflateConfig.OFFSET_MAX_OUTPUT, limits.maxOutput());
        memory.putLong(at + InflateConfig.OFFSET_RATIO_FLOOR, limits.ratioFloor());
        memory.putInt(at + InflateConfig.OFFSET_MAX_RATIO, limits.maxRatio());
    }

    @Override
    int create(long config, long out) {
        return binding.inflateNew(config, out);
    }

    @Override
    Runnable cleanup(FerronetBinding functions, long stream) {
        return () -> functions.inflateFree(stream);
    }

    @Override
    int process(long input, long output, int flush, long progress) {
        return binding.inflateProcess(handle(), input, output, flush, progress);
    }

    @Override
    int setDictionary(long dictionary, int length) {
        return binding.inflateSetDictionary(handle(), dictionary, length);
    }
}
