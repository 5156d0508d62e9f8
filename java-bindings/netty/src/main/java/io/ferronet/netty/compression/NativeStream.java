package io.ferronet.netty.compression;

import io.ferronet.api.Codec;
import io.ferronet.api.CodecProgress;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Region;
import io.ferronet.api.Status;
import io.ferronet.netty.internal.DirectMemory;
import io.ferronet.netty.internal.NativeCleaner;
import io.ferronet.netty.internal.NativeRuntime;
import io.netty.buffer.ByteBuf;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A native stream with the structures of its calls in memory of its own. One thread at a time. It is freed when nothing refers to it any
 * more, if nobody did before.
 */
abstract class NativeStream {
    private static final int INPUT = 0;
    private static final int OUTPUT = INPUT + Region.SIZE;
    private static final int PROGRESS = OUTPUT + Region.SIZE;
    private static final int HANDLE = PROGRESS + CodecProgress.SIZE;
    private static final int CONFIG = HANDLE + Long.BYTES;

    final FerronetBinding binding;
    private final ByteBuffer memory;
    private final long address;
    private final int configSize;
    private long handle;
    private long calls;
    private Cleaner.Cleanable cleanable;

    NativeStream(int configSize) {
        binding = NativeRuntime.get().binding();
        this.configSize = configSize;
        memory = ByteBuffer.allocateDirect(CONFIG + configSize).order(ByteOrder.nativeOrder());
        address = binding.addressOf(memory);
    }

    /** Makes the stream of the configuration that was written. */
    final void open() {
        int status = create(configAddress(), address + HANDLE);
        if (Status.isError(status)) {
            throw new IllegalStateException(failure("a new stream", status, 0));
        }
        handle = memory.getLong(HANDLE);
        cleanable = NativeCleaner.register(this, cleanup(binding, handle));
    }

    final long handle() {
        return handle;
    }

    final void free() {
        cleanable.clean();
    }

    /** The configuration, zeroed but for its size, to be filled from index {@link #configOffset()} on. */
    final ByteBuffer config() {
        for (int i = 0; i < configSize; i += Integer.BYTES) {
            memory.putInt(CONFIG + i, 0);
        }
        return memory.putInt(CONFIG, configSize);
    }

    final int configOffset() {
        return CONFIG;
    }

    final long configAddress() {
        return address + CONFIG;
    }

    /**
     * One call.
     *
     * @return 0 or a status
     */
    final int process(long input, int length, long output, int capacity, int flush) {
        memory.putLong(INPUT + Region.OFFSET_ADDR, input).putLong(INPUT + Region.OFFSET_LEN, length);
        memory.putLong(OUTPUT + Region.OFFSET_ADDR, output).putLong(OUTPUT + Region.OFFSET_LEN, capacity);
        memory.putInt(PROGRESS + CodecProgress.OFFSET_SIZE, CodecProgress.SIZE);
        calls++;
        return process(address + INPUT, address + OUTPUT, flush, address + PROGRESS);
    }

    /** The same with the writable bytes of a direct buffer, whose writer index moves. */
    final int process(long input, int length, ByteBuf output, int flush) {
        int index = output.writerIndex();
        int capacity = output.writableBytes();
        int status = process(input, length, capacity == 0 ? 0 : DirectMemory.address(binding, output, index, capacity), capacity, flush);
        if (!Status.isError(status)) {
            output.writerIndex(index + produced());
        }
        return status;
    }

    /** Calls since it was made. */
    final long calls() {
        return calls;
    }

    final int consumed() {
        return (int) memory.getLong(PROGRESS + CodecProgress.OFFSET_CONSUMED);
    }

    final int produced() {
        return (int) memory.getLong(PROGRESS + CodecProgress.OFFSET_PRODUCED);
    }

    final boolean needsOutput() {
        return memory.getInt(PROGRESS + CodecProgress.OFFSET_STATE) == Codec.NEEDS_OUTPUT;
    }

    final boolean hasEnded() {
        return memory.getInt(PROGRESS + CodecProgress.OFFSET_STATE) == Codec.END;
    }

    final String failure(String what, int status) {
        return failure(what, status, handle);
    }

    private String failure(String what, int status, long source) {
        return what + " failed: " + Status.name(status) + ": " + binding.lastError(source);
    }

    abstract int create(long config, long out);

    abstract Runnable cleanup(FerronetBinding binding, long handle);

    abstract int process(long input, long output, int flush, long progress);

    /** Copies a dictionary into native memory for the call. */
    final void setDictionary(byte[] dictionary) {
        ByteBuffer copy = ByteBuffer.allocateDirect(Math.max(1, dictionary.length)).put(dictionary);
        int status = setDictionary(binding.addressOf(copy), dictionary.length);
        if (Status.isError(status)) {
            throw new IllegalArgumentException(failure("the dictionary", status));
        }
    }

    abstract int setDictionary(long dictionary, int length);
}
