package io.ferronet.netty.compression;

import java.nio.charset.StandardCharsets;
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

    static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(99).nextBytes(bytes);
        return bytes;
    }

    static Map<String, byte[]> documents() {
        Map<String, byte[]> documents = new LinkedHashMap<>();
        documents.put("one byte", new byte[] {'x'});
        documents.put("zeros", new byte[100_000]);
        documents.put("noise", noise(70_000));
        documents.put("repetitive", repetitiveJson(100_000));
        for (int base : new int[] {512, 4096, 65_536, 131_072}) {
            for (int length = base - 1; length <= base + 1; length++) {
                documents.put("varied of " + length, variedJson(length));
            }
        }
        return documents;
    }
}
