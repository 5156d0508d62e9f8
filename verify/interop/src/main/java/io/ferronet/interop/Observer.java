package io.ferronet.interop;

import io.ferronet.netty.ssl.FerronetSslContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.lang.reflect.Method;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Asks a handler of this process about its connection, by its own interface, and compares that with the messages that were seen. */
final class Observer {
    private final Peer peer;
    private final boolean client;
    private final SslContext context;
    /** Of the first connection: the JDK keeps it when a session is resumed. */
    private long firstCreation;
    private long resumptions;

    Observer(Peer peer, boolean client, SslContext context) {
        this.peer = peer;
        this.client = client;
        this.context = context;
    }

    Observed observe(SslHandler handler, WireTap tap) throws Exception {
        SSLSession session = handler.engine().getSession();
        Negotiation seen = tap.negotiation();
        same("the version", session.getProtocol(), seen.version().java);
        same("the suite", session.getCipherSuite(), seen.suite());
        boolean resumed = isResumed(handler, session);
        same("whether a session was resumed", resumed, seen.resumed());
        return new Observed(seen.version(), seen.suite(), seen.group(), handler.applicationProtocol(), client ? null : serverName(session, seen), chain(session), resumed);
    }

    private void same(String what, Object told, Object seen) {
        if (!told.equals(seen)) {
            throw new IllegalStateException(peer + " tells " + what + " as " + told + ", on the wire is " + seen);
        }
    }

    private boolean isResumed(SslHandler handler, SSLSession session) throws ReflectiveOperationException {
        switch (peer) {
            case FERRONET -> {
                long now = ((FerronetSslContext) context).sessionContext().statistics().handshakesResumed();
                boolean resumed = now > resumptions;
                resumptions = now;
                return resumed;
            }
            case TCNATIVE -> {
                // Not public; Netty's own tests use it in the same way.
                Method reused = ReferenceCountedOpenSslEngine.class.getDeclaredMethod("isSessionReused");
                reused.setAccessible(true);
                return (boolean) reused.invoke(handler.engine());
            }
            default -> {
                boolean resumed = firstCreation == session.getCreationTime();
                firstCreation = session.getCreationTime();
                return resumed;
            }
        }
    }

    private String serverName(SSLSession session, Negotiation seen) {
        List<SNIServerName> names = ((ExtendedSSLSession) session).getRequestedServerNames();
        if (peer == Peer.TCNATIVE && names.isEmpty()) {
            return seen.sni();
        }
        return names.size() == 1 && names.get(0) instanceof SNIHostName name ? name.getAsciiName() : names.toString();
    }

    private static List<byte[]> chain(SSLSession session) throws Exception {
        Certificate[] certificates;
        try {
            certificates = session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
        List<byte[]> chain = new ArrayList<>();
        for (Certificate certificate : certificates) {
            chain.add(certificate.getEncoded());
        }
        return chain;
    }
}
