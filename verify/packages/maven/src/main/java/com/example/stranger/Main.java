package com.example.stranger;

import io.ferronet.netty.Ferronet;
import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetSocketChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@code serve CERTIFICATE KEY} serves until it is killed; {@code once CERTIFICATE KEY} serves one request of its own. */
public final class Main {
    /** Kept for as long as the class, and never released: what applications forget. */
    static SslContext forgotten;

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        File certificate = new File(arguments[1]);
        File key = new File(arguments[2]);
        if (arguments[0].equals("serve")) {
            try (Server server = new Server(certificate, key)) {
                System.out.println("listening on https://127.0.0.1:" + server.port());
                server.await();
            }
            return;
        }
        System.out.println(once(certificate, key));
        System.out.println("mappings=" + mappings());
    }

    /** One request to a server in the same process; returns what came of it. */
    public static String once(File certificate, File key) throws Exception {
        forgotten = FerronetSslContextBuilder.forServer(certificate, key).build();
        CompletableFuture<String> answer = new CompletableFuture<>();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, FerronetIoHandler.newFactory());
        SslContext tls = FerronetSslContextBuilder.forClient().trustManager(certificate).endpointIdentificationAlgorithm(null).build();
        try (Server server = new Server(certificate, key)) {
            Channel channel = new Bootstrap().group(group).channel(FerronetSocketChannel.class).handler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel child) {
                    child.pipeline().addLast(tls.newHandler(child.alloc(), "localhost", server.port()), new HttpClientCodec(),
                        new HttpContentDecompressor(), new HttpObjectAggregator(1 << 16), new Client(answer));
                }
            }).connect("127.0.0.1", server.port()).sync().channel();
            DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
            request.headers().set("host", "localhost").set("accept-encoding", "gzip");
            channel.writeAndFlush(request).sync();
            boolean right = answer.get(20, TimeUnit.SECONDS).equals(Server.TEXT);
            channel.close().sync();
            return (right ? "ANSWERED" : "WRONG " + answer.get()) + "\nsource=" + Ferronet.library().source() + "\nshared="
                + Ferronet.library().shared();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            ReferenceCountUtil.release(tls);
        }
    }

    private static long mappings() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("r-xp") && line.contains("libferronet.so")).count();
        }
    }

    private static final class Client extends SimpleChannelInboundHandler<FullHttpResponse> {
        private final CompletableFuture<String> answer;

        Client(CompletableFuture<String> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            answer.complete(response.content().toString(StandardCharsets.UTF_8));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            answer.completeExceptionally(cause);
        }
    }
}
