package io.ferronet.netty.ssl;

import io.ferronet.api.Status;
import io.ferronet.api.Tls;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** What an engine does once its handshake has begun. Guarded by the engine's lock, which is not held while a task runs. */
final class EngineConnection {
    private final FerronetSslEngine engine;
    private final NativeTlsContext context;
    private final boolean client;
    private NativeTlsSession session;
    /** {@code null} once the handshake is done. */
    private EngineHandshake handshake;
    /** {@code null} once a server has its session. */
    private ServerStart start;
    private FerronetSslSession established;
    private String applicationProtocol;
    /** Bytes of the peer's records that are no data, once the handshake is done. */
    private int overhead;
    private int state = Tls.STATE_NEED_UNWRAP;
    private boolean sentAnything;
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

    EngineConnection(FerronetSslEngine engine, NativeTlsContext context, BiFunction<SSLEngine, List<String>, String> selector) throws SSLException {
        this.engine = engine;
        this.context = context;
        this.client = context.settings().client;
        EngineParameters parameters = engine.parameters();
        if (parameters.versions.isEmpty() || parameters.suites.isEmpty()) {
            throw new SSLHandshakeException("No appropriate protocol (protocol is disabled or cipher suites are inappropriate)");
        }
        handshake = new EngineHandshake(engine, context);
        if (client) {
            open(parameters.alpn, true);
        } else {
            start = new ServerStart(engine, context, selector);
        }
    }

    private void open(List<String> alpn, boolean alpnOptional) throws SSLException {
        try {
            session = context.newSession(SessionSettings.of(engine, context.settings(), alpn, alpnOptional), handshake.hooks());
        } catch (SSLException e) {
            throw fatal(e);
        }
        state = client ? Tls.STATE_NEED_WRAP : Tls.STATE_NEED_UNWRAP;
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
            engine.letContextGo();
        }
        if (call.has(Tls.EVENT_TICKET_RECEIVED) && handshakeDone) {
            String key = SessionSettings.key(engine, client);
            if (key != null) {
                context.sessions().add(established, key);
            }
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
        EngineHandshake done = handshake;
        try {
            established = done.complete(session, SessionSettings.key(engine, client));
        } catch (CertificateException e) {
            fail(e);
            return;
        }
        applicationProtocol = session.alpn();
        overhead = CipherSuite.find(established.getCipherSuite()).overhead();
        session.forgetCallbacks();
        handshake = null;
        handshakeDone = true;
        try {
            done.trustResumed();
        } catch (GeneralSecurityException | SSLException e) {
            fail(e);
        }
    }

    /** Fails a connection that the library takes for a good one; it is closed, and then the exception thrown. */
    private void fail(Exception cause) {
        closeOutbound();
        inboundDone = true;
        failure = new SSLHandshakeException(cause.getMessage());
        failure.initCause(cause);
    }

    /** The session has failed. The exception is thrown by the next call, or once the alert was delivered. */
    private void failed(int status, TlsCall call) {
        state = call.state();
        inboundDone = true;
        failure = TlsFailures.exception(status, session.lastError(), !handshakeDone, callbackFailure());
    }

    private Throwable callbackFailure() {
        return handshake == null ? null : handshake.hooks().failure();
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

    /** Gives the native session and the context back as soon as both directions are over. */
    private void releaseWhenOver() {
        if (!inboundDone || !outboundDone || taskTaken) {
            return;
        }
        if (session != null) {
            session.free();
            session = null;
        }
        engine.letContextGo();
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
        if (!client && produced > 0 && handshake != null) {
            handshake.readServerHello(target.duplicate().flip().position(start));
        }
        boolean overflow = call.needsOutput() && produced == 0;
        boolean alert = failure != null && call.state() != Tls.STATE_NEED_WRAP;
        update(call);
        SSLEngineResult.Status outcome = overflow ? SSLEngineResult.Status.BUFFER_OVERFLOW
            : outboundDone && !alert ? SSLEngineResult.Status.CLOSED : SSLEngineResult.Status.OK;
        return result(outcome, call.consumed(), produced);
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
        // The session takes data of a byte or two also without room for it, and a record must not be given to it twice.
        if (handshakeDone && TlsRecords.isData(source) && EngineBuffers.remaining(targets, offset, length) < record - overhead) {
            return result(SSLEngineResult.Status.BUFFER_OVERFLOW, 0, 0);
        }
        if (handshake != null) {
            if (client) {
                handshake.readServerHello(source.slice(source.position(), record));
            }
            handshake.readRecord(source);
        }
        EngineBuffers.record(call, source, record);
        EngineBuffers.targets(call, targets, offset, length);
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
        if (state == Tls.STATE_NEED_TASK && handshake != null && handshake.asksNobody()) {
            taskTaken = true;
            runTask();
            throwFailure();
        }
        return result(inboundDone ? SSLEngineResult.Status.CLOSED : SSLEngineResult.Status.OK, consumed, produced);
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
        Hellos.Client hello = start.read(source, record);
        if (hello == null) {
            return result(SSLEngineResult.Status.OK, record, 0);
        }
        try {
            start.acceptName(hello, handshake.session());
        } catch (SSLHandshakeException e) {
            alert = ServerStart.refusal();
            state = Tls.STATE_NEED_WRAP;
            inboundDone = true;
            failure = e;
            return result(SSLEngineResult.Status.OK, record, 0);
        }
        ServerStart.Protocols protocols = start.protocols(hello);
        open(protocols.protocols(), protocols.optional());
        ByteBuffer records = start.records();
        start = null;
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

    /** Takes the place of the failure that {@link #decrypt} has found. */
    void notRecord(SSLException named) {
        failure = named;
    }

    private boolean settled(int status, TlsCall call) {
        if (Status.isError(status)) {
            state = call.state();
            inboundDone = true;
            failure = TlsFailures.exception(status, session.lastError(), false, null);
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

    /** Frees the session, unless a task runs on it, which does so at its end. */
    void release() {
        inboundDone = true;
        outboundDone = true;
        releaseWhenOver();
    }

    boolean holdsSession() {
        return session != null;
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
            throw TlsFailures.truncated();
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
        return handshake == null ? null : handshake.session();
    }

    /** What ALPN chose; {@code null} while that is not known, empty for nothing. */
    String applicationProtocol() {
        return applicationProtocol;
    }
}
