package io.ferronet.ffm;

import io.ferronet.api.FerronetBinding;

/** The functions of compression. */
abstract class CodecBinding implements FerronetBinding {
    /** A method handle of ours declares Throwable, but a native call throws nothing that is checked. */
    static RuntimeException unexpected(Throwable t) {
        if (t instanceof Error error) {
            throw error;
        }
        return t instanceof RuntimeException e ? e : new IllegalStateException("a native call threw a checked exception", t);
    }

    @Override
    public int deflateNew(long config, long out) {
        try {
            return (int) (long) Handles.DeflateNew.CALL.invokeExact(config, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int deflateProcess(long deflate, long input, long output, int flush, long out) {
        try {
            return (int) (long) Handles.DeflateProcess.CALL.invokeExact(deflate, input, output, (long) flush, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int deflateReset(long deflate, long config) {
        try {
            return (int) (long) Handles.DeflateReset.CALL.invokeExact(deflate, config);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int deflateSetDictionary(long deflate, long dictionary, long length) {
        try {
            return (int) (long) Handles.DeflateSetDictionary.CALL.invokeExact(deflate, dictionary, length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int deflateFree(long deflate) {
        try {
            return (int) (long) Handles.DeflateFree.CALL.invokeExact(deflate);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long deflateBound(long length) {
        try {
            return (long) Handles.DeflateBound.CALL.invokeExact(length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long deflateBuffer(long config, long input, long length, long output, long capacity) {
        try {
            return (long) Handles.DeflateBuffer.CALL.invokeExact(config, input, length, output, capacity);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int inflateNew(long config, long out) {
        try {
            return (int) (long) Handles.InflateNew.CALL.invokeExact(config, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int inflateProcess(long inflate, long input, long output, int flush, long out) {
        try {
            return (int) (long) Handles.InflateProcess.CALL.invokeExact(inflate, input, output, (long) flush, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int inflateReset(long inflate, long config) {
        try {
            return (int) (long) Handles.InflateReset.CALL.invokeExact(inflate, config);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int inflateSetDictionary(long inflate, long dictionary, long length) {
        try {
            return (int) (long) Handles.InflateSetDictionary.CALL.invokeExact(inflate, dictionary, length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int inflateFree(long inflate) {
        try {
            return (int) (long) Handles.InflateFree.CALL.invokeExact(inflate);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long inflateBuffer(long config, long input, long length, long output, long capacity) {
        try {
            return (long) Handles.InflateBuffer.CALL.invokeExact(config, input, length, output, capacity);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }
}
