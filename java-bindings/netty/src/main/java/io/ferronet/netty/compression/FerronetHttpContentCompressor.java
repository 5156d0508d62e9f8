package io.ferronet.netty.compression;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.compression.CompressionOptions;
import io.netty.handler.codec.compression.DeflateOptions;
import io.netty.handler.codec.compression.GzipOptions;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;

/**
 * Compresses responses as {@link HttpContentCompressor} does, with the native library for {@code gzip} and {@code deflate} and with Netty's own encoders
 * for everything else. A full response is compressed in one step, and keeps a correct {@code Content-Length}; the chunks of a streamed one are flushed one by one.
 */
public class FerronetHttpContentCompressor extends HttpContentCompressor {
    private final int contentSizeThreshold;
    private final DeflateSettings gzip;
    private final DeflateSettings deflate;
    private ChannelHandlerContext context;
    private WholeBody wholeBody;

    /** Everything that Netty's own offers, at the default levels. */
    public FerronetHttpContentCompressor() {
        this(0, (CompressionOptions[]) null);
    }

    /**
     * One level for gzip and deflate.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     */
    public FerronetHttpContentCompressor(int compressionLevel) {
        this(compressionLevel, DeflateSettings.DEFAULT_WINDOW_BITS, DeflateSettings.DEFAULT_MEM_LEVEL, 0);
    }

    /**
     * Settings for gzip and deflate.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param windowBits base-two logarithm of the window, 9 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     */
    public FerronetHttpContentCompressor(int compressionLevel, int windowBits, int memLevel) {
        this(compressionLevel, windowBits, memLevel, 0);
    }

    /**
     * Settings for gzip and deflate, and a threshold.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param windowBits base-two logarithm of the window, 9 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     * @param contentSizeThreshold bytes from which on a full response is compressed
     */
    @SuppressWarnings("deprecation")
    public FerronetHttpContentCompressor(int compressionLevel, int windowBits, int memLevel, int contentSizeThreshold) {
        super(compressionLevel, windowBits, memLevel, contentSizeThreshold);
        this.contentSizeThreshold = contentSizeThreshold;
        gzip = new DeflateSettings(ZlibWrapper.GZIP, compressionLevel, windowBits, memLevel);
        deflate = new DeflateSettings(ZlibWrapper.ZLIB, compressionLevel, windowBits, memLevel);
    }

    /**
     * The encodings that options are given for.
     *
     * @param compressionOptions an encoding each; none, or {@code null}, for all that Netty's own offers
     */
    public FerronetHttpContentCompressor(CompressionOptions... compressionOptions) {
        this(0, compressionOptions);
    }

    /**
     * The encodings that options are given for, and a threshold.
     *
     * @param contentSizeThreshold bytes from which on a full response is compressed
     * @param compressionOptions an encoding each; none, or {@code null}, for all that Netty's own offers
     */
    public FerronetHttpContentCompressor(int contentSizeThreshold, CompressionOptions... compressionOptions) {
        this(contentSizeThreshold, DEFAULT_MAX_PIPELINE_DEPTH, compressionOptions);
    }

    /**
     * The encodings that options are given for, a threshold, and a bound of the pipeline.
     *
     * @param contentSizeThreshold bytes from which on a full response is compressed
     * @param maxPipelineDepth requests that may wait for their responses
     * @param compressionOptions an encoding each; none, or {@code null}, for all that Netty's own offers
     */
    public FerronetHttpContentCompressor(int contentSizeThreshold, int maxPipelineDepth, CompressionOptions... compressionOptions) {
        super(contentSizeThreshold, maxPipelineDepth, compressionOptions);
        this.contentSizeThreshold = contentSizeThreshold;
        boolean all = compressionOptions == null || compressionOptions.length == 0;
        GzipOptions gzipOptions = all ? StandardCompressionOptions.gzip() : null;
        DeflateOptions deflateOptions = all ? StandardCompressionOptions.deflate() : null;
        if (!all) {
            for (CompressionOptions options : compressionOptions) {
                // GzipOptions are DeflateOptions, too.
                if (options instanceof GzipOptions found) {
                    gzipOptions = found;
                } else if (options instanceof DeflateOptions found) {
                    deflateOptions = found;
                }
            }
        }
        gzip = CodecSettings.of(ZlibWrapper.GZIP, gzipOptions);
        deflate = CodecSettings.of(ZlibWrapper.ZLIB, deflateOptions);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        context = ctx;
        super.handlerAdded(ctx);
    }

    @Override
    protected Result beginEncode(HttpResponse response, String acceptEncoding) throws Exception {
        if (contentSizeThreshold > 0 && response instanceof HttpContent content && content.content().readableBytes() < contentSizeThreshold) {
            return null;
        }
        if (response.headers().contains(HttpHeaderNames.CONTENT_ENCODING)) {
            return null;
        }
        String target = determineEncoding(acceptEncoding);
        if (target == null) {
            return null;
        }
        DeflateSettings settings = switch (target) {
            case "gzip" -> gzip;
            case "deflate" -> deflate;
            default -> null;
        };
        if (settings == null) {
            return super.beginEncode(response, acceptEncoding);
        }
        if (response instanceof FullHttpResponse) {
            if (wholeBody == null) {
                wholeBody = new WholeBody(context.alloc());
            }
            return new Result(target, wholeBody.begin(settings));
        }
        return new Result(target, EmbeddedCodec.of(context.channel(), new FerronetZlibEncoder(settings, null)));
    }
}
