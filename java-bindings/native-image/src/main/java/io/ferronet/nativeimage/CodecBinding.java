package io.ferronet.nativeimage;

import io.ferronet.api.FerronetBinding;

/** The functions of compression. */
abstract class CodecBinding implements FerronetBinding {
    @Override
    public int deflateNew(long config, long out) {
        return Functions.deflateNew(config, out);
    }

    @Override
    public int deflateProcess(long deflate, long input, long output, int flush, long out) {
        return Functions.deflateProcess(deflate, input, output, flush, out);
    }

    @Override
    public int deflateReset(long deflate, long config) {
        return Functions.deflateReset(deflate, config);
    }

    @Override
    public int deflateSetDictionary(long deflate, long dictionary, long length) {
        return Functions.deflateSetDictionary(deflate, dictionary, length);
    }

    @Override
    public int deflateFree(long deflate) {
        return Functions.deflateFree(deflate);
    }

    @Override
    public long deflateBound(long length) {
        return Functions.deflateBound(length);
    }

    @Override
    public long deflateBuffer(long config, long input, long length, long output, long capacity) {
        return Functions.deflateBuffer(config, input, length, output, capacity);
    }

    @Override
    public int inflateNew(long config, long out) {
        return Functions.inflateNew(config, out);
    }

    @Override
    public int inflateProcess(long inflate, long input, long output, int flush, long out) {
        return Functions.inflateProcess(inflate, input, output, flush, out);
    }

    @Override
    public int inflateReset(long inflate, long config) {
        return Functions.inflateReset(inflate, config);
    }

    @Override
    public int inflateSetDictionary(long inflate, long dictionary, long length) {
        return Functions.inflateSetDictionary(inflate, dictionary, length);
    }

    @Override
    public int inflateFree(long inflate) {
        return Functions.inflateFree(inflate);
    }

    @Override
    public long inflateBuffer(long config, long input, long length, long output, long capacity) {
        return Functions.inflateBuffer(config, input, length, output, capacity);
    }
}
