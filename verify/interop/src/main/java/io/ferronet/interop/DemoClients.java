package io.ferronet.interop;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import io.netty.handler.codec.http2.HttpToHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.InboundHttp2ToHttpAdapterBuilder;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Java's clients against the example server's https: {@code DemoClients PORT CERTIFICATE}, where the last is a PEM file with the server's certificate for {@code localhost},
 * the only one that is trusted. Prints {@code ok CLIENT} or {@code not ok CLIENT - why} for each.
 */
public final class DemoClients {
    private static final int MOST_BYTES = 1 << 20;
    private static final String DOCUMENT = "Hello, World!";

    private DemoClients() {
    }

    /** Asks for a document and fails if it is not the expected one by the expected protocol. */
    private interface Exchange {
        void run() throws Exception;
    }

    /**
     * Runs the clients.
     *
     * @param arguments the port and the file
     * @throws Exception if the run cannot begin
     */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        X509Certificate trusted;
        try (var file = Files.newInputStream(Path.of(arguments[1]))) {
            trusted = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(file);
        }
        try (HttpClient client = HttpClient.newBuilder().sslContext(trusting(trusted)).connectTimeout(Duration.ofSeconds(Main.SECONDS)).build()) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                if (version == HttpClient.Version.HTTP_1_1 || version == HttpClient.Version.HTTP_2) {
                    report("HttpClient of the JDK, " + version, () -> ask(client, port, version));
                }
            }
        }
        try (Loops loops = new Loops()) {
            for (Peer peer : List.of(Peer.JDK, Peer.TCNATIVE, Peer.FERRONET)) {
                for (Version version : Version.values()) {
                    for (String protocol : List.of("http/1.1", "h2")) {
                        String name = "Netty with " + peer.name().toLowerCase(Locale.ROOT) + ", TLS " + version.label + ", " + protocol;
                        report(name, () -> ask(loops, peer, version, trusted, port, protocol));
                    }
                }
            }
        }
        System.exit(0);
    }

    private static void report(String name, Exchange exchange) {
        try {
            exchange.run();
            System.out.println("ok " + name);
        } catch (Exception | Error e) {
            System.out.println("not ok " + name + " - " + e.toString().replaceAll("\\s+", " "));
        }
    }

    private static SSLContext trusting(X509Certificate certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("server", certificate);
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private static void ask(HttpClient client, int port, HttpClient.Version version) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/")).version(version).timeout(Duration.ofSeconds(Main.SECONDS)).build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        expect("version", version, response.version());
        expect("document", DOCUMENT, response.body());
    }

    private static void ask(Loops loops, Peer peer, Version version, X509Certificate trusted, int port, String protocol) throws Exception {
        CompletableFuture<String> document = new CompletableFuture<>();
        SslContext context = Contexts.client(peer, version, trusted, protocol);
        Channel channel = new Bootstrap().group(loops.of(peer)).channel(Loops.channel(peer)).handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel created) {
                created.pipeline().addLast(context.newHandler(created.alloc(), "localhost", port), new Negotiated(protocol, document));
            }
        }).connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).sync().channel();
        try {
            expect("document", DOCUMENT, document.get(Main.SECONDS, TimeUnit.SECONDS));
        } finally {
            channel.close().awaitUninterruptibly(Main.SECONDS, TimeUnit.SECONDS);
            ReferenceCountUtil.release(context);
        }
    }

    private static void expect(String what, Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new IllegalStateException(what + ' ' + found + " instead of " + expected);
        }
    }

    /** Speaks what the server has chosen. */
    private static final class Negotiated extends ApplicationProtocolNegotiationHandler {
        private final String expected;
        private final CompletableFuture<String> document;

        Negotiated(String expected, CompletableFuture<String> document) {
            super("none");
            this.expected = expected;
            this.document = document;
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext context, String protocol) {
            expect("protocol", expected, protocol);
            if (protocol.equals("h2")) {
                Http2Connection connection = new DefaultHttp2Connection(false);
                context.pipeline().addLast(new HttpToHttp2ConnectionHandlerBuilder().connection(connection)
                    .frameListener(new InboundHttp2ToHttpAdapterBuilder(connection).maxContentLength(MOST_BYTES).build()).build());
            } else {
                context.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(MOST_BYTES));
            }
            context.pipeline().addLast(new Response(document));
            FullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
            request.headers().set(HttpHeaderNames.HOST, "localhost");
            if (protocol.equals("h2")) {
                request.headers().set(ExtensionHeaderNames.SCHEME.text(), "https");
            }
            context.channel().writeAndFlush(request);
        }

        @Override
        protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
            document.completeExceptionally(cause);
            context.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            document.completeExceptionally(cause);
            context.close();
        }
    }

    private static final class Response extends SimpleChannelInboundHandler<FullHttpResponse> {
        private final CompletableFuture<String> document;

        Response(CompletableFuture<String> document) {
            this.document = document;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            document.complete(response.content().toString(StandardCharsets.UTF_8));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            document.completeExceptionally(cause);
            context.close();
        }
    }
}
