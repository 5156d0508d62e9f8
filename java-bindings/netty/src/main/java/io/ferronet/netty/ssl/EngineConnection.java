package io.ferronet.netty.ssl;

import io.ferronet.api.Status;
import io.ferronet.api.Tls;
import io.netty.handler.ssl.ResumableX509ExtendedTrustManager;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** What an engine does once its handshake has begun. Guarded by the engine's lock, which is not held while a task runs. */
final class EngineConnection {
    /** Of alerts: RFC 8446, 6. */
    private static final byte FATAL = 2;
    private static final int UNRECOGNIZED_NAME = 112;
    private static final int ID_LENGTH = 32;

    private final FerronetSslEngine engine;
    private final NativeTlsContext context;
    private final boolean client;
    private final EngineParameters parameters;
    private final BiFunction<SSLEngine, List<String>, String> selector;
    private final EngineHooks hooks;
    private NativeTlsSession session;
    private String sessionKey;
    private ClientHelloReader clientHello;
    private FerronetSslSession established;
    private FerronetSslSession handshaking;
    private String applicationProtocol;
    private int state = Tls.STATE_NEED_UNWRAP;
    private boolean sawServerHello;
    private boolean sentAnything;
    /** The peer has begun to encrypt with TLS 1.2, so that only its Finished is missing. */
    private boolean quick;
    private boolean handshakeDone;
    private boolean finishedTold;
    private boolean taskTaken;
    private boolean closeAsked;
    private boolean closeDeferred;
    private boolean closeNotifyReceived;
    private boolean outboundDone;
    private boolean inboundDone;
    /** The alert of a server that has refused its client before there was a session. */
    private byte[] alert;
    private SSLException failure;

    EngineConnection(FerronetSslEngine engine, NativeTlsContext context, EngineParameters parameters, BiFunction<SSLEngine, List<String>, String> selector)
            throws SSLException {
        this.engine = engine;
        this.context = context;
        this.client = context.settings().client;
        this.parameters = parameters;
        this.selector = selector;
        if (parameters.versions.isEmpty() || parameters.suites.isEmpty()) {
            throw new SSLHandshakeException("No appropriate protocol (protocol is disabled or cipher suites are inappropriate)");
        }
        handshaking = new FerronetSslSession(context.sessions(), engine.getPeerHost(), engine.getPeerPort());
        handshaking.setRequestedServerNames(parameters.serverNames(engine.getPeerHost(), client));
        hooks = new EngineHooks(engine, parameters, handshaking);
        if (client) {
            open(parameters.alpn, true);
        } else {
            clientHello = new ClientHelloReader();
        }
    }

    private void open(List<String> alpn, boolean alpnOptional) throws SSLException {
        String sent = client ? parameters.sentName(engine.getPeerHost(), true) : null;
        boolean hostChecked = client && context.settings().trust == TlsSettings.Trust.PLATFORM && parameters.endpointIdentification != null
            && !parameters.endpointIdentification.isEmpty();
        sessionKey = client && engine.getPeerHost() != null && engine.getPeerPort() >= 0
            ? engine.getPeerHost() + ':' + engine.getPeerPort() + '/' + parameters.endpointIdentification + '/' + sent : null;
        try {
            session = context.newSession(new SessionSettings(sent, hostChecked ? sent != null ? sent : engine.getPeerHost() : null, hostChecked, sessionKey, parameters.versions, parameters.suites, parameters.groups, alpn, alpnOptional,
                parameters.clientCertificate), hooks);
        } catch (SSLException e) {
            throw fatal(e);
        }
        state = client ? Tls.STATE_NEED_WRAP : Tls.STATE_NEED_UNWRAP;
    }

    /** A server's session is made when it is known what its client asks for. */
    private void open(Hellos.Client hello) throws SSLException {
        if (hello.serverName() != null) {
            try {
                handshaking.setRequestedServerNames(List.of(new SNIHostName(hello.serverName())));
            } catch (IllegalArgumentException e) {
                handshaking.setRequestedServerNames(List.of());
            }
            if (!parameters.accepts(hello.serverName())) {
                refuse(UNRECOGNIZED_NAME, new SSLHandshakeException("Unrecognized server name indication: " + hello.serverName()));
                return;
            }
        }
        if (selector == null || hello.protocols() == null) {
            open(parameters.alpn, context.settings().alpnOptional);
            return;
        }
        String selected = selector.apply(engine, hello.protocols());
        if (selected == null) {
            open(List.of(ClientHelloReader.nothingOf(hello.protocols())), false);
        } else {
            open(selected.isEmpty() ? List.of() : List.of(selected), false);
        }
    }

