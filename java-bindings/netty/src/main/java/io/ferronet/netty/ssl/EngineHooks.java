package io.ferronet.netty.ssl;

import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;

/** What an engine answers the library, in a task; it may not call the session. */
final class EngineHooks implements TlsHooks {
    private final FerronetSslEngine engine;
    private final FerronetSslSession handshaking;
    private volatile Throwable failure;

    EngineHooks(FerronetSslEngine engine, FerronetSslSession handshaking) {
        this.engine = engine;
        this.handshaking = handshaking;
    }

    @Override
    public SSLEngine engine() {
        return engine;
    }

    @Override
    public FerronetSslSession handshakeSession() {
        return handshaking;
    }

    @Override
    public List<String> hostNames() {
        List<String> names = new ArrayList<>(2);
        synchronized (engine) {
            String sent = engine.parameters().sentName(engine.getPeerHost(), true);
            if (sent != null) {
                names.add(sent);
            }
        }
        if (engine.getPeerHost() != null) {
            names.add(engine.getPeerHost());
        }
        return names;
    }

    @Override
    public void failed(Throwable cause) {
        failure = cause;
    }

    /** What a callback threw last, or {@code null}. */
    Throwable failure() {
        return failure;
    }

    @Override
    public List<CipherSuite> suites() {
        synchronized (engine) {
            return engine.parameters().suites;
        }
    }
}
