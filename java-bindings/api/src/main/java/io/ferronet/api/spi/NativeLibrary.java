package io.ferronet.api.spi;

import java.io.IOException;
import java.io.InputStream;

/**
 * One native library inside a jar. A {@code ferronet-native} jar holds one generated implementation, whose values are compiled
 * into the class: a changed resource cannot bring its own hash along.
 *
 * <p>Implementations are immutable and may be used by any thread.
 */
public interface NativeLibrary {
    /**
     * The platform, in the words of os-maven-plugin.
     *
     * @return for example {@code linux-x86_64}
     */
    String classifier();

    /**
     * The Rust target that the library was built for.
     *
     * @return for example {@code x86_64-unknown-linux-gnu}
     */
    String target();

    /**
     * The resource that holds the library, as a path without a leading slash.
     *
     * @return for example {@code META-INF/native/linux-x86_64/libferronet.so}
     */
    String resource();

    /**
     * SHA-256 of the resource.
     *
     * @return 64 lower-case hexadecimal digits
     */
    String sha256();

    /**
     * Length of the resource.
     *
     * @return bytes
     */
    long size();

    /**
     * Revision of the library's C surface.
     *
     * @return {@code abi_revision} of its metadata block
     */
    int revision();

    /**
     * Oldest revision whose callers work unchanged with the library.
     *
     * @return {@code abi_floor} of its metadata block
     */
    int floor();

    /**
     * Fingerprint of the library's record layouts.
     *
     * @return {@code layout_fingerprint} of its metadata block
     */
    long fingerprint();

    /**
     * Opens the resource. The caller closes the stream.
     *
     * @return the library's bytes, or {@code null} if the jar has no such resource
     * @throws IOException if the resource cannot be read
     */
    default InputStream open() throws IOException {
        return getClass().getResourceAsStream("/" + resource());
    }
}
