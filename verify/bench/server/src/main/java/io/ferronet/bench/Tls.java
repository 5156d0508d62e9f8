package io.ferronet.bench;

import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.ssl.FerronetSslContextOption;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSession;

/** A TLS implementation in front of the server, and what its connections have negotiated; or none. */
final class Tls {
    private static final List<String> SUITES = List.of("TLS_AES_128_GCM_SHA256");
    private static final String PROTOCOL = "TLSv1.3";
    private static final String GROUP = "X25519";
    private static final int TICKET_KEY = 48;

    private final String name;
    private final SslContext context;
    private final String library;
    private final Set<String> negotiated = new ConcurrentSkipListSet<>();
    private final Set<String> providers = new ConcurrentSkipListSet<>();
    private final AtomicLong handshakes = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    private Tls(String name, SslContext context, String library) {
        this.name = name;
        this.context = context;
        this.library = library;
    }

    /**
     * Makes a P-256 certificate and a context that knows one protocol, one cipher suite and one group, and gives tickets. The JDK's groups
     * are a system property, which the harness sets for every peer.
     */
    static Tls named(String name) throws Exception {
        if (name.equals("none")) {
            return new Tls(name, null, "");
        }
        X509Bundle bundle = new CertificateBuilder().algorithm(CertificateBuilder.Algorithm.ecp256).subject("CN=localhost")
                .addSanDnsName("localhost").setIsCertificateAuthority(true).buildSelfSigned();
        return switch (name) {
            case "ferronet" -> new Tls(name, FerronetSslContextBuilder.forServer(bundle.getKeyPair().getPrivate(), bundle.getCertificate())
                    .protocols(PROTOCOL).ciphers(SUITES).option(FerronetSslContextOption.GROUPS, new String[] {GROUP}).build(), "ferronet");
            case "tcnative" -> {
                OpenSsl.ensureAvailability();
                SslContext context = builder(bundle, SslProvider.OPENSSL_REFCNT)
                        .option(OpenSslContextOption.GROUPS, new String[] {GROUP}).build();
                byte[] key = new byte[TICKET_KEY];
                new SecureRandom().nextBytes(key);
                byte[][] parts = {
                    java.util.Arrays.copyOfRange(key, 0, 16), java.util.Arrays.copyOfRange(key, 16, 32), java.util.Arrays.copyOfRange(key, 32, 48)};
                // Without keys it gives no tickets, and with TLS 1.3 it resumes by tickets only.
                ((OpenSslServerSessionContext) context.sessionContext())
                        .setTicketKeys(new OpenSslSessionTicketKey(parts[0], parts[1], parts[2]));
                yield new Tls(name, context, OpenSsl.versionString());
            }
            case "jdk" -> new Tls(name, builder(bundle, SslProvider.JDK).build(), "java " + Runtime.version());
            default -> throw new IllegalArgumentException("--tls " + name + ": known are none, ferronet, tcnative, jdk");
        };
    }

    private static SslContextBuilder builder(X509Bundle bundle, SslProvider provider) {
        return SslContextBuilder.forServer(bundle.getKeyPair().getPrivate(), bundle.getCertificate())
                .sslProvider(provider).protocols(PROTOCOL).ciphers(SUITES);
    }

    void addTo(SocketChannel channel) {
        if (context != null) {
            channel.pipeline().addLast(context.newHandler(channel.alloc()), new Observer());
        }
    }

    /** What was negotiated by all connections until now, and by whom. */
    Map<String, Object> seen() {
        return Map.of("tls", name, "tls_library", library, "tls_negotiated", String.join(",", negotiated),
                "tls_provider", String.join(",", providers), "tls_handshakes", handshakes.get(), "tls_failures", failures.get());
    }

    /** Notes the result of the handshake, and leaves. */
    private final class Observer extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent done) {
                if (done.isSuccess()) {
                    SslHandler handler = context.pipeline().get(SslHandler.class);
                    SSLSession session = handler.engine().getSession();
                    handshakes.incrementAndGet();
                    negotiated.add(session.getProtocol() + ' ' + session.getCipherSuite());
                    providers.add(handler.getClass().getSimpleName() + '/' + handler.engine().getClass().getSimpleName());
                } else {
                    failures.incrementAndGet();
                }
                context.pipeline().remove(this);
            }
            context.fireUserEventTriggered(event);
        }
    }
}
