package io.ferronet.netty.compression;

import io.ferronet.api.Codec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;

/**
 * Compresses the bodies of full responses, one after the other. Netty's HTTP encoder asks for a channel with a codec in it, of which it uses what is
 * overridden here; without a pipeline, and with one object for all responses of a connection, a small body costs half.
 */
final class WholeBody extends EmbeddedChannel {
    /** Bodies up to this length are copied to one piece if they are not. What comes in pieces is compressed as a stream, larger and slower. */
    private static final int COPIED = 8 * 1024 * 1024;

    private final ByteBufAllocator allocator;
    private DeflateSettings settings;
    private ByteBuf result;

    WholeBody(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Begins the next body. */
    WholeBody begin(DeflateSettings newSettings) {
        settings = newSettings;
        return this;
    }

    /** Takes the whole body. */
    @Override
    public boolean writeOutbound(Object... messages) {
        ByteBuf body = (ByteBuf) messages[0];
        try {
            int length = body.readableBytes();
            if (length > 0) {
                result = compress(body, length);
            }
        } finally {
            body.release();
        }
        return result != null;
    }

    private ByteBuf compress(ByteBuf body, int length) {
        if (length > COPIED || MemoryPieces.isOnePiece(body)) {
            return compressPieces(body, length);
        }
        ByteBuf piece = allocator.directBuffer(length);
        try {
            return compressPieces(piece.writeBytes(body), length);
        } finally {
            piece.release();
        }
    }

    private ByteBuf compressPieces(ByteBuf body, int length) {
        // Half is seldom exceeded, and one call is enough as long as it is not.
        ByteBuf out = allocator.directBuffer(length > COPIED ? FerronetZlibEncoder.estimate(length) : FerronetZlibEncoder.room(length));
        try {
            Deflater stream = StreamPool.deflater(settings, length);
            try {
                FerronetZlibEncoder.deflate(stream, body, out, Codec.FLUSH_FINISH);
            } finally {
                StreamPool.release(stream);
            }
        } catch (Throwable t) {
            out.release();
            throw t;
        }
        return out;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T> T readOutbound() {
        ByteBuf taken = result;
        result = null;
        return (T) taken;
    }

    @Override
    public boolean finish() {
        return result != null;
    }

    @Override
    public boolean finishAndReleaseAll() {
        ByteBuf left = readOutbound();
        return left != null && left.release();
    }
}
