package io.ferronet.netty.compression;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.util.internal.ObjectUtil;

/**
 * Decompresses bodies as {@link HttpContentDecompressor} does, with the native library for {@code gzip} and {@code deflate} and with Netty's own decoders for
 * everything else.
 *
 * <p>Netty's is unlimited unless told otherwise; this one keeps to {@link FerronetDecompressionLimits#DEFAULT}. Pass
 * {@link FerronetDecompressionLimits#UNBOUNDED} to lift the bound. A body that ends before its stream does is a
 * {@link io.netty.handler.codec.compression.DecompressionException} instead of a short body.
 */
public class FerronetHttpContentDecompressor extends HttpContentDecompressor {
    private final boolean strict;
    private final int maxAllocation;
    private final FerronetDecompressionLimits limits;
    private FerronetZlibDecoder current;

    /** Lenient about {@code deflate}, with the default limits. */
    public FerronetHttpContentDecompressor() {
        this(false, 0);
    }

    /**
     * Lenient about {@code deflate}.
     *
     * @param maxAllocation largest buffer of output in bytes, and the most that one part of a body may give; 0 for none
     */
    public FerronetHttpContentDecompressor(int maxAllocation) {
        this(false, maxAllocation);
    }

    /**
     * Default limits.
     *
     * @param strict whether {@code deflate} means zlib framing only; else raw streams are accepted too, as some senders send them
     */
    public FerronetHttpContentDecompressor(boolean strict) {
        this(strict, 0);
    }

    /**
     * Default limits.
     *
     * @param strict whether {@code deflate} means zlib framing only
     * @param maxAllocation largest buffer of output in bytes, and the most that one part of a body may give; 0 for none
     */
    public FerronetHttpContentDecompressor(boolean strict, int maxAllocation) {
        this(strict, maxAllocation, FerronetDecompressionLimits.DEFAULT);
    }

    /**
     * Other limits.
     *
     * @param strict whether {@code deflate} means zlib framing only
     * @param maxAllocation largest buffer of output in bytes, and the most that one part of a body may give; 0 for none
     * @param limits how much a body may become
     */
    public FerronetHttpContentDecompressor(boolean strict, int maxAllocation, FerronetDecompressionLimits limits) {
        super(strict, maxAllocation);
        this.strict = strict;
        this.maxAllocation = maxAllocation;
        this.limits = ObjectUtil.checkNotNull(limits, "limits");
    }

    @Override
    protected EmbeddedChannel newContentDecoder(String contentEncoding) throws Exception {
        ZlibWrapper wrapper = wrapper(contentEncoding, strict);
        if (wrapper == null) {
            current = null;
            return super.newContentDecoder(contentEncoding);
        }
        current = new FerronetZlibDecoder(wrapper, true, maxAllocation, limits).requireEnd(true);
        return EmbeddedCodec.of(ctx.channel(), current);
    }

    static ZlibWrapper wrapper(CharSequence contentEncoding, boolean strict) {
        if (HttpHeaderValues.GZIP.contentEqualsIgnoreCase(contentEncoding) || HttpHeaderValues.X_GZIP.contentEqualsIgnoreCase(contentEncoding)) {
            return ZlibWrapper.GZIP;
        }
        if (HttpHeaderValues.DEFLATE.contentEqualsIgnoreCase(contentEncoding) || HttpHeaderValues.X_DEFLATE.contentEqualsIgnoreCase(contentEncoding)) {
            return strict ? ZlibWrapper.ZLIB : ZlibWrapper.ZLIB_OR_NONE;
        }
        return null;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        abandon();
        super.channelInactive(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) throws Exception {
        abandon();
        super.handlerRemoved(context);
    }

    /** The connection is gone: that a body is incomplete is told by what reads the connection. */
    private void abandon() {
        if (current != null) {
            current.requireEnd(false);
            current = null;
        }
    }
}
