package io.ferronet.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The file of {@code openssl -msg -msgfile}: all handshake messages as openssl itself has sent or read them, those that were encrypted too. */
final class MessageLog {
    private static final String SENT = ">>> ";
    private static final String READ = "<<< ";

    private MessageLog() {
    }

    /** The handshake messages of one connection. */
    private record Connection(List<byte[]> sent, List<byte[]> read) {
    }

    /** What the connection of a number, counted from 0, has negotiated. */
    static Negotiation read(Path file, boolean client, int number) throws IOException {
        List<Connection> connections = new ArrayList<>();
        for (Message message : messages(Files.readAllLines(file))) {
            if (message.bytes[0] == Negotiation.CLIENT_HELLO) {
                connections.add(new Connection(new ArrayList<>(), new ArrayList<>()));
            }
            Connection last = connections.get(connections.size() - 1);
            (message.sent ? last.sent : last.read).add(message.bytes);
        }
        if (number >= connections.size()) {
            throw new IllegalStateException("openssl has seen " + connections.size() + " connections, not " + (number + 1));
        }
        Connection connection = connections.get(number);
        return client ? Negotiation.of(connection.sent, connection.read) : Negotiation.of(connection.read, connection.sent);
    }

    /** How many messages of a type were sent, or read. */
    static long count(Path file, boolean sent, int type) throws IOException {
        return messages(Files.readAllLines(file)).stream().filter(message -> message.sent == sent && message.bytes[0] == type).count();
    }

    private record Message(boolean sent, byte[] bytes) {
    }

    private static List<Message> messages(List<String> lines) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if ((line.startsWith(SENT) || line.startsWith(READ)) && line.contains(", Handshake [length ")) {
                StringBuilder digits = new StringBuilder();
                while (i + 1 < lines.size() && lines.get(i + 1).startsWith(" ")) {
                    digits.append(lines.get(++i).replace(" ", ""));
                }
                messages.add(new Message(line.startsWith(SENT), HexFormat.of().parseHex(digits)));
            }
        }
        return messages;
    }
}
