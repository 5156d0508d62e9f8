package io.ferronet.netty.ssl;

import java.util.List;
import javax.net.ssl.SSLEngine;

/** What a connection answers when the library asks, inside a task of its session. */
interface TlsHooks {
    /** Whom trust and key managers are told of. */
    SSLEngine engine();

    /** The session that is being negotiated. */
    FerronetSslSession handshakeSession();

    /** Names by which the host may be identified; the one that was asked for last. */
    List<String> hostNames();

    /** Keeps what a callback threw, as the cause of the failure that follows. */
    void failed(Throwable cause);

    /** The suites that may be used. */
    List<CipherSuite> suites();
}
