package io.ferronet.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/** The bodies, each held once in a direct buffer, and the responses around them. */
final class Responses {
    private static final int JSON_LENGTH = 128 * 1024;

    private final ByteBuf hello = direct("Hello, World!".getBytes(StandardCharsets.US_ASCII));
    private final ByteBuf json = direct(document());

    /** Returns a new response for the path, whose body shares the buffer. */
    FullHttpResponse responseTo(String path) {
        return switch (path) {
            case "/" -> response(HttpResponseStatus.OK, hello, HttpHeaderValues.TEXT_PLAIN);
            case "/json" -> response(HttpResponseStatus.OK, json, HttpHeaderValues.APPLICATION_JSON);
            default -> response(HttpResponseStatus.NOT_FOUND, Unpooled.EMPTY_BUFFER, HttpHeaderValues.TEXT_PLAIN);
        };
    }

    private static FullHttpResponse response(HttpResponseStatus status, ByteBuf body, AsciiString type) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body.retainedDuplicate());
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        return response;
    }

    private static ByteBuf direct(byte[] bytes) {
        return Unpooled.unreleasableBuffer(Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes));
    }

    private static byte[] document() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; text.length() < JSON_LENGTH - 128; i++) {
            text.append("{\"id\":").append(i).append(",\"name\":\"item-").append(Integer.toHexString(i * 0x9E3779B1))
                    .append("\",\"price\":").append(i * 7919 % 100000).append("},");
        }
        text.append('"');
        while (text.length() < JSON_LENGTH - 2) {
            text.append('x');
        }
        return text.append("\"]").toString().getBytes(StandardCharsets.US_ASCII);
    }
}
