package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionBindingEvent;
import javax.net.ssl.SSLSessionBindingListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What sessions and their contexts tell and take, by both routes: our handler, and the engine in a plain one. */
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class SessionTest {
    private static final byte[] DATA = {1, 2, 3};
    private static final int PORT = 443;
    private static final X509Bundle KEY = Keys.server(Algorithm.ecp256);
    private static final X509Bundle CLIENT_KEY = Keys.of("client.example.org", Algorithm.ecp256);

    private final List<FerronetSslContext> contexts = new ArrayList<>();

    /** How a connection is made. */
    enum Route {
        HANDLER, ENGINE;

        /** The client's session and the server's, after a handshake and data both ways. */
        ExtendedSSLSession[] connect(FerronetSslContext client, FerronetSslContext server) throws Exception {
            SSLEngine[] engines = this == HANDLER ? handlers(client, server) : engines(client, server);
            return new ExtendedSSLSession[] {(ExtendedSSLSession) engines[0].getSession(), (ExtendedSSLSession) engines[1].getSession()};
        }

        private static SSLEngine[] engines(FerronetSslContext client, FerronetSslContext server) throws Exception {
            EnginePair pair = new EnginePair(client.newEngine(ByteBufAllocator.DEFAULT, Keys.HOST, PORT), server.newEngine(ByteBufAllocator.DEFAULT)).handshake();
            pair.toServer(DATA);
            pair.toClient(DATA);
            return new SSLEngine[] {pair.client, pair.server};
        }

        private static SSLEngine[] handlers(FerronetSslContext clientContext, FerronetSslContext serverContext) {
            FerronetSslHandler serverHandler = (FerronetSslHandler) serverContext.newHandler(ByteBufAllocator.DEFAULT);
            FerronetSslHandler clientHandler = (FerronetSslHandler) clientContext.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, PORT);
            EmbeddedChannel server = new EmbeddedChannel(serverHandler);
            EmbeddedChannel client = new EmbeddedChannel(clientHandler);
            for (int i = 0; i < 10; i++) {
                HandlerPair.move(client, server);
                HandlerPair.move(server, client);
            }
            client.writeOutbound(Unpooled.wrappedBuffer(DATA));
            server.writeOutbound(Unpooled.wrappedBuffer(DATA));
            HandlerPair.move(client, server);
            HandlerPair.move(server, client);
            assertArrayEquals(DATA, HandlerPair.received(server));
            assertArrayEquals(DATA, HandlerPair.received(client));
            client.finishAndReleaseAll();
            server.finishAndReleaseAll();
            return new SSLEngine[] {clientHandler.engine(), serverHandler.engine()};
        }
    }

    private FerronetSslContext built(FerronetSslContextBuilder builder) throws Exception {
        FerronetSslContext context = builder.build();
        contexts.add(context);
        return context;
    }

    @AfterEach
    void release() {
        contexts.forEach(FerronetSslContext::release);
    }

    private static FerronetSslContextBuilder server(String version) {
        return FerronetSslContextBuilder.forServer(KEY.getKeyPair().getPrivate(), KEY.getCertificatePath()).protocols(version);
    }

    private static FerronetSslContextBuilder client() {
        return FerronetSslContextBuilder.forClient().trustManager(KEY.toTrustManagerFactory());
    }

    private static boolean resumed(ExtendedSSLSession[] sessions) {
        boolean ofClient = ((FerronetSslSession) sessions[0]).isResumed();
        assertEquals(ofClient, ((FerronetSslSession) sessions[1]).isResumed(), "both sides agree");
        return ofClient;
    }

    @ParameterizedTest
    @CsvSource({"HANDLER, TLSv1.2", "HANDLER, TLSv1.3", "ENGINE, TLSv1.2", "ENGINE, TLSv1.3"})
    void aSessionTellsOfItsConnection(Route route, String version) throws Exception {
        long before = System.currentTimeMillis();
        FerronetSslContext serverContext = built(server(version).clientAuth(ClientAuth.REQUIRE).trustManager(CLIENT_KEY.toTrustManagerFactory()));
        FerronetSslContext clientContext = built(client().keyManager(CLIENT_KEY.getKeyPair().getPrivate(), CLIENT_KEY.getCertificatePath()));
        ExtendedSSLSession[] sessions = route.connect(clientContext, serverContext);
        ExtendedSSLSession client = sessions[0];
        ExtendedSSLSession server = sessions[1];
        assertSame(clientContext.sessionContext(), client.getSessionContext());
        assertSame(serverContext.sessionContext(), server.getSessionContext());
        assertEquals(Keys.HOST, client.getPeerHost());
        assertEquals(PORT, client.getPeerPort());
        assertArrayEquals(KEY.getCertificatePath(), client.getPeerCertificates());
        assertEquals(KEY.getCertificate().getSubjectX500Principal(), client.getPeerPrincipal());
        assertArrayEquals(CLIENT_KEY.getCertificatePath(), server.getPeerCertificates());
        assertArrayEquals(KEY.getCertificatePath(), server.getLocalCertificates());
        assertEquals(KEY.getCertificate().getSubjectX500Principal(), server.getLocalPrincipal());
        assertEquals(CLIENT_KEY.getCertificate(), client.getLocalCertificates()[0]);
        for (ExtendedSSLSession session : sessions) {
            assertEquals(version, session.getProtocol());
            assertTrue(session.getCipherSuite().startsWith("TLS_"), session::getCipherSuite);
            assertEquals(List.of(new SNIHostName(Keys.HOST)), session.getRequestedServerNames());
            assertTrue(session.getLocalSupportedSignatureAlgorithms().length > 0);
            assertTrue(session.getPacketBufferSize() > 16_384 && session.getApplicationBufferSize() == 16_384);
            assertTrue(before <= session.getCreationTime() && session.getCreationTime() <= session.getLastAccessedTime()
                && session.getLastAccessedTime() <= System.currentTimeMillis());
            assertTrue(session.getStatusResponses().isEmpty() && session.isValid());
            byte[] id = session.getId();
            assertTrue(version.equals("TLSv1.2") || id.length == 32, () -> id.length + " bytes of id");
            assertNotSame(id, session.getId());
            assertArrayEquals(id, session.getId());
        }
        // Certificates that a caller changes are his own.
        client.getPeerCertificates()[0] = null;
        assertEquals(KEY.getCertificate(), client.getPeerCertificates()[0]);
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void whatWasNotShownIsNotTold(Route route) throws Exception {
        ExtendedSSLSession[] sessions = route.connect(built(client()), built(server("TLSv1.3")));
        assertThrows(SSLPeerUnverifiedException.class, sessions[1]::getPeerCertificates);
        assertThrows(SSLPeerUnverifiedException.class, sessions[1]::getPeerPrincipal);
        assertNull(sessions[0].getLocalCertificates());
        assertNull(sessions[0].getLocalPrincipal());
    }

    /** Counts what it hears. */
    private static final class Value implements SSLSessionBindingListener {
        private final List<String> heard = new ArrayList<>();

        @Override
        public void valueBound(SSLSessionBindingEvent event) {
            heard.add("bound " + event.getName());
        }

        @Override
        public void valueUnbound(SSLSessionBindingEvent event) {
            heard.add("unbound " + event.getName());
        }
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void valuesAreKeptAndTheirListenersTold(Route route) throws Exception {
        SSLSession session = route.connect(built(client()), built(server("TLSv1.3")))[0];
        assertEquals(0, session.getValueNames().length);
        assertNull(session.getValue("a"));
        session.removeValue("a");
        Value value = new Value();
        session.putValue("a", value);
        session.putValue("b", 1);
        assertSame(value, session.getValue("a"));
        assertEquals(Set.of("a", "b"), Set.of(session.getValueNames()));
        session.putValue("a", "other");
        session.putValue("c", value);
        session.removeValue("c");
        assertEquals(List.of("bound a", "unbound a", "bound c", "unbound c"), value.heard);
        assertThrows(NullPointerException.class, () -> session.putValue(null, 1));
    }

    @ParameterizedTest
    @CsvSource({"HANDLER, TLSv1.2", "HANDLER, TLSv1.3", "ENGINE, TLSv1.2", "ENGINE, TLSv1.3"})
    void aStapledResponseIsHandedOver(Route route, String version) throws Exception {
        byte[] response = {0x30, 3, 10, 1, 0};
        FerronetSslContext stapling = built(server(version).enableOcsp(true).option(FerronetSslContextOption.OCSP_RESPONSE, response));
        ExtendedSSLSession[] sessions = route.connect(built(client()), stapling);
        assertEquals(1, sessions[0].getStatusResponses().size());
        assertArrayEquals(response, sessions[0].getStatusResponses().get(0));
        assertTrue(sessions[1].getStatusResponses().isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "HANDLER, TLSv1.2, true, true, true", "HANDLER, TLSv1.3, true, true, true", "ENGINE, TLSv1.2, true, true, true", "ENGINE, TLSv1.3, true, true, true",
        "HANDLER, TLSv1.2, false, true, true", "HANDLER, TLSv1.3, false, true, true", "ENGINE, TLSv1.2, false, true, true", "ENGINE, TLSv1.3, false, true, true",
        "HANDLER, TLSv1.2, false, false, false", "HANDLER, TLSv1.3, false, false, false", "ENGINE, TLSv1.2, false, false, false", "ENGINE, TLSv1.3, false, false, false",
    })
    void aServersTicketsAndCacheDecideWhatIsResumed(Route route, String version, boolean tickets, boolean cache, boolean resumes) throws Exception {
        FerronetSslContext serverContext = built(server(version).option(FerronetSslContextOption.TICKETS, tickets).option(FerronetSslContextOption.SESSION_CACHE, cache));
        FerronetSslContext clientContext = built(client());
        assertFalse(resumed(route.connect(clientContext, serverContext)));
        assertEquals(resumes, resumed(route.connect(clientContext, serverContext)));
        FerronetSslStatistics statistics = serverContext.sessionContext().statistics();
        assertEquals(2, statistics.handshakesDone());
        assertEquals(resumes ? 1 : 0, statistics.handshakesResumed());
        assertEquals(tickets, statistics.ticketsIssued() > 0);
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void aClientsCacheCanBeSwitchedOffAndOn(Route route) throws Exception {
        FerronetSslContext serverContext = built(server("TLSv1.3"));
        FerronetSslContext clientContext = built(client().option(FerronetSslContextOption.SESSION_CACHE, false));
        FerronetSslSessionContext sessions = clientContext.sessionContext();
        for (int i = 0; i < 2; i++) {
            assertFalse(sessions.isSessionCacheEnabled());
            assertFalse(resumed(route.connect(clientContext, serverContext)));
            assertEquals(0, Collections.list(sessions.getIds()).size());
        }
        sessions.setSessionCacheEnabled(true);
        assertFalse(resumed(route.connect(clientContext, serverContext)));
        assertEquals(1, Collections.list(sessions.getIds()).size());
        assertTrue(resumed(route.connect(clientContext, serverContext)));
        sessions.setSessionCacheEnabled(false);
        assertEquals(0, Collections.list(sessions.getIds()).size());
        assertFalse(resumed(route.connect(clientContext, serverContext)));
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void sessionsAreListedInvalidatedAndForgotten(Route route) throws Exception {
        FerronetSslContext serverContext = built(server("TLSv1.2").option(FerronetSslContextOption.TICKETS, false));
        FerronetSslContext clientContext = built(client());
        FerronetSslSessionContext sessions = serverContext.sessionContext();
        SSLSession first = route.connect(clientContext, serverContext)[1];
        assertArrayEquals(first.getId(), Collections.list(sessions.getIds()).get(0));
        assertArrayEquals(first.getId(), sessions.getSession(first.getId()).getId());
        assertNull(sessions.getSession(new byte[32]));
        assertTrue(resumed(route.connect(clientContext, serverContext)));
        first.invalidate();
        assertFalse(first.isValid());
        assertNull(sessions.getSession(first.getId()));
        assertFalse(resumed(route.connect(clientContext, serverContext)));
        assertTrue(resumed(route.connect(clientContext, serverContext)));
        sessions.clear();
        assertFalse(sessions.getIds().hasMoreElements());
        assertFalse(resumed(route.connect(clientContext, serverContext)));
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void sizeAndTimeoutCanBeChanged(Route route) throws Exception {
        FerronetSslContext serverContext = built(server("TLSv1.2").option(FerronetSslContextOption.TICKETS, false).sessionCacheSize(7).sessionTimeout(11));
        FerronetSslSessionContext sessions = serverContext.sessionContext();
        assertEquals(7, sessions.getSessionCacheSize());
        assertEquals(11, sessions.getSessionTimeout());
        sessions.setSessionCacheSize(1);
        sessions.setSessionTimeout(1);
        assertEquals(1, sessions.getSessionCacheSize());
        assertEquals(1, sessions.getSessionTimeout());
        route.connect(built(client()), serverContext);
        FerronetSslContext clientContext = built(client());
        SSLSession last = route.connect(clientContext, serverContext)[1];
        assertEquals(1, Collections.list(sessions.getIds()).size());
        assertArrayEquals(last.getId(), sessions.getIds().nextElement());
        Thread.sleep(2100);
        assertNull(sessions.getSession(last.getId()));
        assertFalse(resumed(route.connect(clientContext, serverContext)));
        assertThrows(IllegalArgumentException.class, () -> sessions.setSessionTimeout(-1));
        assertThrows(IllegalArgumentException.class, () -> sessions.setSessionCacheSize(-1));
    }

    @ParameterizedTest
    @CsvSource({"HANDLER, TLSv1.2", "HANDLER, TLSv1.3", "ENGINE, TLSv1.2", "ENGINE, TLSv1.3"})
    void serversWithTheSameTicketKeysResumeEachOthersSessions(Route route, String version) throws Exception {
        byte[] key = HandlerPair.random(48);
        FerronetSslContext first = built(server(version).option(FerronetSslContextOption.TICKET_KEYS, new byte[][] {key}));
        FerronetSslContext second = built(server(version));
        FerronetSslContext clientContext = built(client());
        route.connect(clientContext, first);
        assertFalse(resumed(route.connect(clientContext, second)), "its keys are its own");
        second.sessionContext().setTicketKeys(key);
        route.connect(clientContext, first);
        assertTrue(resumed(route.connect(clientContext, second)));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> second.sessionContext().setTicketKeys(new byte[47])).getMessage().contains("47"));
        assertThrows(IllegalArgumentException.class, server(version).option(FerronetSslContextOption.TICKETS, false)
            .option(FerronetSslContextOption.TICKET_KEYS, new byte[][] {key})::build);
    }

    private static void assertSecrets(String version, Queue<String> lines) {
        String label = version.equals("TLSv1.2") ? "CLIENT_RANDOM " : "SERVER_TRAFFIC_SECRET_0 ";
        assertTrue(lines.stream().anyMatch(line -> line.startsWith(label) && line.length() > 128), lines::toString);
    }

    @ParameterizedTest
    @CsvSource({"HANDLER, TLSv1.2", "HANDLER, TLSv1.3", "ENGINE, TLSv1.2", "ENGINE, TLSv1.3"})
    void aServerTellsItsSecretsToo(Route route, String version) throws Exception {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        route.connect(built(client()), built(server(version).option(FerronetSslContextOption.KEY_LOG, lines::add)));
        assertSecrets(version, lines);
    }

    /** The property and the logger of Netty's SslMasterKeyHandler, by every way to a context. */
    @Test
    void thePropertyOfNettysHandlerLogsTheSecrets() throws Exception {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        Logger logger = Logger.getLogger("io.netty.wireshark");
        Handler recorder = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(record.getMessage());
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        logger.setUseParentHandlers(false);
        logger.addHandler(recorder);
        try {
            Route.HANDLER.connect(built(client()), built(server("TLSv1.3")));
            assertTrue(lines.isEmpty(), "nobody has asked for them");
            System.setProperty("io.netty.ssl.masterKeyHandler", "true");
            for (Route route : Route.values()) {
                for (String version : new String[] {"TLSv1.2", "TLSv1.3"}) {
                    lines.clear();
                    route.connect(built(client()), built(server(version)));
                    assertSecrets(version, lines);
                }
            }
            lines.clear();
            SSLEngine client = Keys.context(true, null, KEY).createSSLEngine(Keys.HOST, PORT);
            client.setUseClientMode(true);
            SSLEngine server = Keys.context(true, KEY, null).createSSLEngine();
            server.setUseClientMode(false);
            new EnginePair(client, server).handshake();
            assertSecrets("TLSv1.3", lines);
        } finally {
            System.clearProperty("io.netty.ssl.masterKeyHandler");
            logger.removeHandler(recorder);
            logger.setUseParentHandlers(true);
        }
    }
}
