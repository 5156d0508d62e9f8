package io.ferronet.bench.compression;

import io.ferronet.netty.compression.FerronetDecompressionLimits;
import io.ferronet.netty.compression.FerronetHttpContentCompressor;
import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.CompressionOptions;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** One way to do the work of a row, prepared and ready to be repeated. */
abstract class Peer {
    final String name;

    Peer(String name) {
        this.name = name;
    }

    /** Does it once, and returns the bytes that came out. */
    abstract int once();

    /** A full response of a direct buffer through an HTTP compressor. */
    static Peer response(String name, String encoding, HttpContentCompressor compressor, byte[] document) {
        EmbeddedChannel channel = new EmbeddedChannel(compressor);
        channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        ByteBuf body = Unpooled.unreleasableBuffer(Unpooled.directBuffer(document.length).writeBytes(document));
        return new Peer(name) {
            @Override
            int once() {
                DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/", Unpooled.EMPTY_BUFFER);
                request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, encoding);
                channel.writeInbound(request);
                channel.releaseInbound();
                FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body.duplicate());
                response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
                channel.writeOutbound(response);
                int length = 0;
                for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
                    if (part instanceof HttpContent content) {
                        // A transport copies what is not direct.
                        length += content.content().readableBytes();
                        if (!content.content().isDirect()) {
                            PooledByteBufAllocator.DEFAULT.directBuffer(Math.max(1, content.content().readableBytes())).writeBytes(content.content())
                                .release();
                        }
                        content.release();
                    }
                }
                return length;
            }
        };
    }

    static Peer ours(String name, String encoding, int level, byte[] document) {
        return response(name, encoding, new FerronetHttpContentCompressor(StandardCompressionOptions.gzip(level, 15, 8)), document);
    }

    static Peer netty(String name, String encoding, CompressionOptions options, byte[] document) {
        return response(name, encoding, new HttpContentCompressor(options), document);
    }

    /** A body in one direct buffer through a decoder of its own. */
    static Peer body(String name, boolean ours, byte[] packed) {
        ByteBuf body = Unpooled.unreleasableBuffer(Unpooled.directBuffer(packed.length).writeBytes(packed));
        return new Peer(name) {
            @Override
            int once() {
                ChannelHandler decoder = ours ? new FerronetZlibDecoder(ZlibWrapper.GZIP, true, 0, FerronetDecompressionLimits.UNBOUNDED)
                    : new JdkZlibDecoder(ZlibWrapper.GZIP, true, 0);
                EmbeddedChannel channel = new EmbeddedChannel(decoder);
                channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
                channel.writeInbound(body.duplicate());
                int length = 0;
                for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
                    length += part.readableBytes();
                    part.release();
                }
                channel.finishAndReleaseAll();
                return length;
            }
        };
    }
}
