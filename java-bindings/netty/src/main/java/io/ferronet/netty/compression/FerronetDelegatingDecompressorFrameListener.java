package io.ferronet.netty.compression;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http2.DelegatingDecompressorFrameListener;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.internal.ObjectUtil;

/**
 * Decompresses the data of HTTP/2 streams by their {@code content-encoding} as {@link DelegatingDecompressorFrameListener} does, with the native library for
 * {@code gzip} and {@code deflate}, and within {@link FerronetDecompressionLimits}.
 */
public class FerronetDelegatingDecompressorFrameListener extends DelegatingDecompressorFrameListener {
    private final boolean strict;
    private final int maxAllocation;
    private final FerronetDecompressionLimits limits;
    private final Http2Connection connection;
    private final Http2Connection.PropertyKey decoderKey;
    /** The stream whose headers are being read. */
    private Http2Stream starting;

    /**
     * Strict about {@code deflate}, with the default limits.
     *
     * @param connection the connection
     * @param listener receives the frames with decompressed data
     */
    public FerronetDelegatingDecompressorFrameListener(Http2Connection connection, Http2FrameListener listener) {
        this(connection, listener, 0);
    }

    /**
     * Strict about {@code deflate}.
     *
     * @param connection the connection
     * @param listener receives the frames with decompressed data
     * @param maxAllocation largest buffer of output in bytes, and the most that one frame may give; 0 for none
     */
    public FerronetDelegatingDecompressorFrameListener(Http2Connection connection, Http2FrameListener listener, int maxAllocation) {
        this(connection, listener, true, maxAllocation);
    }

    /**
     * Default limits.
     *
     * @param connection the connection
     * @param listener receives the frames with decompressed data
     * @param strict whether {@code deflate} means zlib framing only
     */
    public FerronetDelegatingDecompressorFrameListener(Http2Connection connection, Http2FrameListener listener, boolean strict) {
        this(connection, listener, strict, 0);
    }

    /**
     * Default limits.
     *
     * @param connection the connection
     * @param listener receives the frames with decompressed data
     * @param strict whether {@code deflate} means zlib framing only
     * @param maxAllocation largest buffer of output in bytes, and the most that one frame may give; 0 for none
     */
    public FerronetDelegatingDecompressorFrameListener(Http2Connection connection, Http2FrameListener listener, boolean strict, int maxAllocation) {
        this(connection, listener, strict, maxAllocation, FerronetDecompressionLimits.DEFAULT);
    }

    /**
     * Other limits.
     *
     * @param connection the connection
     * @param listener receives the frames with decompressed data
     * @param strict whether {@code deflate} means zlib framing only
     * @param maxAllocation largest buffer of output in bytes, and the most that one frame may give; 0 for none
     * @param limits how much the data of a stream may become
     */
    public FerronetDelegatingDecompressorFrameListener(Http2Connection connection, Http2FrameListener listener, boolean strict, int maxAllocation,
            FerronetDecompressionLimits limits) {
        super(connection, listener, strict, maxAllocation);
        this.strict = strict;
        this.maxAllocation = maxAllocation;
        this.limits = ObjectUtil.checkNotNull(limits, "limits");
        this.connection = connection;
        decoderKey = connection.newKey();
        // A stream is removed with its decoder, whose channel then ends. That is the end of the data only if the stream was not reset before.
        connection.addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamClosed(Http2Stream stream) {
                Decoder decoder = stream.getProperty(decoderKey);
                if (decoder != null) {
                    decoder.streamClosed = true;
                }
            }
        });
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean endStream) throws Http2Exception {
        starting = connection.stream(streamId);
        super.onHeadersRead(ctx, streamId, headers, padding, endStream);
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int streamId, Http2Headers headers, int streamDependency, short weight, boolean exclusive,
            int padding, boolean endStream) throws Http2Exception {
        starting = connection.stream(streamId);
        super.onHeadersRead(ctx, streamId, headers, streamDependency, weight, exclusive, padding, endStream);
    }

    @Override
    protected EmbeddedChannel newContentDecompressor(ChannelHandlerContext ctx, CharSequence contentEncoding) throws Http2Exception {
        ZlibWrapper wrapper = FerronetHttpContentDecompressor.wrapper(contentEncoding, strict);
        if (wrapper == null) {
            return super.newContentDecompressor(ctx, contentEncoding);
        }
        Decoder decoder = new Decoder(wrapper, maxAllocation, limits);
        if (starting != null) {
            starting.setProperty(decoderKey, decoder);
        }
        return EmbeddedCodec.of(ctx.channel(), decoder);
    }

    /** Reports a stream that ends too early instead of its end, which the listener would take for that of a complete one. */
    private static final class Decoder extends FerronetZlibDecoder {
        /** Whether nobody waits for an end any more: the stream's own came before, or there is none. */
        private boolean streamClosed;

        Decoder(ZlibWrapper wrapper, int maxAllocation, FerronetDecompressionLimits limits) {
            super(wrapper, true, maxAllocation, limits);
            requireEnd(true);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            if (streamClosed) {
                return;
            }
            DecompressionException incomplete = incomplete();
            if (incomplete == null) {
                super.channelInactive(ctx);
            } else {
                ctx.fireExceptionCaught(incomplete);
            }
        }
    }
}
