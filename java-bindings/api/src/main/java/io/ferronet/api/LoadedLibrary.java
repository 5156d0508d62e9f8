package io.ferronet.api;

/**
 * How the native library got into the process.
 *
 * @param source where the code came from and how it was mapped, for example a jar's resource through memfd
 * @param target the Rust target of the library
 * @param abi its metadata
 * @param elapsedNanos time from the first step to the bound library, in nanoseconds
 * @param shared whether another class loader of this process had mapped the same content before
 */
public record LoadedLibrary(String source, String target, AbiInfo abi, long elapsedNanos, boolean shared) {
}
