package io.ferronet.netty.ssl;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * An engine over a native session, by the rules of {@link SSLEngine}: one record a call of {@code unwrap}, buffers of any kind, sources never changed. A failure gives its
 * alert to the peer first: {@code wrap} is asked for, returns the alert, and only then is the exception thrown. Renegotiation is not supported. Any thread. What is native is freed
 * when both directions are closed, or when nothing refers to the engine any more.
 */
public final class FerronetSslEngine extends SSLEngine {
    private static final ResourceLeakDetector<FerronetSslEngine> LEAKS = ResourceLeakDetectorFactory.instance().newResourceLeakDetector(FerronetSslEngine.class);

    private final NativeTlsContext clientContext;
    private final NativeTlsContext serverContext;
    /** The context's own until something is set. */
    private EngineParameters parameters;
    private boolean ownParameters;
    private Boolean client;
    private BiFunction<SSLEngine, List<String>, String> selector;
    /** Before the handshake there is a session without properties; made when it is asked for, and forgotten with the handshake. */
    private FerronetSslSession unconnected;
    private EngineConnection connection;
    private boolean closedInbound;
    private boolean closedOutbound;
    private ResourceLeakTracker<FerronetSslEngine> leak;
    /** Keeps the context until the handshake is over; {@code null} if nothing does, or need do any more. */
    private Cleaner.Cleanable hold;

    /** With one context its side is fixed. */
    FerronetSslEngine(NativeTlsContext clientContext, NativeTlsContext serverContext, String peerHost, int peerPort) {
        super(peerHost, peerPort);
        this.clientContext = clientContext;
        this.serverContext = serverContext;
        NativeTlsContext any = clientContext != null ? clientContext : serverContext;
        parameters = any.parameters();
        if (clientContext == null || serverContext == null) {
            client = serverContext == null;
        }
    }

    private NativeTlsContext context() {
        return client ? clientContext : serverContext;
    }

    /** Keeps its one context until the handshake is over, even if the context is released meanwhile. For whoever makes the engine, before it gives it away. */
    FerronetSslEngine holdContext() {
        hold = context().hold(this);
        return this;
    }

    /** The context is not needed any more. Guarded by the engine. */
    void letContextGo() {
        if (hold != null) {
            hold.clean();
            hold = null;
        }
    }

    private void letContextGoWhenClosed() {
        if (closedInbound && closedOutbound) {
            letContextGo();
        }
    }

    /** What is negotiated for; changed by the setters only. Guarded by the engine. */
    EngineParameters parameters() {
        return parameters;
    }

    private EngineParameters changed() {
        if (!ownParameters) {
            parameters = new EngineParameters(parameters);
            ownParameters = true;
        }
        return parameters;
    }

    /** Names that are sent instead of the peer's host. */
    synchronized void setServerNames(List<SNIServerName> names) {
        changed().setServerNames(names);
    }

    private EngineConnection start() throws SSLException {
        if (connection == null) {
            if (client == null) {
                throw new IllegalStateException("Client/Server mode has not yet been set: call setUseClientMode first");
            }
            try {
                connection = new EngineConnection(this, context(), selector);
            } catch (SSLException e) {
                closedInbound = true;
                closedOutbound = true;
                letContextGo();
                throw e;
            }
        }
        return connection;
    }

    @Override
    public synchronized void beginHandshake() throws SSLException {
        if (isInboundDone() || isOutboundDone() || connection != null && connection.isClosing()) {
            throw new SSLException("the engine is closed: a connection cannot be used again");
        }
        if (start().isHandshakeDone()) {
            throw new SSLException("renegotiation is not supported: TLS 1.3 has none, and that of TLS 1.2 is left out on purpose; open a new connection");
        }
    }

    @Override
    public synchronized HandshakeStatus getHandshakeStatus() {
        return connection == null ? HandshakeStatus.NOT_HANDSHAKING : connection.status();
    }

    @Override
    public synchronized Runnable getDelegatedTask() {
        return connection == null ? null : connection.task();
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        EngineBuffers.check(sources, offset, length, "srcs");
        if (target == null) {
            throw new IllegalArgumentException("dst is null");
        }
        EngineBuffers.checkWritable(new ByteBuffer[] {target}, 0, 1);
        TlsCall call = TlsCall.take();
        try {
            synchronized (this) {
                if (closedOutbound) {
                    return new SSLEngineResult(SSLEngineResult.Status.CLOSED, getHandshakeStatus(), 0, 0);
                }
                return start().wrap(call, sources, offset, length, target);
            }
        } finally {
            call.giveBack();
        }
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
        if (source == null) {
            throw new IllegalArgumentException("src is null");
        }
        EngineBuffers.check(targets, offset, length, "dsts");
        EngineBuffers.checkWritable(targets, offset, length);
        TlsCall call = TlsCall.take();
        try {
            synchronized (this) {
                if (closedInbound) {
                    return new SSLEngineResult(SSLEngineResult.Status.CLOSED, getHandshakeStatus(), 0, 0);
                }
                return start().unwrap(call, source, targets, offset, length);
            }
        } finally {
            call.giveBack();
        }
    }

    @Override
    public synchronized void closeInbound() throws SSLException {
        if (connection == null) {
            closedInbound = true;
            letContextGoWhenClosed();
        } else {
            connection.closeInbound();
        }
    }

    @Override
    public synchronized boolean isInboundDone() {
        return closedInbound || connection != null && connection.isInboundDone();
    }

    @Override
    public synchronized void closeOutbound() {
        if (connection == null) {
            closedOutbound = true;
            letContextGoWhenClosed();
        } else {
            connection.closeOutbound();
        }
    }

