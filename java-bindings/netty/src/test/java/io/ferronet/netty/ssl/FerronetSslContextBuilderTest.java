package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every form in which the builder takes keys and trust, on both sides of a connection, and what its options do. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FerronetSslContextBuilderTest {
    private static final X509Bundle SERVER = Keys.server(Algorithm.ecp256);
    private static final int LONG_NAME = 4000;
    private static final X509Bundle LONG = Keys.of(Keys.HOST, Algorithm.ecp256, ", O=" + "x".repeat(LONG_NAME));
    private static final X509Bundle CLIENT = Keys.of("client.example.org", Algorithm.rsa2048);
    private static final int OCTET_STRING = 4;
    private static final int SEQUENCE = 0x30;
    /** The object identifier 1.2.840.113549.1.5.13. */
    private static final byte[] PBES2 = {6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 5, 0x0d};
    private static final char[] PASSWORD = "a password".toCharArray();

    @TempDir
    private static Path directory;

    /** A form of a key with its chain. */
    enum Form {
        FILES {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) throws Exception {
                return FerronetSslContextBuilder.forServer(file(own.getCertificatePathPEM()), file(own.getPrivateKeyPEM()));
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) throws Exception {
                builder.keyManager(file(own.getCertificatePathPEM()), file(own.getPrivateKeyPEM())).trustManager(file(trusted.getRootCertificatePEM()));
            }
        },
        ENCRYPTED_FILES {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) throws Exception {
                return FerronetSslContextBuilder.forServer(file(own.getCertificatePathPEM()), file(encrypted(own)), new String(PASSWORD));
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) throws Exception {
                builder.keyManager(file(own.getCertificatePathPEM()), file(encrypted(own)), new String(PASSWORD)).trustManager(file(trusted.getRootCertificatePEM()));
            }
        },
        STREAMS {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) throws Exception {
                return FerronetSslContextBuilder.forServer(stream(own.getCertificatePathPEM()), stream(encrypted(own)), new String(PASSWORD));
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) {
                builder.keyManager(stream(own.getCertificatePathPEM()), stream(own.getPrivateKeyPEM())).trustManager(stream(trusted.getRootCertificatePEM()));
            }
        },
        LISTS {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) {
                return FerronetSslContextBuilder.forServer(own.getKeyPair().getPrivate(), List.of(own.getCertificatePath()));
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) {
                builder.keyManager(own.getKeyPair().getPrivate(), List.of(own.getCertificatePath())).trustManager(List.of(trusted.getRootCertificate()));
            }
        },
        ARRAYS {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) {
                return FerronetSslContextBuilder.forServer(own.getKeyPair().getPrivate(), own.getCertificatePath());
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) {
                builder.keyManager(own.getKeyPair().getPrivate(), own.getCertificatePath()).trustManager(new X509Certificate[] {trusted.getRootCertificate()});
            }
        },
        KEY_STORE {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) throws Exception {
                return FerronetSslContextBuilder.forServer(own.toKeyStore(PASSWORD), PASSWORD);
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) throws Exception {
                KeyStore store = own.toKeyStore(PASSWORD);
                builder.keyManager(store, PASSWORD).trustManager(trusted.toTrustManagerFactory());
            }
        },
        MANAGERS {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) throws Exception {
                return FerronetSslContextBuilder.forServer(manager(own));
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) throws Exception {
                builder.keyManager(manager(own)).trustManager(trusted.toTrustManager());
            }
        },
        FACTORIES {
            @Override
            FerronetSslContextBuilder server(X509Bundle own) throws Exception {
                return FerronetSslContextBuilder.forServer(own.toKeyManagerFactory());
            }

            @Override
            void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) throws Exception {
                builder.keyManager(own.toKeyManagerFactory()).trustManager(trusted.toTrustManagerFactory());
            }
        };

        abstract FerronetSslContextBuilder server(X509Bundle own) throws Exception;

        abstract void client(FerronetSslContextBuilder builder, X509Bundle own, X509Bundle trusted) throws Exception;
    }

    private static KeyManager manager(X509Bundle own) throws Exception {
        return own.toKeyManagerFactory().getKeyManagers()[0];
    }

    private static File file(String text) throws Exception {
        return Files.writeString(Files.createTempFile(directory, "", ".pem"), text).toFile();
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String encrypted(X509Bundle own) throws Exception {
        String algorithm = "PBEWithHmacSHA256AndAES_256";
        SecretKey key = SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(PASSWORD));
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(Cipher.ENCRYPT_MODE, key, new PBEParameterSpec("eight by".getBytes(StandardCharsets.US_ASCII), 1000));
        // The JDK encodes what PBES2 needs, but has no name for the whole.
        byte[] parameters = cipher.getParameters().getEncoded();
        byte[] encoded = der(SEQUENCE, der(SEQUENCE, PBES2, parameters), der(OCTET_STRING, cipher.doFinal(own.getKeyPair().getPrivate().getEncoded())));
        return "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(encoded) + "\n-----END ENCRYPTED PRIVATE KEY-----\n";
    }

    private static byte[] der(int tag, byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteBuffer all = ByteBuffer.allocate(4 + length).put((byte) tag).put((byte) 0x82).putShort((short) length);
        Arrays.stream(parts).forEach(all::put);
        return all.array();
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void everyFormOfKeysAndTrustIsTaken(Form form) throws Exception {
        FerronetSslContext serverContext = form.server(SERVER).trustManager(CLIENT.toTrustManager()).clientAuth(ClientAuth.REQUIRE).build();
        FerronetSslContextBuilder builder = FerronetSslContextBuilder.forClient();
        form.client(builder, CLIENT, SERVER);
        FerronetSslContext clientContext = builder.build();
        EnginePair pair = new EnginePair(clientContext.newEngine(ByteBufAllocator.DEFAULT, Keys.HOST, 443), serverContext.newEngine(ByteBufAllocator.DEFAULT)).handshake();
        assertEquals(SERVER.getCertificate(), pair.client.getSession().getPeerCertificates()[0]);
        assertEquals(CLIENT.getCertificate(), pair.server.getSession().getPeerCertificates()[0]);
        assertEquals(1, pair.toServer(new byte[1]).length);
        assertTrue(clientContext.release() && serverContext.release());
    }

    private static FerronetSslContextBuilder server(String version) {
        return FerronetSslContextBuilder.forServer(SERVER.getKeyPair().getPrivate(), SERVER.getCertificatePath()).protocols(version);
    }

    private static FerronetSslContextBuilder client() {
        return FerronetSslContextBuilder.forClient().trustManager(SERVER.getRootCertificate());
    }

    private static EnginePair connected(FerronetSslContextBuilder client, FerronetSslContextBuilder server) throws Exception {
        FerronetSslContext clientContext = client.build();
        FerronetSslContext serverContext = server.build();
        EnginePair pair = new EnginePair(clientContext.newEngine(ByteBufAllocator.DEFAULT, Keys.HOST, 443), serverContext.newEngine(ByteBufAllocator.DEFAULT)).handshake();
        assertTrue(clientContext.release() && serverContext.release());
        return pair;
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theKeyLogGoesToAFile(String version) throws Exception {
        Path file = directory.resolve("keys of " + version);
        connected(client().option(FerronetSslContextOption.KEY_LOG_FILE, file.toFile()), server(version));
        String log = Files.readString(file);
        assertTrue(log.lines().anyMatch(line -> line.startsWith(version.equals("TLSv1.2") ? "CLIENT_RANDOM " : "CLIENT_TRAFFIC_SECRET_0 ")), log);
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2, false", "TLSv1.2, true", "TLSv1.3, false", "TLSv1.3, true"})
    void theOrderOfSuitesIsTheServersUnlessItFollowsTheClient(String version, boolean ofClient) throws Exception {
        boolean old = version.equals("TLSv1.2");
        String first = old ? "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" : "TLS_AES_128_GCM_SHA256";
        String second = old ? "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" : "TLS_AES_256_GCM_SHA384";
        EnginePair pair = connected(client().ciphers(List.of(second, first)),
            server(version).ciphers(List.of(first, second)).option(FerronetSslContextOption.CLIENT_CIPHER_ORDER, ofClient));
        assertEquals(ofClient ? second : first, pair.server.getSession().getCipherSuite());
    }

    /** The client asks its trust manager in a task in any case. */
    @Test
    void everyFlightIsATaskWhereTheOptionSaysSo() throws Exception {
        int without = connected(client(), server("TLSv1.3").option(FerronetSslContextOption.USE_TASKS, false)).tasks;
        int with = connected(client(), server("TLSv1.3").option(FerronetSslContextOption.USE_TASKS, true)).tasks;
        assertTrue(with > without, with + " tasks, without the option " + without);
    }

    /** The certificates of a server that are long and alike take less room on the wire. */
    @ParameterizedTest
    @CsvSource({"true, true, true", "true, false, false", "false, true, false", "false, false, false"})
    void certificatesAreCompressedWhereBothSidesSaySo(boolean ofClient, boolean ofServer, boolean smaller) throws Exception {
        FerronetSslContext clientContext = client().trustManager(LONG.getRootCertificate()).option(FerronetSslContextOption.COMPRESS_CERTIFICATES, ofClient).build();
        FerronetSslContext serverContext = FerronetSslContextBuilder.forServer(LONG.getKeyPair().getPrivate(), LONG.getCertificatePath())
            .option(FerronetSslContextOption.COMPRESS_CERTIFICATES, ofServer).build();
        EmbeddedChannel client = new EmbeddedChannel(clientContext.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443));
        EmbeddedChannel server = new EmbeddedChannel(serverContext.newHandler(ByteBufAllocator.DEFAULT));
        HandlerPair.move(client, server);
        int flight = 0;
        for (ByteBuf sent = server.readOutbound(); sent != null; sent = server.readOutbound()) {
            flight += sent.readableBytes();
            client.writeInbound(sent);
        }
        HandlerPair.move(client, server);
        assertTrue(client.pipeline().get(SslHandler.class).handshakeFuture().isSuccess());
        assertEquals(smaller, flight < LONG_NAME, flight + " bytes");
        client.finishAndReleaseAll();
        server.finishAndReleaseAll();
        assertTrue(clientContext.release() && serverContext.release());
    }

    /** Neither Java's trust nor the operating system's knows the authority of the tests; the latter is asked. */
    @Test
    void platformRootsAreAskedWhereTheOptionSaysSo() throws Exception {
        FerronetSslContextBuilder platform = FerronetSslContextBuilder.forClient().option(FerronetSslContextOption.PLATFORM_ROOTS, true);
        SSLException refused = assertThrows(SSLException.class, () -> connected(platform, server("TLSv1.3")));
        assertFalse(refused.getCause() instanceof CertificateException, () -> "Java was asked: " + refused.getCause());
    }

    @Test
    void aServerNameIsSentInPlaceOfTheHost() throws Exception {
        EnginePair pair = connected(client().serverName(new SNIHostName("other.example.org")).endpointIdentificationAlgorithm(null), server("TLSv1.3"));
        assertEquals(List.of(new SNIHostName("other.example.org")), ((ExtendedSSLSession) pair.server.getSession()).getRequestedServerNames());
    }
}
