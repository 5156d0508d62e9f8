package io.ferronet.conformance.tls;

/** Our client, our server. */
class FerronetBothTest extends EngineTest {
    FerronetBothTest() {
        super(true, true);
    }
}
