package io.ferronet.conformance.compression;

import io.ferronet.netty.compression.FerronetCompressorHttp2ConnectionEncoder;
import io.ferronet.netty.compression.FerronetDelegatingDecompressorFrameListener;
import io.ferronet.netty.compression.FerronetHttpContentCompressor;
import io.ferronet.netty.compression.FerronetHttpContentDecompressor;
import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.ferronet.netty.compression.FerronetZlibEncoder;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.JdkZlibEncoder;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http2.CompressorHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DelegatingDecompressorFrameListener;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Copies test classes of Netty's with our handlers in the place of Netty's. */
public final class Redirect {
    private static final List<String> TESTS = List.of(
        "io/netty/handler/codec/compression/JdkZlibTest",
        "io/netty/handler/codec/http/HttpContentCompressorTest",
        "io/netty/handler/codec/http/HttpContentCompressorOptionsTest",
        "io/netty/handler/codec/http/HttpContentEncoderTest",
        "io/netty/handler/codec/http/HttpContentDecoderTest",
        "io/netty/handler/codec/http/HttpContentDecompressorTest",
        "io/netty/handler/codec/http2/DataCompressionHttp2Test",
        "io/netty/handler/codec/http2/CompressorHttp2ConnectionEncoderTest");

    private static final Map<String, String> NAMES = Map.of(
        name(JdkZlibEncoder.class), name(FerronetZlibEncoder.class),
        name(JdkZlibDecoder.class), name(FerronetZlibDecoder.class),
        name(ZlibCodecFactory.class), name(FerronetCodecFactory.class),
        name(HttpContentCompressor.class), name(FerronetHttpContentCompressor.class),
        name(HttpContentDecompressor.class), name(FerronetHttpContentDecompressor.class),
        name(CompressorHttp2ConnectionEncoder.class), name(FerronetCompressorHttp2ConnectionEncoder.class),
        name(DelegatingDecompressorFrameListener.class), name(FerronetDelegatingDecompressorFrameListener.class));

    private Redirect() {
    }

    private static String name(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    /**
     * Writes the copies.
     *
     * @param arguments the folder of the test classes
     * @throws IOException if a class cannot be read or written
     */
    public static void main(String[] arguments) throws IOException {
        Path target = Path.of(arguments[0]);
        for (String test : TESTS) {
            URL found = null;
            for (URL url : java.util.Collections.list(Redirect.class.getClassLoader().getResources(test + ".class"))) {
                found = "jar".equals(url.getProtocol()) ? url : found;
            }
            if (found == null) {
                throw new IOException(test + " is in no jar of the class path");
            }
            JarFile jar = ((JarURLConnection) found.openConnection()).getJarFile();
            jar.stream().filter(entry -> isPartOf(entry.getName(), test)).forEach(entry -> copy(jar, entry, target));
        }
    }

    private static boolean isPartOf(String name, String test) {
        return name.equals(test + ".class") || name.startsWith(test + '$') && name.endsWith(".class");
    }

    private static void copy(JarFile jar, JarEntry entry, Path target) {
        try (InputStream source = jar.getInputStream(entry)) {
            byte[] redirected = redirect(source);
            Path file = target.resolve(entry.getName());
            Files.createDirectories(file.getParent());
            Files.write(file, redirected);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every name is a text of the constant pool (JVMS 4.4), alone or inside a descriptor. */
    private static byte[] redirect(InputStream source) throws IOException {
        DataInputStream in = new DataInputStream(source);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(in.readLong());
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            switch (tag) {
                case 1 -> out.writeUTF(redirect(in.readUTF()));
                case 7, 8, 16, 19, 20 -> out.writeShort(in.readUnsignedShort());
                case 15 -> {
                    out.writeByte(in.readUnsignedByte());
                    out.writeShort(in.readUnsignedShort());
                }
                case 5, 6 -> {
                    out.writeLong(in.readLong());
                    i++;
                }
                case 3, 4, 9, 10, 11, 12, 17, 18 -> out.writeInt(in.readInt());
                default -> throw new IOException("unknown constant " + tag);
            }
        }
        in.transferTo(out);
        return bytes.toByteArray();
    }

    private static String redirect(String text) {
        String redirected = text;
        for (Map.Entry<String, String> name : NAMES.entrySet()) {
            if (redirected.equals(name.getKey())) {
                return name.getValue();
            }
            redirected = redirected.replace('L' + name.getKey() + ';', 'L' + name.getValue() + ';');
        }
        return redirected;
    }
}
