package io.ferronet.contract;

import io.ferronet.api.Completion;
import io.ferronet.api.ReactorAreas;
import io.ferronet.api.Submission;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A reactor with its areas: submissions out, completions in. What holds for every completion is checked here: it belongs
 * to a known operation that had no final completion yet, names the operation's socket, and received bytes continue their stream.
 */
final class Loop {
    static final class Lent {
        final ByteBuffer bytes;
        boolean held = true;

        Lent(ByteBuffer bytes) {
            this.bytes = bytes;
        }
    }

    final String name;
    final long reactor;
    final List<Lent> lent = new ArrayList<>();
    boolean freed;
    int queued;
    long turnNanos;
    private final int capacity;
    private final int completionCapacity;
    private final ByteBuffer submissions;
    private final ByteBuffer completions;

    Loop(World world, String name, long reactor) {
        this.name = name;
        this.reactor = reactor;
        ByteBuffer areas = World.allocate(ReactorAreas.SIZE);
        areas.putInt(ReactorAreas.OFFSET_SIZE, ReactorAreas.SIZE);
        world.must("areas of " + name, world.binding.reactorAreas(reactor, world.address(areas)));
        capacity = areas.getInt(ReactorAreas.OFFSET_SUBMISSION_CAPACITY);
        completionCapacity = areas.getInt(ReactorAreas.OFFSET_COMPLETION_CAPACITY);
        submissions = world.binding.memory(areas.getLong(ReactorAreas.OFFSET_SUBMISSIONS), (long) capacity * Submission.SIZE);
        completions = world.binding.memory(areas.getLong(ReactorAreas.OFFSET_COMPLETIONS), (long) completionCapacity * Completion.SIZE);
    }

    /** The next record, zeroed but for operation, socket and user data. */
    ByteBuffer queue(World world, Operation operation) {
        if (queued == capacity) {
            submit(world);
        }
        world.allOperations.add(operation);
        world.operations.put(operation.name, operation);
        ByteBuffer record = submissions.slice(queued++ * Submission.SIZE, Submission.SIZE).order(submissions.order());
        record.put(0, new byte[Submission.SIZE]);
        record.put(Submission.OFFSET_OP, (byte) operation.kind);
        record.putInt(Submission.OFFSET_SOCKET, operation.number);
        record.putLong(Submission.OFFSET_USER_DATA, world.allOperations.size());
        return record;
    }

    void submit(World world) {
        world.must("submit", world.binding.reactorSubmit(reactor, queued));
        queued = 0;
    }

    long turn(World world, int submitted, long timeoutNanos) {
        long start = System.nanoTime();
        long count = world.binding.reactorTurn(reactor, submitted, timeoutNanos);
        turnNanos = System.nanoTime() - start;
        if (count > completionCapacity) {
            throw world.failure("turn returned %d completions, more than the area holds", count);
        }
        for (int i = 0; i < count; i++) {
            dispatch(world, i * Completion.SIZE);
        }
        return count;
    }

    private void dispatch(World world, int at) {
        long userData = completions.getLong(at + Completion.OFFSET_USER_DATA);
        int result = completions.getInt(at + Completion.OFFSET_RESULT);
        int flags = completions.getInt(at + Completion.OFFSET_FLAGS);
        long extra = completions.getLong(at + Completion.OFFSET_EXTRA);
        int socket = completions.getInt(at + Completion.OFFSET_SOCKET);
        if (userData < 1 || userData > world.allOperations.size()) {
            throw world.failure("a completion with unknown user_data %d", userData);
        }
        Operation operation = world.allOperations.get((int) userData - 1);
        if (operation.loop != this) {
            throw world.failure("%s completed on another reactor", operation.name);
        }
        if (operation.finished) {
            throw world.failure("%s completed after its final completion", operation.name);
        }
        if (socket != operation.number) {
            throw world.failure("%s completed with socket %d instead of %d", operation.name, socket, operation.number);
        }
        if (operation.kind == Submission.OP_RECV && result > 0) {
            checkReceived(world, operation, result, flags, extra, completions.getInt(at + Completion.OFFSET_BUFFER));
        }
        operation.results.add(new Operation.Result(result, flags, extra));
        world.order++;
        if ((flags & Completion.FLAG_MORE) == 0) {
            operation.finished = true;
            operation.finishOrder = world.order;
            if (operation.kind == Submission.OP_CLOSE && result >= 0 && operation.socket != null) {
                operation.socket.descriptor = -1;
                operation.socket.number = 0;
            }
        }
    }

    private void checkReceived(World world, Operation operation, int result, int flags, long extra, int buffer) {
        if (!operation.lent) {
            if ((flags & Completion.FLAG_BUFFER) != 0) {
                throw world.failure("%s: a lent buffer for a receive into own memory", operation.name);
            }
            if (result > operation.bytes.capacity()) {
                throw world.failure("%s: more bytes than fit", operation.name);
            }
            checkBytes(world, operation, operation.bytes, 0, result);
            return;
        }
        if ((flags & Completion.FLAG_BUFFER) == 0 || buffer < 0 || buffer >= lent.size()) {
            throw world.failure("%s: bytes without a lent buffer", operation.name);
        }
        Lent target = lent.get(buffer);
        if (!target.held) {
            throw world.failure("%s: buffer %d was not lent", operation.name, buffer);
        }
        if (extra < 0 || extra + result > target.bytes.capacity()) {
            throw world.failure("%s: the bytes lie outside of the lent buffer", operation.name);
        }
        checkBytes(world, operation, target.bytes, (int) extra, result);
        if ((flags & Completion.FLAG_BUFFER_MORE) == 0) {
            target.held = false;
        }
    }

    private static void checkBytes(World world, Operation operation, ByteBuffer bytes, int from, int length) {
        Sock socket = operation.socket;
        for (int i = 0; i < length; i++) {
            if (bytes.get(from + i) != Sock.pattern(socket.seedIn, socket.received + i)) {
                throw world.failure("%s: byte %d of the stream is wrong", operation.name, socket.received + i);
            }
        }
        socket.received += length;
    }

    /** Turns until the operation has a completion that was not looked at yet, and takes it. */
    Operation.Result next(World world, Operation operation) {
        long deadline = System.nanoTime() + world.limitNanos;
        while (operation.results.isEmpty()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw world.failure("%s did not complete in time", operation.name);
            }
            world.must("turn", turn(world, queued, left));
            queued = 0;
        }
        Operation.Result result = operation.results.remove();
        operation.last = result.result();
        return result;
    }
}
