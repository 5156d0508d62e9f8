package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Region;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A size-prefixed structure for one call, with the memory that its regions name. What was secret is wiped when it is closed. One thread. */
final class NativeConfig implements AutoCloseable {
    private final FerronetBinding binding;
    private final ByteBuffer structure;
    /** Where the handle is that the call makes. */
    private final int handle;
    private final List<ByteBuffer> memory = new ArrayList<>();

    NativeConfig(FerronetBinding binding, int size) {
        this.binding = binding;
        structure = ByteBuffer.allocateDirect(size + Long.BYTES).order(ByteOrder.nativeOrder());
        structure.putInt(0, size);
        handle = size;
    }

    long address() {
        return binding.addressOf(structure);
    }

    /** Where the call puts the handle that it makes. */
    long handleAddress() {
        return address() + handle;
    }

    /** The handle that the call has made. */
    long handle() {
        return structure.getLong(handle);
    }

    NativeConfig putInt(int offset, int value) {
        structure.putInt(offset, value);
        return this;
    }

    NativeConfig putLong(int offset, long value) {
        structure.putLong(offset, value);
        return this;
    }

    NativeConfig put(int offset, byte[] bytes) {
        if (bytes.length > 0) {
            ByteBuffer copy = ByteBuffer.allocateDirect(bytes.length).put(bytes);
            memory.add(copy);
            structure.putLong(offset + Region.OFFSET_ADDR, binding.addressOf(copy)).putLong(offset + Region.OFFSET_LEN, bytes.length);
        }
        return this;
    }

    NativeConfig put(int offset, String text) {
        return put(offset, text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8));
    }

    /** An array of addresses; its own address goes to the offset. */
    NativeConfig putAddresses(int offset, long[] addresses) {
        if (addresses.length > 0) {
            ByteBuffer array = ByteBuffer.allocateDirect(addresses.length * Long.BYTES).order(ByteOrder.nativeOrder());
            for (long address : addresses) {
                array.putLong(address);
            }
            memory.add(array);
            structure.putLong(offset, binding.addressOf(array));
        }
        return this;
    }

    /** An array of 16-bit numbers as a region. */
    NativeConfig putShorts(int offset, int[] numbers) {
        ByteBuffer array = ByteBuffer.allocate(numbers.length * Short.BYTES).order(ByteOrder.nativeOrder());
        for (int number : numbers) {
            array.putShort((short) number);
        }
        return put(offset, array.array());
    }

    /** Protocols as ALPN has them on the wire. */
    NativeConfig putAlpn(int offset, List<String> protocols) {
        return put(offset, AlpnNames.encode(protocols));
    }

    @Override
    public void close() {
        for (ByteBuffer buffer : memory) {
            buffer.clear();
            while (buffer.hasRemaining()) {
                buffer.put((byte) 0);
            }
        }
    }
}
