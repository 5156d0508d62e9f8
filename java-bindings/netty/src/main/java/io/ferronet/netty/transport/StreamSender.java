package io.ferronet.netty.transport;

import io.ferronet.api.Submission;
import io.ferronet.netty.internal.DirectMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends a channel's flushed messages, one operation at a time. The outbound buffer keeps the messages of the operation in flight; when it is dropped
 * before the completion (close, output shutdown), this object takes references of its own. Loop thread only.
 */
final class StreamSender {
    /** Bytes of one operation at most, so that promises and writability move on while a large message is sent. */
    private static final int MAX_BYTES = 1 << 20;
    private static final int CHUNK_SIZE = 256 * 1024;

    private final FerronetSocketChannel channel;
    private boolean inFlight;
    private ChannelOutboundBuffer source;
    private int messages;
    private List<ByteBuf> retained = List.of();
    /** Bytes of a file region that were read but not sent yet. */
    private ByteBuf chunk;
    private Runnable idleAction;

    StreamSender(FerronetSocketChannel channel) {
        this.channel = channel;
    }

    boolean isInFlight() {
        return inFlight;
    }

    /** Runs an action after the completion of the operation that is in flight. */
    void whenIdle(Runnable action) {
        Runnable first = idleAction;
        idleAction = first == null ? action : () -> {
            first.run();
            action.run();
        };
    }

    void write(ChannelOutboundBuffer in) throws IOException {
        while (!inFlight && channel.isOperational()) {
            Object message = in.current();
            if (message == null) {
                return;
            }
            if (message instanceof FileRegion region) {
                writeRegion(in, region);
            } else if (((ByteBuf) message).isReadable()) {
                writeBuffers(in);
            } else {
                in.remove();
            }
        }
    }

    private void writeBuffers(ChannelOutboundBuffer in) {
        Registration registration = channel.registration();
        FerronetIoHandler handler = registration.handler();
        SendCollector collector = handler.sendCollector();
        collector.begin(handler.reactor().binding(), MAX_BYTES);
        try {
            if (in.size() == 1) {
                collector.processMessage(in.current());
            } else {
                in.forEachFlushedMessage(collector);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        messages = collector.messages();
        collector.send(registration);
        started(in);
    }

    private void writeRegion(ChannelOutboundBuffer in, FileRegion region) throws IOException {
        if (chunk == null) {
            long remaining = region.count() - region.transferred();
            if (remaining <= 0) {
                in.remove();
                return;
            }
            chunk = FileChunks.read(channel.alloc(), region, (int) Math.min(remaining, CHUNK_SIZE));
        }
        Registration registration = channel.registration();
        int length = chunk.readableBytes();
        long address = DirectMemory.address(registration.handler().reactor().binding(), chunk, chunk.readerIndex(), length);
        messages = 0;
        registration.add(Submission.OP_SEND, 0, address, length, 0, 0, 0);
        started(in);
    }

    private void started(ChannelOutboundBuffer in) {
        inFlight = true;
        source = in;
        if (channel.submitsAtOnce()) {
            channel.submitNow();
        }
    }

    /** Accounts for the final completion of the operation, and returns its failure: a negative status or 0. */
    int completed(FerronetIoEvent event) {
        int result = event.result();
        long sent = result >= 0 ? result : event.extra();
        ChannelOutboundBuffer in = channel.unsafe().outboundBuffer();
        releaseRetained();
        if (in == null) {
            releaseChunk();
        } else if (chunk != null) {
            chunkSent(in, (int) sent);
        } else {
            in.removeBytes(sent);
        }
        inFlight = false;
        source = null;
        return Math.min(result, 0);
    }

    private void chunkSent(ChannelOutboundBuffer in, int sent) {
        chunk.skipBytes(sent);
        in.progress(sent);
        if (!chunk.isReadable()) {
            releaseChunk();
            FileRegion region = (FileRegion) in.current();
            if (region.transferred() >= region.count()) {
                in.remove();
            }
        }
    }

    void runIdleAction() {
        Runnable action = idleAction;
        if (action != null) {
            idleAction = null;
            action.run();
        }
    }

    /** The outbound buffer is about to be dropped. */
    void detach() {
        if (!inFlight) {
            releaseChunk();
        } else if (messages > 0 && retained.isEmpty()) {
            List<ByteBuf> references = new ArrayList<>(messages);
            try {
                source.forEachFlushedMessage(message -> references.size() < messages && references.add(((ByteBuf) message).retain()));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            retained = references;
        }
    }

    /** The operation will not be reported any more, and nothing is in flight. */
    void release() {
        inFlight = false;
        releaseRetained();
        if (channel.unsafe().outboundBuffer() == null) {
            releaseChunk();
        }
    }

    private void releaseRetained() {
        if (!retained.isEmpty()) {
            retained.forEach(ByteBuf::release);
            retained = List.of();
        }
    }

    private void releaseChunk() {
        if (chunk != null) {
            chunk.release();
            chunk = null;
        }
    }
}
