package io.ferronet.netty.ssl;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLHandshakeException;

/** What a server's engine does before it has a native session, which is made when it is known what its client asks for. Guarded by the engine. */
final class ServerStart {
    /** Of alerts: RFC 8446, 6. */
    private static final byte FATAL = 2;
    private static final int UNRECOGNIZED_NAME = 112;

    private final FerronetSslEngine engine;
    private final NativeTlsContext context;
    private final BiFunction<SSLEngine, List<String>, String> selector;
    private final ClientHelloReader reader = new ClientHelloReader();

    /**
     * What ALPN may choose.
     *
     * @param protocols the protocols
     * @param optional whether the handshake goes on without a common one
     */
    record Protocols(List<String> protocols, boolean optional) {
    }

    ServerStart(FerronetSslEngine engine, NativeTlsContext context, BiFunction<SSLEngine, List<String>, String> selector) {
        this.engine = engine;
        this.context = context;
        this.selector = selector;
    }

    /**
     * Takes a record.
     *
     * @param source where it begins; its position moves behind it
     * @param length its bytes
     * @return what the client asks for, or {@code null} if more has to come
     */
    Hellos.Client read(ByteBuffer source, int length) {
        Hellos.Client hello = reader.add(source, length);
        source.position(source.position() + length);
        return hello == null && reader.isOver() ? new Hellos.Client(null, null) : hello;
    }

    /** All records that were read, in direct memory. */
    ByteBuffer records() {
        return reader.records();
    }

    /**
     * Takes the client's name of the server over.
     *
     * @throws SSLHandshakeException if the server does not go by it; {@link #refusal} is the alert
     */
    void acceptName(Hellos.Client hello, FerronetSslSession session) throws SSLHandshakeException {
        if (hello.serverName() == null) {
            return;
        }
        try {
            session.setRequestedServerNames(List.of(new SNIHostName(hello.serverName())));
        } catch (IllegalArgumentException e) {
            session.setRequestedServerNames(List.of());
        }
        if (!engine.parameters().accepts(hello.serverName())) {
            throw new SSLHandshakeException("Unrecognized server name indication: " + hello.serverName());
        }
    }

    /** The alert of a server that has refused its client's name: there is no session to make it. */
    static byte[] refusal() {
        return new byte[] {TlsRecords.ALERT, 3, 3, 0, 2, FATAL, (byte) UNRECOGNIZED_NAME};
    }

    /** What ALPN may choose, which a selector decides if there is one. */
    Protocols protocols(Hellos.Client hello) {
        if (selector == null || hello.protocols() == null) {
            return new Protocols(engine.parameters().alpn, context.settings().alpnOptional);
        }
        String selected = selector.apply(engine, hello.protocols());
        if (selected == null) {
            return new Protocols(List.of(ClientHelloReader.nothingOf(hello.protocols())), false);
        }
        return new Protocols(selected.isEmpty() ? List.of() : List.of(selected), false);
    }
}
