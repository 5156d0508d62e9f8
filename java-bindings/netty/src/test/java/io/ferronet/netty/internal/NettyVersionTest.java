package io.ferronet.netty.internal;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The supported range of Netty versions. */
class NettyVersionTest {
    @Test
    void range() {
        assertNull(NettyVersion.check("4.2.17.Final"));
        assertNull(NettyVersion.check("4.2.18.Final"));
        assertNull(NettyVersion.check("4.2.20.Final"));
        assertNull(NettyVersion.check("4.2.19.Final-SNAPSHOT"));
        for (String version : new String[] {"4.1.130.Final", "4.2.16.Final", "4.3.0.Final", "5.0.0.Alpha1"}) {
            Throwable cause = NettyVersion.check(version);
            assertNotNull(cause, version);
            assertTrue(cause.getMessage().contains(version) && cause.getMessage().contains("4.2.17"), cause::getMessage);
        }
        assertNull(NettyVersion.check("unknown"));
        assertNull(NettyVersion.unsupportedCause());
    }
}
