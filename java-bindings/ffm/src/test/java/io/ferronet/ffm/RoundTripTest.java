package io.ferronet.ffm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ferronet.api.AbiRequirement;
import io.ferronet.api.Address;
import io.ferronet.api.AttachParams;
import io.ferronet.api.Backend;
import io.ferronet.api.Capabilities;
import io.ferronet.api.Completion;
import io.ferronet.api.Errno;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.LogReceiver;
import io.ferronet.api.ReactorInfo;
import io.ferronet.api.Reason;
import io.ferronet.api.SocketOption;
import io.ferronet.api.Status;
import io.ferronet.api.Submission;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole binding against the staged library. */
@Timeout(60)
class RoundTripTest {
    private static FerronetBinding binding;

    @BeforeAll
    static void load() throws Exception {
        System.setProperty("ferronet.library.path", Staged.library().toString());
        binding = FerronetBindings.load();
    }

    private static TestReactor reactor(Backend backend) {
        if (backend == Backend.IO_URING) {
            ByteBuffer caps = ByteBuffer.allocateDirect(Capabilities.SIZE).order(ByteOrder.nativeOrder());
            caps.putInt(Capabilities.OFFSET_SIZE, Capabilities.SIZE);
            assertEquals(0, binding.probe(binding.addressOf(caps)));
            Reason reason = Reason.of(caps.getInt(Capabilities.OFFSET_URING_REASON));
            assumeTrue(reason == Reason.NONE, () -> "io_uring: " + reason.description());
        }
        return new TestReactor(binding, backend);
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void tcpEcho(Backend backend) throws Exception {
        try (TestReactor r = reactor(backend)) {
            if (backend != Backend.AUTO) {
                assertEquals(backend.number(), r.info(ReactorInfo.OFFSET_BACKEND));
            }
            assertEquals(backend.number(), r.info(ReactorInfo.OFFSET_REQUESTED_BACKEND));
            int descriptor = r.listen();
            InetSocketAddress address = r.local(descriptor);
            int listener = r.add(descriptor);
            byte[] message = new byte[200_000];
            for (int i = 0; i < message.length; i++) {
                message[i] = (byte) (i * 31);
            }
            FutureTask<byte[]> client = new FutureTask<>(() -> {
                try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                    Thread writer = new Thread(() -> {
                        try {
                            socket.getOutputStream().write(message);
                            socket.shutdownOutput();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
                    writer.start();
                    InputStream in = socket.getInputStream();
                    byte[] echoed = in.readAllBytes();
                    writer.join();
                    return echoed;
                }
            });
            new Thread(client).start();

            TestReactor.Result accepted = r.await(r.submit(Submission.OP_ACCEPT, listener, 0, 0, 0));
            assertTrue(accepted.result() >= 0, Status.name(accepted.result()));
            assertEquals(listener, accepted.socket());
            assertEquals(address, r.local(accepted.result()));
            assertEquals(InetAddress.getLoopbackAddress(), r.peer(accepted.result()).getAddress());
            int connection = r.add(accepted.result());
            ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
            long total = 0;
            while (true) {
                TestReactor.Result received = r.await(r.submit(Submission.OP_RECV, connection, binding.addressOf(buffer), buffer.capacity(), 0));
                assertTrue(received.result() >= 0, Status.name(received.result()));
                assertEquals(0, received.flags() & (Completion.FLAG_MORE | Completion.FLAG_BUFFER));
                if (received.result() == 0) {
                    break;
                }
                total += received.result();
                TestReactor.Result sent = r.await(r.submit(Submission.OP_SEND, connection, binding.addressOf(buffer), received.result(), 0));
                assertEquals(received.result(), sent.result(), "a send is whole");
            }
            assertEquals(message.length, total);
            assertEquals(0, r.await(r.submit(Submission.OP_CLOSE, connection, 0, 0, 0)).result());
            assertArrayEquals(message, client.get());
            assertEquals(1, r.info(ReactorInfo.OFFSET_SOCKETS));
            assertEquals(0, r.info(ReactorInfo.OFFSET_IN_FLIGHT));
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void wakeEndsAWaitAndIsNotLost(Backend backend) throws Exception {
        try (TestReactor r = reactor(backend)) {
            assertEquals(0, binding.reactorWake(r.reactor));
            assertEquals(0, r.turn(-1), "a wake-up before the wait ends it");
            Thread waker = new Thread(() -> {
                try {
                    Thread.sleep(50);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                binding.reactorWake(r.reactor);
            });
            waker.start();
            long start = System.nanoTime();
            assertEquals(0, r.turn(-1));
            assertTrue(System.nanoTime() - start > 20_000_000, "it waited");
            waker.join();
            start = System.nanoTime();
            assertEquals(0, r.turn(30_000_000));
            assertTrue(System.nanoTime() - start >= 29_000_000, "the time-out is in nanoseconds");
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void failuresKeepTheirNumber(Backend backend) throws Exception {
        try (TestReactor r = reactor(backend)) {
            int descriptor = r.listen();
            InetSocketAddress taken = r.local(descriptor);
            int second = r.open();
            r.address(taken);
            assertEquals(Errno.EADDRINUSE.status(), binding.socketBind(second, r.scratchAddress));
            assertTrue(binding.lastError(0).contains(String.valueOf(taken.getPort())), binding.lastError(0));
            assertEquals(0, binding.socketClose(descriptor));
            int client = r.add(second);
            TestReactor.Result refused = r.await(r.submit(Submission.OP_CONNECT, client, r.scratchAddress, 0, 0));
            assertEquals(Errno.ECONNREFUSED.status(), refused.result(), Status.name(refused.result()));
            assertEquals(Status.UNKNOWN_SOCKET, r.await(r.submit(Submission.OP_RECV, 0x7fffffff, r.scratchAddress, 8, 0)).result());
            assertEquals(Status.UNSUPPORTED_OP, r.await(r.submit((byte) 200, client, 0, 0, 0)).result());
            FutureTask<Long> foreign = new FutureTask<>(() -> binding.reactorTurn(r.reactor, 0, 0));
            new Thread(foreign).start();
            assertEquals(Status.WRONG_THREAD, foreign.get());
            assertEquals(0, binding.reactorRemove(r.reactor, client));
            assertEquals(0, binding.socketClose(second));
        }
    }

    @Test
    void optionsRoundTrip() {
        int descriptor = binding.socketOpen(Address.FAMILY_IPV4, Address.KIND_STREAM);
        assertTrue(descriptor >= 0);
        ByteBuffer out = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        long address = binding.addressOf(out);
        for (long value : new long[] {1, 0}) {
            assertEquals(0, binding.socketSetOption(descriptor, SocketOption.TCP_NODELAY, value));
            assertEquals(0, binding.socketGetOption(descriptor, SocketOption.TCP_NODELAY, address));
            assertEquals(value, out.getLong(0));
        }
        assertEquals(0, binding.socketSetOption(descriptor, SocketOption.LINGER, -1));
        assertEquals(0, binding.socketGetOption(descriptor, SocketOption.LINGER, address));
        assertEquals(-1, out.getLong(0));
        assertEquals(Status.UNSUPPORTED_OPTION, binding.socketSetOption(descriptor, 9999, 1));
        // SO_KEEPALIVE by the platform's own numbers.
        boolean linux = Platform.linux();
        out.putInt(0, 1).putInt(8, 4);
        assertEquals(0, binding.socketSetRawOption(descriptor, linux ? 1 : 0xffff, linux ? 9 : 8, address, 4));
        out.putInt(0, 0);
        assertEquals(0, binding.socketGetRawOption(descriptor, linux ? 1 : 0xffff, linux ? 9 : 8, address, address + 8));
        assertTrue(out.getInt(0) != 0);
        assertEquals(4, out.getInt(8));
        assertEquals(0, binding.socketClose(descriptor));
        assertEquals(Errno.EBADF.status(), binding.socketListen(1_000_000, 1));
    }

    @Test
    void statusesHaveTheSameNamesOnBothSides() throws IllegalAccessException {
        for (var field : Status.class.getFields()) {
            int status = field.getInt(null);
            if (status != Status.BASE) {
                assertEquals(Status.name(status), binding.statusName(status), field.getName());
            }
        }
        for (Errno error : Errno.values()) {
            assertEquals(error.name(), binding.statusName(error.status()));
        }
    }

    @Test
    void theMetadataIsThatOfTheLoadedFile() {
        assertEquals("0.1.0", binding.abi().version());
        assertEquals(AbiRequirement.REVISION, binding.abi().revision());
        assertEquals(Staged.library().toString(), binding.library().source());
        assertEquals(binding.abi().target(), binding.library().target());
        assertFalse(binding.library().shared());
        assertTrue(binding.library().elapsedNanos() > 0);
    }

    @Test
    void badArgumentsAreStatuses() {
        assertEquals(Status.INVALID_ARGUMENT, binding.attach(0, 0));
        assertEquals(Status.INVALID_ARGUMENT, binding.reactorFree(0));
        assertEquals(Status.INVALID_ARGUMENT, binding.reactorTurn(0, 0, 0));
        assertFalse(binding.lastError(0).isEmpty());
        ByteBuffer params = ByteBuffer.allocateDirect(AttachParams.SIZE + 16).order(ByteOrder.nativeOrder());
        long address = binding.addressOf(params);
        params.putInt(AttachParams.OFFSET_SIZE, AttachParams.SIZE).putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, 0);
        assertEquals(Status.ABI, binding.attach(address, address + AttachParams.SIZE));
        params.putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, 1).putLong(AttachParams.OFFSET_REQUIRED_FEATURES, 1L << 63);
        assertEquals(Status.FEATURE, binding.attach(address, address + AttachParams.SIZE));
        assertTrue(binding.lastError(0).contains("bit 63"), binding.lastError(0));
    }

    @Test
    void memoryAndAddresses() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        long address = binding.addressOf(buffer);
        buffer.putLong(8, 0x0102030405060708L);
        buffer.position(24).limit(48);
        assertEquals(address, binding.addressOf(buffer), "the address of index 0, whatever the position");
        assertEquals(address + 24, binding.addressOf(buffer.slice()));
        assertEquals(address, binding.addressOf(buffer.asReadOnlyBuffer()));
        ByteBuffer view = binding.memory(address, 64);
        assertTrue(view.isDirect());
        assertEquals(ByteOrder.nativeOrder(), view.order());
        assertEquals(0x0102030405060708L, view.getLong(8));
        view.put(0, (byte) 42);
        assertEquals(42, buffer.get(0));
        assertThrows(IndexOutOfBoundsException.class, () -> view.get(64));
        assertThrows(IllegalArgumentException.class, () -> binding.addressOf(ByteBuffer.allocate(8)));
        assertThrows(IllegalArgumentException.class, () -> binding.memory(0, 8));
        assertThrows(IllegalArgumentException.class, () -> binding.memory(address, -1));
        assertThrows(IllegalArgumentException.class, () -> binding.memory(address, 1L << 31));
    }

    @Test
    void logReceiversAreSetReplacedAndRemoved() {
        try (TestReactor r = reactor(Backend.POLL)) {
            List<String> messages = new CopyOnWriteArrayList<>();
            LogReceiver receiver = (level, text) -> messages.add(level + " " + text);
            assertEquals(Status.INVALID_ARGUMENT, binding.logSet(r.runtime, 99, receiver));
            assertEquals(0, binding.logSet(r.runtime, LogReceiver.DEBUG, receiver));
            assertEquals(Status.UNKNOWN_SOCKET, binding.reactorRemove(r.reactor, 77));
            assertEquals(1, messages.size(), messages.toString());
            assertTrue(messages.get(0).startsWith("4 ") && messages.get(0).contains(binding.lastError(r.reactor)), messages.toString());
            assertEquals(0, binding.logSet(r.runtime, LogReceiver.DEBUG, (level, text) -> {
                messages.add("nested " + binding.logSet(r.runtime, LogReceiver.OFF, null));
                throw new IllegalStateException("a receiver's failure stays with it");
            }));
            assertEquals(Status.UNKNOWN_SOCKET, binding.reactorRemove(r.reactor, 77));
            assertEquals(List.of("nested " + Status.BUSY), messages.subList(1, messages.size()));
            assertEquals(0, binding.logSet(r.runtime, LogReceiver.INFO, receiver));
            assertEquals(Status.UNKNOWN_SOCKET, binding.reactorRemove(r.reactor, 77));
            assertEquals(0, binding.logSet(r.runtime, LogReceiver.OFF, null));
            assertEquals(Status.UNKNOWN_SOCKET, binding.reactorRemove(r.reactor, 77));
            assertEquals(2, messages.size(), messages.toString());
            assertTrue(binding.logSet(0, LogReceiver.DEBUG, receiver) < 0);
        }
    }
}
