package io.ferronet.netty.ssl;

import io.netty.handler.ssl.SslMasterKeyHandler;
import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.function.Consumer;

/**
 * The log of secrets that users of Netty's {@link SslMasterKeyHandler} know: its property switches it on, its logger gets the lines. That handler itself looks into the sessions of
 * the JDK and of OpenSSL only, and TLS 1.3 has no master key to tell; the lines are in the NSS key log format, which Wireshark reads too.
 */
final class KeyLog {
    private static final String LOGGER = "io.netty.wireshark";

    private KeyLog() {
    }

    /** What takes the lines; {@code null} if the property does not ask for them. */
    static Consumer<String> ofProperty() {
        if (!SystemPropertyUtil.getBoolean(SslMasterKeyHandler.SYSTEM_PROP_KEY, false)) {
            return null;
        }
        InternalLogger logger = InternalLoggerFactory.getInstance(LOGGER);
        return logger::warn;
    }
}
