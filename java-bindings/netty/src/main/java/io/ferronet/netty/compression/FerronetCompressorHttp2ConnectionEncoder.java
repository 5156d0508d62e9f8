package io.ferronet.netty.compression;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.CompressionOptions;
import io.netty.handler.codec.compression.DeflateOptions;
import io.netty.handler.codec.compression.GzipOptions;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http2.CompressorHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Compresses the data of HTTP/2 streams by their {@code content-encoding} as {@link CompressorHttp2ConnectionEncoder} does, with the native library for
 * {@code gzip} and {@code deflate}.
 */
public class FerronetCompressorHttp2ConnectionEncoder extends CompressorHttp2ConnectionEncoder {
    private final DeflateSettings gzip;
    private final DeflateSettings deflate;

    /**
     * Everything that Netty's own offers, at the default levels.
     *
     * @param delegate the encoder below
     */
    public FerronetCompressorHttp2ConnectionEncoder(Http2ConnectionEncoder delegate) {
        super(delegate);
        gzip = CodecSettings.of(ZlibWrapper.GZIP, StandardCompressionOptions.gzip());
        deflate = CodecSettings.of(ZlibWrapper.ZLIB, StandardCompressionOptions.deflate());
    }

    /**
     * Settings for gzip and deflate; other encodings are passed on unchanged.
     *
     * @param delegate the encoder below
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none
     * @param windowBits base-two logarithm of the window, 9 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     */
    @SuppressWarnings("deprecation")
    public FerronetCompressorHttp2ConnectionEncoder(Http2ConnectionEncoder delegate, int compressionLevel, int windowBits, int memLevel) {
        super(delegate, compressionLevel, windowBits, memLevel);
        gzip = new DeflateSettings(ZlibWrapper.GZIP, compressionLevel, windowBits, memLevel);
        deflate = new DeflateSettings(ZlibWrapper.ZLIB, compressionLevel, windowBits, memLevel);
    }

    /**
     * The encodings that options are given for.
     *
     * @param delegate the encoder below
     * @param compressionOptions an encoding each
     */
    public FerronetCompressorHttp2ConnectionEncoder(Http2ConnectionEncoder delegate, CompressionOptions... compressionOptions) {
        super(delegate, compressionOptions);
        GzipOptions gzipOptions = null;
        DeflateOptions deflateOptions = null;
        for (CompressionOptions options : compressionOptions) {
            // GzipOptions are DeflateOptions, too.
            if (options instanceof GzipOptions found) {
                gzipOptions = found;
            } else if (options instanceof DeflateOptions found) {
                deflateOptions = found;
            }
        }
        gzip = CodecSettings.of(ZlibWrapper.GZIP, gzipOptions);
        deflate = CodecSettings.of(ZlibWrapper.ZLIB, deflateOptions);
    }

    @Override
    protected EmbeddedChannel newContentCompressor(ChannelHandlerContext ctx, CharSequence contentEncoding) throws Http2Exception {
        DeflateSettings settings = null;
        if (HttpHeaderValues.GZIP.contentEqualsIgnoreCase(contentEncoding) || HttpHeaderValues.X_GZIP.contentEqualsIgnoreCase(contentEncoding)) {
            settings = gzip;
        } else if (HttpHeaderValues.DEFLATE.contentEqualsIgnoreCase(contentEncoding)
            || HttpHeaderValues.X_DEFLATE.contentEqualsIgnoreCase(contentEncoding)) {
            settings = deflate;
        }
        return settings == null ? super.newContentCompressor(ctx, contentEncoding)
            : EmbeddedCodec.of(ctx.channel(), new FerronetZlibEncoder(settings, null));
    }
}
