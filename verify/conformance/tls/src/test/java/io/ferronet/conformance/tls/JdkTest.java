package io.ferronet.conformance.tls;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The JDK alone: the control. */
class JdkTest extends EngineTest {
    private static final String FIXED = "the JDK reads the longest chain once, so that it cannot be changed for a test";

    JdkTest() {
        super(false, false);
    }

    @Disabled(FIXED)
    @MethodSource("newTestParams")
    @ParameterizedTest
    @Override
    public void testMutualAuthValidClientCertChainTooLongFailOptionalClientAuth(SSLEngineTestParam param) {
    }

    @Disabled(FIXED)
    @MethodSource("newTestParams")
    @ParameterizedTest
    @Override
    public void testMutualAuthValidClientCertChainTooLongFailRequireClientAuth(SSLEngineTestParam param) {
    }
}
