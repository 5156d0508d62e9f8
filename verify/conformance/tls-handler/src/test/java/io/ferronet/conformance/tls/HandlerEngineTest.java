package io.ferronet.conformance.tls;

import io.netty.handler.ssl.SSLEngineTest;
import io.netty.handler.ssl.SslProvider;

/** Netty's tests of an engine: those that take handlers from a context get ours. */
class HandlerEngineTest extends SSLEngineTest {
    HandlerEngineTest() {
        super(true);
    }

    @Override
    protected SslProvider sslClientProvider() {
        return SslProvider.JDK;
    }

    @Override
    protected SslProvider sslServerProvider() {
        return SslProvider.JDK;
    }

    /** As in Netty's own class for the JDK: a failure may be wrapped. */
    @Override
    protected boolean mySetupMutualAuthServerIsValidException(Throwable cause) {
        return super.mySetupMutualAuthServerIsValidException(cause) || causedBySSLException(cause);
    }
}
