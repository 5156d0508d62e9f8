package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.ferronet.netty.transport.LeakCheck;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests and responses over sockets of several transports: the handlers do not care what moves the bytes. */
@ExtendWith(LeakCheck.class)
class TransportsTest {
    /** Sends back what a request had, by one loop. */
    private static void echoes(IoHandlerFactory handlers, ChannelFactory<? extends ServerChannel> channels) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
        try {
            Channel server = new ServerBootstrap().group(group).channelFactory(channels).childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel child) {
                    child.pipeline().addLast(new HttpServerCodec(), new FerronetHttpContentDecompressor(0), new FerronetHttpContentCompressor(),
                        new HttpObjectAggregator(1 << 20), new Echo());
                }
            }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            for (int length : new int[] {1, 3_000, 200_000}) {
                for (String encoding : new String[] {"gzip", "deflate"}) {
                    isEchoed(port, encoding, Corpus.variedJson(length));
                }
            }
            server.close().sync();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private static void isEchoed(int port, String encoding, byte[] document) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection();
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Encoding", encoding);
        connection.setRequestProperty("Accept-Encoding", encoding);
        ZlibWrapper wrapper = "gzip".equals(encoding) ? ZlibWrapper.GZIP : ZlibWrapper.ZLIB;
        try (OutputStream out = connection.getOutputStream()) {
            out.write(Jdk.compress(wrapper, document));
        }
        byte[] body = connection.getInputStream().readAllBytes();
        connection.disconnect();
        assertEquals(encoding, connection.getHeaderField("Content-Encoding"));
        assertEquals(body.length, connection.getContentLength());
        assertArrayEquals(document, Jdk.decompress(wrapper, body));
    }

    private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, request.content().retain());
            HttpUtil.setContentLength(response, response.content().readableBytes());
            ctx.writeAndFlush(response);
        }
    }

    @Test
    void overFerronet() throws Exception {
        echoes(FerronetIoHandler.newFactory(), FerronetServerSocketChannel::new);
    }

    @Test
    void overNio() throws Exception {
        echoes(NioIoHandler.newFactory(), NioServerSocketChannel::new);
    }
}
