package io.ferronet.conformance.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ssl.SSLEngineTest;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** {@code methods.tsv} against Netty's test classes and our sources: no method of theirs without a row, and no row without a test. */
class MethodsTest {
    private static final String NETTY = "io.netty.handler.ssl.";
    private static final List<String> CLASSES =
        List.of("SslHandlerTest", "ParameterizedSslHandlerTest", "SniHandlerTest", "SniClientTest", "SslErrorTest", "CloseNotifyTest", "RenegotiateTest");
    private static final List<Class<? extends Annotation>> TESTS = List.of(Test.class, ParameterizedTest.class, RepeatedTest.class);

    private record Row(String type, String method, String cover) {
    }

    private static Path file(String name) {
        return Path.of(System.getProperty("basedir"), name);
    }

    private static Stream<String[]> table(String name) throws IOException {
        return Files.readAllLines(file(name)).stream().filter(line -> !line.startsWith("#")).map(line -> line.split("\t"));
    }

    private static List<Row> rows() throws IOException {
        return table("methods.tsv").map(fields -> {
            assertEquals(3, fields.length, () -> "methods.tsv: " + String.join(" ", fields));
            return new Row(fields[0], fields[1], fields[2]);
        }).toList();
    }

    private static Set<String> testsOf(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Method method : type.getDeclaredMethods()) {
            if (Arrays.stream(method.getAnnotations()).anyMatch(annotation -> TESTS.contains(annotation.annotationType()))) {
                names.add(type.getSimpleName() + " " + method.getName());
            }
        }
        return names;
    }

    @Test
    void everyMethodOfNettysHasARow() throws Exception {
        Set<String> expected = new TreeSet<>();
        for (String name : CLASSES) {
            Set<String> found = testsOf(Class.forName(NETTY + name));
            assertTrue(!found.isEmpty(), () -> name + " has no tests");
            expected.addAll(found);
        }
        Set<String> reaching = HandlerCalls.of(SSLEngineTest.class);
        testsOf(SSLEngineTest.class).stream().filter(test -> reaching.contains(test.substring(test.indexOf(' ') + 1))).forEach(expected::add);
        List<String> listed = rows().stream().map(row -> row.type + " " + row.method).sorted().toList();
        assertEquals(String.join("\n", expected), String.join("\n", listed));
    }

    @Test
    void everyRowNamesATestThatIsRun() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (Row row : rows()) {
            String[] cover = row.cover.split("#");
            String method = cover.length > 1 ? cover[1] : row.method;
            String[] place = cover[0].split("/");
            boolean found = place[0].equals("own") ? isOurs(place[1], method) : isRun(row, place[0], place[1], method);
            if (!found) {
                wrong.add(row.toString());
            }
        }
        assertEquals("", String.join("\n", wrong));
    }

    /** A test of the Netty module. */
    private static boolean isOurs(String type, String method) throws IOException {
        Path sources = Path.of(System.getProperty("ferronet.root"), "java-bindings/netty/src/test/java/io/ferronet/netty/ssl");
        Path source = sources.resolve(type + ".java");
        return Files.exists(source)
            && Pattern.compile("@(?:Parameterized)?Test\\b(?:(?!\\bvoid\\b).)*\\bvoid " + method + "\\(", Pattern.DOTALL).matcher(Files.readString(source)).find();
    }

    /** A class that classes.tsv has run in the place, which is the row's or extends it, and of which the method is not left out. */
    private static boolean isRun(Row row, String place, String type, String method) throws Exception {
        boolean own = Files.exists(file("src/test/java/io/ferronet/conformance/tls/" + type + ".java"));
        Class<?> run = Class.forName((own ? MethodsTest.class.getPackageName() + "." : NETTY) + type);
        Class<?> theirs = Class.forName(NETTY + row.type);
        return theirs.isAssignableFrom(run) && testsOf(theirs).contains(row.type + " " + method)
            && table("classes.tsv").anyMatch(fields -> fields[0].equals(place) && includes(fields[1], type, method));
    }

    private static boolean includes(String tests, String type, String method) {
        String[] parts = tests.split("[#!]");
        if (!parts[0].equals(type)) {
            return false;
        }
        boolean named = parts.length > 1 && Arrays.stream(parts[1].split("\\+")).anyMatch(pattern -> method.matches(pattern.replace("*", ".*")));
        return parts.length == 1 || (tests.contains("#") == named);
    }
}
