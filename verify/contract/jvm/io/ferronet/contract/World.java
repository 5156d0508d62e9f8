package io.ferronet.contract;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** What a case works on: named handles, sockets and operations, the step at hand, and the last structure that was read. */
final class World {
    static final class RuntimeHandle {
        long pointer;
        boolean freed;
        final AtomicInteger logLines = new AtomicInteger();
    }

    final FerronetBinding binding;
    final Suite suite;
    final Script script;
    final long backend;
    final long limitNanos;
    final Map<String, RuntimeHandle> runtimes = new HashMap<>();
    final Map<String, Loop> loops = new HashMap<>();
    final Map<String, Sock> sockets = new HashMap<>();
    final List<Sock> allSockets = new ArrayList<>();
    final Map<String, Operation> operations = new HashMap<>();
    /** By {@code user_data} - 1. They keep the memory of everything in flight. */
    final List<Operation> allOperations = new ArrayList<>();
    final Map<String, CodecSteps.Stream> streams = new HashMap<>();
    final Map<String, ByteBuffer> documents = new HashMap<>();
    final Map<String, TlsSteps.Item> tls = new HashMap<>();
    /** Also those whose name was given again. */
    final List<TlsSteps.Item> allTls = new ArrayList<>();
    final List<Thread> threads = new ArrayList<>();
    final ByteBuffer record = allocate(256);
    Fields fields;
    Loop current;
    Step step;
    long order;

    World(FerronetBinding binding, Suite suite, Script script, long backend, long limitNanos) {
        this.binding = binding;
        this.suite = suite;
        this.script = script;
        this.backend = backend;
        this.limitNanos = limitNanos;
    }

    static ByteBuffer allocate(int size) {
        return ByteBuffer.allocateDirect(Math.max(size, 1)).order(ByteOrder.nativeOrder());
    }

    long address(ByteBuffer buffer) {
        return binding.addressOf(buffer);
    }

    Failure failure(String format, Object... args) {
        return new Failure(script.file() + ":" + (step == null ? 0 : step.line()) + ": " + String.format(format, args));
    }

    String word(int index) {
        if (index >= step.words().size()) {
            throw failure("%s: word %d is missing", step.name(), index);
        }
        return step.words().get(index);
    }

    int words() {
        return step.words().size();
    }

    String text(String key, String otherwise) {
        for (String word : step.words()) {
            if (word.startsWith(key + "=")) {
                return word.substring(key.length() + 1);
            }
        }
        return otherwise;
    }

    long number(String word) {
        if (word.equals("BACKEND")) {
            return backend;
        }
        Long value = suite.number(word);
        if (value == null) {
            throw failure("%s is neither a number nor a constant", word);
        }
        return value;
    }

    long number(int index) {
        return number(word(index));
    }

    long arg(String key, long otherwise) {
        String text = text(key, null);
        return text == null ? otherwise : number(text);
    }

    boolean has(String flag) {
        return step.words().subList(1, step.words().size()).contains(flag);
    }

    boolean compare(long left, String operator, long right) {
        return switch (operator) {
            case "==" -> left == right;
            case "!=" -> left != right;
            case "<" -> left < right;
            case "<=" -> left <= right;
            case ">" -> left > right;
            case ">=" -> left >= right;
            case "has" -> (left & right) == right;
            default -> throw failure("unknown comparison %s", operator);
        };
    }

    private boolean matches(String wanted, long value) {
        if (wanted.equals("ok")) {
            return value >= 0;
        }
        if (wanted.startsWith("<") || wanted.startsWith(">")) {
            String operator = wanted.startsWith("=", 1) ? wanted.substring(0, 2) : wanted.substring(0, 1);
            return compare(value, operator, number(wanted.substring(operator.length())));
        }
        Long exact = suite.number(wanted);
        if (exact != null) {
            return value == exact;
        }
        return value < 0 && binding.statusName((int) value).equals(wanted);
    }

    /** Compares a result with the step's expectation. */
    void expect(long value) {
        for (String wanted : step.expect().split("\\|")) {
            if (matches(wanted, value)) {
                return;
            }
        }
        throw failure("%s: expected %s, got %d %s", step.name(), step.expect(), value, value < 0 ? binding.statusName((int) value) : "");
    }

    /** A status that must be a success. */
    long must(String what, long status) {
        if (status < 0) {
            throw failure("%s: %s", what, binding.statusName((int) status));
        }
        return status;
    }

    long handle(String name) {
        if (name.equals("null")) {
            return 0;
        }
        Loop loop = loops.get(name);
        if (loop != null) {
            return loop.reactor;
        }
        CodecSteps.Stream stream = streams.get(name);
        if (stream != null) {
            return stream.pointer;
        }
        TlsSteps.Item item = tls.get(name);
        if (item != null) {
            return item.pointer;
        }
        RuntimeHandle runtime = runtimes.get(name);
        if (runtime == null) {
            throw failure("no handle %s", name);
        }
        return runtime.pointer;
    }

    RuntimeHandle runtime(String name) {
        RuntimeHandle runtime = runtimes.get(name);
        if (runtime == null) {
            throw failure("no runtime %s", name);
        }
        return runtime;
    }

    Sock socket(String name) {
        Sock socket = sockets.get(name);
        if (socket == null) {
            throw failure("no socket %s", name);
        }
        return socket;
    }

    Sock newSocket(String name, int descriptor) {
        Sock socket = new Sock(name, descriptor);
        sockets.put(name, socket);
        allSockets.add(socket);
        return socket;
    }

    Operation operation(String name) {
        Operation operation = operations.get(name);
        if (operation == null) {
            throw failure("no operation %s", name);
        }
        return operation;
    }

    void read(Fields fields) {
        this.fields = fields;
    }

    void clearRecord() {
        record.put(0, new byte[record.capacity()]);
    }

    /** Checks that nothing surplus arrives, and frees everything. */
    void close() throws InterruptedException {
        step = null;
        for (Thread thread : threads) {
            thread.join();
        }
        for (Loop loop : loops.values()) {
            if (loop.freed) {
                continue;
            }
            for (int i = 0; i < 3; i++) {
                loop.turn(this, 0, 1_000_000);
            }
            long left = binding.reactorClose(loop.reactor, 1_000_000_000L);
            if (left != 0 && left != Status.CLOSED) {
                throw failure("closing %s at the end: %d", loop.name, left);
            }
            must("freeing " + loop.name + " at the end", binding.reactorFree(loop.reactor));
        }
        CodecSteps.close(this);
        TlsSteps.close(this);
        for (RuntimeHandle runtime : runtimes.values()) {
            if (!runtime.freed) {
                must("detaching at the end", binding.detach(runtime.pointer));
            }
        }
        for (Sock socket : allSockets) {
            if (socket.descriptor >= 0 && socket.number == 0 && !socket.borrowed) {
                binding.socketClose(socket.descriptor);
            }
        }
    }
}
