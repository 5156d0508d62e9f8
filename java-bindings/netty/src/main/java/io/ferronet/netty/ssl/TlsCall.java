package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Region;
import io.ferronet.api.Tls;
import io.ferronet.api.TlsProgress;
import io.ferronet.netty.internal.NativeRuntime;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The structures of a call of {@link NativeTlsSession} in memory of their own: the regions that it works on, and what it says of its progress. One thread at a time; good
 * for any number of sessions, one after the other.
 */
final class TlsCall {
    private static final int REGIONS = 16;
    private static final int KEPT = 64;
    private static final ConcurrentLinkedQueue<TlsCall> IDLE = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger IDLE_COUNT = new AtomicInteger();
    private static final FastThreadLocal<TlsCall> LOCAL = new FastThreadLocal<>() {
        @Override
        protected TlsCall initialValue() {
            return new TlsCall();
        }
    };

    final FerronetBinding binding = NativeRuntime.get().binding();
    private final ByteBuffer progress;
    private final long progressAddress;
    private final RegionList sources = new RegionList();
    private final RegionList targets = new RegionList();
    private ByteBuffer scratch;

    TlsCall() {
        progress = ByteBuffer.allocateDirect(TlsProgress.SIZE).order(ByteOrder.nativeOrder());
        progressAddress = binding.addressOf(progress);
    }

    /** The thread's own, for calls between which nothing else runs. */
    static TlsCall local() {
        return LOCAL.get();
    }

    /** Takes an idle one, or makes one. */
    static TlsCall take() {
        TlsCall call = IDLE.poll();
        if (call == null) {
            return new TlsCall();
        }
        IDLE_COUNT.decrementAndGet();
        call.clear();
        return call;
    }

    /** Gives it back. */
    void giveBack() {
        if (IDLE_COUNT.incrementAndGet() <= KEPT) {
            IDLE.add(this);
        } else {
            IDLE_COUNT.decrementAndGet();
        }
    }

    /** Forgets the regions. */
    void clear() {
        sources.count = 0;
        targets.count = 0;
    }

    /** Adds memory that is read. */
    void source(long address, int length) {
        sources.add(address, length);
    }

    /** Adds memory that is written. */
    void target(long address, int length) {
        targets.add(address, length);
    }

    /** Direct memory of at least {@code size} bytes for what cannot be used where it is; its content does not outlive the call. */
    ByteBuffer scratch(int size) {
        if (scratch == null || scratch.capacity() < size) {
            scratch = ByteBuffer.allocateDirect(size);
        }
        return scratch.clear();
    }

    long sources() {
        return sources.count == 0 ? 0 : sources.address;
    }

    int sourceCount() {
        return sources.count;
    }

    long targets() {
        return targets.count == 0 ? 0 : targets.address;
    }

    int targetCount() {
        return targets.count;
    }

    /** The progress structure, ready for a call. */
    long begin() {
        progress.putInt(TlsProgress.OFFSET_SIZE, TlsProgress.SIZE);
        progress.putInt(TlsProgress.OFFSET_EVENTS, 0);
        progress.putLong(TlsProgress.OFFSET_CONSUMED, 0);
        progress.putLong(TlsProgress.OFFSET_PRODUCED, 0);
        return progressAddress;
    }

    int result() {
        return progress.getInt(TlsProgress.OFFSET_RESULT);
    }

    int state() {
        return progress.getInt(TlsProgress.OFFSET_STATE);
    }

    boolean has(int event) {
        return (progress.getInt(TlsProgress.OFFSET_EVENTS) & event) != 0;
    }

    int consumed() {
        return (int) progress.getLong(TlsProgress.OFFSET_CONSUMED);
    }

    int produced() {
        return (int) progress.getLong(TlsProgress.OFFSET_PRODUCED);
    }

    int needed() {
        return (int) progress.getLong(TlsProgress.OFFSET_NEEDED);
    }

    /** The number of the alert that was received or is sent, or -1. */
    int alert() {
        return progress.getInt(TlsProgress.OFFSET_ALERT) - 1;
    }

    boolean needsOutput() {
        return result() == Tls.NEEDS_OUTPUT;
    }

    private final class RegionList {
        private ByteBuffer memory = ByteBuffer.allocateDirect(REGIONS * Region.SIZE).order(ByteOrder.nativeOrder());
        private long address = binding.addressOf(memory);
        private int count;

        void add(long first, int length) {
            if (count * Region.SIZE == memory.capacity()) {
                memory = ByteBuffer.allocateDirect(2 * memory.capacity()).order(ByteOrder.nativeOrder()).put(memory.duplicate().clear());
                address = binding.addressOf(memory.clear());
            }
            memory.putLong(count * Region.SIZE + Region.OFFSET_ADDR, first).putLong(count * Region.SIZE + Region.OFFSET_LEN, length);
            count++;
        }
    }
}
