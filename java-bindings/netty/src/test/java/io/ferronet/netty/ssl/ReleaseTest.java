package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Region;
import io.ferronet.api.spi.BindingProvider;
import io.ferronet.netty.internal.NativeRuntime;
import io.ferronet.netty.transport.RecordingLeakDetector;
import io.ferronet.netty.transport.TestJvm;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is native is given back, by whom it belongs to or by the collector, and keys are wiped. */
@Timeout(120)
class ReleaseTest {
    private static final X509Bundle KEY = Keys.server(Algorithm.ecp256);

    @Test
    void nativeMemoryIsFreedAndForgottenContextsAreReported(@TempDir Path directory) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(BindingProvider.class.getName()), CountingProvider.class.getName());
        String output = TestJvm.runBehind(directory, ReleaseProbe.class, "-Dferronet.library.path=" + System.getProperty("ferronet.library.path"),
            "-Dio.netty.customResourceLeakDetector=" + RecordingLeakDetector.class.getName());
        for (String part : new String[] {"connected: contexts 2, keys 1, sessions 2, callbacks 0", "retained false, released true true, left 0",
            "released: contexts 0, keys 0, sessions 2, callbacks 0", "data true", "refused: the TLS context was released", "closed: contexts 0, keys 0, sessions 0, callbacks 0",
            "released early true true", "early data true", "early: contexts 0, keys 0, sessions 0, callbacks 0, references 0 0",
            "forgotten: contexts 0, keys 0, sessions 0, callbacks 0", "reported, forgotten: FerronetSslContext", "reported, forgotten: FerronetSslEngine",
            "engines true", "engines: contexts 0, keys 0, sessions 0, callbacks 0", "end"}) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
        assertFalse(output.contains("reported, nothing") || output.contains("reported, early") || output.contains("reported, engines"), output);
    }

    @Test
    void aContextThatWasReleasedBeginsNoSession() throws Exception {
        TlsSettings settings = new TlsSettings(false);
        settings.keys = java.util.List.of(new TlsSettings.KeyEntry(KEY.getCertificatePath(), KEY.getKeyPair().getPrivate().getEncoded(), null, new byte[0]));
        NativeTlsContext context = new NativeTlsContext(settings);
        context.open();
        context.close();
        assertTrue(assertThrows(SSLException.class, context::open).getMessage().contains("released"));
        context.close();
    }

    /** The library has its own copy; ours is zeros, whether the key was any good or not. */
    @Test
    void theKeyIsWipedAfterUse() throws Exception {
        byte[] key = KEY.getKeyPair().getPrivate().getEncoded();
        assertFalse(Arrays.equals(new byte[key.length], key));
        NativeCredential.make(new TlsSettings.KeyEntry(KEY.getCertificatePath(), key, null, new byte[0])).free();
        assertArrayEquals(new byte[key.length], key);
        byte[] bad = {1, 2, 3};
        assertThrows(SSLException.class, () -> NativeCredential.make(new TlsSettings.KeyEntry(KEY.getCertificatePath(), bad, null, new byte[0])));
        assertArrayEquals(new byte[3], bad);
    }

    /** A builder goes on with its own copy. */
    @Test
    void aBuilderCanBuildTwice() throws Exception {
        FerronetSslContextBuilder builder = FerronetSslContextBuilder.forServer(KEY.getKeyPair().getPrivate(), KEY.getCertificatePath());
        FerronetSslContext first = builder.build();
        FerronetSslContext second = builder.build();
        assertTrue(first.release() && second.release());
    }

    @Test
    void theMemoryOfAConfigurationIsWiped() {
        FerronetBinding binding = NativeRuntime.get().binding();
        byte[] secret = {1, 2, 3, 4, 5, 6, 7, 8};
        NativeConfig config = new NativeConfig(binding, Region.SIZE);
        config.put(0, secret);
        ByteBuffer structure = binding.memory(config.address(), Region.SIZE).order(ByteOrder.nativeOrder());
        ByteBuffer copy = binding.memory(structure.getLong(Region.OFFSET_ADDR), secret.length);
        byte[] seen = new byte[secret.length];
        copy.get(0, seen);
        assertArrayEquals(secret, seen);
        config.close();
        copy.get(0, seen);
        assertArrayEquals(new byte[secret.length], seen);
        assertEquals(secret.length, structure.getLong(Region.OFFSET_LEN));
    }
}
