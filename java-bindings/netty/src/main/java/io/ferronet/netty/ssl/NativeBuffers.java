package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Addresses of direct buffers, with and without an address of Netty's. */
final class NativeBuffers {
    private NativeBuffers() {
    }

    /** The address of an index of a direct buffer that consists of one piece. */
    static long address(FerronetBinding binding, ByteBuf buffer, int index, int length) {
        if (buffer.hasMemoryAddress()) {
            return buffer.memoryAddress() + index;
        }
        return address(binding, buffer.internalNioBuffer(index, length));
    }

    /** The address of a direct buffer's position. */
    static long address(FerronetBinding binding, ByteBuffer buffer) {
        return binding.addressOf(buffer) + buffer.position();
    }
}