    @Override
    public synchronized boolean isOutboundDone() {
        return closedOutbound || connection != null && connection.isOutboundDone();
    }

    @Override
    public synchronized SSLSession getSession() {
        FerronetSslSession established = connection == null ? null : connection.established();
        if (established != null) {
            unconnected = null;
            return established;
        }
        if (unconnected == null) {
            NativeTlsContext context = Boolean.FALSE.equals(client) || clientContext == null ? serverContext : clientContext;
            unconnected = new FerronetSslSession(context.sessions(), getPeerHost(), getPeerPort());
        }
        return unconnected;
    }

    @Override
    public synchronized SSLSession getHandshakeSession() {
        return connection == null ? null : connection.handshaking();
    }

    @Override
    public synchronized String getApplicationProtocol() {
        return connection == null ? null : connection.applicationProtocol();
    }

    @Override
    public synchronized String getHandshakeApplicationProtocol() {
        return connection == null || connection.isHandshakeDone() ? null : connection.applicationProtocol();
    }

    @Override
    public synchronized void setHandshakeApplicationProtocolSelector(BiFunction<SSLEngine, List<String>, String> newSelector) {
        selector = newSelector;
    }

    @Override
    public synchronized BiFunction<SSLEngine, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return selector;
    }

    // For a handler that moves data itself, once the handshake is done.

    synchronized boolean encrypt(TlsCall call) {
        return connection.encrypt(call);
    }

    synchronized boolean decrypt(TlsCall call) {
        return connection.decrypt(call);
    }

    synchronized void settle(TlsCall call) {
        connection.settle(call);
    }

    /** Names what the peer has sent instead of a record, and {@link #decrypt} has failed for. */
    synchronized void notRecord(SSLException failure) {
        connection.notRecord(failure);
    }

    synchronized boolean isOutboundOpen() {
        return !closedOutbound && connection != null && connection.isOutboundOpen();
    }

    synchronized boolean isInboundOpen() {
        return !closedInbound && connection != null && connection.isInboundOpen();
    }

    /** Whether no data is taken any more because this side closes. */
    synchronized boolean isClosingOutbound() {
        return closedOutbound || connection != null && (connection.isClosing() || connection.isOutboundDone());
    }

    /** Whether there is a native session. For tests. */
    synchronized boolean holdsSession() {
        return connection != null && connection.holdsSession();
    }

    /** The failure that is to be told yet, or {@code null}. */
    synchronized SSLException pendingFailure() {
        return connection == null ? null : connection.failure();
    }

    /** Has it reported if nobody releases it. Other engines end by being closed both ways, or with the last reference to them. */
    void track() {
        leak = LEAKS.track(this);
    }

    /** Frees what is native; the session can still be asked. */
    synchronized void release() {
        if (leak != null) {
            leak.close(this);
            leak = null;
        }
        if (connection == null) {
            closedInbound = true;
            closedOutbound = true;
            letContextGo();
        } else {
            connection.release();
        }
    }

    // What is negotiated for.

    @Override
    public String[] getSupportedCipherSuites() {
        return CipherSuite.javaNames();
    }

    @Override
    public synchronized String[] getEnabledCipherSuites() {
        return parameters.suiteNames();
    }

    @Override
    public synchronized void setEnabledCipherSuites(String[] suites) {
        if (suites == null) {
            throw new IllegalArgumentException("suites is null");
        }
        changed().suites = CipherSuite.parse(List.of(suites));
    }

    @Override
    public String[] getSupportedProtocols() {
        return TlsVersion.namesOf(Set.of(TlsVersion.values()));
    }

    @Override
    public synchronized String[] getEnabledProtocols() {
        return TlsVersion.namesOf(parameters.versions);
    }

    @Override
    public synchronized void setEnabledProtocols(String[] protocols) {
        if (protocols == null) {
            throw new IllegalArgumentException("protocols is null");
        }
        changed().versions = TlsVersion.parse(protocols);
    }

    @Override
    public synchronized SSLParameters getSSLParameters() {
        return parameters.get(getPeerHost(), Boolean.TRUE.equals(client));
    }

    @Override
    public synchronized void setSSLParameters(SSLParameters newParameters) {
        changed().set(newParameters);
    }

    @Override
    public synchronized void setUseClientMode(boolean mode) {
        if (client != null && client == mode) {
            return;
        }
        if (connection != null) {
            throw new IllegalArgumentException("the side cannot be changed any more: the handshake has begun");
        }
        if ((mode ? clientContext : serverContext) == null) {
            throw new IllegalArgumentException("the engine's context is for " + (mode ? "servers" : "clients") + " only");
        }
        client = mode;
        unconnected = null;
    }

    @Override
    public synchronized boolean getUseClientMode() {
        return Boolean.TRUE.equals(client);
    }

    @Override
    public synchronized void setNeedClientAuth(boolean need) {
        changed().clientCertificate = need ? TlsSettings.ClientCertificate.REQUIRED : TlsSettings.ClientCertificate.NONE;
    }

    @Override
    public synchronized boolean getNeedClientAuth() {
        return parameters.clientCertificate == TlsSettings.ClientCertificate.REQUIRED;
    }

    @Override
    public synchronized void setWantClientAuth(boolean want) {
        changed().clientCertificate = want ? TlsSettings.ClientCertificate.OPTIONAL : TlsSettings.ClientCertificate.NONE;
    }

    @Override
    public synchronized boolean getWantClientAuth() {
        return parameters.clientCertificate == TlsSettings.ClientCertificate.OPTIONAL;
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        if (!flag) {
            throw new IllegalArgumentException("connections that may only resume are not supported");
        }
    }

    @Override
    public boolean getEnableSessionCreation() {
        return true;
    }
}
