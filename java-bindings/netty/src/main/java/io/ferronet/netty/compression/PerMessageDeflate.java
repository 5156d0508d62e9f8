package io.ferronet.netty.compression;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtension;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionDecoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionEncoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilter;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionFilterProvider;
import java.util.List;
import java.util.Map;

/** The codecs of the permessage-deflate extension (RFC 7692) with what was negotiated for each direction. */
final class PerMessageDeflate {
    /** What a sync flush ends with, which is left out of every message (RFC 7692, 7.2.1). */
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};
    /** An empty message (RFC 7692, 7.2.3.6). */
    private static final ByteBuf EMPTY = Unpooled.unreleasableBuffer(Unpooled.directBuffer(1, 1).writeByte(0)).asReadOnly();
    private static final int SMALLEST_WINDOW = 9;

    private final int level;
    private final int memLevel;
    private final int maxAllocation;
    private final FerronetDecompressionLimits limits;
    private final WebSocketExtensionFilterProvider filters;
    private final int window;
    private final boolean ownNoContext;
    private final boolean peerNoContext;

    /**
     * Reads what was agreed on.
     *
     * @param own {@code server} or {@code client}: who we are
     * @param peer the other
     */
    PerMessageDeflate(int level, int memLevel, int maxAllocation, FerronetDecompressionLimits limits, WebSocketExtensionFilterProvider filters,
            Map<String, String> agreed, String own, String peer) {
        this.level = level;
        this.memLevel = memLevel;
        this.maxAllocation = maxAllocation;
        this.limits = limits;
        this.filters = filters;
        String bits = agreed.get(own + "_max_window_bits");
        // A window of 9 bits has no distance above 250, so that it serves a peer with a window of 8 bits.
        window = bits == null ? DeflateSettings.DEFAULT_WINDOW_BITS : Math.max(SMALLEST_WINDOW, Integer.parseInt(bits));
        ownNoContext = agreed.containsKey(own + "_no_context_takeover");
        peerNoContext = agreed.containsKey(peer + "_no_context_takeover");
    }

    WebSocketExtensionEncoder encoder() {
        return new Encoder(level, window, memLevel, ownNoContext, filters.encoderFilter());
    }

    WebSocketExtensionDecoder decoder() {
        return new Decoder(peerNoContext, filters.decoderFilter(), maxAllocation, limits);
    }

    private static boolean isFirst(Object message) {
        return message instanceof TextWebSocketFrame || message instanceof BinaryWebSocketFrame;
    }

    /** Whether the frame belongs to a compressed message; one that is skipped must not lie inside of one. */
    private static boolean isPart(WebSocketFrame frame, boolean marked, boolean within, WebSocketExtensionFilter filter) {
        if (filter.mustSkip(frame)) {
            if (within) {
                throw new IllegalStateException("a filter cannot leave out a frame in the middle of a compressed message");
            }
            return false;
        }
        return isFirst(frame) && marked || frame instanceof ContinuationWebSocketFrame && within;
    }

    private static WebSocketFrame with(WebSocketFrame frame, int rsv, ByteBuf content) {
        if (frame instanceof TextWebSocketFrame) {
            return new TextWebSocketFrame(frame.isFinalFragment(), rsv, content);
        }
        return frame instanceof BinaryWebSocketFrame ? new BinaryWebSocketFrame(frame.isFinalFragment(), rsv, content)
            : new ContinuationWebSocketFrame(frame.isFinalFragment(), rsv, content);
    }

    private static ByteBuf take(ChannelHandlerContext ctx, EmbeddedChannel codec, boolean inbound) {
        ByteBuf first = inbound ? codec.readInbound() : codec.readOutbound();
        ByteBuf next = first == null ? null : inbound ? codec.<ByteBuf>readInbound() : codec.<ByteBuf>readOutbound();
        if (first == null) {
            // One that is released as any other.
            return ctx.alloc().compositeBuffer(1);
        }
        if (next == null) {
            return first;
        }
        CompositeByteBuf all = ctx.alloc().compositeBuffer(Integer.MAX_VALUE).addComponent(true, first);
        while (next != null) {
            all.addComponent(true, next);
            next = inbound ? codec.readInbound() : codec.readOutbound();
        }
        return all;
    }

    private static EmbeddedChannel channel(ChannelHandlerContext ctx, ChannelHandler codec) {
        EmbeddedChannel channel = new EmbeddedChannel(codec);
        channel.config().setAllocator(ctx.alloc());
        return channel;
    }

    /** Compresses the messages of one connection. */
    static class Encoder extends WebSocketExtensionEncoder {
        private final int level;
        private final int window;
        private final int memLevel;
        private final boolean noContext;
        private final WebSocketExtensionFilter filter;
        private EmbeddedChannel codec;
        private boolean within;

        Encoder(int level, int window, int memLevel, boolean noContext, WebSocketExtensionFilter filter) {
            this.level = level;
            this.window = window;
            this.memLevel = memLevel;
            this.noContext = noContext;
            this.filter = filter;
        }

        @Override
        public boolean acceptOutboundMessage(Object message) throws Exception {
            return super.acceptOutboundMessage(message)
                && isPart((WebSocketFrame) message, (((WebSocketFrame) message).rsv() & WebSocketExtension.RSV1) == 0, within, filter);
        }

        @Override
        protected void encode(ChannelHandlerContext ctx, WebSocketFrame frame, List<Object> out) {
            ByteBuf content = compress(ctx, frame);
            out.add(with(frame, isFirst(frame) ? frame.rsv() | WebSocketExtension.RSV1 : frame.rsv(), content));
            within = !frame.isFinalFragment();
        }

        private ByteBuf compress(ChannelHandlerContext ctx, WebSocketFrame frame) {
            if (!frame.content().isReadable()) {
                if (!frame.isFinalFragment()) {
                    throw new CodecException("an empty frame that does not end its message cannot be compressed: leave it out");
                }
                return end(EMPTY.duplicate());
            }
            if (codec == null) {
                codec = channel(ctx, new FerronetZlibEncoder(ZlibWrapper.NONE, level, window, memLevel));
            }
            codec.writeOutbound(frame.content().retain());
            ByteBuf packed = take(ctx, codec, false);
            if (!frame.isFinalFragment()) {
                return packed;
            }
            return end(packed.writerIndex(packed.writerIndex() - TAIL.length));
        }

        private ByteBuf end(ByteBuf content) {
            if (noContext) {
                cleanup();
            }
            return content;
        }

        private void cleanup() {
            if (codec != null) {
                codec.finishAndReleaseAll();
                codec = null;
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) throws Exception {
            cleanup();
            super.handlerRemoved(ctx);
        }
    }

    /** Decompresses the messages of one connection. */
    static class Decoder extends WebSocketExtensionDecoder {
        private final boolean noContext;
        private final WebSocketExtensionFilter filter;
        private final int maxAllocation;
        private final FerronetDecompressionLimits limits;
        private FerronetZlibDecoder decoder;
        private EmbeddedChannel codec;
        private boolean within;

        Decoder(boolean noContext, WebSocketExtensionFilter filter, int maxAllocation, FerronetDecompressionLimits limits) {
            this.noContext = noContext;
            this.filter = filter;
            this.maxAllocation = maxAllocation;
            this.limits = limits;
        }

        @Override
        public boolean acceptInboundMessage(Object message) throws Exception {
            return super.acceptInboundMessage(message)
                && isPart((WebSocketFrame) message, (((WebSocketFrame) message).rsv() & WebSocketExtension.RSV1) != 0, within, filter);
        }

        @Override
        protected void decode(ChannelHandlerContext ctx, WebSocketFrame frame, List<Object> out) {
            if (codec == null) {
                decoder = FerronetZlibDecoder.ofMessages(maxAllocation, limits);
                codec = channel(ctx, decoder);
            }
            boolean readable = frame.content().isReadable();
            boolean empty = frame.content().equals(EMPTY);
            try {
                codec.writeInbound(frame.content().retain());
                if (frame.isFinalFragment()) {
                    codec.writeInbound(Unpooled.wrappedBuffer(TAIL));
                    decoder.nextMessage();
                }
            } catch (Throwable t) {
                codec.releaseInbound();
                throw t;
            }
            ByteBuf content = take(ctx, codec, true);
            if (readable && !empty && !content.isReadable() && frame.isFinalFragment() && isFirst(frame)) {
                content.release();
                throw new CodecException("a compressed message has no content");
            }
            int rsv = isFirst(frame) ? frame.rsv() & ~WebSocketExtension.RSV1 : frame.rsv();
            out.add(with(frame, rsv, content));
            within = !frame.isFinalFragment();
            if (!within && noContext) {
                cleanup();
            }
        }

        private void cleanup() {
            if (codec != null) {
                codec.finishAndReleaseAll();
                codec = null;
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) throws Exception {
            cleanup();
            super.handlerRemoved(ctx);
        }
    }
}
