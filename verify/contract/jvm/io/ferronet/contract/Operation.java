package io.ferronet.contract;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** A submission under a name, its memory, and the completions that nothing has looked at yet. */
final class Operation {
    /**
     * A completion, copied out of the area.
     *
     * @param result bytes, descriptor, events or status
     * @param flags {@code Completion.FLAG_*}
     * @param extra offset in a lent buffer, or bytes sent before a failure
     */
    record Result(int result, int flags, long extra) {
    }

    final String name;
    final Loop loop;
    final Sock socket;
    int kind;
    int number;
    boolean lent;
    ByteBuffer bytes;
    boolean finished;
    long finishOrder;
    int last;
    final Deque<Result> results = new ArrayDeque<>();

    Operation(String name, Loop loop, Sock socket, int kind) {
        this.name = name;
        this.loop = loop;
        this.socket = socket;
        this.kind = kind;
        this.number = socket == null ? 0 : socket.number;
    }
}
