package io.ferronet.conformance.tls;

/** Our server, the JDK's client. */
class FerronetServerTest extends EngineTest {
    FerronetServerTest() {
        super(false, true);
    }
}
