package io.ferronet.conformance.compression;

import io.ferronet.netty.compression.FerronetCompressorHttp2ConnectionEncoder;
import io.ferronet.netty.compression.FerronetDelegatingDecompressorFrameListener;
import io.ferronet.netty.compression.FerronetHttpContentCompressor;
import io.ferronet.netty.compression.FerronetHttpContentDecompressor;
import io.ferronet.netty.compression.FerronetPerMessageDeflateClientExtensionHandshaker;
import io.ferronet.netty.compression.FerronetPerMessageDeflateServerExtensionHandshaker;
import io.ferronet.netty.compression.FerronetWebSocketServerCompressionHandler;
import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.ferronet.netty.compression.FerronetZlibEncoder;
import io.ferronet.netty.compression.PerMessageDeflateDecoderOfTests;
import io.ferronet.netty.compression.PerMessageDeflateEncoderOfTests;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.JdkZlibEncoder;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionDecoder;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketExtensionEncoder;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Copies test classes of Netty's with our handlers in the place of Netty's. */
public final class Redirect {
    private static final String MESSAGES = "io/netty/handler/codec/http/websocketx/extensions/compression/";

    private static final List<String> TESTS = List.of(
        "io/netty/handler/codec/compression/JdkZlibTest",
        "io/netty/handler/codec/http/HttpContentCompressorTest",
        "io/netty/handler/codec/http/HttpContentCompressorOptionsTest",
        "io/netty/handler/codec/http/HttpContentEncoderTest",
        "io/netty/handler/codec/http/HttpContentDecoderTest",
        "io/netty/handler/codec/http/HttpContentDecompressorTest",
        MESSAGES + "PerMessageDeflateEncoderTest",
        MESSAGES + "PerMessageDeflateDecoderTest",
        MESSAGES + "PerMessageDeflateServerExtensionHandshakerTest",
        MESSAGES + "PerMessageDeflateClientExtensionHandshakerTest",
        MESSAGES + "WebSocketServerCompressionHandlerTest",
        "io/netty/handler/codec/http2/DataCompressionHttp2Test",
        "io/netty/handler/codec/http2/CompressorHttp2ConnectionEncoderTest");

    private static final Map<String, String> NAMES = Map.ofEntries(
        swap(JdkZlibEncoder.class, FerronetZlibEncoder.class),
        swap(JdkZlibDecoder.class, FerronetZlibDecoder.class),
        swap(ZlibCodecFactory.class, FerronetCodecFactory.class),
        swap(HttpContentCompressor.class, FerronetHttpContentCompressor.class),
        swap(HttpContentDecompressor.class, FerronetHttpContentDecompressor.class),
        swap(CompressorHttp2ConnectionEncoder.class, FerronetCompressorHttp2ConnectionEncoder.class),
        swap(DelegatingDecompressorFrameListener.class, FerronetDelegatingDecompressorFrameListener.class),
        swap(PerMessageDeflateServerExtensionHandshaker.class, FerronetPerMessageDeflateServerExtensionHandshaker.class),
        swap(PerMessageDeflateClientExtensionHandshaker.class, FerronetPerMessageDeflateClientExtensionHandshaker.class),
        swap(WebSocketServerCompressionHandler.class, FerronetWebSocketServerCompressionHandler.class));

    /** Classes that only Netty's package sees, where a test makes one. */
    private static final Map<String, String> MADE = Map.of(
        MESSAGES + "PerMessageDeflateEncoder", name(PerMessageDeflateEncoderOfTests.class),
        MESSAGES + "PerMessageDeflateDecoder", name(PerMessageDeflateDecoderOfTests.class));

    /** The same where a test asks what was negotiated: what Netty's handshakers promise is the supertype. */
    private static final Map<String, String> NEGOTIATED = Map.of(
        MESSAGES + "PerMessageDeflateEncoder", name(WebSocketExtensionEncoder.class),
        MESSAGES + "PerMessageDeflateDecoder", name(WebSocketExtensionDecoder.class));

    private Redirect() {
    }

    private static Map.Entry<String, String> swap(Class<?> theirs, Class<?> ours) {
        return Map.entry(name(theirs), name(ours));
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
            Map<String, String> names = new HashMap<>(NAMES);
            if (entry.getName().contains("coderTest")) {
                names.putAll(MADE);
                // The other side stays Netty's: one test counts on where its stream ends.
                names.remove(name(ZlibCodecFactory.class));
            } else {
                names.putAll(NEGOTIATED);
            }
            byte[] redirected = redirect(source, names);
            Path file = target.resolve(entry.getName());
            Files.createDirectories(file.getParent());
            Files.write(file, redirected);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every name is a text of the constant pool (JVMS 4.4), alone or inside a descriptor. */
    private static byte[] redirect(InputStream source, Map<String, String> names) throws IOException {
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
                case 1 -> out.writeUTF(redirect(in.readUTF(), names));
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

    private static String redirect(String text, Map<String, String> names) {
        String redirected = text;
        for (Map.Entry<String, String> name : names.entrySet()) {
            if (redirected.equals(name.getKey())) {
                return name.getValue();
            }
            redirected = redirected.replace('L' + name.getKey() + ';', 'L' + name.getValue() + ';');
        }
        return redirected;
    }
}
