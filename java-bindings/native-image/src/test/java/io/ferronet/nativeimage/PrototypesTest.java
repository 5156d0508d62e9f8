package io.ferronet.nativeimage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.graalvm.nativeimage.IsolateThread;
import org.graalvm.nativeimage.c.function.CEntryPoint;
import org.graalvm.nativeimage.c.function.CFunction;
import org.junit.jupiter.api.Test;

/** No compiler compares the image's functions with the header; this does. */
class PrototypesTest {
    private static final Path HEADERS = Path.of(System.getProperty("ferronet.root"), "headers");

    /** Types of Java: the result first. */
    private static List<String> types(String result, String parameters) {
        Stream<String> arguments = parameters.equals("void") ? Stream.of() : Arrays.stream(parameters.split(","));
        return Stream.concat(Stream.of(result), arguments).map(PrototypesTest::type).toList();
    }

    private static String type(String c) {
        if (c.contains("*") || c.contains("_callback") || c.contains("int64_t")) {
            return "long";
        }
        return c.contains("int32_t") ? "int" : c.strip();
    }

    private static String header() throws IOException {
        return Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL).matcher(Files.readString(HEADERS.resolve("ferronet.h"))).replaceAll(" ").replaceAll("\\s+", " ");
    }

    @Test
    void everyExportedFunctionHasTheHeadersTypes() throws IOException {
        Map<String, List<String>> declared = new TreeMap<>();
        Matcher prototype = Pattern.compile("((?:const )?\\w+ \\**)(ferronet_\\w+)\\(([^()]*)\\);").matcher(header());
        while (prototype.find()) {
            declared.put(prototype.group(2), types(prototype.group(1), prototype.group(3)));
        }
        Map<String, List<String>> bound = new TreeMap<>();
        for (Method method : Functions.class.getDeclaredMethods()) {
            if (method.getName().equals("imageCallbacks")) {
                continue;
            }
            List<String> types = Stream.concat(Stream.of(method.getReturnType()), Arrays.stream(method.getParameterTypes())).map(Class::getName).toList();
            bound.put(method.getAnnotation(CFunction.class).value(), types);
        }
        try (Stream<String> lines = Files.lines(HEADERS.resolve("exports.txt"))) {
            List<String> exports = lines.filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
            assertEquals(new TreeSet<>(exports), bound.keySet());
        }
        bound.forEach((name, types) -> assertEquals(declared.get(name), types, name));
    }

    @Test
    void everyCallbackHasTheHeadersTypes() throws Exception {
        Map<String, List<String>> declared = new TreeMap<>();
        Matcher callback = Pattern.compile("typedef (\\w+) \\(\\*ferronet_(?:tls_)?(\\w+)_callback\\)\\(([^()]*)\\);").matcher(header());
        while (callback.find()) {
            declared.put(callback.group(2).replace("key_log", "keyLog"), types(callback.group(1), callback.group(3)));
        }
        assertEquals(5, declared.size(), declared.toString());
        // Not initialized: its constants are made by the builder.
        Map<String, List<String>> methods = new TreeMap<>();
        for (Method method : Class.forName("io.ferronet.nativeimage.Upcalls", false, getClass().getClassLoader()).getDeclaredMethods()) {
            CEntryPoint entry = method.getAnnotation(CEntryPoint.class);
            if (entry != null && entry.builtin() == CEntryPoint.Builtin.NO_BUILTIN) {
                assertEquals(IsolateThread.class, method.getParameterTypes()[0], method.getName());
                methods.put(method.getName(), Stream.concat(Stream.of(method.getReturnType()), Arrays.stream(method.getParameterTypes()))
                    .map(type -> type == IsolateThread.class ? "long" : type.getName()).toList());
            }
        }
        // The thread is where the callback has its context; behind it the receiver's number.
        List<String> log = new ArrayList<>(declared.get("log"));
        log.add(2, "long");
        declared.put("log", log);
        assertEquals(declared, methods);
    }
}
