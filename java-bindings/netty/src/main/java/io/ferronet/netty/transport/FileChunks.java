package io.ferronet.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Reads file regions piece by piece into direct buffers. */
final class FileChunks {
    private FileChunks() {
    }

    /**
     * Reads on in a region.
     *
     * @return a direct buffer with at least one byte, owned by the caller
     * @throws IOException if the region cannot be read, or has fewer bytes than it says
     */
    static ByteBuf read(ByteBufAllocator allocator, FileRegion region, int size) throws IOException {
        ByteBuf chunk = allocator.directBuffer(size, size);
        try {
            fill(chunk, region);
            if (!chunk.isReadable()) {
                throw new IOException("file region " + region + " ended after " + region.transferred() + " of " + region.count() + " bytes");
            }
            ByteBuf read = chunk;
            chunk = null;
            return read;
        } finally {
            if (chunk != null) {
                chunk.release();
            }
        }
    }

    private static void fill(ByteBuf chunk, FileRegion region) throws IOException {
        WritableByteChannel sink = new Sink(chunk);
        try {
            while (chunk.isWritable() && region.transferred() < region.count()) {
                if (region.transferTo(sink, region.transferred()) <= 0) {
                    return;
                }
            }
        } catch (IOException e) {
            if (!chunk.isReadable()) {
                throw e;
            }
            // What was read goes out first; the next call meets the failure again.
        }
    }

    private record Sink(ByteBuf chunk) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) {
            int length = Math.min(source.remaining(), chunk.writableBytes());
            int limit = source.limit();
            source.limit(source.position() + length);
            chunk.writeBytes(source);
            source.limit(limit);
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // The chunk is its reader's.
        }
    }
}
