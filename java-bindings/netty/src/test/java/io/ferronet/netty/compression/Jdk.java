package io.ferronet.netty.compression;

import io.netty.handler.codec.compression.ZlibWrapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;

/** The other side: {@code java.util.zip}. */
final class Jdk {
    private Jdk() {
    }

    static byte[] compress(ZlibWrapper wrapper, byte[] data) {
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        try (OutputStream out = switch (wrapper) {
            case GZIP -> new GZIPOutputStream(result);
            case NONE -> new DeflaterOutputStream(result, new java.util.zip.Deflater(6, true));
            default -> new DeflaterOutputStream(result);
        }) {
            out.write(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return result.toByteArray();
    }

    static byte[] decompress(ZlibWrapper wrapper, byte[] data) {
        try (InputStream in = switch (wrapper) {
            case GZIP -> new GZIPInputStream(new ByteArrayInputStream(data));
            case NONE -> new InflaterInputStream(new ByteArrayInputStream(data), new java.util.zip.Inflater(true));
            default -> new InflaterInputStream(new ByteArrayInputStream(data));
        }) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
