package io.ferronet.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.StringUtil;

/** What a connection sends: direct buffers as they are, others as a direct copy, and file regions. */
final class OutboundMessages {
    private OutboundMessages() {
    }

    /**
     * The message in the form in which it is sent; a buffer that is copied is released.
     *
     * @throws UnsupportedOperationException if it is neither a buffer nor a file region
     */
    static Object sendable(ByteBufAllocator allocator, Object message) {
        if (message instanceof ByteBuf buffer) {
            boolean direct = buffer.hasMemoryAddress() || buffer.isDirect() && buffer.nioBufferCount() <= Reactor.MAX_REGIONS;
            return direct ? buffer : copy(allocator, buffer);
        }
        if (message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message) + " (expected: "
            + StringUtil.simpleClassName(ByteBuf.class) + ", " + StringUtil.simpleClassName(FileRegion.class) + ')');
    }

    private static ByteBuf copy(ByteBufAllocator allocator, ByteBuf buffer) {
        int length = buffer.readableBytes();
        if (length == 0) {
            buffer.release();
            return Unpooled.EMPTY_BUFFER;
        }
        ByteBuf copy = allocator.isDirectBufferPooled() ? null : ByteBufUtil.threadLocalDirectBuffer();
        if (copy == null) {
            copy = allocator.directBuffer(length);
        }
        boolean copied = false;
        try {
            copy.writeBytes(buffer, buffer.readerIndex(), length);
            copied = true;
        } finally {
            if (!copied) {
                copy.release(); // The buffer was released before it was written.
            }
        }
        ReferenceCountUtil.safeRelease(buffer);
        return copy;
    }
}
