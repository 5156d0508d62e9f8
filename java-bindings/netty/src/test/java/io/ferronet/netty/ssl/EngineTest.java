package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our engine against itself and the JDK's, by the JCA provider. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EngineTest {
    private static final byte[] DATA = data(100_000);

    private static byte[] data(int length) {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static SSLEngine client(SSLContext context, String version) {
        SSLEngine engine = context.createSSLEngine(Keys.HOST, 443);
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {version});
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLEngine server(SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, TLSv1.2, ecp256, true", "true, false, TLSv1.2, ecp256, true", "false, true, TLSv1.2, ecp256, true",
        "true, true, TLSv1.3, ecp256, true", "true, false, TLSv1.3, ecp256, true", "false, true, TLSv1.3, ecp256, true",
        "true, true, TLSv1.2, rsa2048, true", "true, false, TLSv1.2, rsa2048, false", "false, true, TLSv1.2, rsa2048, false",
        "true, true, TLSv1.3, rsa2048, false", "true, false, TLSv1.3, rsa2048, true", "false, true, TLSv1.3, rsa2048, true",
        "true, true, TLSv1.3, ed25519, true", "true, false, TLSv1.3, ed25519, true", "false, true, TLSv1.3, ed25519, true",
        "true, true, TLSv1.2, ecp384, true", "true, true, TLSv1.3, ecp384, true",
    })
    void dataGoesBothWays(boolean ourClient, boolean ourServer, String version, Algorithm algorithm, boolean direct) throws Exception {
        X509Bundle key = Keys.server(algorithm);
        EnginePair pair = new EnginePair(client(Keys.context(ourClient, null, key), version), server(Keys.context(ourServer, key, null)), direct).handshake();
        assertArrayEquals(DATA, pair.toServer(DATA));
        assertArrayEquals(DATA, pair.toClient(DATA));
        assertEquals(version, pair.client.getSession().getProtocol());
        assertEquals(version, pair.server.getSession().getProtocol());
        assertEquals(pair.client.getSession().getCipherSuite(), pair.server.getSession().getCipherSuite());
        assertEquals(key.getCertificate(), pair.client.getSession().getPeerCertificates()[0]);
        assertEquals(key.getCertificate(), pair.server.getSession().getLocalCertificates()[0]);
        assertThrows(SSLPeerUnverifiedException.class, () -> pair.server.getSession().getPeerCertificates());
        assertEquals(List.of(new SNIHostName(Keys.HOST)), ((ExtendedSSLSession) pair.server.getSession()).getRequestedServerNames());
    }

    @ParameterizedTest
    @CsvSource({"true, true, TLSv1.2", "true, false, TLSv1.2", "false, true, TLSv1.2", "true, true, TLSv1.3", "true, false, TLSv1.3", "false, true, TLSv1.3"})
    void clientsAreAuthenticated(boolean ourClient, boolean ourServer, String version) throws Exception {
        X509Bundle serverKey = Keys.server(Algorithm.ecp256);
        X509Bundle clientKey = Keys.of("client.example.org", Algorithm.rsa2048);
        SSLContext serverContext = Keys.context(ourServer, serverKey, clientKey);
        SSLEngine server = server(serverContext);
        server.setNeedClientAuth(true);
        EnginePair pair = new EnginePair(client(Keys.context(ourClient, clientKey, serverKey), version), server).handshake();
        assertEquals(clientKey.getCertificate(), pair.server.getSession().getPeerCertificates()[0]);
        assertEquals(clientKey.getCertificate(), pair.client.getSession().getLocalCertificates()[0]);
        assertArrayEquals(DATA, pair.toServer(DATA));
    }

    @ParameterizedTest
    @CsvSource({"true, true, TLSv1.2", "true, false, TLSv1.2", "false, true, TLSv1.2", "true, true, TLSv1.3", "true, false, TLSv1.3", "false, true, TLSv1.3"})
    void theSecondConnectionResumes(boolean ourClient, boolean ourServer, String version) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SSLContext clientContext = Keys.context(ourClient, null, key);
        SSLContext serverContext = Keys.context(ourServer, key, null);
        EnginePair first = new EnginePair(client(clientContext, version), server(serverContext)).handshake();
        first.toClient(DATA);
        first.client.getSession().putValue("name", "value");
        EnginePair second = new EnginePair(client(clientContext, version), server(serverContext)).handshake();
        second.toClient(DATA);
        if (second.client.getSession() instanceof FerronetSslSession session) {
            assertTrue(session.isResumed(), session::toString);
            assertEquals("value", session.getValue("name"));
            assertEquals(key.getCertificate(), session.getPeerCertificates()[0]);
        }
        if (second.server.getSession() instanceof FerronetSslSession session) {
            assertTrue(session.isResumed(), session::toString);
        }
        SSLEngine elsewhere = clientContext.createSSLEngine("other.example.org", 443);
        elsewhere.setUseClientMode(true);
        EnginePair third = new EnginePair(elsewhere, server(serverContext)).handshake();
        if (third.client.getSession() instanceof FerronetSslSession session) {
            assertFalse(session.isResumed(), session::toString);
        }
    }

    @Test
    void aSessionThatWasInvalidatedIsNotResumed() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SSLContext clientContext = Keys.context(true, null, key);
        SSLContext serverContext = Keys.context(true, key, null);
        EnginePair first = new EnginePair(client(clientContext, "TLSv1.3"), server(serverContext)).handshake();
        assertTrue(first.client.getSession().isValid());
        first.client.getSession().invalidate();
        assertFalse(first.client.getSession().isValid());
        EnginePair second = new EnginePair(client(clientContext, "TLSv1.3"), server(serverContext)).handshake();
        assertFalse(((FerronetSslSession) second.client.getSession()).isResumed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void alpnIsNegotiatedAndSelected(String version) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        for (boolean bySelector : new boolean[] {false, true}) {
            SSLEngine client = client(Keys.context(true, null, key), version);
            SSLEngine server = server(Keys.context(true, key, null));
            protocols(client, "h2", "http/1.1");
            if (bySelector) {
                server.setHandshakeApplicationProtocolSelector((engine, offered) -> offered.get(1));
            } else {
                protocols(server, "http/1.1", "spdy/3");
            }
            EnginePair pair = new EnginePair(client, server).handshake();
            assertEquals("http/1.1", pair.client.getApplicationProtocol());
            assertEquals("http/1.1", pair.server.getApplicationProtocol());
        }
    }

    @Test
    void withoutACommonProtocolTheHandshakeFails() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SSLEngine client = client(Keys.context(true, null, key), "TLSv1.3");
        SSLEngine server = server(Keys.context(true, key, null));
        protocols(client, "h2");
        protocols(server, "http/1.1");
        assertThrows(SSLHandshakeException.class, () -> new EnginePair(client, server).handshake());
        SSLEngine refused = client(Keys.context(true, null, key), "TLSv1.3");
        SSLEngine refusing = server(Keys.context(true, key, null));
        protocols(refused, "h2");
        refusing.setHandshakeApplicationProtocolSelector((engine, offered) -> null);
        assertThrows(SSLHandshakeException.class, () -> new EnginePair(refused, refusing).handshake());
    }

    private static void protocols(SSLEngine engine, String... names) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(names);
        engine.setSSLParameters(parameters);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anUntrustedCertificateIsAnnouncedByAnAlertBeforeTheException(String version) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SSLEngine client = client(Keys.context(true, null, Keys.of("another", Algorithm.ecp256)), version);
        SSLEngine server = server(Keys.context(true, key, null));
        ByteBuffer toServer = ByteBuffer.allocateDirect(70_000);
        ByteBuffer toClient = ByteBuffer.allocateDirect(70_000);
        client.beginHandshake();
        SSLException thrown = null;
        int sentBefore = 0;
        for (int i = 0; i < 100 && thrown == null; i++) {
            sentBefore = toServer.position();
            try {
                pump(client, toClient, toServer);
            } catch (SSLException e) {
                thrown = e;
                break;
            }
            if (toServer.position() > sentBefore && client.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                // The alert is out, and the exception to come.
                continue;
            }
            pump(server, toServer, toClient);
        }
        assertInstanceOf(SSLHandshakeException.class, thrown);
        assertInstanceOf(CertificateException.class, thrown.getCause());
        assertTrue(toServer.position() > 0, "no alert was written");
        SSLException peer = assertThrows(SSLException.class, () -> {
            for (int i = 0; i < 20; i++) {
                pump(server, toServer, toClient);
            }
        }, () -> server.getHandshakeStatus() + " " + toServer + server.isInboundDone());
        assertTrue(peer.getMessage().toLowerCase(java.util.Locale.ROOT).contains("alert"), peer.getMessage());
        assertTrue(client.isInboundDone() && client.isOutboundDone());
    }

    private static void pump(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> engine.getDelegatedTask().run();
            case NEED_WRAP -> engine.wrap(ByteBuffer.allocateDirect(0), out);
            default -> {
                in.flip();
                try {
                    engine.unwrap(in, ByteBuffer.allocateDirect(20_000));
                } finally {
                    in.compact();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"other.example.org, false", "server.example.org, true"})
    void aPlainTrustManagerHasTheHostChecked(String host, boolean accepted) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SSLContext context = SSLContext.getInstance("TLS", new FerronetSslProvider());
        context.init(null, new TrustManager[] {new TrustsAll()}, null);
        SSLEngine client = context.createSSLEngine(host, 443);
        client.setUseClientMode(true);
        SSLParameters parameters = client.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        client.setSSLParameters(parameters);
        EnginePair pair = new EnginePair(client, server(Keys.context(true, key, null)));
        if (accepted) {
            pair.handshake();
        } else {
            assertTrue(assertThrows(SSLHandshakeException.class, pair::handshake).getMessage().contains(host));
        }
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            assertNotEquals(0, authType.length());
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void plainTextIsNotTls() throws Exception {
        SSLEngine server = server(Keys.context(true, Keys.server(Algorithm.ecp256), null));
        ByteBuffer http = ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThrows(NotSslRecordException.class, () -> server.unwrap(http, ByteBuffer.allocate(20_000)));
    }

    @Test
    void theSourceIsNeverChangedAndOneByteAtATimeIsEnough() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        EnginePair pair = new EnginePair(client(Keys.context(true, null, key), "TLSv1.3"), server(Keys.context(true, key, null))).handshake();
        ByteBuffer record = ByteBuffer.allocateDirect(20_000);
        pair.client.wrap(ByteBuffer.wrap(DATA, 0, 1000), record);
        record.flip();
        byte[] before = new byte[record.remaining()];
        record.get(0, before);
        ByteBuffer target = ByteBuffer.allocateDirect(20_000);
        int end = record.limit();
        for (int limit = 0; limit < end; limit++) {
            SSLEngineResult result = pair.server.unwrap(record.limit(limit), target);
            assertEquals(Status.BUFFER_UNDERFLOW, result.getStatus());
            assertEquals(0, result.bytesConsumed());
        }
        assertEquals(Status.BUFFER_OVERFLOW, pair.server.unwrap(record.limit(end), ByteBuffer.allocateDirect(10)).getStatus());
        assertEquals(1000, pair.server.unwrap(record, target).bytesProduced());
        byte[] after = new byte[before.length];
        record.get(0, after);
        assertArrayEquals(before, after);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"})
    void dataForWhichThereIsNoRoomWaitsInItsRecord(String suite) throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        SSLEngine client = client(Keys.context(true, null, key), suite.startsWith("TLS_AES") ? "TLSv1.3" : "TLSv1.2");
        client.setEnabledCipherSuites(new String[] {suite});
        EnginePair pair = new EnginePair(client, server(Keys.context(true, key, null))).handshake();
        ByteBuffer way = ByteBuffer.allocateDirect(20_000);
        for (int size = 1; size < 20; size++) {
            pair.client.wrap(ByteBuffer.wrap(DATA, 0, size), way.clear());
            way.flip();
            for (int room = 0; room <= size; room++) {
                ByteBuffer target = ByteBuffer.allocateDirect(room);
                SSLEngineResult result = pair.server.unwrap(way, target);
                assertEquals(room < size ? Status.BUFFER_OVERFLOW : Status.OK, result.getStatus(), size + " bytes, room for " + room);
                assertEquals(room < size ? 0 : size, result.bytesProduced());
                assertEquals(room < size, way.hasRemaining());
                assertEquals(result.bytesProduced(), target.position());
            }
        }
    }

    @Test
    void closingIsAnsweredAndTruncationTold() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        EnginePair pair = new EnginePair(client(Keys.context(true, null, key), "TLSv1.3"), server(Keys.context(true, key, null))).handshake();
        assertTrue(assertThrows(SSLException.class, pair.server::closeInbound).getMessage().contains("closing inbound before receiving peer's close_notify"));
        pair.client.closeOutbound();
        assertEquals(HandshakeStatus.NEED_WRAP, pair.client.getHandshakeStatus());
        ByteBuffer bytes = ByteBuffer.allocateDirect(1000);
        assertEquals(Status.CLOSED, pair.client.wrap(ByteBuffer.allocate(0), bytes).getStatus());
        assertTrue(bytes.position() > 0 && pair.client.isOutboundDone() && !pair.client.isInboundDone());
        assertEquals(Status.CLOSED, pair.client.wrap(ByteBuffer.wrap(DATA), bytes).getStatus());
    }

    @Test
    void renegotiationIsRefused() throws Exception {
        X509Bundle key = Keys.server(Algorithm.ecp256);
        EnginePair pair = new EnginePair(client(Keys.context(true, null, key), "TLSv1.2"), server(Keys.context(true, key, null))).handshake();
        assertTrue(assertThrows(SSLException.class, pair.client::beginHandshake).getMessage().contains("renegotiation"));
        assertArrayEquals(DATA, pair.toServer(DATA), "the connection lives on");
    }

    @Test
    void parametersAreKept() throws Exception {
        SSLContext context = Keys.context(true, null, null);
        SSLEngine engine = context.createSSLEngine(Keys.HOST, 443);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setCipherSuites(new String[] {"TLS_AES_128_GCM_SHA256"});
        parameters.setProtocols(new String[] {"TLSv1.3"});
        parameters.setServerNames(List.of(new SNIHostName("a.example.org")));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        assertArrayEquals(new String[] {"TLS_AES_128_GCM_SHA256"}, engine.getEnabledCipherSuites());
        assertArrayEquals(new String[] {"TLSv1.3"}, engine.getEnabledProtocols());
        assertEquals(List.of(new SNIHostName("a.example.org")), engine.getSSLParameters().getServerNames());
        assertEquals("HTTPS", engine.getSSLParameters().getEndpointIdentificationAlgorithm());
        assertThrows(IllegalArgumentException.class, () -> engine.setEnabledProtocols(new String[] {"TLSv1.1"}));
        assertThrows(IllegalArgumentException.class, () -> engine.setEnabledCipherSuites(new String[] {"TLS_RSA_WITH_AES_128_CBC_SHA"}));
        assertNull(engine.getHandshakeSession());
        assertEquals("NONE", engine.getSession().getProtocol());
    }
}
