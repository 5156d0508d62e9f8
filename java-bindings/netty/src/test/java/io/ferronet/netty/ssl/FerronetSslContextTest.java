package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contexts of the builder in Netty's pipelines, and beside Netty's own. */
@ExtendWith(LeakCheck.class)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class FerronetSslContextTest {
    private static final byte[] DATA = new byte[200_000];
    private static final ApplicationProtocolConfig H2 = alpn(SelectorFailureBehavior.NO_ADVERTISE, "h2", "http/1.1");

    private final List<SslContext> contexts = new ArrayList<>();

    static {
        new Random(2).nextBytes(DATA);
    }

    private <T extends SslContext> T built(T context) {
        contexts.add(context);
        return context;
    }

    @AfterEach
    void release() {
        contexts.forEach(ReferenceCountUtil::release);
    }

    private static ApplicationProtocolConfig alpn(SelectorFailureBehavior behavior, String... names) {
        return new ApplicationProtocolConfig(Protocol.ALPN, behavior, SelectedListenerFailureBehavior.ACCEPT, names);
    }

    private static FerronetSslContextBuilder server(X509Bundle key) {
        return FerronetSslContextBuilder.forServer(key.getKeyPair().getPrivate(), key.getCertificatePath());
    }

    private static FerronetSslContextBuilder client(X509Bundle trusted) {
        return FerronetSslContextBuilder.forClient().trustManager(trusted.toTrustManager());
    }

    private static SslHandler handler(SslContext context, io.netty.channel.Channel channel) {
        return context.isClient() ? context.newHandler(channel.alloc(), Keys.HOST, 443) : context.newHandler(channel.alloc());
    }

    /** Who speaks TLS. */
    enum Peer {
        FERRONET, JDK, TCNATIVE;

        SslContext server(X509Bundle key, String version) throws SSLException {
            return this == FERRONET ? FerronetSslContextTest.server(key).protocols(version).applicationProtocolConfig(H2).build()
                : SslContextBuilder.forServer(key.getKeyPair().getPrivate(), key.getCertificatePath()).sslProvider(this == JDK ? SslProvider.JDK : SslProvider.OPENSSL)
                    .protocols(version).applicationProtocolConfig(H2).build();
        }

        SslContext client(X509Bundle key, String version) throws SSLException {
            return this == FERRONET ? FerronetSslContextTest.client(key).protocols(version).applicationProtocolConfig(H2).build()
                : SslContextBuilder.forClient().trustManager(key.toTrustManagerFactory()).sslProvider(this == JDK ? SslProvider.JDK : SslProvider.OPENSSL)
                    .protocols(version).applicationProtocolConfig(H2).build();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FERRONET, FERRONET, TLSv1.2, ecp256", "FERRONET, FERRONET, TLSv1.3, ecp256", "FERRONET, JDK, TLSv1.2, ecp256", "FERRONET, JDK, TLSv1.3, ecp256",
        "JDK, FERRONET, TLSv1.2, ecp256", "JDK, FERRONET, TLSv1.3, ecp256", "FERRONET, TCNATIVE, TLSv1.2, ecp256", "FERRONET, TCNATIVE, TLSv1.3, ecp256",
        "TCNATIVE, FERRONET, TLSv1.2, ecp256", "TCNATIVE, FERRONET, TLSv1.3, ecp256", "TCNATIVE, FERRONET, TLSv1.2, rsa2048",
        "TCNATIVE, FERRONET, TLSv1.3, rsa2048", "FERRONET, TCNATIVE, TLSv1.2, rsa2048", "FERRONET, TCNATIVE, TLSv1.3, rsa2048",
    })
    void eachSpeaksToEach(Peer client, Peer server, String version, Algorithm algorithm) throws Exception {
        X509Bundle key = Keys.server(algorithm);
        SslContext serverContext = built(server.server(key, version));
        SslContext clientContext = built(client.client(key, version));
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            Loopback.Client connection = loopback.connect(channel -> handler(clientContext, channel));
            assertNull(connection.failure());
            assertArrayEquals(DATA, connection.echo(DATA));
            assertEquals(version, connection.handler.engine().getSession().getProtocol());
            assertEquals("h2", connection.handler.applicationProtocol());
            assertEquals("h2", loopback.server().applicationProtocol());
            connection.channel.close().sync();
        }
    }

    @Test
    void aPlainHandlerOverTheEngineSeesAlpn() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SslContext serverContext = built(server(key).applicationProtocolConfig(H2).build());
        SslContext clientContext = built(client(key).applicationProtocolConfig(H2).build());
        try (Loopback loopback = new Loopback(channel -> new SslHandler(serverContext.newEngine(channel.alloc())))) {
            Loopback.Client connection = loopback.connect(channel -> new SslHandler(clientContext.newEngine(channel.alloc(), Keys.HOST, 443)));
            assertNull(connection.failure());
            assertEquals("h2", connection.handler.applicationProtocol());
            ExtendedSSLSession session = (ExtendedSSLSession) loopback.server().engine().getSession();
            assertEquals(List.of(new SNIHostName(Keys.HOST)), session.getRequestedServerNames());
        }
    }

    @Test
    void aClientChecksTheHostByDefault() throws Exception {
        X509Bundle key = Keys.of("elsewhere.example.org", Algorithm.ecp256);
        SslContext serverContext = built(server(key).build());
        SslContext checking = built(client(key).build());
        SslContext trusting = built(client(key).endpointIdentificationAlgorithm(null).build());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            Throwable failure = loopback.connect(channel -> handler(checking, channel)).failure();
            assertInstanceOf(SSLHandshakeException.class, failure);
            assertTrue(failure.getMessage().contains(Keys.HOST), failure.getMessage());
            assertNull(loopback.connect(channel -> handler(trusting, channel)).failure());
        }
    }

    @Test
    void withoutTrustManagersTheJavaDefaultCounts() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SslContext serverContext = built(server(key).build());
        SslContext clientContext = built(FerronetSslContextBuilder.forClient().build());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            assertInstanceOf(SSLHandshakeException.class, loopback.connect(channel -> handler(clientContext, channel)).failure());
        }
    }

    @ParameterizedTest
    @CsvSource({"ecp256, TLSv1.2", "ecp256, TLSv1.3", "ecp384, TLSv1.3", "rsa2048, TLSv1.2", "rsa2048, TLSv1.3"})
    void aKeyThatCannotBeExportedSigns(Algorithm algorithm, String version) throws Exception {
        X509Bundle key = Keys.server(algorithm);
        PrivateKey held = unexportable(key.getKeyPair().getPrivate());
        assertNull(held.getEncoded());
        SslContext serverContext = built(FerronetSslContextBuilder.forServer(held, key.getCertificatePath()).build());
        SslContext clientContext = built(client(key).protocols(version).build());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            Loopback.Client connection = loopback.connect(channel -> handler(clientContext, channel));
            assertNull(connection.failure());
            assertArrayEquals(DATA, connection.echo(DATA));
        }
    }

    /** A key as the JDK's own providers take it, that gives no encoding away. */
    private static PrivateKey unexportable(PrivateKey key) {
        Class<?> kind = key instanceof ECPrivateKey ? ECPrivateKey.class : RSAPrivateKey.class;
        return (PrivateKey) Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, (proxy, method, arguments) -> switch (method.getName()) {
            case "getEncoded", "getFormat" -> null;
            default -> method.invoke(key, arguments);
        });
    }

    @Test
    void aClientIsAskedForItsCertificate() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        X509Bundle own = Keys.of("client", Algorithm.ecp256);
        SslContext serverContext = built(server(key).trustManager(own.toTrustManager()).clientAuth(ClientAuth.REQUIRE).build());
        SslContext with = built(client(key).keyManager(own.getKeyPair().getPrivate(), own.getCertificatePath()).build());
        SslContext without = built(client(key).build());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            Loopback.Client connection = loopback.connect(channel -> handler(with, channel));
            assertArrayEquals(DATA, connection.echo(DATA));
            assertEquals(own.getCertificate(), loopback.server().engine().getSession().getPeerCertificates()[0]);
            Loopback.Client anonymous = loopback.connect(channel -> handler(without, channel));
            assertThrows(Exception.class, () -> anonymous.echo(DATA));
            assertInstanceOf(SSLHandshakeException.class, loopback.server().handshakeFuture().awaitUninterruptibly().cause());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theKeyLogHasTheSecrets(String version) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        SslContext serverContext = built(server(key).protocols(version).build());
        SslContext clientContext = built(client(key).option(FerronetSslContextOption.KEY_LOG, lines::add).build());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            assertArrayEquals(DATA, loopback.connect(channel -> handler(clientContext, channel)).echo(DATA));
        }
        String label = version.equals("TLSv1.2") ? "CLIENT_RANDOM " : "CLIENT_TRAFFIC_SECRET_0 ";
        assertTrue(lines.stream().anyMatch(line -> line.startsWith(label)), lines::toString);
    }

    @Test
    void statisticsCountAndGoOnWhenTheCacheIsChanged() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        FerronetSslContext serverContext = built(server(key).build());
        FerronetSslSessionContext sessions = serverContext.sessionContext();
        SslContext clientContext = built(client(key).build());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            for (int i = 0; i < 3; i++) {
                echo(loopback, clientContext);
            }
            FerronetSslStatistics counted = sessions.statistics();
            assertEquals(3, counted.handshakesDone());
            assertEquals(2, counted.handshakesResumed());
            assertEquals(0, counted.handshakesFailed());
            // More often than replaced contexts are kept.
            for (int i = 1; i <= 6; i++) {
                sessions.setSessionCacheSize(i);
                assertEquals(counted, sessions.statistics());
                sessions.setSessionTimeout(i);
                echo(loopback, clientContext);
                FerronetSslStatistics more = sessions.statistics();
                assertEquals(counted.handshakesDone() + 1, more.handshakesDone());
                assertEquals(counted.handshakesStarted() + 1, more.handshakesStarted());
                assertEquals(2, more.handshakesResumed(), "what was kept is forgotten");
                assertTrue(more.ticketsIssued() > counted.ticketsIssued());
                counted = more;
            }
        }
    }

    @Test
    void aHandshakeIsCountedThatBeganBeforeTheCacheWasChanged() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        FerronetSslContext serverContext = built(server(key).build());
        FerronetSslSessionContext sessions = serverContext.sessionContext();
        EmbeddedChannel server = new EmbeddedChannel(serverContext.newHandler(ByteBufAllocator.DEFAULT));
        EmbeddedChannel client = new EmbeddedChannel(built(client(key).build()).newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443));
        try {
            HandlerPair.move(client, server);
            assertEquals(1, sessions.statistics().handshakesStarted());
            sessions.setSessionCacheSize(7);
            assertEquals(0, sessions.statistics().handshakesDone());
            while (HandlerPair.move(server, client) | HandlerPair.move(client, server)) {
                // Until nothing moves any more.
            }
            FerronetSslStatistics statistics = sessions.statistics();
            assertEquals(1, statistics.handshakesStarted());
            assertEquals(1, statistics.handshakesDone());
            assertEquals(statistics, sessions.statistics());
        } finally {
            client.finishAndReleaseAll();
            server.finishAndReleaseAll();
        }
    }

    private static void echo(Loopback loopback, SslContext clientContext) throws Exception {
        Loopback.Client connection = loopback.connect(channel -> handler(clientContext, channel));
        assertArrayEquals(DATA, connection.echo(DATA));
        connection.channel.close().sync();
    }

    @Test
    void pemIsReadFromStreamsAndAWrongKeyIsNamed() throws Exception {
        X509Bundle key = Keys.server(Algorithm.rsa2048);
        built(FerronetSslContextBuilder.forServer(stream(key.getCertificatePathPEM()), stream(key.getPrivateKeyPEM())).build());
        FerronetSslContextBuilder mismatched = FerronetSslContextBuilder.forServer(stream(key.getCertificatePathPEM()), stream(Keys.of("x", Algorithm.rsa2048).getPrivateKeyPEM()));
        assertTrue(assertThrows(SSLException.class, mismatched::build).getMessage().contains(Keys.HOST));
        assertThrows(SSLException.class, FerronetSslContextBuilder.forServer(stream(key.getCertificatePathPEM()), stream("no key"))::build);
        assertThrows(IllegalArgumentException.class, () -> FerronetSslContextBuilder.forServer(stream("no certificate"), stream(key.getPrivateKeyPEM())));
    }

    @Test
    void aKeyInPlaceOfTheCertificateIsNamed(@TempDir Path directory) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        File chain = Files.writeString(directory.resolve("chain.pem"), key.getCertificatePathPEM()).toFile();
        File privateKey = Files.writeString(directory.resolve("key.pem"), key.getPrivateKeyPEM()).toFile();
        FerronetSslContextBuilder.forServer(chain, privateKey).build();
        String message = assertThrows(IllegalArgumentException.class, () -> FerronetSslContextBuilder.forServer(privateKey, chain)).getMessage();
        assertTrue(message.contains("swapped") && message.contains(chain.getPath()), message);
        // A file with both is no mistake.
        File both = Files.writeString(directory.resolve("both.pem"), key.getPrivateKeyPEM() + key.getCertificatePathPEM()).toFile();
        FerronetSslContextBuilder.forServer(both, both).build();
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void whatIsNotSupportedIsRefusedWithTheReason() {
        FerronetSslContextBuilder builder = FerronetSslContextBuilder.forClient();
        refused("TLSv1.1", () -> builder.protocols("TLSv1.2", "TLSv1.1"));
        refused("CBC", () -> FerronetSslContextBuilder.forClient().ciphers(List.of("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA")).build());
        refused("NPN", () -> builder.applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.NPN, SelectorFailureBehavior.NO_ADVERTISE,
            SelectedListenerFailureBehavior.ACCEPT, "h2")));
        refused("CHOOSE_MY_LAST_PROTOCOL", () -> builder.applicationProtocolConfig(alpn(SelectorFailureBehavior.CHOOSE_MY_LAST_PROTOCOL, "h2")));
        refused("GROUPS", () -> builder.option(OpenSslContextOption.GROUPS, new String[] {"X25519"}));
        refused("TICKET_COUNT", () -> FerronetSslContextBuilder.forClient().option(FerronetSslContextOption.TICKET_COUNT, 1000).build());
        refused("no version", () -> FerronetSslContextBuilder.forClient().protocols("TLSv1.3").ciphers(List.of("ECDHE-RSA-AES128-GCM-SHA256")).build());
        refused("no version", () -> FerronetSslContextBuilder.forClient().ciphers(List.of("none"), SupportedCipherSuiteFilter.INSTANCE).build());
        refused("exclude", () -> FerronetSslContextBuilder.forClient().trustManager(Keys.server(Algorithm.ecp256).toTrustManager())
            .option(FerronetSslContextOption.PLATFORM_ROOTS, true).build());
    }

    private static void refused(String word, org.junit.jupiter.api.function.Executable call) {
        String text = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(text.contains(word), text);
    }

    @Test
    void suitesAndGroupsAreChosen() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SslContext serverContext = built(server(key).option(FerronetSslContextOption.GROUPS, new String[] {"P-384"}).build());
        SslContext clientContext = built(client(key).ciphers(Arrays.asList("TLS_CHACHA20_POLY1305_SHA256", "none"), SupportedCipherSuiteFilter.INSTANCE).build());
        assertEquals(List.of("TLS_CHACHA20_POLY1305_SHA256"), clientContext.cipherSuites());
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            Loopback.Client connection = loopback.connect(channel -> handler(clientContext, channel));
            assertArrayEquals(DATA, connection.echo(DATA));
            assertEquals("TLS_CHACHA20_POLY1305_SHA256", connection.handler.engine().getSession().getCipherSuite());
        }
    }

    /** As with the JDK's engines: a version for which there is no suite is enabled, and not negotiated. */
    @ParameterizedTest
    @CsvSource({"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLSv1.2", "TLS_AES_128_GCM_SHA256, TLSv1.3"})
    void theSuitesDoNotDisableAVersion(String suite, String negotiated) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SslContext serverContext = built(server(key).build());
        SslContext clientContext = built(client(key).ciphers(List.of(suite)).build());
        assertEquals(List.of("TLSv1.3", "TLSv1.2"), List.of(clientContext.newEngine(UnpooledByteBufAllocator.DEFAULT).getEnabledProtocols()));
        try (Loopback loopback = new Loopback(channel -> handler(serverContext, channel))) {
            Loopback.Client connection = loopback.connect(channel -> handler(clientContext, channel));
            assertArrayEquals(DATA, connection.echo(DATA));
            assertEquals(List.of("TLSv1.3", "TLSv1.2"), List.of(connection.handler.engine().getEnabledProtocols()));
            assertEquals(negotiated, connection.handler.engine().getSession().getProtocol());
            assertEquals(suite, connection.handler.engine().getSession().getCipherSuite());
        }
    }
}
