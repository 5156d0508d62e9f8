package io.ferronet.api;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The rule, on the case table that Rust and C run, too. */
class AbiCheckTest {
    private static final List<String> NUMBERS = List.of("magic", "size", "revision", "floor", "features", "fingerprint", "built_for", "minimum",
        "required", "expected");

    @TestFactory
    Stream<DynamicTest> sharedCases() throws IOException {
        List<String> lines = Files.readAllLines(Path.of(System.getProperty("ferronet.root"), "verify", "abi", "cases.txt")).stream()
            .filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
        assertTrue(lines.size() >= 30, "only " + lines.size() + " cases");
        return lines.stream().map(AbiCheckTest::parse).map(values -> DynamicTest.dynamicTest(values.get("id"), () -> run(values)));
    }

    private static Map<String, String> parse(String line) {
        Map<String, String> values = new HashMap<>();
        int message = line.indexOf("message=");
        values.put("message", line.substring(message + "message=".length()));
        for (String pair : line.substring(0, message).trim().split(" ")) {
            int equals = pair.indexOf('=');
            values.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return values;
    }

    private static void run(Map<String, String> values) {
        Map<String, Long> number = new HashMap<>();
        NUMBERS.forEach(name -> number.put(name, number(values.get(name))));
        AbiInfo info = new AbiInfo(number.get("magic").intValue(), number.get("size").intValue(), number.get("revision").intValue(),
            number.get("floor").intValue(), 0, 0, number.get("features"), number.get("fingerprint"), "", "", "");
        AbiRequirement required = new AbiRequirement(number.get("built_for").intValue(), number.get("minimum").intValue(),
            number.get("expected"), number.get("required"), "test");
        String outcome = values.get("outcome");
        if (outcome.equals("FERRONET_OK")) {
            assertEquals("", values.get("message"));
            assertDoesNotThrow(() -> AbiCheck.verify(info, required, "FILE"));
        } else {
            AbiMismatchException refused = assertThrows(AbiMismatchException.class, () -> AbiCheck.verify(info, required, "FILE"));
            assertEquals(values.get("message"), refused.getMessage());
            assertEquals(outcome, Status.name(refused.status()));
            assertEquals(LibraryLoadException.Kind.ABI_MISMATCH, refused.kind());
        }
    }

    private static long number(String text) {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
    }

    @Test
    void aBlockIsReadFieldByField() {
        ByteBuffer block = ByteBuffer.allocate(AbiInfo.SIZE).order(ByteOrder.nativeOrder());
        for (int i = 0; i < 6; i++) {
            block.putInt(4 * i, i + 1);
        }
        block.putLong(24, 7).putLong(32, 8);
        block.put(40, "a version of 24 bytes..!".getBytes(StandardCharsets.US_ASCII));
        block.put(64, "target".getBytes(StandardCharsets.US_ASCII));
        assertEquals(new AbiInfo(1, 2, 3, 4, 5, 6, 7, 8, "a version of 24 bytes..!", "target", ""), AbiInfo.read(block));
    }
}
