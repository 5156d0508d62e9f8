package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.FerronetBinding;
import io.ferronet.ffm.Function.Heat;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The registry of functions against the header, the export list, the interface and the rules of the binding. */
class FunctionTest {
    @Test
    void itHoldsExactlyTheExportedFunctions() throws IOException {
        Set<String> exported = Files.readAllLines(Staged.repository("headers/exports.txt")).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#")).map(String::trim).collect(Collectors.toCollection(TreeSet::new));
        Set<String> registered = Arrays.stream(Function.values()).map(Function::symbol).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(exported, registered);
    }

    @Test
    void eachHasAsManyArgumentsAsInTheHeader() throws IOException {
        String header = Files.readString(Staged.repository("headers/ferronet.h"));
        for (Function function : Function.values()) {
            Matcher prototype = Pattern.compile("^[\\w *]+\\b" + function.symbol() + "\\(([^;]*?)\\);", Pattern.MULTILINE | Pattern.DOTALL).matcher(header);
            assertTrue(prototype.find(), function.symbol() + " is not in the header");
            String arguments = prototype.group(1).trim();
            int count = arguments.equals("void") || arguments.isEmpty() ? 0 : arguments.split(",").length;
            assertEquals(count, function.shape().ordinal(), function.symbol());
        }
    }

    @Test
    void thereAreFewShapesAndAllCarryLongs() {
        Set<Shape> shapes = EnumSet.noneOf(Shape.class);
        for (Function function : Function.values()) {
            shapes.add(function.shape());
            FunctionDescriptor descriptor = function.shape().descriptor();
            assertEquals(function.shape().ordinal(), descriptor.argumentLayouts().size());
            assertTrue(descriptor.argumentLayouts().stream().allMatch(ValueLayout.JAVA_LONG::equals));
            assertEquals(ValueLayout.JAVA_LONG, descriptor.returnLayout().orElseThrow());
        }
        assertTrue(shapes.size() <= 7, shapes.toString());
    }

    @Test
    void whatEntersTheKernelIsNeverCritical() {
        for (Function function : Set.of(Function.REACTOR_TURN, Function.REACTOR_SUBMIT, Function.REACTOR_WAKE, Function.REACTOR_ADD)) {
            assertEquals(Heat.HOT, function.heat(), function.symbol());
        }
        for (Function function : Function.values()) {
            assertNotEquals(Heat.CRITICAL, function.heat(), function.symbol());
        }
    }

    @Test
    void eachHasAHolderAndAMethod() {
        Set<String> holders = Arrays.stream(Handles.class.getDeclaredClasses()).map(Class::getSimpleName).collect(Collectors.toSet());
        Set<String> methods = Arrays.stream(FerronetBinding.class.getMethods()).map(method -> method.getName()).collect(Collectors.toSet());
        for (Function function : Function.values()) {
            String name = Arrays.stream(function.name().split("_")).map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
            assertTrue(function == Function.ABI || holders.contains(name), name);
            assertTrue(methods.contains(Character.toLowerCase(name.charAt(0)) + name.substring(1)), name);
        }
        assertEquals(Function.values().length - 1, holders.size());
    }
}
