package io.ferronet.netty.ssl;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Collects a client's first message, which may come in several records. */
final class ClientHelloReader {
    /** What is longer is left to the library to refuse. */
    private static final int LONGEST = 1 << 16;

    private final ByteArrayOutputStream records = new ByteArrayOutputStream();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private boolean over;

    /**
     * Takes a record.
     *
     * @param source where it begins
     * @param length its bytes
     * @return what the message says, or {@code null} if more has to come or {@link #isOver()}
     */
    Hellos.Client add(ByteBuffer source, int length) {
        byte[] bytes = new byte[length];
        source.get(source.position(), bytes);
        records.writeBytes(bytes);
        if (!Hellos.isHandshake(source)) {
            over = true;
            return null;
        }
        content.write(bytes, TlsRecords.HEADER, length - TlsRecords.HEADER);
        ByteBuffer message = ByteBuffer.wrap(content.toByteArray());
        int whole = Hellos.clientHelloLength(message);
        if (whole > 0 && whole <= message.remaining()) {
            return Hellos.client(message.limit(whole));
        }
        over = whole == 0 || whole > LONGEST || records.size() > 2 * LONGEST;
        return null;
    }

    /** Whether no message will come of this; the library finds out what is wrong with it. */
    boolean isOver() {
        return over;
    }

    /** All records, in direct memory. */
    ByteBuffer records() {
        byte[] all = records.toByteArray();
        return ByteBuffer.allocateDirect(all.length).put(all).flip();
    }

    /** A protocol that is not among these, so that there is none in common. */
    static String nothingOf(List<String> protocols) {
        StringBuilder name = new StringBuilder("none");
        while (protocols.contains(name.toString())) {
            name.append('-');
        }
        return name.toString();
    }
}
