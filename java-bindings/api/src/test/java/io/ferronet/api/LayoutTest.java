package io.ferronet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every structure and every constant of the C surface, against {@code headers/layout.json}. */
class LayoutTest {
    private static final Map<String, Class<?>> STRUCTS = Map.ofEntries(
        Map.entry("ferronet_abi_info", AbiInfo.class),
        Map.entry("ferronet_attach_params", AttachParams.class),
        Map.entry("ferronet_reactor_config", ReactorConfig.class),
        Map.entry("ferronet_reactor_areas", ReactorAreas.class),
        Map.entry("ferronet_reactor_info", ReactorInfo.class),
        Map.entry("ferronet_caps", Capabilities.class),
        Map.entry("ferronet_submission", Submission.class),
        Map.entry("ferronet_completion", Completion.class),
        Map.entry("ferronet_region", Region.class),
        Map.entry("ferronet_address", Address.class),
        Map.entry("ferronet_deflate_config", DeflateConfig.class),
        Map.entry("ferronet_inflate_config", InflateConfig.class),
        Map.entry("ferronet_codec_progress", CodecProgress.class),
        Map.entry("ferronet_tls_credential_config", TlsCredentialConfig.class),
        Map.entry("ferronet_tls_config", TlsConfig.class),
        Map.entry("ferronet_tls_session_config", TlsSessionConfig.class),
        Map.entry("ferronet_tls_progress", TlsProgress.class),
        Map.entry("ferronet_tls_session_info", TlsSessionInfo.class),
        Map.entry("ferronet_tls_context_info", TlsContextInfo.class),
        Map.entry("ferronet_tls_verification", TlsVerification.class),
        Map.entry("ferronet_tls_choice", TlsChoice.class));

    private static String layout() throws IOException {
        return Files.readString(Path.of(System.getProperty("ferronet.root"), "headers", "layout.json"));
    }

    @Test
    void structuresAreWhereTheHeaderPutsThem() throws Exception {
        Matcher struct = Pattern.compile("\\{\"name\": \"(ferronet_\\w+)\", \"size\": (\\d+), \"align\": \\d+, \"fields\": \\[(.*?)]", Pattern.DOTALL)
            .matcher(layout());
        Set<String> seen = new TreeSet<>();
        while (struct.find()) {
            String name = struct.group(1);
            Class<?> type = STRUCTS.get(name);
            assertNotNull(type, "no Java layout for " + name);
            assertEquals(Integer.parseInt(struct.group(2)), type.getField("SIZE").getInt(null), "size of " + name);
            Map<String, Integer> expected = new LinkedHashMap<>();
            Matcher field = Pattern.compile("\"name\": \"(\\w+)\", \"offset\": (\\d+)").matcher(struct.group(3));
            while (field.find()) {
                expected.put("OFFSET_" + field.group(1).toUpperCase(Locale.ROOT), Integer.valueOf(field.group(2)));
            }
            assertEquals(expected, offsets(type), name);
            seen.add(name);
        }
        assertEquals(new TreeSet<>(STRUCTS.keySet()), seen);
    }

    private static Map<String, Integer> offsets(Class<?> type) {
        return Arrays.stream(type.getFields()).filter(field -> field.getName().startsWith("OFFSET_"))
            .collect(Collectors.toMap(Field::getName, field -> (int) value(field), (a, b) -> a, LinkedHashMap::new));
    }

    @Test
    void constantsAreTheHeaders() throws Exception {
        Matcher constant = Pattern.compile("\\{\"name\": \"FERRONET_(\\w+)\", \"value\": (-?\\d+)}").matcher(layout());
        int count = 0;
        while (constant.find()) {
            assertEquals(Long.parseLong(constant.group(2)), java(constant.group(1)), constant.group(1));
            count++;
        }
        assertTrue(count > 100, "only " + count + " constants found");
    }

    @Test
    void theFingerprintIsTheHeaders() throws IOException {
        Matcher fingerprint = Pattern.compile("\"fingerprint\": \"0x([0-9a-f]{16})\"").matcher(layout());
        assertTrue(fingerprint.find());
        assertEquals(fingerprint.group(1), String.format("%016x", AbiRequirement.CURRENT.fingerprint()));
    }

    /** The Java value of a constant, by its name without {@code FERRONET_}. */
    private static long java(String name) throws ReflectiveOperationException {
        String[] parts = name.split("_", 2);
        return switch (parts[0]) {
            case "OK" -> Status.OK;
            case "ERR" -> value(Status.class.getField(parts[1]));
            case "OP" -> value(Submission.class.getField("OP_" + parts[1]));
            case "SUBMIT" -> value(Submission.class.getField("FLAG_" + parts[1]));
            case "POLL", "SHUTDOWN" -> value(Submission.class.getField(name));
            case "COMPLETE" -> value(Completion.class.getField("FLAG_" + parts[1]));
            case "FAMILY" -> value(Address.class.getField(name));
            case "SOCKET" -> value(Address.class.getField("KIND_" + parts[1]));
            case "REACTOR" -> value(ReactorConfig.class.getField("FLAG_" + parts[1]));
            case "CODEC" -> value(Codec.class.getField(parts[1]));
            case "FLUSH" -> value(Codec.class.getField(name));
            case "LEVEL", "STRATEGY" -> value(DeflateConfig.class.getField(name));
            case "INFLATE" -> value(InflateConfig.class.getField("FLAG_" + parts[1]));
            case "TLS" -> value(Tls.class.getField(parts[1]));
            case "OPTION" -> value(SocketOption.class.getField(parts[1]));
            case "FEATURE" -> value(Feature.class.getField(parts[1]));
            case "RING" -> value(RingFeature.class.getField(parts[1]));
            case "LOG" -> value(LogReceiver.class.getField(parts[1]));
            case "BACKEND" -> Backend.valueOf(parts[1]).number();
            case "REASON" -> Reason.valueOf(parts[1]).number();
            case "ABI" -> switch (parts[1]) {
                case "MAGIC" -> AbiInfo.MAGIC;
                case "REVISION" -> AbiRequirement.CURRENT.builtFor();
                // A promise of the library to others; these modules need more.
                case "FLOOR" -> 1;
                default -> value(AbiInfo.class.getField("FLAG_" + parts[1]));
            };
            default -> throw new AssertionError("no Java constant for FERRONET_" + name);
        };
    }

    private static long value(Field field) {
        try {
            return ((Number) field.get(null)).longValue();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
