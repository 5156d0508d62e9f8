package io.ferronet.conformance.tls;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which methods of a test class lead to a call of {@code SslContext.newHandler}, by themselves or through methods and inner classes of the same class. */
final class HandlerCalls {
    /** Owner and name; overloads are one, which may find a method too much but none too few. */
    private final Map<String, Set<String>> calls = new HashMap<>();
    private final Set<String> handlers = new HashSet<>();
    private final String outer;

    private HandlerCalls(String outer) {
        this.outer = outer;
    }

    static Set<String> of(Class<?> type) throws IOException {
        HandlerCalls found = new HandlerCalls(type.getName().replace('.', '/'));
        found.read(found.outer, new HashSet<>());
        Set<String> names = new TreeSet<>();
        for (String method : found.calls.keySet()) {
            if (method.startsWith(found.outer + ".") && found.reaches(method)) {
                names.add(method.substring(method.indexOf('.') + 1));
            }
        }
        return names;
    }

    private boolean isInside(String owner) {
        return owner.equals(outer) || owner.startsWith(outer + "$");
    }

    private void read(String owner, Set<String> seen) throws IOException {
        if (!seen.add(owner)) {
            return;
        }
        ClassModel model;
        try (InputStream source = HandlerCalls.class.getClassLoader().getResourceAsStream(owner + ".class")) {
            model = ClassFile.of().parse(source.readAllBytes());
        }
        Set<String> inner = new TreeSet<>();
        for (MethodModel method : model.methods()) {
            String name = owner + "." + method.methodName().stringValue();
            Set<String> called = calls.computeIfAbsent(name, key -> new HashSet<>());
            method.code().ifPresent(code -> {
                for (CodeElement element : code) {
                    if (element instanceof InvokeInstruction call) {
                        note(name, call.owner().asInternalName(), call.name().stringValue(), called, inner);
                    } else if (element instanceof InvokeDynamicInstruction call) {
                        for (ConstantDesc argument : call.bootstrapArgs()) {
                            if (argument instanceof DirectMethodHandleDesc handle) {
                                String descriptor = handle.owner().descriptorString();
                                note(name, descriptor.substring(1, descriptor.length() - 1), handle.methodName(), called, inner);
                            }
                        }
                    }
                }
            });
        }
        for (String next : inner) {
            read(next, seen);
        }
    }

    private void note(String caller, String owner, String name, Set<String> called, Set<String> inner) {
        if (owner.equals("io/netty/handler/ssl/SslContext") && name.equals("newHandler")) {
            handlers.add(caller);
        }
        if (isInside(owner)) {
            inner.add(owner);
            called.add(owner + "." + name);
            if (name.equals("<init>") && !owner.equals(outer)) {
                // Whoever makes an object of an inner class has its methods called.
                called.add(owner + ".*");
            }
        }
    }

    private boolean reaches(String method) {
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of(method));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (!seen.add(next)) {
                continue;
            }
            if (handlers.contains(next)) {
                return true;
            }
            if (next.endsWith(".*")) {
                String owner = next.substring(0, next.length() - 1);
                calls.keySet().stream().filter(name -> name.startsWith(owner)).forEach(open::add);
            } else {
                open.addAll(calls.getOrDefault(next, Set.of()));
            }
        }
        return false;
    }
}
