package io.ferronet.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** The documents that never change, in direct memory that all responses share. */
final class Documents {
    /** Length of {@link #json()}. */
    static final int JSON_LENGTH = 128 * 1024;

    private static final ByteBuf HELLO = shared("Hello, World!");
    private static final ByteBuf JSON = shared(jsonText());

    private Documents() {
    }

    static ByteBuf hello() {
        return HELLO.duplicate();
    }

    static ByteBuf json() {
        return JSON.duplicate();
    }

    private static ByteBuf shared(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Unpooled.unreleasableBuffer(Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes));
    }

    private static String jsonText() {
        StringBuilder text = new StringBuilder(JSON_LENGTH).append("{\"items\":[");
        String end = "],\"padding\":\"\"}";
        for (int id = 0;; id++) {
            String item = (id == 0 ? "" : ",") + "{\"id\":" + id + ",\"name\":\"item-" + id + "\",\"price\":" + id * 37 % 1000 + "." + id % 10
                + ",\"tags\":[\"t" + id % 7 + "\",\"t" + id % 11 + "\"],\"active\":" + (id % 3 == 0) + "}";
            if (text.length() + item.length() + end.length() > JSON_LENGTH) {
                break;
            }
            text.append(item);
        }
        int padding = JSON_LENGTH - text.length() - end.length();
        return text.append("],\"padding\":\"").append("x".repeat(padding)).append("\"}").toString();
    }
}
