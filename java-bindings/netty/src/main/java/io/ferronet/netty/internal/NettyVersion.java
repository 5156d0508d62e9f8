package io.ferronet.netty.internal;

import io.netty.util.Version;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The range of Netty versions that this module supports: 4.2.17 and later of 4.2. */
final class NettyVersion {
    private static final int MAJOR = 4;
    private static final int MINOR = 2;
    private static final int LOWEST_PATCH = 17;
    private static final Pattern PATTERN = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");

    private NettyVersion() {
    }

    /**
     * Checks the {@code netty-transport} that is present. A jar without version information (shaded) passes.
     *
     * @return why it is not supported, or {@code null}
     */
    static Throwable unsupportedCause() {
        Version present;
        try {
            present = Version.identify().get("netty-transport");
        } catch (RuntimeException e) {
            return null;
        }
        return present == null ? null : check(present.artifactVersion());
    }

    static Throwable check(String version) {
        Matcher matcher = PATTERN.matcher(version);
        if (!matcher.matches()) {
            return null;
        }
        int major = Integer.parseInt(matcher.group(1));
        int minor = Integer.parseInt(matcher.group(2));
        int patch = Integer.parseInt(matcher.group(3));
        if (major == MAJOR && minor == MINOR && patch >= LOWEST_PATCH) {
            return null;
        }
        return new UnsupportedOperationException("netty-transport " + version + " is not supported: this Ferronet needs " + MAJOR + '.' + MINOR + '.'
            + LOWEST_PATCH + ".Final or a later " + MAJOR + '.' + MINOR + " version; import io.netty:netty-bom in that version");
    }
}
