package io.ferronet.netty.transport;

import io.ferronet.api.FerronetBinding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory of a loop for what the library copies during a call: region arrays and addresses. It is used up from the front and starts over
 * once everything queued was handed over. Loop thread only.
 */
final class Scratch {
    private static final int ALIGNMENT = 16;

    private final Reactor reactor;
    private final ByteBuffer memory;
    private final long address;
    private int used;

    Scratch(Reactor reactor, FerronetBinding binding, int size) {
        this.reactor = reactor;
        memory = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        address = binding.addressOf(memory);
    }

    ByteBuffer memory() {
        return memory;
    }

    long address(int offset) {
        return address + offset;
    }

    /** Offset of {@code size} bytes that stay untouched until the record that is queued next was handed over. */
    int reserve(int size) {
        reactor.queue().ensureRoom();
        if (memory.capacity() - used < size) {
            reactor.submit();
        }
        int offset = used;
        used += size + ALIGNMENT - 1 & -ALIGNMENT;
        return offset;
    }

    void clear() {
        used = 0;
    }
}
