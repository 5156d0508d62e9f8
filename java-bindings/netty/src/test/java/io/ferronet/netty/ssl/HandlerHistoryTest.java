package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.LeakCheck;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.net.Socket;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What went wrong in other TLS of Netty and has no place in the tests of one subject; {@code verify/conformance/bugs.txt} lists all of it. */
@ExtendWith(LeakCheck.class)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class HandlerHistoryTest extends HandlerPair {
    private static final X509Bundle OWN = Keys.of("client.example.org", Algorithm.ecp256);
    private static final byte[] DATA = random(60_000);
    /** More than a record holds. */
    private static final int MANY_NAMES = 20_000;

    /** One read each begins the handshake, and the handlers ask for what more it needs. */
    @ParameterizedTest
    @CsvSource({
        "TLSv1.2, true, true", "TLSv1.2, true, false", "TLSv1.2, false, true", "TLSv1.2, false, false",
        "TLSv1.3, true, true", "TLSv1.3, true, false", "TLSv1.3, false, true", "TLSv1.3, false, false",
    })
    void handshakesEndWithTasksElsewhereAndWithoutAutoRead(String version, boolean elsewhere, boolean autoRead) throws Exception {
        SslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory()).trustManager(OWN.toTrustManagerFactory())
            .clientAuth(ClientAuth.REQUIRE).protocols(version).build();
        SslContext clientContext = FerronetSslContextBuilder.forClient().keyManager(OWN.toKeyManagerFactory()).trustManager(BUNDLE.toTrustManagerFactory()).build();
        AtomicReference<Channel> accepted = new AtomicReference<>();
        ExecutorService tasks = Executors.newSingleThreadExecutor();
        try (Loopback loopback = new Loopback(channel -> {
            channel.config().setAutoRead(autoRead);
            accepted.set(channel);
            return elsewhere ? serverContext.newHandler(channel.alloc(), tasks) : serverContext.newHandler(channel.alloc());
        })) {
            Loopback.Client client = loopback.connect(channel -> {
                channel.config().setAutoRead(autoRead);
                return elsewhere ? clientContext.newHandler(channel.alloc(), Keys.HOST, 443, tasks) : clientContext.newHandler(channel.alloc(), Keys.HOST, 443);
            });
            client.channel.read();
            SslHandler server = serverOf(loopback, accepted, autoRead);
            assertNull(client.failure());
            assertTrue(server.handshakeFuture().isSuccess(), () -> "the server's handshake: " + server.handshakeFuture().cause());
            assertArrayEquals(DATA, autoRead ? client.echo(DATA) : echoWithReads(client, accepted.get()));
            client.channel.close().sync();
        } finally {
            tasks.shutdown();
        }
    }

    private static SslHandler serverOf(Loopback loopback, AtomicReference<Channel> accepted, boolean autoRead) throws InterruptedException {
        while (accepted.get() == null || !accepted.get().isActive()) {
            Thread.sleep(5);
        }
        if (!autoRead) {
            accepted.get().read();
        }
        return loopback.server();
    }

    /** A read for each side at a time, until the answer is whole. */
    private static byte[] echoWithReads(Loopback.Client client, Channel server) throws Exception {
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            while (client.channel.isOpen() && !Thread.currentThread().isInterrupted()) {
                server.read();
                client.channel.read();
                java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
        try {
            return client.echo(DATA);
        } finally {
            reader.interrupt();
            reader.join();
        }
    }

    /** All that the JDK trusts, and more, as the names of authorities in the request for a certificate, which then takes several records. */
    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void aRequestForACertificateMayBeOfManyRecords(String version) throws Exception {
        KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
        roots.load(null, null);
        int names = 0;
        int bytes = 0;
        for (X509Certificate root : trusted((KeyStore) null)) {
            roots.setCertificateEntry("root " + names++, root);
            bytes += root.getSubjectX500Principal().getEncoded().length;
        }
        for (; bytes < MANY_NAMES; names++) {
            X509Certificate more = new CertificateBuilder().subject("CN=Authority " + names + ", O=" + "x".repeat(400)).setIsCertificateAuthority(true)
                .algorithm(Algorithm.ecp256).buildSelfSigned().getCertificate();
            roots.setCertificateEntry("root " + names, more);
            bytes += more.getSubjectX500Principal().getEncoded().length;
        }
        roots.setCertificateEntry("own", OWN.getRootCertificate());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(roots);
        Asked asked = new Asked();
        SslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory()).trustManager(trust).clientAuth(ClientAuth.REQUIRE)
            .protocols(version).build();
        SslContext clientContext = FerronetSslContextBuilder.forClient().keyManager(asked).trustManager(BUNDLE.toTrustManagerFactory()).build();
        try (Loopback loopback = new Loopback(channel -> serverContext.newHandler(channel.alloc()))) {
            Loopback.Client client = loopback.connect(channel -> clientContext.newHandler(channel.alloc(), Keys.HOST, 443));
            assertArrayEquals(DATA, client.echo(DATA));
            assertEquals(OWN.getCertificate(), loopback.server().engine().getSession().getPeerCertificates()[0]);
            client.channel.close().sync();
        }
        assertEquals(names + 1, asked.issuers);
    }

    private static X509Certificate[] trusted(KeyStore store) throws Exception {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return ((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers();
    }

    /** Has one key, and notes how many authorities it was asked for. */
    private static final class Asked extends X509ExtendedKeyManager {
        private final X509KeyManager keys;
        private volatile int issuers;

        Asked() throws Exception {
            keys = (X509KeyManager) OWN.toKeyManagerFactory().getKeyManagers()[0];
        }

        @Override
        public String chooseEngineClientAlias(String[] types, Principal[] authorities, SSLEngine engine) {
            issuers = authorities == null ? 0 : authorities.length;
            return keys.chooseClientAlias(types, authorities, null);
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] authorities, Socket socket) {
            return keys.chooseClientAlias(types, authorities, socket);
        }

        @Override
        public String[] getClientAliases(String type, Principal[] authorities) {
            return keys.getClientAliases(type, authorities);
        }

        @Override
        public String[] getServerAliases(String type, Principal[] authorities) {
            return keys.getServerAliases(type, authorities);
        }

        @Override
        public String chooseServerAlias(String type, Principal[] authorities, Socket socket) {
            return keys.chooseServerAlias(type, authorities, socket);
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return keys.getCertificateChain(alias);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return keys.getPrivateKey(alias);
        }
    }

    /** A task that comes back after its handler was removed or its connection has ended does nothing any more. */
    @ParameterizedTest
    @CsvSource({"TLSv1.2, true", "TLSv1.2, false", "TLSv1.3, true", "TLSv1.3, false"})
    void aHandlerMayGoDuringATask(String version, boolean removed) throws Exception {
        FerronetSslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory()).build();
        FerronetSslContext clientContext = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).protocols(version).build();
        Deque<Runnable> tasks = new ArrayDeque<>();
        serverHandler = (FerronetSslHandler) serverContext.newHandler(ByteBufAllocator.DEFAULT, tasks::add);
        clientHandler = (FerronetSslHandler) clientContext.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443);
        server = new EmbeddedChannel(serverHandler);
        client = new EmbeddedChannel(clientHandler);
        exchange();
        assertEquals(1, tasks.size(), "the choice of a key is a task");
        ChannelFuture waiting = server.writeAndFlush(Unpooled.wrappedBuffer(random(10)));
        if (removed) {
            server.pipeline().remove(SslHandler.class);
        } else {
            server.pipeline().context(SslHandler.class).close();
        }
        assertFalse(serverHandler.handshakeFuture().isSuccess());
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            server.runPendingTasks();
        }
        server.checkException();
        assertNotNull(serverHandler.handshakeFuture().cause());
        assertNotNull(waiting.cause());
        assertEquals(removed, server.isOpen());
        assertFalse(((FerronetSslEngine) serverHandler.engine()).holdsSession());
        serverContext.release();
        clientContext.release();
    }

    /** Null, not an empty name, on both sides and with Netty's handler over our engine too, so that the fallback is taken. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutAlpnThereIsNoProtocolAndTheFallbackIsTaken(boolean overEngine) throws Exception {
        SslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory()).applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN,
            SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT, ApplicationProtocolNames.HTTP_2)).build();
        SslContext clientContext = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).build();
        SslHandler serving = overEngine ? new SslHandler(serverContext.newEngine(ByteBufAllocator.DEFAULT)) : serverContext.newHandler(ByteBufAllocator.DEFAULT);
        SslHandler asking = overEngine ? new SslHandler(clientContext.newEngine(ByteBufAllocator.DEFAULT, Keys.HOST, 443))
            : clientContext.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443);
        List<String> chosen = new ArrayList<>();
        server = new EmbeddedChannel(serving, new ApplicationProtocolNegotiationHandler("fallback") {
            @Override
            protected void configurePipeline(ChannelHandlerContext context, String protocol) {
                chosen.add(protocol);
            }
        });
        client = new EmbeddedChannel(asking);
        exchange();
        assertTrue(serving.handshakeFuture().isSuccess() && asking.handshakeFuture().isSuccess());
        assertNull(serving.applicationProtocol());
        assertNull(asking.applicationProtocol());
        assertEquals(List.of("fallback"), chosen);
    }

    /** A hello of TLS 1.2 that ends behind its compression methods, and hellos whose lengths lie: the default context, and an end. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "2, 400", "2, 1"})
    void aHelloWithoutNameIsForTheDefaultContextAndEnds(int lengthBytes, int extensions) throws Exception {
        FerronetSslContext context = FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory()).build();
        List<String> names = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        server = new EmbeddedChannel(new SniHandler(name -> {
            names.add(String.valueOf(name));
            return context;
        }), new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                failure.compareAndSet(null, cause);
            }
        });
        server.writeInbound(helloWithout(lengthBytes, extensions));
        server.runPendingTasks();
        assertEquals(List.of("null"), names);
        assertNotNull(failure.get());
        assertFalse(server.isOpen());
        ByteBuf alert = server.readOutbound();
        assertEquals(21, alert.getByte(0), "the peer is told");
        alert.release();
    }

    private static ByteBuf helloWithout(int lengthBytes, int extensions) {
        ByteBuf body = Unpooled.buffer().writeShort(0x0303).writeZero(32).writeByte(0).writeShort(2).writeShort(0xc02b).writeByte(1).writeByte(0);
        if (lengthBytes == 1) {
            body.writeByte(extensions);
        } else if (lengthBytes == 2) {
            body.writeShort(extensions);
        }
        int length = body.readableBytes();
        ByteBuf record = Unpooled.buffer().writeByte(22).writeShort(0x0301).writeShort(length + 4).writeByte(1).writeMedium(length).writeBytes(body);
        body.release();
        return record;
    }

    /** An allocator that fails from some buffer on. */
    private static final class Failing extends AbstractByteBufAllocator {
        private int left = Integer.MAX_VALUE;

        Failing() {
            super(true);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (left-- <= 0) {
                throw new OutOfMemoryError("injected");
            }
            return toLeakAwareBuffer(new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity));
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    /** Without memory for a record its message fails and is released, and what the peer has of it is not continued by another message. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aWriteWithoutMemoryFailsAndLeaksNothing(int before) throws Exception {
        connect("TLSv1.3", false);
        exchange();
        Failing allocator = new Failing();
        client.config().setAllocator(allocator);
        allocator.left = before;
        ByteBuf message = Unpooled.directBuffer().writeBytes(DATA);
        ChannelFuture written = client.write(message);
        try {
            client.flush();
            client.checkException();
        } catch (OutOfMemoryError e) {
            // It may be told in this way too.
        }
        allocator.left = Integer.MAX_VALUE;
        assertInstanceOf(OutOfMemoryError.class, written.cause());
        assertEquals(0, message.refCnt());
        ChannelFuture next = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
        exchange();
        assertInstanceOf(SSLException.class, next.cause());
        assertArrayEquals(Arrays.copyOf(DATA, before * TlsRecords.MAX_DATA), received(server));
    }

    /** Without memory for what is received nothing is lost in the middle: data comes whole and in order, until the connection ends. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aReadWithoutMemoryLosesNothingInTheMiddle(int before) throws Exception {
        connect("TLSv1.3", false);
        exchange();
        Failing allocator = new Failing();
        server.config().setAllocator(allocator);
        client.writeAndFlush(Unpooled.wrappedBuffer(DATA));
        boolean failed = false;
        allocator.left = before;
        for (ByteBuf sent = client.readOutbound(); sent != null; sent = client.readOutbound()) {
            ByteBuf[] pieces = {sent.readRetainedSlice(sent.readableBytes() / 2), sent};
            for (ByteBuf piece : pieces) {
                if (!server.isOpen()) {
                    piece.release();
                    continue;
                }
                try {
                    server.writeInbound(piece);
                } catch (OutOfMemoryError | DecoderException e) {
                    failed = true;
                    allocator.left = Integer.MAX_VALUE;
                }
            }
        }
        assertTrue(failed);
        byte[] received = received(server);
        assertArrayEquals(Arrays.copyOf(DATA, received.length), received);
        assertTrue(received.length == DATA.length || !server.isOpen(), "it goes on after " + received.length + " bytes");
    }
}
