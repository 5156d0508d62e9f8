package io.ferronet.netty.ssl;

import io.ferronet.netty.internal.DirectMemory;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;

/** The buffers of an engine's caller as regions: direct memory where it is, anything else by a copy in the call's scratch memory. */
final class EngineBuffers {
    private static final int SCRATCH = TlsRecords.MAX_DATA + FerronetSslSession.PACKET_SIZE;

    private EngineBuffers() {
    }

    /** Bytes that remain in the buffers, at most {@link Integer#MAX_VALUE}. */
    static int remaining(ByteBuffer[] buffers, int offset, int length) {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            total += buffers[i].remaining();
        }
        return (int) Math.min(Integer.MAX_VALUE, total);
    }

    static void check(ByteBuffer[] buffers, int offset, int length, String name) {
        if (buffers == null) {
            throw new IllegalArgumentException(name + " is null");
        }
        if (offset < 0 || length < 0 || offset > buffers.length - length) {
            throw new IndexOutOfBoundsException("offset " + offset + ", length " + length + " of " + buffers.length + " buffers");
        }
        for (int i = offset; i < offset + length; i++) {
            if (buffers[i] == null) {
                throw new IllegalArgumentException(name + '[' + i + "] is null");
            }
        }
    }

    static void checkWritable(ByteBuffer[] buffers, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (buffers[i].isReadOnly()) {
                throw new ReadOnlyBufferException();
            }
        }
    }

    private static boolean allDirect(ByteBuffer[] buffers, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (!buffers[i].isDirect()) {
                return false;
            }
        }
        return true;
    }

    /** Data to be encrypted. Of heap memory one record's worth is copied. */
    static void sources(TlsCall call, ByteBuffer[] buffers, int offset, int length) {
        if (allDirect(buffers, offset, length)) {
            for (int i = offset; i < offset + length; i++) {
                if (buffers[i].hasRemaining()) {
                    call.source(DirectMemory.address(call.binding, buffers[i]), buffers[i].remaining());
                }
            }
            return;
        }
        ByteBuffer copy = call.scratch(SCRATCH).limit(TlsRecords.MAX_DATA);
        for (int i = offset; i < offset + length && copy.hasRemaining(); i++) {
            ByteBuffer source = buffers[i];
            int count = Math.min(copy.remaining(), source.remaining());
            copy.put(copy.position(), source, source.position(), count).position(copy.position() + count);
        }
        call.source(call.binding.addressOf(copy), copy.position());
    }

    /** Moves the positions of what was encrypted. */
    static void skip(ByteBuffer[] buffers, int offset, int length, int consumed) {
        int left = consumed;
        for (int i = offset; i < offset + length && left > 0; i++) {
            int count = Math.min(left, buffers[i].remaining());
            buffers[i].position(buffers[i].position() + count);
            left -= count;
        }
    }

    /** Where records go. */
    static void target(TlsCall call, ByteBuffer target) {
        if (target.isDirect()) {
            call.target(DirectMemory.address(call.binding, target), target.remaining());
        } else {
            ByteBuffer scratch = call.scratch(SCRATCH);
            call.target(call.binding.addressOf(scratch) + TlsRecords.MAX_DATA, Math.min(target.remaining(), FerronetSslSession.PACKET_SIZE));
        }
    }

    static void produced(TlsCall call, ByteBuffer target, int count) {
        if (!target.isDirect() && count > 0) {
            target.put(target.position(), call.scratch(SCRATCH), TlsRecords.MAX_DATA, count);
        }
        target.position(target.position() + count);
    }

    /** A record to be decrypted; never changed. */
    static void record(TlsCall call, ByteBuffer source, int length) {
        if (source.isDirect()) {
            call.source(DirectMemory.address(call.binding, source), length);
        } else {
            ByteBuffer copy = call.scratch(SCRATCH + FerronetSslSession.PACKET_SIZE);
            copy.put(0, source, source.position(), length);
            call.source(call.binding.addressOf(copy), length);
        }
    }

    /** Where decrypted data goes. */
    static void targets(TlsCall call, ByteBuffer[] buffers, int offset, int length) {
        if (allDirect(buffers, offset, length)) {
            for (int i = offset; i < offset + length; i++) {
                if (buffers[i].hasRemaining()) {
                    call.target(DirectMemory.address(call.binding, buffers[i]), buffers[i].remaining());
                }
            }
            return;
        }
        ByteBuffer scratch = call.scratch(SCRATCH + FerronetSslSession.PACKET_SIZE);
        int capacity = Math.min(remaining(buffers, offset, length), FerronetSslSession.PACKET_SIZE);
        call.target(call.binding.addressOf(scratch) + FerronetSslSession.PACKET_SIZE, capacity);
    }

    static void decrypted(TlsCall call, ByteBuffer[] buffers, int offset, int length, int produced) {
        boolean direct = allDirect(buffers, offset, length);
        ByteBuffer scratch = direct ? null : call.scratch(SCRATCH + FerronetSslSession.PACKET_SIZE);
        int done = 0;
        for (int i = offset; i < offset + length && done < produced; i++) {
            ByteBuffer target = buffers[i];
            int count = Math.min(produced - done, target.remaining());
            if (!direct) {
                target.put(target.position(), scratch, FerronetSslSession.PACKET_SIZE + done, count);
            }
            target.position(target.position() + count);
            done += count;
        }
    }
}
