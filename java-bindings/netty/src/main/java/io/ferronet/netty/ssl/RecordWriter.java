package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Encrypts what was written into buffers that go to the transport: many messages into one record, and each record into a buffer of its own. A promise is done when the last
 * record that holds a part of its message was sent. The event loop's thread only.
 *
 * <p>A buffer for several records would save calls, but cost more than it saves: Netty's allocators keep buffers of a record's size at hand for each thread, whereas larger ones come
 * from memory that was not touched for long, or that the system has yet to give page by page.
 */
final class RecordWriter {
    /** Data of the messages that are taken together, after which no further one is. */
    private static final int BATCH = 256 * 1024;
    /** Room for what the session itself has to send. */
    private static final int SLACK = 256;

    private final FerronetSslEngine engine;
    private final PendingWriteQueue pending;
    private boolean writing;
    private long bytes;

    /** Messages that are written together, with their promises. The thread's own, so that connections that are idle need none. */
    private static final class Batch {
        private static final FastThreadLocal<Batch> LOCAL = new FastThreadLocal<>() {
            @Override
            protected Batch initialValue() {
                return new Batch();
            }
        };

        final List<ByteBuf> sources = new ArrayList<>();
        final List<ChannelPromise> promises = new ArrayList<>();
        private boolean taken;

        /** Another one if the thread's own is in use: what hears of a write may write through another connection. */
        static Batch take() {
            Batch batch = LOCAL.get();
            if (batch.taken) {
                batch = new Batch();
            }
            batch.taken = true;
            return batch;
        }

        void giveBack() {
            try {
                sources.forEach(ByteBuf::release);
            } finally {
                sources.clear();
                promises.clear();
                taken = false;
            }
        }
    }

    RecordWriter(FerronetSslEngine engine, PendingWriteQueue pending) {
        this.engine = engine;
        this.pending = pending;
    }

    long bytes() {
        return bytes;
    }

    /**
     * Encrypts and writes all that is pending; less if the session closes or fails. What is written from within, by those who hear of it, follows in its order.
     */
    void writeAll(ChannelHandlerContext ctx) {
        if (writing) {
            return;
        }
        writing = true;
        try {
            while (!pending.isEmpty() && engine.isOutboundOpen()) {
                writeBatch(ctx);
            }
        } finally {
            writing = false;
        }
    }

    private void writeBatch(ChannelHandlerContext ctx) {
        Batch batch = Batch.take();
        ChannelPromise promise = null;
        try {
            long total = fill(batch);
            if (batch.sources.isEmpty()) {
                return;
            }
            promise = promise(ctx, batch.promises);
            writeSources(ctx, batch.sources, total, promise);
        } catch (Throwable e) {
            if (promise != null) {
                promise.tryFailure(e);
            }
            throw e;
        } finally {
            batch.giveBack();
        }
    }

    /** What was released after it was written fails alone. */
    private long fill(Batch batch) {
        long total = 0;
        Object next = pending.current();
        do {
            ByteBuf message = (ByteBuf) next;
            if (message.refCnt() == 0) {
                pending.removeAndFail(new IllegalReferenceCountException("the buffer was released before it was sent"));
            } else {
                total += message.readableBytes();
                batch.sources.add(message.retain());
                batch.promises.add(pending.remove());
            }
            next = pending.current();
        } while (next != null && total < BATCH);
        return total;
    }

    private void writeSources(ChannelHandlerContext ctx, List<ByteBuf> sources, long total, ChannelPromise promise) {
        if (total == 0) {
            ctx.write(Unpooled.EMPTY_BUFFER, promise);
            return;
        }
        int index = 0;
        for (long left = total; left > 0;) {
            int length = nextLength(sources, index);
            int room = length + TlsRecords.OVERHEAD + SLACK;
            ByteBuf target = ctx.alloc().directBuffer(room, room);
            long consumed = -1;
            try {
                consumed = seal(ctx.alloc(), sources, index, length, target);
            } finally {
                if (consumed < 0 && !target.isReadable()) {
                    target.release();
                }
            }
            if (consumed < 0) {
                if (target.refCnt() > 0) {
                    ctx.write(target);
                }
                promise.tryFailure(failure());
                return;
            }
            left -= consumed;
            bytes += consumed;
            while (index < sources.size() && !sources.get(index).isReadable()) {
                index++;
            }
            if (left == 0) {
                ctx.write(target, promise);
            } else {
                ctx.write(target);
            }
        }
    }