    /** Fails a server that has no session yet: the alert is its own. */
    private void refuse(int description, SSLException cause) {
        alert = new byte[] {TlsRecords.ALERT, 3, 3, 0, 2, FATAL, (byte) description};
        state = Tls.STATE_NEED_WRAP;
        inboundDone = true;
        failure = cause;
    }

    private SSLEngineResult wrapAlert(ByteBuffer target) {
        if (target.remaining() < alert.length) {
            return result(SSLEngineResult.Status.BUFFER_OVERFLOW, 0, 0);
        }
        target.put(alert);
        int length = alert.length;
        alert = null;
        state = Tls.STATE_FAILED;
        return result(SSLEngineResult.Status.OK, 0, length);
    }

    private void update(TlsCall call) {
        state = call.state();
        if (call.has(Tls.EVENT_HANDSHAKE_DONE) && !handshakeDone) {
            complete();
        }
        if (call.has(Tls.EVENT_TICKET_RECEIVED) && handshakeDone && sessionKey != null) {
            context.sessions().add(established, sessionKey);
        }
        if (call.has(Tls.EVENT_CLOSE_NOTIFY_SENT)) {
            outboundDone = true;
        }
        if (call.has(Tls.EVENT_CLOSE_NOTIFY_RECEIVED)) {
            closeNotifyReceived = true;
            inboundDone = true;
            closeOutbound();
        }
    }

    private void complete() {
        NativeTlsSession.Info info = session.info();
        FerronetSslSession done = handshaking;
        CipherSuite suite = CipherSuite.of(info.suite());
        done.setProtocol(TlsVersion.nameOf(info.version()));
        done.setCipherSuite(suite == null ? "0x" + Integer.toHexString(info.suite()) : suite.name());
        try {
            if (!done.hasPeerCertificates() && info.peerCertificates() > 0) {
                done.setPeerCertificates(FerronetSslSession.parse(session.certificates(Tls.BYTES_PEER_CERTIFICATE, info.peerCertificates())));
            }
            if (done.getLocalCertificates() == null && info.localCertificates() > 0) {
                done.setLocalCertificates(FerronetSslSession.parse(session.certificates(Tls.BYTES_LOCAL_CERTIFICATE, info.localCertificates())));
            }
        } catch (CertificateException e) {
            fail("a certificate of the handshake cannot be read: ", e);
            return;
        }
        byte[] response = client ? session.bytes(Tls.BYTES_OCSP_RESPONSE, 0) : new byte[0];
        if (response.length > 0) {
            done.setStatusResponses(List.of(response));
        }
        if (info.resumed()) {
            done.resume(client ? context.sessions().resumable(sessionKey) : null);
        }
        if (done.getId().length == 0) {
            // With TLS 1.3 there is none on the wire; Java's sessions have one all the same.
            byte[] id = new byte[ID_LENGTH];
            ThreadLocalRandom.current().nextBytes(id);
            done.state().setId(id);
        }
        applicationProtocol = session.alpn();
        established = done;
        handshaking = null;
        handshakeDone = true;
        if (info.version() == Tls.VERSION_1_2 && (client ? sessionKey != null : !context.settings().tickets)) {
            context.sessions().add(done, sessionKey);
        }
        if (info.resumed()) {
            trustResumed(done);
        }
    }

    /** A resumed handshake has no certificates to check; a trust manager that wants to be asked all the same is. */
    private void trustResumed(FerronetSslSession done) {
        if (!(context.settings().trustManager instanceof ResumableX509ExtendedTrustManager manager) || !done.hasPeerCertificates()) {
            return;
        }
        try {
            X509Certificate[] chain = (X509Certificate[]) done.getPeerCertificates();
            if (client) {
                manager.resumeServerTrusted(chain, engine);
            } else {
                manager.resumeClientTrusted(chain, engine);
            }
        } catch (GeneralSecurityException | SSLException e) {
            fail("", e);
        }
    }

