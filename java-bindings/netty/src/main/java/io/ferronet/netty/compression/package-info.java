/**
 * Compression for Netty pipelines, on any transport: drop-in subclasses of Netty's gzip and deflate handlers that work on direct memory.
 *
 * <p>Needs {@code netty-codec-compression}; the HTTP handlers need {@code netty-codec-http} and those of HTTP/2 {@code netty-codec-http2}.
 */
package io.ferronet.netty.compression;
