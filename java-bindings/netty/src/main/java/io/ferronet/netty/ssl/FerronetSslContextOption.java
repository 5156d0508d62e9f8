package io.ferronet.netty.ssl;

import io.netty.handler.ssl.SslContextOption;
import java.io.File;
import java.util.function.Consumer;

/**
 * What {@link FerronetSslContextBuilder#option} takes beside the vocabulary of Netty's builder.
 *
 * @param <T> the type of the value
 */
public final class FerronetSslContextOption<T> extends SslContextOption<T> {
    /** Key-exchange groups, the preferred first: {@code X25519MLKEM768}, {@code SecP256r1MLKEM768}, {@code X25519}, {@code secp256r1} (or {@code P-256}), {@code secp384r1} (or {@code P-384}). */
    public static final FerronetSslContextOption<String[]> GROUPS = new FerronetSslContextOption<>("FERRONET_GROUPS");
    /** Whether sessions are resumed by tickets, which a server need not keep. By default they are. Without tickets and {@link #SESSION_CACHE} no session is ever resumed. */
    public static final FerronetSslContextOption<Boolean> TICKETS = new FerronetSslContextOption<>("FERRONET_TICKETS");
    /** Whether sessions are kept to be resumed: by a client all, by a server those without tickets. By default they are. */
    public static final FerronetSslContextOption<Boolean> SESSION_CACHE = new FerronetSslContextOption<>("FERRONET_SESSION_CACHE");
    /** Tickets that a server sends after a handshake of TLS 1.3; by default 2. */
    public static final FerronetSslContextOption<Integer> TICKET_COUNT = new FerronetSslContextOption<>("FERRONET_TICKET_COUNT");
    /** Keys of tickets, 48 bytes each: 16 of name, 32 of key. The first encrypts, all decrypt. By default they are random, and are replaced by themselves. */
    public static final FerronetSslContextOption<byte[][]> TICKET_KEYS = new FerronetSslContextOption<>("FERRONET_TICKET_KEYS");
    /** Whether certificates are compressed with zlib where the peer agrees (RFC 8879). By default they are not. */
    public static final FerronetSslContextOption<Boolean> COMPRESS_CERTIFICATES = new FerronetSslContextOption<>("FERRONET_COMPRESS_CERTIFICATES");
    /** Bytes that a peer's certificates may have in all, 1 to 65,535; by default 65,535. */
    public static final FerronetSslContextOption<Integer> MAX_CERTIFICATE_LIST_BYTES = new FerronetSslContextOption<>("FERRONET_MAX_CERTIFICATE_LIST_BYTES");
    /** A file to which the secrets of connections are added in the NSS key log format. Whoever reads it can read the connections. */
    public static final FerronetSslContextOption<File> KEY_LOG_FILE = new FerronetSslContextOption<>("FERRONET_KEY_LOG_FILE");
    /**
     * Receives the lines of the NSS key log format, on the threads of the connections. Without this and {@link #KEY_LOG_FILE}, the property of Netty's {@code SslMasterKeyHandler}
     * ({@code -Dio.netty.ssl.masterKeyHandler=true}) has them logged by its logger, {@code io.netty.wireshark}.
     */
    public static final FerronetSslContextOption<Consumer<String>> KEY_LOG = new FerronetSslContextOption<>("FERRONET_KEY_LOG");
    /** Whether the operating system's store of trusted certificates is used instead of Java's. Not together with a trust manager. By default it is not. */
    public static final FerronetSslContextOption<Boolean> PLATFORM_ROOTS = new FerronetSslContextOption<>("FERRONET_PLATFORM_ROOTS");
    /** Whether every flight of the handshake is a delegated task. By default only what asks a trust or key manager is. */
    public static final FerronetSslContextOption<Boolean> USE_TASKS = new FerronetSslContextOption<>("FERRONET_USE_TASKS");
    /** Whether a server follows its client's order of cipher suites. By default its own order counts. */
    public static final FerronetSslContextOption<Boolean> CLIENT_CIPHER_ORDER = new FerronetSslContextOption<>("FERRONET_CLIENT_CIPHER_ORDER");
    /** An OCSP response, DER, that a server staples; needs {@link FerronetSslContextBuilder#enableOcsp}. */
    public static final FerronetSslContextOption<byte[]> OCSP_RESPONSE = new FerronetSslContextOption<>("FERRONET_OCSP_RESPONSE");

    private FerronetSslContextOption(String name) {
        super(name);
    }
}
