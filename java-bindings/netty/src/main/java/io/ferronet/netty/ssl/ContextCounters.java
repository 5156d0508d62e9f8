package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Status;
import io.ferronet.api.TlsContextInfo;
import io.ferronet.netty.internal.NativeRuntime;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * What the native contexts of a context have counted, one after the other. One that was replaced is kept until the handshakes that it began are over. Under the lock of the
 * {@link ContextLifetime}.
 */
final class ContextCounters {
    /** Of a handshake that is given up the end is never counted: older ones are not waited for. */
    private static final int MOST = 4;

    private final Deque<ContextLifetime.Handle> replaced = new ArrayDeque<>();
    private FerronetSslStatistics over = FerronetSslStatistics.NONE;

    /** Another context takes the place of one, which forgets its sessions and is freed when its handshakes are over. */
    void replaced(ContextLifetime.Handle context) {
        NativeRuntime.get().binding().tlsContextClearSessions(context.value);
        replaced.add(context);
        settle(replaced.size() - MOST);
    }

    /** What was counted until now; {@code current} may be {@code null}. */
    FerronetSslStatistics total(ContextLifetime.Handle current) {
        settle(0);
        FerronetSslStatistics total = over;
        for (ContextLifetime.Handle context : replaced) {
            total = total.plus(read(context));
        }
        return current == null ? total : total.plus(read(current));
    }

    /** Frees all that were replaced. */
    void free() {
        replaced.forEach(ContextLifetime.Handle::free);
        replaced.clear();
    }

    /** Frees those whose handshakes are over, and the first {@code given} in any case. */
    private void settle(int given) {
        int left = given;
        for (Iterator<ContextLifetime.Handle> contexts = replaced.iterator(); contexts.hasNext(); left--) {
            ContextLifetime.Handle context = contexts.next();
            FerronetSslStatistics counted = read(context);
            if (left > 0 || counted.handshakesStarted() == counted.handshakesDone() + counted.handshakesFailed() && !context.isUsed()) {
                over = over.plus(counted);
                contexts.remove();
                context.free();
            }
        }
    }

    private static FerronetSslStatistics read(ContextLifetime.Handle context) {
        FerronetBinding binding = NativeRuntime.get().binding();
        ByteBuffer memory = ByteBuffer.allocateDirect(TlsContextInfo.SIZE).order(ByteOrder.nativeOrder());
        memory.putInt(TlsContextInfo.OFFSET_SIZE, TlsContextInfo.SIZE);
        int status = binding.tlsContextInfo(context.value, binding.addressOf(memory));
        if (Status.isError(status)) {
            throw new IllegalStateException("the statistics: " + Status.name(status) + ": " + binding.lastError(context.value));
        }
        return new FerronetSslStatistics(memory.getLong(TlsContextInfo.OFFSET_HANDSHAKES_STARTED), memory.getLong(TlsContextInfo.OFFSET_HANDSHAKES_DONE),
            memory.getLong(TlsContextInfo.OFFSET_HANDSHAKES_FAILED), memory.getLong(TlsContextInfo.OFFSET_HANDSHAKES_RESUMED),
            memory.getLong(TlsContextInfo.OFFSET_CACHE_ENTRIES), memory.getLong(TlsContextInfo.OFFSET_CACHE_HITS), memory.getLong(TlsContextInfo.OFFSET_CACHE_MISSES),
            memory.getLong(TlsContextInfo.OFFSET_CACHE_TIMEOUTS), memory.getLong(TlsContextInfo.OFFSET_CACHE_FULL), memory.getLong(TlsContextInfo.OFFSET_TICKETS_ISSUED),
            memory.getLong(TlsContextInfo.OFFSET_TICKETS_RESUMED), memory.getLong(TlsContextInfo.OFFSET_TICKETS_RENEWED),
            memory.getLong(TlsContextInfo.OFFSET_TICKETS_FAILED));
    }
}