    /** Fails a connection that the library takes for a good one; it is closed, and then the exception thrown. */
    private void fail(String what, Exception cause) {
        closeOutbound();
        inboundDone = true;
        failure = new SSLHandshakeException(what + cause.getMessage());
        failure.initCause(cause);
    }

    /** The session has failed. The exception is thrown by the next call, or once the alert was delivered. */
    private void failed(int status, TlsCall call) {
        state = call.state();
        inboundDone = true;
        failure = TlsFailures.exception(status, session.lastError(), !handshakeDone, hooks.failure());
    }

    private void throwFailure() throws SSLException {
        if (failure != null && state != Tls.STATE_NEED_WRAP) {
            throw fatal(failure);
        }
    }

    private SSLException fatal(SSLException e) {
        failure = null;
        inboundDone = true;
        outboundDone = true;
        releaseWhenOver();
        return e;
    }

    /** Gives the native session back as soon as both directions are over. */
    private void releaseWhenOver() {
        if (inboundDone && outboundDone && session != null && !taskTaken) {
            session.free();
            session = null;
        }
    }

    HandshakeStatus status() {
        if (failure != null) {
            return HandshakeStatus.NEED_WRAP;
        }
        if (taskTaken || state == Tls.STATE_NEED_TASK) {
            return outboundDone ? HandshakeStatus.NOT_HANDSHAKING : HandshakeStatus.NEED_TASK;
        }
        if (!outboundDone && state == Tls.STATE_NEED_WRAP) {
            return HandshakeStatus.NEED_WRAP;
        }
        if (outboundDone || closeAsked) {
            return inboundDone || session == null ? HandshakeStatus.NOT_HANDSHAKING : HandshakeStatus.NEED_UNWRAP;
        }
        return handshakeDone ? HandshakeStatus.NOT_HANDSHAKING : HandshakeStatus.NEED_UNWRAP;
    }

    private SSLEngineResult result(SSLEngineResult.Status status, int consumed, int produced) {
        HandshakeStatus handshake = status();
        if (handshakeDone && !finishedTold && failure == null && (handshake == HandshakeStatus.NOT_HANDSHAKING || closeAsked)) {
            finishedTold = true;
            if (handshake == HandshakeStatus.NOT_HANDSHAKING) {
                handshake = HandshakeStatus.FINISHED;
            }
        }
        releaseWhenOver();
        return new SSLEngineResult(status, handshake, consumed, produced);
    }

    /** The task that the handshake waits for, once. */
    Runnable task() {
        if (taskTaken || session == null || state != Tls.STATE_NEED_TASK) {
            return null;
        }
        taskTaken = true;
        return this::runTask;
    }

    private void runTask() {
        NativeTlsSession running;
        synchronized (engine) {
            running = session;
        }
        TlsCall call = TlsCall.take();
        try {
            // Not under the lock: trust and key managers may take long, and ask the engine from threads of their own.
            int status = running.task(call);
            synchronized (engine) {
                taskTaken = false;
                if (Status.isError(status)) {
                    failed(status, call);
                } else {
                    update(call);
                }
                if (closeDeferred) {
                    closeDeferred = false;
                    closeNative();
                }
                releaseWhenOver();
            }
        } finally {
            call.giveBack();
        }
    }

    // Data.

