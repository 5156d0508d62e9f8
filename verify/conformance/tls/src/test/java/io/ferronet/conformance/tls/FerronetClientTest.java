package io.ferronet.conformance.tls;

/** Our client, the JDK's server. */
class FerronetClientTest extends EngineTest {
    FerronetClientTest() {
        super(true, false);
    }
}
