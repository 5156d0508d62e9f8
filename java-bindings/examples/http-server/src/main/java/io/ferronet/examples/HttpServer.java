package io.ferronet.examples;

import io.ferronet.netty.Ferronet;
import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetIoHandlerConfig;
import io.ferronet.netty.transport.FerronetLoopInfo;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * An HTTP server (1.1 and 2: over clear text with prior knowledge or by upgrade, and over TLS) over Ferronet's transport: {@code /} says hello, {@code /json} is 128 KiB,
 * {@code /upload} echoes length and SHA-256 of a body,
 * {@code /stats} tells what the transport does.
 */
public final class HttpServer implements AutoCloseable {
    private static final int EXIT_FAILURE = 1;
    private static final int EXIT_USAGE = 2;

    private final EventLoopGroup group;
    private final Channel listener;
    private final Channel tlsListener;
    private final boolean selfSigned;

    /**
     * Starts a server.
     *
     * @param options where, and on what
     * @throws Exception if it cannot listen
     */
    HttpServer(ServerOptions options) throws Exception {
        ServerStatistics statistics = new ServerStatistics();
        FerronetIoHandlerConfig config = FerronetIoHandlerConfig.builder().backend(options.backend()).build();
        group = new MultiThreadIoEventLoopGroup(options.threads(), FerronetIoHandler.newFactory(config));
        selfSigned = options.certificate() == null;
        try {
            listener = listen(options, statistics, options.port(), null);
            tlsListener = options.tlsPort() == ServerOptions.NO_TLS ? null : listen(options, statistics, options.tlsPort(), tls(options));
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    private Channel listen(ServerOptions options, ServerStatistics statistics, int port, SslContext tls) throws InterruptedException {
        return new ServerBootstrap()
            .group(group)
            .channel(FerronetServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    if (tls != null) {
                        channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                    }
                    channel.pipeline().addLast(new ProtocolDetector(options.gzip(), () -> new RequestHandler(statistics)));
                }
            })
            .bind(new InetSocketAddress("127.0.0.1", port))
            .sync()
            .channel();
    }

    private static SslContext tls(ServerOptions options) throws GeneralSecurityException, SSLException {
        FerronetSslContextBuilder builder;
        if (options.certificate() == null) {
            SelfSigned own = SelfSigned.make();
            builder = FerronetSslContextBuilder.forServer(own.key(), own.certificate());
        } else {
            builder = FerronetSslContextBuilder.forServer(options.certificate(), options.key());
        }
        return builder
            .applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1))
            .build();
    }

    /**
     * Where the server listens.
     *
     * @return the port
     */
    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /**
     * Where the server listens for https.
     *
     * @return the port, or {@link ServerOptions#NO_TLS}
     */
    int tlsPort() {
        return tlsListener == null ? ServerOptions.NO_TLS : ((InetSocketAddress) tlsListener.localAddress()).getPort();
    }

    /** Waits until the server was closed. */
    private void join() throws InterruptedException {
        listener.closeFuture().sync();
    }

    /** Closes the listener and all connections, and ends the event loops. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(6, TimeUnit.SECONDS);
    }

    private String banner() {
        FerronetLoopInfo loop = Ferronet.loops().get(0);
        String fallback = switch (loop.fallbackReason()) {
            case NONE -> "";
            default -> ", not io_uring: " + loop.fallbackReason().description();
        };
        String tls = tlsListener == null ? "" : "\nlistening on https://127.0.0.1:" + tlsPort() + (selfSigned ? " (self-signed certificate)" : "");
        return "listening on http://127.0.0.1:" + port() + " (backend " + ServerStatistics.name(loop.backend()) + fallback + ")" + tls;
    }

    /**
     * Runs a server until the process is told to end.
     *
     * @param arguments see {@code --help}
     * @throws InterruptedException never, as nothing interrupts the main thread
     */
    public static void main(String[] arguments) throws InterruptedException {
        ServerOptions options;
        try {
            options = ServerOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.print("HttpServer: " + e.getMessage() + '\n' + ServerOptions.USAGE);
            System.exit(EXIT_USAGE);
            return;
        }
        if (options.help()) {
            System.out.print(ServerOptions.USAGE);
            return;
        }
        HttpServer server;
        try {
            server = new HttpServer(options);
        } catch (Exception | Error e) {
            System.err.println("HttpServer: " + rootMessage(e));
            System.exit(EXIT_FAILURE);
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "http-server-shutdown"));
        System.out.println(server.banner());
        server.join();
    }

    /** The innermost message: the outer ones of the event loop group say only that an event loop could not be made. */
    private static String rootMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause instanceof IllegalStateException) {
            cause = cause.getCause();
        }
        return cause.getMessage();
    }
}
