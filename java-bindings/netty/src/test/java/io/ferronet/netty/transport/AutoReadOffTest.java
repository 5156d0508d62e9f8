package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** AUTO_READ off: nothing without a read, nothing lost, and the peer's close is noticed. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class AutoReadOffTest {
    private static Loops.Accepting accept(Loops loops, Recorder recorder) throws InterruptedException {
        return new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder),
            bootstrap -> bootstrap.childOption(ChannelOption.AUTO_READ, false));
    }

    private static void write(Socket socket, String text) {
        EchoTest.write(socket, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @OnBothBackends
    void nothingIsDeliveredBeforeRead(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder); Socket socket = accepting.connect()) {
            write(socket, "first");
            SocketChannel channel = accepting.next();
            EchoTest.pause(100);
            assertEquals(List.of("active"), recorder.events());
            channel.read();
            recorder.awaitEvent("complete");
            assertEquals(List.of("active", "read(5)", "complete"), recorder.events());
            write(socket, "second");
            EchoTest.pause(100);
            assertEquals(List.of("active", "read(5)", "complete"), recorder.events());
            channel.read();
            recorder.awaitBytes(11);
            assertEquals("firstsecond", recorder.text());
        }
    }

    /** Each read brings one message, however many have arrived. */
    @OnBothBackends
    void oneMessageForEachRead(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder); Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            write(socket, "a");
            channel.read();
            recorder.awaitBytes(1);
            for (String text : List.of("b", "c", "d")) {
                write(socket, text);
                EchoTest.pause(30);
            }
            assertEquals("a", recorder.text());
            for (int i = 2; i <= 4; i++) {
                channel.read();
                recorder.awaitBytes(i);
                EchoTest.pause(20);
                assertEquals(i, recorder.received());
            }
            assertEquals("abcd", recorder.text());
            assertEquals(4, recorder.count("complete"));
        }
    }

    /** More than is held back: the kernel keeps the rest, and the sender is stopped by its window. */
    @OnBothBackends
    void everythingArrivesAtTheReadersPace(Backend backend) throws Exception {
        int size = 4 * 1024 * 1024;
        byte[] content = new byte[size];
        for (int i = 0; i < size; i++) {
            content[i] = (byte) (i * 7);
        }
        Recorder recorder = new Recorder() {
            @Override
            public void channelReadComplete(ChannelHandlerContext context) throws Exception {
                super.channelReadComplete(context);
                context.read();
            }
        };
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder); Socket socket = accepting.connect()) {
            Thread writer = new Thread(() -> EchoTest.write(socket, content));
            writer.start();
            SocketChannel channel = accepting.next();
            EchoTest.pause(200);
            assertEquals(0, recorder.received());
            channel.read();
            writer.join();
            recorder.awaitBytes(size);
            assertEquals(0, java.util.Arrays.compare(content, recorder.bytes()));
        }
    }

    @OnBothBackends
    void peerCloseIsNoticedWithoutRead(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder)) {
            Socket socket = accepting.connect();
            SocketChannel channel = accepting.next();
            recorder.awaitEvent("active");
            socket.close();
            recorder.awaitEvent("inactive");
            assertFalse(channel.isOpen());
        }
    }

    @OnBothBackends
    void resetIsNoticedWithoutRead(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder)) {
            Socket socket = accepting.connect();
            accepting.next();
            recorder.awaitEvent("active");
            socket.setSoLinger(true, 0);
            socket.close();
            recorder.awaitEvent("inactive");
            assertTrue(recorder.failure().getMessage().contains("reset"), () -> recorder.failure().getMessage());
        }
    }

    /** Every byte before the FIN is delivered before channelInactive, at any read pace. */
    @OnBothBackends
    void bytesBeforeTheEndComeFirst(Backend backend) throws Exception {
        for (int size : new int[] {5, 100_000, 2_000_000}) {
            Recorder recorder = new Recorder();
            try (Loops loops = Loops.on(backend); Loops.Accepting accepting = accept(loops, recorder)) {
                Socket socket = accepting.connect();
                Thread writer = new Thread(() -> {
                    EchoTest.write(socket, new byte[size]);
                    close(socket);
                });
                writer.start();
                SocketChannel channel = accepting.next();
                EchoTest.pause(100);
                assertEquals(0, recorder.count("inactive"));
                while (recorder.count("inactive") == 0) {
                    channel.read();
                    EchoTest.pause(1);
                }
                assertEquals(size, recorder.received());
                writer.join();
            }
        }
    }

    /** Switching AUTO_READ on delivers nothing as long as a handler keeps the read to itself. */
    @OnBothBackends
    void aReadThatAHandlerKeepsDeliversNothing(Backend backend) throws Exception {
        AtomicBoolean kept = new AtomicBoolean();
        Recorder recorder = new Recorder();
        ChannelOutboundHandlerAdapter keeper = new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                if (!kept.get()) {
                    context.read();
                }
            }
        };
        try (Loops loops = Loops.on(backend);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(keeper, recorder));
                Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            write(socket, "a");
            recorder.awaitBytes(1);
            Loops.run(channel, () -> {
                channel.config().setAutoRead(false);
                kept.set(true);
            });
            channel.config().setAutoRead(true);
            write(socket, "b");
            EchoTest.pause(100);
            assertEquals(1, recorder.received());
            kept.set(false);
            channel.read();
            recorder.awaitBytes(2);
            write(socket, "c");
            recorder.awaitBytes(3);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Switching AUTO_READ off in channelRead stops after that message; switching it on goes on. */
    @OnBothBackends
    void switchingOffStopsAfterTheMessage(Backend backend) throws Exception {
        Recorder recorder = new Recorder() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
                context.channel().config().setAutoRead(false);
                super.channelRead(context, message);
            }
        };
        try (Loops loops = Loops.on(backend);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder));
                Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            recorder.awaitEvent("active");
            Loops.run(channel, () -> {
                for (String text : List.of("1", "2", "3")) {
                    write(socket, text);
                    EchoTest.pause(20);
                }
            });
            recorder.awaitEvent("complete");
            EchoTest.pause(50);
            int first = recorder.received();
            assertTrue(first == 1 || first == 3, "one message, which may hold all bytes: " + recorder.events());
            assertEquals(1, recorder.count("complete"));
            while (recorder.received() < 3) {
                channel.config().setAutoRead(true);
                EchoTest.pause(10);
            }
            assertEquals("123", recorder.text());
            assertNull(recorder.failure());
        }
    }
}