    private Throwable failure() {
        SSLException failure = engine.pendingFailure();
        return failure == null ? new SslClosedEngineException("SSLEngine closed already") : failure;
    }

    /** A promise that nobody outside completes: the transport drops what was cancelled, and a record that has its number must be sent. */
    private static ChannelPromise promise(ChannelHandlerContext ctx, List<ChannelPromise> promises) {
        if (promises.size() == 1) {
            ChannelPromise only = promises.get(0);
            if (only.setUncancellable() && !only.isDone()) {
                return only;
            }
        }
        ChannelPromise together = ctx.newPromise();
        together.addListener(new Notifier(promises.toArray(new ChannelPromise[0])));
        return together;
    }

    /** Data of the next record. A message that fills one by itself begins it, so that none of its bytes is copied to stand behind those of another. */
    private static int nextLength(List<ByteBuf> sources, int first) {
        int length = 0;
        for (int i = first; i < sources.size() && length < TlsRecords.MAX_DATA; i++) {
            int readable = sources.get(i).readableBytes();
            if (length > 0 && readable >= TlsRecords.MAX_DATA) {
                return length;
            }
            length += Math.min(readable, TlsRecords.MAX_DATA - length);
        }
        return length;
    }

    /** Encrypts a record of {@code length} bytes; returns the bytes of data, or -1 if the session takes none any more. */
    private long seal(ByteBufAllocator allocator, List<ByteBuf> sources, int first, int length, ByteBuf target) {
        if (!engine.isOutboundOpen()) {
            return -1;
        }
        TlsCall call = TlsCall.local();
        call.clear();
        List<ByteBuf> copies = null;
        try {
            int gathered = 0;
            for (int i = first; gathered < length; i++) {
                ByteBuf message = sources.get(i);
                int count = Math.min(message.readableBytes(), length - gathered);
                gathered += count;
                if (!add(call, message, count)) {
                    ByteBuf copy = allocator.directBuffer(count).writeBytes(message, message.readerIndex(), count);
                    copies = copies == null ? new ArrayList<>() : copies;
                    copies.add(copy);
                    add(call, copy, count);
                }
            }
            call.target(DirectMemory.address(call.binding, target, 0, target.capacity()), target.capacity());
            boolean good = engine.encrypt(call);
            target.writerIndex(call.produced());
            if (!good || call.produced() == 0) {
                return -1;
            }
            long consumed = call.consumed();
            long left = consumed;
            for (int i = first; left > 0; i++) {
                ByteBuf message = sources.get(i);
                int count = (int) Math.min(left, message.readableBytes());
                message.skipBytes(count);
                left -= count;
            }
            return consumed;
        } finally {
            if (copies != null) {
                copies.forEach(ByteBuf::release);
            }
        }
    }

    /** Adds the next bytes if they lie in direct memory, as they are; {@code false} for other memory. */
    private static boolean add(TlsCall call, ByteBuf message, int length) {
        FerronetBinding binding = call.binding;
        int index = message.readerIndex();
        if (length == 0) {
            return true;
        }
        if (message.hasMemoryAddress()) {
            call.source(message.memoryAddress() + index, length);
            return true;
        }
        if (!message.isDirect()) {
            return false;
        }
        if (message.nioBufferCount() == 1) {
            call.source(DirectMemory.address(binding, message.internalNioBuffer(index, length)), length);
            return true;
        }
        ByteBuffer[] parts = message.nioBuffers(index, length);
        for (ByteBuffer part : parts) {
            if (!part.isDirect()) {
                return false;
            }
        }
        for (ByteBuffer part : parts) {
            if (part.hasRemaining()) {
                call.source(DirectMemory.address(binding, part), part.remaining());
            }
        }
        return true;
    }

    /** Does several promises at once. */
    private record Notifier(ChannelPromise[] promises) implements ChannelFutureListener {
        @Override
        public void operationComplete(ChannelFuture future) {
            Throwable cause = future.cause();
            for (ChannelPromise promise : promises) {
                if (promise.isVoid()) {
                    continue;
                }
                if (cause == null) {
                    promise.trySuccess();
                } else {
                    promise.tryFailure(cause);
                }
            }
        }
    }
}