    SSLEngineResult wrap(TlsCall call, ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        throwFailure();
        if (outboundDone) {
            return result(SSLEngineResult.Status.CLOSED, 0, 0);
        }
        if (alert != null) {
            return wrapAlert(target);
        }
        boolean data = handshakeDone && !closeAsked && failure == null;
        if (session == null || taskTaken || state == Tls.STATE_NEED_TASK || !data && state != Tls.STATE_NEED_WRAP) {
            return result(SSLEngineResult.Status.OK, 0, 0);
        }
        int available = data ? EngineBuffers.remaining(sources, offset, length) : 0;
        if (available == 0 && state != Tls.STATE_NEED_WRAP) {
            return result(SSLEngineResult.Status.OK, 0, 0);
        }
        if (available > 0 && target.remaining() < Math.min(available, TlsRecords.MAX_DATA) + TlsRecords.OVERHEAD) {
            return result(SSLEngineResult.Status.BUFFER_OVERFLOW, 0, 0);
        }
        if (available > 0) {
            EngineBuffers.sources(call, sources, offset, length);
        }
        EngineBuffers.target(call, target);
        int status = session.wrap(call);
        int produced = call.produced();
        sentAnything |= produced > 0;
        int start = target.position();
        EngineBuffers.produced(call, target, produced);
        EngineBuffers.skip(sources, offset, length, call.consumed());
        if (Status.isError(status)) {
            failed(status, call);
            throwFailure();
            return result(SSLEngineResult.Status.OK, call.consumed(), produced);
        }
        if (!client && produced > 0) {
            readServerHello(target.duplicate().flip().position(start));
        }
        boolean overflow = call.needsOutput() && produced == 0;
        boolean alert = failure != null && call.state() != Tls.STATE_NEED_WRAP;
        update(call);
        SSLEngineResult.Status outcome = overflow ? SSLEngineResult.Status.BUFFER_OVERFLOW
            : outboundDone && !alert ? SSLEngineResult.Status.CLOSED : SSLEngineResult.Status.OK;
        return result(outcome, call.consumed(), produced);
    }

    /** The version, the suite and the id are asked for by trust managers before the handshake is done. */
    private void readServerHello(ByteBuffer record) {
        if (sawServerHello || handshaking == null) {
            return;
        }
        Hellos.Server hello = Hellos.server(record);
        if (hello == null) {
            return;
        }
        sawServerHello = true;
        CipherSuite suite = CipherSuite.of(hello.suite());
        handshaking.setProtocol(TlsVersion.nameOf(hello.version()));
        if (suite != null) {
            handshaking.setCipherSuite(suite.name());
        }
        if (hello.version() == Tls.VERSION_1_2) {
            handshaking.state().setId(hello.sessionId());
        }
    }

    SSLEngineResult unwrap(TlsCall call, ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
        throwFailure();
        if (failure != null) {
            return result(SSLEngineResult.Status.OK, 0, 0);
        }
        if (inboundDone) {
            return result(SSLEngineResult.Status.CLOSED, 0, 0);
        }
        if (taskTaken || state == Tls.STATE_NEED_TASK) {
            return result(SSLEngineResult.Status.OK, 0, 0);
        }
        int record = recordLength(source);
        if (record < 0 || record > source.remaining()) {
            return result(SSLEngineResult.Status.BUFFER_UNDERFLOW, 0, 0);
        }
        if (session == null) {
            return first(call, source, record);
        }
        if (client && !handshakeDone) {
            readServerHello(source.slice(source.position(), record));
        }
        EngineBuffers.record(call, source, record);
        EngineBuffers.targets(call, targets, offset, length);
        quick |= source.get(source.position()) == TlsRecords.CHANGE_CIPHER_SPEC && handshaking != null && handshaking.getProtocol().equals(TlsVersion.TLS_1_2.javaName());
        int status = session.unwrap(call, 0);
        if (Status.isError(status)) {
            source.position(source.position() + record);
            failed(status, call);
            throwFailure();
            return result(SSLEngineResult.Status.OK, record, 0);
        }
        if (call.needsOutput()) {
            return result(SSLEngineResult.Status.BUFFER_OVERFLOW, 0, 0);
        }
        int consumed = call.consumed();
        int produced = call.produced();
        source.position(source.position() + consumed);
        EngineBuffers.decrypted(call, targets, offset, length, produced);
        update(call);
        if (state == Tls.STATE_NEED_TASK && asksNobody()) {
            taskTaken = true;
            runTask();
            throwFailure();
        }
        return result(inboundDone ? SSLEngineResult.Status.CLOSED : SSLEngineResult.Status.OK, consumed, produced);
    }

    /**
     * Whether what waits as a task asks no manager any more: the end of a handshake of TLS 1.2, and all that a server hears of a client that need show no certificate.
     * It is done at once, so that the handshake ends inside unwrap, as it does with the JDK's engine.
     */
    private boolean asksNobody() {
        return !context.settings().everyFlightIsTask
            && (quick || !client && sawServerHello && parameters.clientCertificate == TlsSettings.ClientCertificate.NONE);
    }

