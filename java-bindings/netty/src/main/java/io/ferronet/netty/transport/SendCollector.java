package io.ferronet.netty.transport;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Region;
import io.ferronet.api.Submission;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import java.nio.ByteBuffer;

/** Collects the regions of a loop's next send. One for each loop, used for one send at a time. */
final class SendCollector implements ChannelOutboundBuffer.MessageProcessor {
    private final long[] addresses = new long[Reactor.MAX_REGIONS];
    private final int[] lengths = new int[Reactor.MAX_REGIONS];
    private FerronetBinding binding;
    private long limit;
    private long bytes;
    private int regions;
    private int messages;

    /** Begins a send of at most {@code limit} bytes. */
    void begin(FerronetBinding binding, long limit) {
        this.binding = binding;
        this.limit = limit;
        bytes = 0;
        regions = 0;
        messages = 0;
    }

    /** Messages from which bytes were taken, from the first one on without a gap. */
    int messages() {
        return messages;
    }

    @Override
    public boolean processMessage(Object msg) {
        if (!(msg instanceof ByteBuf buffer)) {
            return false;
        }
        messages++;
        int readable = buffer.readableBytes();
        if (readable == 0) {
            return true;
        }
        if (buffer.nioBufferCount() == 1) {
            return add(DirectMemory.address(binding, buffer, buffer.readerIndex(), readable), readable);
        }
        for (ByteBuffer part : buffer.nioBuffers()) {
            int remaining = part.remaining();
            if (remaining > 0 && !add(DirectMemory.address(binding, part), remaining)) {
                return false;
            }
        }
        return true;
    }

    /** Adds what still fits; whether there is room for more. */
    private boolean add(long address, int length) {
        int taken = (int) Math.min(length, limit - bytes);
        addresses[regions] = address;
        lengths[regions] = taken;
        regions++;
        bytes += taken;
        return bytes < limit && regions < addresses.length;
    }

    /** Queues the send, and returns its id. */
    long send(Registration registration) {
        if (regions == 1) {
            return registration.add(Submission.OP_SEND, 0, addresses[0], lengths[0], 0, 0, 0);
        }
        if (regions == 2) {
            return registration.add(Submission.OP_SEND, 0, addresses[0], lengths[0], addresses[1], lengths[1], 0);
        }
        Scratch scratch = registration.handler().reactor().scratch();
        int offset = scratch.reserve(regions * Region.SIZE);
        ByteBuffer memory = scratch.memory();
        for (int i = 0, at = offset; i < regions; i++, at += Region.SIZE) {
            memory.putLong(at + Region.OFFSET_ADDR, addresses[i]);
            memory.putLong(at + Region.OFFSET_LEN, lengths[i]);
        }
        return registration.add(Submission.OP_SEND_GATHER, 0, scratch.address(offset), regions, 0, 0, 0);
    }
}
