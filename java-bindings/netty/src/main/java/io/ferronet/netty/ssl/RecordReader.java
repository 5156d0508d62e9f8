package io.ferronet.netty.ssl;

import io.ferronet.api.Tls;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.ssl.NotSslRecordException;

/**
 * Decrypts what was received where it lies, in buffers that nobody else uses, and keeps the beginning of a record until its end is there.
 * The event loop's thread only.
 */
final class RecordReader {
    private ByteBuf partial;
    private long bytes;
    private boolean event;

    long bytes() {
        return bytes;
    }

    /** Whether the last call has left more to be noticed than data. */
    boolean hasEvent() {
        return event;
    }

    boolean hasPartial() {
        return partial != null;
    }

    /** What there is of a record, which is the caller's from now on; or {@code null}. */
    ByteBuf takePartial() {
        ByteBuf taken = partial;
        partial = null;
        return taken;
    }

    void release() {
        ByteBuf taken = takePartial();
        if (taken != null) {
            taken.release();
        }
    }

    /** Completes the record that has begun, as far as the source goes. */
    void complete(ByteBuf source) {
        for (int missing = missing(); missing > 0 && source.isReadable(); missing = missing()) {
            partial.writeBytes(source, Math.min(missing, source.readableBytes()));
        }
    }

    /** Bytes that the record that has begun lacks to be whole, or those of its header; zero or less if it is whole, or no record, which the session refuses. */
    private int missing() {
        int there = partial.readableBytes();
        if (there < TlsRecords.HEADER) {
            return TlsRecords.HEADER - there;
        }
        return TlsRecords.isRecord(partial, partial.readerIndex()) ? wholeLength(partial, partial.readerIndex()) - there : 0;
    }

    /** A length that no record may have is left to the session, which refuses it. */
    private static int wholeLength(ByteBuf buffer, int index) {
        return TlsRecords.HEADER + Math.min(buffer.getUnsignedShort(index + 3), TlsRecords.LARGEST);
    }

    /** What was kept, if at least one record of it is whole; else {@code null}. */
    ByteBuf takeComplete() {
        return partial != null && partial.readableBytes() >= TlsRecords.HEADER && missing() <= 0 ? takePartial() : null;
    }

    /** The buffer itself if its memory may be overwritten, else a copy; {@code null} never. */
    ByteBuf overwritable(ByteBufAllocator allocator, ByteBuf received) {
        if (isOwned(received)) {
            return received;
        }
        return allocator.directBuffer(received.readableBytes()).writeBytes(received);
    }

    /** Whether nobody else can see the memory: one reference, no slice or duplicate of another buffer, and from a pool, not wrapped around a user's. */
    private static boolean isOwned(ByteBuf buffer) {
        return buffer.isDirect() && buffer.hasMemoryAddress() && buffer.refCnt() == 1 && buffer.unwrap() == null && !buffer.isReadOnly()
            && (buffer.alloc() instanceof PooledByteBufAllocator || buffer.alloc() instanceof AdaptiveByteBufAllocator);
    }

    /**
     * Decrypts all whole records of a buffer, and keeps what follows them.
     *
     * @param records taken over; its memory is overwritten
     * @return the data, or {@code null}
     */
    ByteBuf decrypt(FerronetSslEngine engine, ByteBufAllocator allocator, ByteBuf records) {
        event = false;
        int start = records.readerIndex();
        int length = records.readableBytes();
        int done = 0;
        int written = 0;
        TlsCall call = TlsCall.local();
        boolean release = true;
        try {
            long address = DirectMemory.address(call.binding, records, start, length);
            // As SslHandler, nothing is looked at before a header is whole.
            while (length - done >= TlsRecords.HEADER) {
                call.clear();
                call.source(address + done, length - done);
                if (!engine.decrypt(call)) {
                    NotSslRecordException named = TlsRecords.notRecord(records, start + done);
                    if (named != null) {
                        engine.notRecord(named);
                    }
                    event = true;
                    break;
                }
                int consumed = call.consumed();
                int produced = call.produced();
                if (produced > 0 && written < done) {
                    records.setBytes(start + written, records, start + done, produced);
                }
                written += produced;
                done += consumed;
                event |= call.state() != Tls.STATE_OPEN;
                if (event || consumed == 0 || call.result() == Tls.NEEDS_INPUT) {
                    break;
                }
            }
            if (event && engine.isInboundOpen() && written > 0) {
                // What was decrypted before a failure is delivered first; the failure is asked for here.
                call.clear();
                engine.settle(call);
            }
            if (done < length && engine.isInboundOpen()) {
                keep(allocator, records, start + done, length - done);
            }
            bytes += written;
            if (written == 0) {
                return null;
            }
            release = false;
            return records.setIndex(start, start + written);
        } finally {
            if (release) {
                records.release();
            }
        }
    }

    private void keep(ByteBufAllocator allocator, ByteBuf records, int index, int length) {
        int room = length < TlsRecords.HEADER ? FerronetSslSession.PACKET_SIZE : Math.max(length, wholeLength(records, index));
        partial = allocator.directBuffer(room, FerronetSslSession.PACKET_SIZE + length).writeBytes(records, index, length);
    }
}
