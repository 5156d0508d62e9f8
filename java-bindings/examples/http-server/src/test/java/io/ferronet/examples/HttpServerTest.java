package io.ferronet.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.netty.ssl.FerronetSslProvider;
import java.io.ByteArrayInputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The server, over real connections, on each backend. */
@Timeout(60)
class HttpServerTest {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private HttpServer server;

    private void start(Backend backend) throws Exception {
        server = new HttpServer(new ServerOptions(0, backend, 1, true, ServerOptions.NO_TLS, null, null, false));
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
        return client.send(HttpRequest.newBuilder(uri).method(method, body).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send("GET", path, BodyPublishers.noBody());
    }

    /** Sends bytes as they are, and returns everything until the server closes. */
    private String raw(String request) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void documents(Backend backend) throws Exception {
        start(backend);
        HttpResponse<String> hello = get("/");
        assertEquals(200, hello.statusCode());
        assertEquals("Hello, World!", hello.body());
        assertEquals("13", hello.headers().firstValue("content-length").orElseThrow());
        HttpResponse<String> json = get("/json?x=1");
        assertEquals(131_072, json.body().length());
        assertEquals("application/json", json.headers().firstValue("content-type").orElseThrow());
        assertTrue(json.body().startsWith("{\"items\":[{\"id\":0,") && json.body().endsWith("x\"}"));
        HttpResponse<String> head = send("HEAD", "/json", BodyPublishers.noBody());
        assertEquals("131072", head.headers().firstValue("content-length").orElseThrow());
        assertEquals("", head.body());
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void uploads(Backend backend) throws Exception {
        start(backend);
        for (int size : new int[] {0, 1, 100_000, 5_000_000}) {
            byte[] content = new byte[size];
            new Random(size).nextBytes(content);
            String expected = "{\"length\":" + size + ",\"sha256\":\"" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content)) + "\"}";
            assertEquals(expected, send("POST", "/upload", BodyPublishers.ofByteArray(content)).body());
            BodyPublisher chunked = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(content));
            assertEquals(expected, send("PUT", "/upload", chunked).body());
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void mistakesOfClients(Backend backend) throws Exception {
        start(backend);
        assertEquals(404, get("/nothing").statusCode());
        HttpResponse<String> posted = send("POST", "/", BodyPublishers.ofString("x"));
        assertEquals(405, posted.statusCode());
        assertEquals("GET, HEAD", posted.headers().firstValue("allow").orElseThrow());
        assertEquals(405, get("/upload").statusCode());
        assertStatus(400, raw("NONSENSE\r\n\r\n"));
        assertStatus(400, raw("POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n"));
        assertStatus(414, raw("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"));
        assertStatus(431, raw("GET / HTTP/1.1\r\nHost: x\r\nX: " + "x".repeat(40_000) + "\r\n\r\n"));
        assertStatus(413, raw("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n"));
        assertEquals("Hello, World!", get("/").body());
    }

    private static void assertStatus(int status, String response) {
        assertTrue(response.startsWith("HTTP/1.1 " + status + " "), response.substring(0, Math.min(response.length(), 100)));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void pipeliningAndKeepAlive(Backend backend) throws Exception {
        start(backend);
        String request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        String responses = raw(request.repeat(100) + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertEquals(101, responses.split("Hello, World!", -1).length - 1);
        assertTrue(responses.contains("connection: close"));
        String old = raw("GET / HTTP/1.0\r\n\r\n");
        assertTrue(old.endsWith("Hello, World!"), old);
        String waiting = raw("POST /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab");
        assertTrue(waiting.startsWith("HTTP/1.1 100 Continue") && waiting.contains("\"length\":2"), waiting);
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void statistics(Backend backend) throws Exception {
        start(backend);
        get("/");
        String stats = get("/stats").body();
        assertTrue(stats.contains("\"requestedBackend\":\"" + ServerStatistics.name(backend) + '"'), stats);
        assertTrue(stats.contains("\"connections\":1,\"accepted\":1,\"requests\":2,"), stats);
        assertTrue(stats.contains("\"fallbackReason\":\"none\"") && stats.matches(".*\"completions\":[1-9].*"), stats);
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void portInUse(Backend backend) throws Exception {
        start(backend);
        BindException failure = assertThrows(BindException.class, () -> new HttpServer(new ServerOptions(server.port(), backend, 1, true, ServerOptions.NO_TLS, null, null, false)));
        assertTrue(failure.getMessage().contains("127.0.0.1:" + server.port()), failure.getMessage());
    }

    /** The JDK's client over the JDK's TLS and over ours, in both versions of HTTP. */
    @ParameterizedTest
    @CsvSource({"SunJSSE, HTTP_1_1", "SunJSSE, HTTP_2", "Ferronet, HTTP_1_1", "Ferronet, HTTP_2"})
    void https(String provider, HttpClient.Version version) throws Exception {
        server = new HttpServer(new ServerOptions(0, Backend.AUTO, 1, true, 0, null, null, false));
        SSLContext context = provider.equals("Ferronet") ? SSLContext.getInstance("TLS", new FerronetSslProvider()) : SSLContext.getInstance("TLS", provider);
        context.init(null, new TrustManager[] {new TrustsAnyone()}, null);
        HttpClient https = HttpClient.newBuilder().sslContext(context).version(version).build();
        for (int i = 0; i < 3; i++) {
            URI uri = URI.create("https://localhost:" + server.tlsPort() + "/json");
            HttpResponse<String> json = https.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            assertEquals(200, json.statusCode());
            assertEquals(131_072, json.body().length());
            assertEquals(version, json.version());
        }
    }

    /** A client that speaks no TLS on the port for it gets the connection closed, and fills no log. */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void plainHttpOnTheTlsPortIsClosedQuietly(Backend backend) throws Exception {
        List<LogRecord> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logRecord) {
                logged.add(logRecord);
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        Logger pipeline = Logger.getLogger("io.netty.channel.DefaultChannelPipeline");
        pipeline.addHandler(handler);
        server = new HttpServer(new ServerOptions(0, backend, 1, true, 0, null, null, false));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.tlsPort())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
        } finally {
            pipeline.removeHandler(handler);
        }
        assertEquals(List.of(), logged.stream().map(LogRecord::getMessage).toList());
    }

    private static final class TrustsAnyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
