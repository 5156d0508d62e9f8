package io.ferronet.netty.compression;

import io.ferronet.api.FerronetBinding;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** The readable bytes of any buffer as pieces of direct memory. Heap memory is copied in bounded steps; everything else is used where it is. */
final class MemoryPieces {
    private MemoryPieces() {
    }

    /** What is done with a piece. */
    @FunctionalInterface
    interface Piece {
        /**
         * Takes a piece.
         *
         * @param address its first byte
         * @param length its bytes
         * @param last whether no piece follows
         * @return whether more is wanted
         */
        boolean take(long address, int length, boolean last);
    }

    /** Whether {@link #forEach} gives all readable bytes of the buffer at once. */
    static boolean isOnePiece(ByteBuf buffer) {
        return buffer.hasMemoryAddress() || buffer.nioBufferCount() == 1 && (buffer.isDirect() || buffer.readableBytes() <= StreamPool.SCRATCH);
    }

    static void forEach(FerronetBinding binding, ByteBuf buffer, Piece piece) {
        int index = buffer.readerIndex();
        int length = buffer.readableBytes();
        if (buffer.hasMemoryAddress()) {
            piece.take(buffer.memoryAddress() + index, length, true);
        } else if (buffer.nioBufferCount() == 1) {
            one(binding, buffer.internalNioBuffer(index, length), true, piece);
        } else if (buffer.nioBufferCount() > 1) {
            ByteBuffer[] parts = buffer.nioBuffers(index, length);
            for (int i = 0; i < parts.length; i++) {
                if (!one(binding, parts[i], i == parts.length - 1, piece)) {
                    return;
                }
            }
        } else {
            one(binding, buffer.nioBuffer(index, length), true, piece);
        }
    }

    private static boolean one(FerronetBinding binding, ByteBuffer part, boolean last, Piece piece) {
        if (part.isDirect()) {
            return piece.take(DirectMemory.address(binding, part), part.remaining(), last);
        }
        int end = part.limit();
        // Taken from the thread, because what a piece leads to may copy memory of its own.
        ByteBuffer copy = StreamPool.takeScratch();
        try {
            long address = binding.addressOf(copy);
            do {
                int length = Math.min(copy.capacity(), part.remaining());
                copy.clear().put(part.limit(part.position() + length));
                part.limit(end);
                if (!piece.take(address, length, last && !part.hasRemaining())) {
                    return false;
                }
            } while (part.hasRemaining());
            return true;
        } finally {
            StreamPool.giveScratch(copy);
        }
    }
}
