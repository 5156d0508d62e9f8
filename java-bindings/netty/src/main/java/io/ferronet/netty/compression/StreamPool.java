package io.ferronet.netty.compression;

import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;

/** The idle streams of a thread, which in a pipeline is an event loop: a reset costs a tenth of a new stream. */
final class StreamPool {
    /** Idle streams of each kind that are kept; a compression stream has 270 KiB. */
    private static final int KEPT = 8;
    /** Bytes of heap memory that are copied at a time. */
    static final int SCRATCH = 64 * 1024;

    private static final FastThreadLocal<StreamPool> POOLS = new FastThreadLocal<>() {
        @Override
        protected StreamPool initialValue() {
            return new StreamPool();
        }

        @Override
        protected void onRemoval(StreamPool pool) {
            pool.deflaters.forEach(NativeStream::free);
            pool.inflaters.forEach(NativeStream::free);
        }
    };

    private final ArrayDeque<Deflater> deflaters = new ArrayDeque<>(KEPT);
    private final ArrayDeque<Inflater> inflaters = new ArrayDeque<>(KEPT);

    private ByteBuffer scratch;

    private StreamPool() {
    }

    /** Direct memory for heap memory to be copied to. */
    static ByteBuffer takeScratch() {
        StreamPool pool = POOLS.get();
        ByteBuffer taken = pool.scratch;
        pool.scratch = null;
        return taken == null ? ByteBuffer.allocateDirect(SCRATCH) : taken;
    }

    static void giveScratch(ByteBuffer taken) {
        POOLS.get().scratch = taken;
    }

    static Deflater deflater(DeflateSettings settings, long expectedLength) {
        boolean small = Deflater.isSmall(expectedLength);
        Iterator<Deflater> idle = POOLS.get().deflaters.iterator();
        while (idle.hasNext()) {
            Deflater candidate = idle.next();
            if (candidate.fits(settings, small)) {
                idle.remove();
                candidate.reset(settings, expectedLength);
                return candidate;
            }
        }
        return new Deflater(settings, expectedLength);
    }

    static Inflater inflater(InflateSettings settings) {
        Inflater idle = POOLS.get().inflaters.pollFirst();
        if (idle == null) {
            return new Inflater(settings);
        }
        idle.reset(settings);
        return idle;
    }

    static void release(Deflater stream) {
        keep(POOLS.get().deflaters, stream);
    }

    static void release(Inflater stream) {
        keep(POOLS.get().inflaters, stream);
    }

    private static <T extends NativeStream> void keep(ArrayDeque<T> idle, T stream) {
        if (idle.size() == KEPT) {
            idle.pollLast().free();
        }
        idle.addFirst(stream);
    }

    /** Idle streams of the calling thread. */
    static int idle() {
        StreamPool pool = POOLS.get();
        return pool.deflaters.size() + pool.inflaters.size();
    }
}
