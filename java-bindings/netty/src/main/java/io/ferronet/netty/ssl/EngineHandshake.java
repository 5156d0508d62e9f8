package io.ferronet.netty.ssl;

import io.ferronet.api.Tls;
import io.netty.handler.ssl.ResumableX509ExtendedTrustManager;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLException;

/** What an engine knows of its connection until the handshake is done: the session that is being negotiated, and what can be told of it meanwhile. Guarded by the engine. */
final class EngineHandshake {
    private static final int ID_LENGTH = 32;

    private final FerronetSslEngine engine;
    private final NativeTlsContext context;
    private final FerronetSslSession session;
    private final EngineHooks hooks;
    private boolean sawServerHello;
    /** The peer has begun to encrypt with TLS 1.2, so that only its Finished is missing. */
    private boolean quick;

    EngineHandshake(FerronetSslEngine engine, NativeTlsContext context) {
        this.engine = engine;
        this.context = context;
        session = new FerronetSslSession(context.sessions(), engine.getPeerHost(), engine.getPeerPort());
        session.setRequestedServerNames(engine.parameters().serverNames(engine.getPeerHost(), context.settings().client));
        hooks = new EngineHooks(engine, session);
    }

    FerronetSslSession session() {
        return session;
    }

    EngineHooks hooks() {
        return hooks;
    }

    /** The version, the suite and the id are asked for by trust managers before the handshake is done. */
    void readServerHello(ByteBuffer record) {
        if (sawServerHello) {
            return;
        }
        Hellos.Server hello = Hellos.server(record);
        if (hello == null) {
            return;
        }
        sawServerHello = true;
        CipherSuite suite = CipherSuite.of(hello.suite());
        session.setProtocol(TlsVersion.nameOf(hello.version()));
        if (suite != null) {
            session.setCipherSuite(suite.name());
        }
        if (hello.version() == Tls.VERSION_1_2) {
            session.state().setId(hello.sessionId());
        }
    }

    /** Looks at the record that the peer has sent, before it is decrypted. */
    void readRecord(ByteBuffer record) {
        quick |= record.get(record.position()) == TlsRecords.CHANGE_CIPHER_SPEC && session.getProtocol().equals(TlsVersion.TLS_1_2.javaName());
    }

    /**
     * Whether what waits as a task asks no manager any more: the end of a handshake of TLS 1.2, and all that a server hears of a client that need show no certificate.
     * It is done at once, so that the handshake ends inside unwrap, as it does with the JDK's engine.
     */
    boolean asksNobody() {
        return !context.settings().everyFlightIsTask
            && (quick || !context.settings().client && sawServerHello && engine.parameters().clientCertificate == TlsSettings.ClientCertificate.NONE);
    }

    /**
     * Completes the session with what was negotiated, and lists it if it can be resumed.
     *
     * @param connection the native session, whose handshake is done
     * @param key what a client's session is kept under, or {@code null}
     * @return the session
     * @throws CertificateException if a certificate cannot be read
     */
    FerronetSslSession complete(NativeTlsSession connection, String key) throws CertificateException {
        NativeTlsSession.Info info = connection.info();
        boolean client = context.settings().client;
        CipherSuite suite = CipherSuite.of(info.suite());
        session.setProtocol(TlsVersion.nameOf(info.version()));
        session.setCipherSuite(suite == null ? "0x" + Integer.toHexString(info.suite()) : suite.name());
        try {
            if (!session.hasPeerCertificates() && info.peerCertificates() > 0) {
                session.setPeerCertificates(FerronetSslSession.parse(connection.certificates(Tls.BYTES_PEER_CERTIFICATE, info.peerCertificates())));
            }
            if (session.getLocalCertificates() == null && info.localCertificates() > 0) {
                session.setLocalCertificates(FerronetSslSession.parse(connection.certificates(Tls.BYTES_LOCAL_CERTIFICATE, info.localCertificates())));
            }
        } catch (CertificateException e) {
            throw new CertificateException("a certificate of the handshake cannot be read: " + e.getMessage(), e);
        }
        byte[] response = client ? connection.bytes(Tls.BYTES_OCSP_RESPONSE, 0) : new byte[0];
        if (response.length > 0) {
            session.setStatusResponses(List.of(response));
        }
        if (info.resumed()) {
            session.resume(client ? context.sessions().resumable(key) : null);
        }
        if (session.getId().length == 0) {
            // With TLS 1.3 there is none on the wire; Java's sessions have one all the same.
            byte[] id = new byte[ID_LENGTH];
            ThreadLocalRandom.current().nextBytes(id);
            session.state().setId(id);
        }
        if (info.version() == Tls.VERSION_1_2 && (client ? key != null : !context.settings().tickets)) {
            context.sessions().add(session, key);
        }
        return session;
    }

    /**
     * A resumed handshake has no certificates to check; a trust manager that wants to be asked all the same is.
     *
     * @throws GeneralSecurityException if the trust manager refuses them
     * @throws SSLException if there are none
     */
    void trustResumed() throws GeneralSecurityException, SSLException {
        if (!session.isResumed() || !session.hasPeerCertificates() || !(context.settings().trustManager instanceof ResumableX509ExtendedTrustManager manager)) {
            return;
        }
        X509Certificate[] chain = (X509Certificate[]) session.getPeerCertificates();
        if (context.settings().client) {
            manager.resumeServerTrusted(chain, engine);
        } else {
            manager.resumeClientTrusted(chain, engine);
        }
    }
}
