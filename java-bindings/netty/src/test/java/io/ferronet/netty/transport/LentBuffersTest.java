package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ferronet.api.Backend;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** How many receive buffers a loop lends: few, and more when they do not suffice. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class LentBuffersTest {
    private static final int SIZE = 4096;
    private static final int FIRST = 8;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    private FerronetIoHandlerConfig.Builder config(Backend backend) {
        return FerronetIoHandlerConfig.builder().backend(backend).lentBufferSize(SIZE).allocator(allocator);
    }

    private Loops.Accepting accepting(Loops loops) throws InterruptedException {
        return new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()),
            bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator));
    }

    /** Buffers that the loop holds, once nothing else is allocated: the release of what was sent may come a little later. */
    private long lent(long expected) {
        for (int i = 0; i < 200 && allocator.metric().usedDirectMemory() != expected * SIZE; i++) {
            EchoTest.pause(10);
        }
        return allocator.metric().usedDirectMemory() / SIZE;
    }

    private static void echo(Socket socket, byte[] content) throws Exception {
        EchoTest.write(socket, content);
        assertArrayEquals(content, socket.getInputStream().readNBytes(content.length));
    }

    @OnBothBackends
    void aFewServeOneConnection(Backend backend) throws Exception {
        try (Loops loops = Loops.on(config(backend), 1); Loops.Accepting accepting = accepting(loops)) {
            assertEquals(0, allocator.metric().usedDirectMemory(), "nothing was read yet");
            try (Socket socket = accepting.connect()) {
                for (int i = 0; i < 100; i++) {
                    echo(socket, new byte[] {(byte) i});
                    echo(socket, new byte[SIZE]);
                }
                assertEquals(FIRST, lent(FIRST));
            }
        }
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    /** Messages of many connections at once. */
    private void burst(Loops loops, int connections, int first) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (Loops.Accepting accepting = accepting(loops)) {
            Channel last = null;
            for (int i = 0; i < connections; i++) {
                sockets.add(accepting.connect());
                last = accepting.next();
            }
            echo(sockets.get(0), new byte[1]);
            assertEquals(first, lent(first));
            for (int round = 0; round < 3; round++) {
                byte[] content = new byte[100];
                Arrays.fill(content, (byte) (round + 1));
                Loops.run(last, () -> sockets.forEach(socket -> EchoTest.write(socket, content)));
                for (Socket socket : sockets) {
                    assertArrayEquals(content, socket.getInputStream().readNBytes(content.length));
                }
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @OnBothBackends
    void thereAreMoreWhenAReceiveFindsNone(Backend backend) throws Exception {
        try (Loops loops = Loops.on(config(backend), 1)) {
            burst(loops, 60, FIRST);
            assertEquals(64, lent(64));
        }
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    @OnBothBackends
    void thereAreNeverMoreThanWereAskedFor(Backend backend) throws Exception {
        try (Loops loops = Loops.on(config(backend).lentBuffers(16), 1)) {
            burst(loops, 60, FIRST);
            assertEquals(16, lent(16));
        }
        try (Loops loops = Loops.on(config(backend).lentBuffers(4), 1)) {
            burst(loops, 60, 4);
            assertEquals(4, lent(4));
        }
        assertEquals(0, allocator.metric().usedDirectMemory());
    }
}
