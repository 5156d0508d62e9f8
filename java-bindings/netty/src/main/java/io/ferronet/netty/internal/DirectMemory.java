package io.ferronet.netty.internal;

import io.ferronet.api.FerronetBinding;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Addresses of direct buffers: Netty's own where it knows them, else that of the segment behind the {@link ByteBuffer}, so that it does not matter whether Netty may use Unsafe
 * or native memory access. An address is good as long as its buffer is held.
 */
public final class DirectMemory {
    private DirectMemory() {
    }

    /**
     * The address of an index of a direct buffer that consists of one piece. The buffer's own view of its memory may be moved.
     *
     * @param binding what knows the addresses of segments
     * @param buffer the buffer
     * @param index the index
     * @param length bytes behind it that are used
     * @return the address of the byte at the index
     */
    public static long address(FerronetBinding binding, ByteBuf buffer, int index, int length) {
        if (buffer.hasMemoryAddress()) {
            return buffer.memoryAddress() + index;
        }
        return address(binding, buffer.internalNioBuffer(index, length));
    }

    /**
     * The address of a direct buffer's position.
     *
     * @param binding what knows the addresses of segments
     * @param buffer the buffer
     * @return the address of the byte at its position
     */
    public static long address(FerronetBinding binding, ByteBuffer buffer) {
        return binding.addressOf(buffer) + buffer.position();
    }
}
