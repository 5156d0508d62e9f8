package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Address;
import io.ferronet.api.AttachParams;
import io.ferronet.api.Backend;
import io.ferronet.api.Completion;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.ReactorAreas;
import io.ferronet.api.ReactorConfig;
import io.ferronet.api.ReactorInfo;
import io.ferronet.api.Status;
import io.ferronet.api.Submission;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** A runtime with one reactor on the calling thread, driven by hand. */
final class TestReactor implements AutoCloseable {
    record Result(int result, int flags, int socket, int buffer, long extra) {
    }

    final FerronetBinding binding;
    final ByteBuffer scratch = ByteBuffer.allocateDirect(1024).order(ByteOrder.nativeOrder());
    final long scratchAddress;
    final long runtime;
    final long reactor;
    private final ByteBuffer submissions;
    private final ByteBuffer completions;
    private final Map<Long, Result> results = new HashMap<>();
    private int queued;
    private long nextUserData = 1;

    TestReactor(FerronetBinding binding, Backend backend) {
        this.binding = binding;
        scratchAddress = binding.addressOf(scratch);
        scratch.putInt(AttachParams.OFFSET_SIZE, AttachParams.SIZE).putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, 1);
        runtime = pointer(binding.attach(scratchAddress, scratchAddress + 512), 0);
        clear();
        scratch.putInt(ReactorConfig.OFFSET_SIZE, ReactorConfig.SIZE).putInt(ReactorConfig.OFFSET_BACKEND, backend.number());
        reactor = pointer(binding.reactorNew(runtime, scratchAddress, scratchAddress + 512), runtime);
        clear();
        scratch.putInt(ReactorAreas.OFFSET_SIZE, ReactorAreas.SIZE);
        check(binding.reactorAreas(reactor, scratchAddress), reactor);
        submissions = binding.memory(scratch.getLong(ReactorAreas.OFFSET_SUBMISSIONS),
            (long) scratch.getInt(ReactorAreas.OFFSET_SUBMISSION_CAPACITY) * Submission.SIZE);
        completions = binding.memory(scratch.getLong(ReactorAreas.OFFSET_COMPLETIONS),
            (long) scratch.getInt(ReactorAreas.OFFSET_COMPLETION_CAPACITY) * Completion.SIZE);
        check(binding.reactorStart(reactor), reactor);
    }

    private long pointer(int status, long handle) {
        check(status, handle);
        return scratch.getLong(512);
    }

    long check(long result, long handle) {
        assertTrue(result >= 0, () -> Status.name((int) result) + ": " + binding.lastError(handle));
        return result;
    }

    void clear() {
        scratch.clear().put(new byte[scratch.capacity()]).clear();
    }

    /** Queues an operation; returns its user data. */
    long submit(byte operation, int socket, long address, int length, long argument) {
        int at = queued++ * Submission.SIZE;
        submissions.put(at, new byte[Submission.SIZE]);
        submissions.put(at + Submission.OFFSET_OP, operation).putInt(at + Submission.OFFSET_SOCKET, socket)
            .putLong(at + Submission.OFFSET_USER_DATA, nextUserData).putLong(at + Submission.OFFSET_ADDR0, address)
            .putInt(at + Submission.OFFSET_LEN0, length).putLong(at + Submission.OFFSET_ARG0, argument);
        return nextUserData++;
    }

    /** Turns until the operation has its final completion. */
    Result await(long userData) {
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (!results.containsKey(userData)) {
            assertTrue(System.nanoTime() < deadline, "no completion of operation " + userData);
            turn(1_000_000_000L);
        }
        return results.remove(userData);
    }

    /** One turn; returns the number of completions. */
    long turn(long timeoutNanos) {
        long count = check(binding.reactorTurn(reactor, queued, timeoutNanos), reactor);
        queued = 0;
        for (int i = 0; i < count; i++) {
            int at = i * Completion.SIZE;
            Result result = new Result(completions.getInt(at + Completion.OFFSET_RESULT), completions.getInt(at + Completion.OFFSET_FLAGS),
                completions.getInt(at + Completion.OFFSET_SOCKET), completions.getInt(at + Completion.OFFSET_BUFFER),
                completions.getLong(at + Completion.OFFSET_EXTRA));
            assertEquals(null, results.put(completions.getLong(at + Completion.OFFSET_USER_DATA), result), "one completion for each operation");
        }
        return count;
    }

    int open() {
        return (int) check(binding.socketOpen(Address.FAMILY_IPV4, Address.KIND_STREAM), 0);
    }

    int add(int descriptor) {
        return (int) check(binding.reactorAdd(reactor, descriptor), reactor);
    }

    void address(InetSocketAddress address) {
        Address.put(scratch, 0, address);
    }

    /** A listening socket on the loopback address; returns its descriptor. */
    int listen() {
        int descriptor = open();
        address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        check(binding.socketBind(descriptor, scratchAddress), 0);
        check(binding.socketListen(descriptor, 16), 0);
        return descriptor;
    }

    InetSocketAddress local(int descriptor) {
        check(binding.socketLocalAddress(descriptor, scratchAddress), 0);
        return Address.get(scratch, 0);
    }

    InetSocketAddress peer(int descriptor) {
        check(binding.socketPeerAddress(descriptor, scratchAddress), 0);
        return Address.get(scratch, 0);
    }

    long info(int offset) {
        clear();
        scratch.putInt(ReactorInfo.OFFSET_SIZE, ReactorInfo.SIZE);
        check(binding.reactorInfo(reactor, scratchAddress), reactor);
        return offset < ReactorInfo.OFFSET_RING_FEATURES ? scratch.getInt(offset) : scratch.getLong(offset);
    }

    @Override
    public void close() {
        assertEquals(0, binding.reactorClose(reactor, 2_000_000_000L));
        check(binding.reactorFree(reactor), 0);
        check(binding.detach(runtime), 0);
    }
}
