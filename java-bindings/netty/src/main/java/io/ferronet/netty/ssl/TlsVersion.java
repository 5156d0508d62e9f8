package io.ferronet.netty.ssl;

import java.util.EnumSet;
import java.util.Set;

/** The versions of the protocol that there are. */
enum TlsVersion {
    TLS_1_2("TLSv1.2", 0x0303),
    TLS_1_3("TLSv1.3", 0x0304);

    private final String javaName;
    private final int number;

    TlsVersion(String javaName, int number) {
        this.javaName = javaName;
        this.number = number;
    }

    String javaName() {
        return javaName;
    }

    int number() {
        return number;
    }

    /** Java's name of a version's number. */
    static String nameOf(int number) {
        for (TlsVersion version : values()) {
            if (version.number == number) {
                return version.javaName;
            }
        }
        return "NONE";
    }

    /**
     * The versions of these names.
     *
     * @throws IllegalArgumentException if a version is not supported
     */
    static Set<TlsVersion> parse(String... names) {
        EnumSet<TlsVersion> versions = EnumSet.noneOf(TlsVersion.class);
        for (String name : names) {
            versions.add(parse(name));
        }
        return versions;
    }

    private static TlsVersion parse(String name) {
        for (TlsVersion version : values()) {
            if (version.javaName.equals(name)) {
                return version;
            }
        }
        String why = "TLSv1".equals(name) || "TLSv1.1".equals(name) || name != null && name.startsWith("SSL")
            ? " (it is broken and forbidden by RFC 8996 or an older one; leave it out of the list)" : "";
        throw new IllegalArgumentException("protocol " + name + " is not supported" + why + "; there are: TLSv1.3, TLSv1.2");
    }

    /** From the newest to the oldest, as Java lists them. */
    static String[] namesOf(Set<TlsVersion> versions) {
        return versions.stream().sorted(java.util.Comparator.reverseOrder()).map(TlsVersion::javaName).toArray(String[]::new);
    }
}
