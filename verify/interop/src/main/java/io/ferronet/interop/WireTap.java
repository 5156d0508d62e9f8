package io.ferronet.interop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Notes the handshake messages that pass in clear, below the TLS handler, and changes nothing. */
final class WireTap extends ChannelDuplexHandler {
    private static final int RECORD_HEADER = 5;
    private static final int MESSAGE_HEADER = 4;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;

    private final Direction received = new Direction();
    private final Direction sent = new Direction();
    private final boolean client;

    WireTap(boolean client) {
        this.client = client;
    }

    /** The handshake messages of one side, until its first record of another kind; a warning may stand between them. */
    private static final class Direction {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        synchronized void add(ByteBuf data) {
            byte[] copy = new byte[data.readableBytes()];
            data.getBytes(data.readerIndex(), copy);
            bytes.writeBytes(copy);
        }

        synchronized List<byte[]> messages() {
            byte[] all = bytes.toByteArray();
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            for (int at = 0; at + RECORD_HEADER <= all.length && (all[at] == HANDSHAKE || all[at] == ALERT);) {
                int length = number(all, at + 3, 2);
                if (all[at] == HANDSHAKE) {
                    stream.write(all, at + RECORD_HEADER, Math.min(length, all.length - at - RECORD_HEADER));
                }
                at += RECORD_HEADER + length;
            }
            byte[] plain = stream.toByteArray();
            List<byte[]> messages = new ArrayList<>();
            for (int at = 0; at + MESSAGE_HEADER <= plain.length;) {
                int end = at + MESSAGE_HEADER + number(plain, at + 1, 3);
                if (end > plain.length) {
                    break;
                }
                messages.add(Arrays.copyOfRange(plain, at, end));
                at = end;
            }
            return messages;
        }

        private static int number(byte[] bytes, int at, int length) {
            int number = 0;
            for (int i = at; i < at + length; i++) {
                number = number << Byte.SIZE | Byte.toUnsignedInt(bytes[i]);
            }
            return number;
        }
    }

    Negotiation negotiation() {
        return client ? Negotiation.of(sent.messages(), received.messages()) : Negotiation.of(received.messages(), sent.messages());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf data) {
            received.add(data);
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf data) {
            sent.add(data);
        }
        context.write(message, promise);
    }
}
