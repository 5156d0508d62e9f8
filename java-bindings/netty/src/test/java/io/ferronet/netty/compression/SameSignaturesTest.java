package io.ferronet.netty.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.JdkZlibEncoder;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketClientCompressionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
import io.netty.handler.codec.http2.CompressorHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DelegatingDecompressorFrameListener;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who changes the name of one of Netty's handlers to ours finds every constructor, method and constant that Netty's has. */
class SameSignaturesTest {
    private static final Map<Class<?>, Class<?>> HANDLERS = Map.of(
        JdkZlibEncoder.class, FerronetZlibEncoder.class,
        JdkZlibDecoder.class, FerronetZlibDecoder.class,
        HttpContentCompressor.class, FerronetHttpContentCompressor.class,
        HttpContentDecompressor.class, FerronetHttpContentDecompressor.class,
        CompressorHttp2ConnectionEncoder.class, FerronetCompressorHttp2ConnectionEncoder.class,
        DelegatingDecompressorFrameListener.class, FerronetDelegatingDecompressorFrameListener.class,
        PerMessageDeflateServerExtensionHandshaker.class, FerronetPerMessageDeflateServerExtensionHandshaker.class,
        PerMessageDeflateClientExtensionHandshaker.class, FerronetPerMessageDeflateClientExtensionHandshaker.class,
        WebSocketServerCompressionHandler.class, FerronetWebSocketServerCompressionHandler.class,
        WebSocketClientCompressionHandler.class, FerronetWebSocketClientCompressionHandler.class);

    private static boolean isOffered(Member member) {
        return !member.isSynthetic() && (Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()));
    }

    private static boolean isAsOpen(Member ours, Member theirs) {
        return Modifier.isPublic(ours.getModifiers()) || Modifier.isProtected(ours.getModifiers()) && Modifier.isProtected(theirs.getModifiers());
    }

    private static boolean has(Class<?> ours, Method wanted) {
        for (Class<?> type = ours; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(wanted.getName()) && Arrays.equals(method.getParameterTypes(), wanted.getParameterTypes())
                    && wanted.getReturnType().isAssignableFrom(method.getReturnType()) && isAsOpen(method, wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean has(Class<?> ours, Constructor<?> wanted) {
        return Arrays.stream(ours.getDeclaredConstructors())
            .anyMatch(made -> Arrays.equals(made.getParameterTypes(), wanted.getParameterTypes()) && isAsOpen(made, wanted));
    }

    private static boolean has(Class<?> ours, Field wanted) {
        return Arrays.stream(ours.getFields()).anyMatch(field -> field.getName().equals(wanted.getName()));
    }

    /** What {@code theirs} offers and {@code ours} lacks. */
    private static List<String> missing(Class<?> theirs, Class<?> ours) {
        List<String> missing = new ArrayList<>();
        for (Constructor<?> wanted : theirs.getDeclaredConstructors()) {
            if (isOffered(wanted) && !has(ours, wanted)) {
                missing.add(ours.getSimpleName() + ": " + wanted);
            }
        }
        for (Method wanted : theirs.getDeclaredMethods()) {
            if (isOffered(wanted) && !has(ours, wanted)) {
                missing.add(ours.getSimpleName() + ": " + wanted);
            }
        }
        for (Field wanted : theirs.getDeclaredFields()) {
            if (isOffered(wanted) && !has(ours, wanted)) {
                missing.add(ours.getSimpleName() + ": " + wanted);
            }
        }
        return missing;
    }

    @Test
    void nothingThatNettysHandlersOfferIsMissing() {
        List<String> missing = new ArrayList<>();
        HANDLERS.forEach((theirs, ours) -> missing.addAll(missing(theirs, ours)));
        assertEquals(List.of(), missing);
    }

    @Test
    void whatIsMissingIsFound() {
        List<String> missing = missing(PerMessageDeflateServerExtensionHandshaker.class, FerronetZlibDecoder.class);
        assertFalse(missing.isEmpty());
        assertEquals(1, missing.stream().filter(name -> name.contains("handshakeExtension")).count());
    }
}
