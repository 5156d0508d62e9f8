package io.ferronet.netty.compression;

import io.netty.handler.codec.compression.ZlibWrapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Documents of several shapes. */
final class Corpus {
    private static final String[] WORDS = {"account", "balance", "city", "delivery", "error", "grey", "height", "invoice", "limit", "message"};

    private Corpus() {
    }

    static byte[] variedJson(int length) {
        Random random = new Random(4711);
        StringBuilder text = new StringBuilder("[");
        while (text.length() < length) {
            text.append("{\"id\":").append(random.nextInt(1_000_000)).append(",\"name\":\"").append(WORDS[random.nextInt(WORDS.length)]).append(' ')
                .append(random.nextInt(1000)).append("\",\"token\":\"").append(Long.toHexString(random.nextLong())).append("\"},");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] repetitiveJson(int length) {
        StringBuilder text = new StringBuilder("[");
        for (int id = 0; text.length() < length; id++) {
            text.append("{\"id\":").append(id).append(",\"name\":\"item\",\"tags\":[\"new\",\"sale\"],\"active\":true},");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    /** Records that differ in every value, as {@code verify/bench/compression} has them. */
    static byte[] records(int length) {
        String[] words = {"account", "balance", "city", "delivery", "error", "february", "grey", "height", "invoice", "june", "kilogram", "limit", "message",
            "number", "order", "price", "quantity", "region", "street", "total", "unit", "value", "weight"};
        Random random = new Random(4711);
        StringBuilder text = new StringBuilder("[");
        while (text.length() < length) {
            text.append("{\"id\":").append(random.nextInt(1_000_000)).append(",\"name\":\"").append(words[random.nextInt(words.length)]).append(' ')
                .append(words[random.nextInt(words.length)]).append(' ').append(random.nextInt(1000)).append("\",\"amount\":")
                .append(random.nextInt(100_000)).append('.').append(random.nextInt(100)).append(",\"token\":\"")
                .append(Long.toHexString(random.nextLong())).append("\",\"active\":").append(random.nextBoolean()).append(",\"")
                .append(words[random.nextInt(words.length)]).append("\":[").append(random.nextInt(100)).append("]},");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    /** Records that differ in a number only, as {@code verify/bench/compression} has them. */
    static byte[] items(int length) {
        StringBuilder text = new StringBuilder("[");
        for (int id = 0; text.length() < length; id++) {
            text.append("{\"id\":").append(id).append(",\"name\":\"item-").append(id)
                .append("\",\"price\":12.5,\"tags\":[\"new\",\"sale\"],\"active\":true},");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    /** Parts that differ, so that one code does not suit them all. */
    static byte[] mixed() {
        return concatenated(html(40_000), noise(30_000), prose(30_000), Base64.getEncoder().encode(noise(30_000)), variedJson(30_000));
    }

    private static byte[] concatenated(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    static byte[] html(int length) {
        Random random = new Random(77);
        StringBuilder text = new StringBuilder("<!doctype html>\n<html><body>\n<table>\n");
        while (text.length() < length) {
            text.append("  <tr class=\"row\"><td>").append(random.nextInt(500)).append("</td><td><a href=\"/item/").append(random.nextInt(9999)).append("\">")
                .append(WORDS[random.nextInt(WORDS.length)]).append("</a></td></tr>\n");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] prose(int length) {
        Random random = new Random(99);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(random.nextInt(9) == 0 ? ".\n" : " ");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    /** Each symbol occurs as often as the two before it together: the deepest tree that a document of that length can have. */
    static byte[] fibonacci(int length) {
        byte[] bytes = new byte[length];
        int filled = 0;
        for (int symbol = 0, count = 1, next = 1; filled < length; symbol++) {
            for (int i = 0; i < count && filled < length; i++) {
                bytes[filled++] = (byte) symbol;
            }
            int sum = count + next;
            count = next;
            next = sum;
        }
        // In random order: else each symbol were one long match.
        Random random = new Random(5);
        for (int i = length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            byte kept = bytes[i];
            bytes[i] = bytes[other];
            bytes[other] = kept;
        }
        return bytes;
    }

    static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(99).nextBytes(bytes);
        return bytes;
    }

    /** The beginning, again and again. */
    static byte[] periodic(byte[] beginning, int length) {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at++) {
            bytes[at] = beginning[at % beginning.length];
        }
        return bytes;
    }

    static Map<String, byte[]> documents() {
        Map<String, byte[]> documents = new LinkedHashMap<>();
        documents.put("one byte", new byte[] {'x'});
        documents.put("zeros", new byte[100_000]);
        documents.put("noise", noise(70_000));
        documents.put("repetitive", repetitiveJson(100_000));
        documents.put("html", html(60_000));
        documents.put("prose", prose(60_000));
        documents.put("Fibonacci's frequencies", fibonacci(60_000));
        documents.put("already compressed", Jdk.compress(ZlibWrapper.GZIP, variedJson(100_000)));
        documents.put("mixed", mixed());
        documents.put("noise and prose", concatenated(noise(60_000), prose(60_000)));
        for (int length : new int[] {1024, 4096, 16 * 1024, 128 * 1024, 1024 * 1024}) {
            documents.put("records of " + length, records(length));
            documents.put("items of " + length, items(length));
        }
        for (int length : new int[] {16 * 1024, 128 * 1024, 1_000_000}) {
            documents.put("zeros of " + length, new byte[length]);
            documents.put("abcabcabd of " + length, periodic("abcabcabd".getBytes(StandardCharsets.US_ASCII), length));
            for (int period : new int[] {2, 31, 100, 251, 259, 300}) {
                documents.put("period " + period + " of " + length, periodic(noise(period), length));
            }
        }
        for (int length : new int[] {16 * 1024, 128 * 1024}) {
            documents.put("html of " + length, html(length));
            documents.put("prose of " + length, prose(length));
        }
        for (int length : new int[] {1000, 4096}) {
            documents.put("repetitive of " + length, repetitiveJson(length));
            documents.put("html of " + length, html(length));
            documents.put("prose of " + length, prose(length));
        }
        for (int base : new int[] {512, 4096, 65_536, 131_072}) {
            for (int length = base - 1; length <= base + 1; length++) {
                documents.put("varied of " + length, variedJson(length));
            }
        }
        return documents;
    }
}
