package io.ferronet.bench.compression;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** What is compressed. */
final class Documents {
    private static final String[] WORDS = {"account", "balance", "city", "delivery", "error", "february", "grey", "height", "invoice", "june",
        "kilogram", "limit", "message", "number", "order", "price", "quantity", "region", "street", "total", "unit", "value", "weight"};

    private Documents() {
    }

    /** Records that differ in every value. */
    static byte[] varied(int length) {
        Random random = new Random(4711);
        StringBuilder text = new StringBuilder("[");
        while (text.length() < length) {
            text.append("{\"id\":").append(random.nextInt(1_000_000)).append(",\"name\":\"").append(word(random)).append(' ').append(word(random))
                .append(' ').append(random.nextInt(1000)).append("\",\"amount\":").append(random.nextInt(100_000)).append('.')
                .append(random.nextInt(100)).append(",\"token\":\"").append(Long.toHexString(random.nextLong())).append("\",\"active\":")
                .append(random.nextBoolean()).append(",\"").append(word(random)).append("\":[").append(random.nextInt(100)).append("]},");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    /** Records that differ in a number only. */
    static byte[] repetitive(int length) {
        StringBuilder text = new StringBuilder("[");
        for (int id = 0; text.length() < length; id++) {
            text.append("{\"id\":").append(id).append(",\"name\":\"item-").append(id)
                .append("\",\"price\":12.5,\"tags\":[\"new\",\"sale\"],\"active\":true},");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    private static String word(Random random) {
        return WORDS[random.nextInt(WORDS.length)];
    }
}