    private int recordLength(ByteBuffer source) throws SSLException {
        try {
            return TlsRecords.length(source);
        } catch (SSLException e) {
            throw fatal(e);
        }
    }

    /** A record of a server's first flight: the session is made when its client's message is whole. */
    private SSLEngineResult first(TlsCall call, ByteBuffer source, int record) throws SSLException {
        Hellos.Client hello = clientHello.add(source, record);
        source.position(source.position() + record);
        if (hello == null && !clientHello.isOver()) {
            return result(SSLEngineResult.Status.OK, record, 0);
        }
        open(hello == null ? new Hellos.Client(null, null) : hello);
        ByteBuffer records = clientHello.records();
        clientHello = null;
        if (alert != null) {
            return result(SSLEngineResult.Status.OK, record, 0);
        }
        call.source(call.binding.addressOf(records), records.limit());
        int status = session.unwrap(call, 0);
        if (Status.isError(status)) {
            failed(status, call);
            throwFailure();
        } else {
            update(call);
        }
        return result(inboundDone && failure == null ? SSLEngineResult.Status.CLOSED : SSLEngineResult.Status.OK, record, 0);
    }

    // Data of a handler, past the engine's buffers.

    /** Encrypts the call's sources into its target; {@code false} if the session has failed. */
    boolean encrypt(TlsCall call) {
        return settled(session.wrap(call), call);
    }

    /** Decrypts the records of the call's one source, where they lie; {@code false} if the session has failed. */
    boolean decrypt(TlsCall call) {
        return settled(session.unwrap(call, Tls.IN_PLACE), call);
    }

    /** Learns whether the session has failed behind the data that it gave. */
    void settle(TlsCall call) {
        settled(session.unwrap(call, 0), call);
    }

    private boolean settled(int status, TlsCall call) {
        if (Status.isError(status)) {
            state = call.state();
            inboundDone = true;
            failure = TlsFailures.exception(status, session.lastError(), false, hooks.failure());
            return false;
        }
        update(call);
        return true;
    }

    boolean isOutboundOpen() {
        return handshakeDone && session != null && failure == null && !closeAsked && !outboundDone;
    }

    boolean isInboundOpen() {
        return handshakeDone && session != null && failure == null && !inboundDone;
    }

    SSLException failure() {
        return failure;
    }

    /** Frees the session, unless a task runs on it. */
    void release() {
        inboundDone = true;
        outboundDone = true;
        if (session != null && !taskTaken) {
            session.free();
            session = null;
        }
    }

    // Closing.

    void closeOutbound() {
        if (closeAsked) {
            return;
        }
        closeAsked = true;
        if (session == null || !sentAnything && client) {
            outboundDone = true;
        } else if (taskTaken) {
            closeDeferred = true;
        } else if (failure == null && !outboundDone) {
            closeNative();
        }
    }

    private void closeNative() {
        TlsCall call = TlsCall.take();
        try {
            if (Status.isError(session.close(call))) {
                outboundDone = call.state() != Tls.STATE_NEED_WRAP;
            }
            state = call.state();
        } finally {
            call.giveBack();
        }
    }

    void closeInbound() throws SSLException {
        if (inboundDone) {
            return;
        }
        inboundDone = true;
        if (session != null && !taskTaken) {
            session.endInput();
        }
        if (!closeNotifyReceived) {
            throw new SSLException("closing inbound before receiving peer's close_notify: possible truncation attack");
        }
    }

    boolean isOutboundDone() {
        return outboundDone;
    }

    boolean isInboundDone() {
        return inboundDone;
    }

    boolean isClosing() {
        return closeAsked;
    }

    boolean isHandshakeDone() {
        return handshakeDone;
    }

    FerronetSslSession established() {
        return established;
    }

    FerronetSslSession handshaking() {
        return handshaking;
    }

    /** What ALPN chose; {@code null} while that is not known, empty for nothing. */
    String applicationProtocol() {
        return applicationProtocol;
    }
}
