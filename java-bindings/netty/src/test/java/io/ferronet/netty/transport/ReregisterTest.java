package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Channels that move to another loop lose nothing. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class ReregisterTest {
    private static void move(Channel channel, EventLoop loop) throws InterruptedException {
        channel.deregister().sync();
        assertFalse(channel.isRegistered());
        loop.register(channel).sync();
        assertTrue(channel.isRegistered());
    }

    private static EventLoop other(Loops loops, Channel channel) {
        EventLoop next = loops.group().next();
        while (next == channel.eventLoop()) {
            next = loops.group().next();
        }
        return next;
    }

    @OnBothBackends
    void listenerAcceptsOnItsNewLoop(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()))) {
            for (int i = 0; i < 5; i++) {
                try (Socket socket = accepting.connect()) {
                    accepting.next();
                    EchoTest.write(socket, new byte[] {1});
                    assertEquals(1, socket.getInputStream().read());
                }
                EventLoop before = accepting.listener().eventLoop();
                move(accepting.listener(), other(loops, accepting.listener()));
                assertNotSame(before, accepting.listener().eventLoop());
            }
        }
    }

    /** Bytes flow in both directions while the channel moves to and fro. */
    @OnBothBackends
    void dataFlowsWhileTheChannelMoves(Backend backend) throws Exception {
        byte[] content = new byte[8 * 1024 * 1024];
        new Random(3).nextBytes(content);
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()));
                Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            Thread writer = new Thread(() -> {
                for (int i = 0; i < content.length; i += 8192) {
                    EchoTest.write(socket, java.util.Arrays.copyOfRange(content, i, i + 8192));
                }
            });
            writer.start();
            Thread mover = new Thread(() -> {
                try {
                    for (int i = 0; i < 50; i++) {
                        move(channel, other(loops, channel));
                        EchoTest.pause(2);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            mover.start();
            assertArrayEquals(content, socket.getInputStream().readNBytes(content.length));
            writer.join();
            mover.join();
            channel.close().sync();
        }
    }

    @OnBothBackends
    void clientMovesWithAutoReadOff(Backend backend) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()))) {
            Channel client = loops.client(recorder).option(ChannelOption.AUTO_READ, false).connect(accepting.address()).sync().channel();
            client.read();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).sync();
            recorder.awaitBytes(1);
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {2})).sync();
            EchoTest.pause(50);
            move(client, other(loops, client));
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {3})).sync();
            EchoTest.pause(50);
            assertEquals(1, recorder.received(), "nothing is delivered without a read");
            while (recorder.received() < 3) {
                client.read();
                EchoTest.pause(5);
            }
            assertArrayEquals(new byte[] {1, 2, 3}, recorder.bytes());
            client.close().sync();
        }
    }

    /** A write that is stuck in a full socket goes on where it was interrupted. */
    @OnBothBackends
    void blockedWriteMoves(Backend backend) throws Exception {
        byte[] content = new byte[32 * 1024 * 1024];
        new Random(4).nextBytes(content);
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new Recorder()));
                Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            ByteBuf buffer = Unpooled.directBuffer(content.length).writeBytes(content);
            ChannelFuture write = channel.writeAndFlush(buffer);
            EchoTest.pause(100);
            assertFalse(write.isDone());
            move(channel, other(loops, channel));
            assertFalse(write.isDone());
            assertArrayEquals(content, socket.getInputStream().readNBytes(content.length));
            write.sync();
            assertEquals(0, buffer.refCnt());
        }
    }

    /** Deregistering inside channelRead: the old loop delivers nothing more. */
    @OnBothBackends
    void moveInsideChannelRead(Backend backend) throws Exception {
        Recorder recorder = new Recorder() {
            private boolean moved;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
                super.channelRead(context, message);
                if (!moved) {
                    moved = true;
                    Channel channel = context.channel();
                    EventLoop target = channel.eventLoop().parent().next() == channel.eventLoop() ? channel.eventLoop().parent().next()
                        : channel.eventLoop().parent().next();
                    context.deregister().addListener(future -> target.register(channel));
                }
            }
        };
        byte[] content = new byte[300_000];
        new Random(5).nextBytes(content);
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder));
                Socket socket = accepting.connect()) {
            accepting.next();
            EchoTest.write(socket, content);
            recorder.awaitBytes(content.length);
            assertArrayEquals(content, recorder.bytes());
        }
    }

    /** A channel that is closed after it was deregistered gives its descriptor back. */
    @OnBothBackends
    void closeWhileDeregistered(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend, 2);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new Recorder()));
                Socket socket = accepting.connect()) {
            SocketChannel channel = accepting.next();
            channel.deregister().sync();
            channel.close().sync();
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    /** The end of the stream, noticed while a handler moves the channel, is told on the new loop. */
    @OnBothBackends
    void endOfStreamWhileMoving(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend, 2)) {
            for (int i = 0; i < 20; i++) {
                Recorder recorder = new Recorder() {
                    @Override
                    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
                        Channel channel = context.channel();
                        channel.deregister().addListener(done -> loops.group().register(channel));
                        super.channelReadComplete(context);
                    }
                };
                try (Loops.Accepting accepting = new Loops.Accepting(loops, channel -> {
                    channel.config().setAutoRead(false);
                    channel.pipeline().addLast(recorder);
                }); Socket socket = accepting.connect()) {
                    Channel channel = accepting.next();
                    EchoTest.write(socket, new byte[] {1, 2, 3});
                    socket.shutdownOutput();
                    EchoTest.pause(5);
                    channel.read();
                    recorder.awaitEvent("inactive");
                    assertEquals(3, recorder.received());
                }
            }
        }
    }

    /** A second deregistration ends with the first one, and leaves the channel's next loop alone. */
    @OnBothBackends
    void deregisteredTwiceAtOnce(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend, 2); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline()
                .addLast(new EchoTest.Echo())); Socket socket = accepting.connect()) {
            Channel channel = accepting.next();
            for (int i = 0; i < 50; i++) {
                EventLoop other = loops.group().next();
                if (other == channel.eventLoop()) {
                    other = loops.group().next();
                }
                EventLoop next = other;
                CompletableFuture<Boolean> moved = new CompletableFuture<>();
            ChannelFuture[] second = new ChannelFuture[1];
                Loops.run(channel, () -> {
                    channel.deregister().addListener(done -> {
                        next.register(channel).addListener(f -> moved.complete(f.isSuccess()));
                        // The second deregistration comes to its end when the channel is on its next loop.
                        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
                        while (!moved.isDone() && System.nanoTime() < end) {
                            Thread.onSpinWait();
                        }
                    });
                    second[0] = channel.deregister();
                });
                assertEquals(true, moved.get(5, TimeUnit.SECONDS));
                second[0].sync();
                assertTrue(channel.isRegistered());
                EchoTest.write(socket, new byte[] {(byte) i});
                assertEquals(i, socket.getInputStream().read());
            }
        }
    }
}
