package io.ferronet.conformance.tls;

import io.ferronet.netty.ssl.FerronetSslProvider;
import io.netty.handler.ssl.SSLEngineTest;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.Provider;
import org.junit.jupiter.api.AfterEach;

/** Netty's tests of an engine, over the JDK's engines and over ours, which the JCA provider makes. */
abstract class EngineTest extends SSLEngineTest {
    /** How long a client's chain may be; the JDK's own property, which ours reads too. */
    private static final String LONGEST_CHAIN = "jdk.tls.server.maxInboundCertificateChainLength";
    private static final Provider FERRONET = new FerronetSslProvider();

    private final boolean client;
    private final boolean server;

    EngineTest(boolean client, boolean server) {
        super(true);
        this.client = client;
        this.server = server;
    }

    @Override
    protected SslProvider sslClientProvider() {
        return SslProvider.JDK;
    }

    @Override
    protected SslProvider sslServerProvider() {
        return SslProvider.JDK;
    }

    @Override
    protected Provider clientSslContextProvider() {
        return client ? FERRONET : null;
    }

    @Override
    protected Provider serverSslContextProvider() {
        return server ? FERRONET : null;
    }

    @Override
    protected void mySetupMutualAuthServerInitSslHandler(SslHandler handler) {
        System.setProperty(LONGEST_CHAIN, "1");
    }

    @AfterEach
    void longChainsAgain() {
        System.clearProperty(LONGEST_CHAIN);
    }

    /** As in Netty's own class for the JDK: a failure may be wrapped. */
    @Override
    protected boolean mySetupMutualAuthServerIsValidException(Throwable cause) {
        return super.mySetupMutualAuthServerIsValidException(cause) || causedBySSLException(cause);
    }
}
