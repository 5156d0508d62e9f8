package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bytes of every size, in every kind of buffer, come back as they went. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class EchoTest {
    private static final int[] SIZES = {1, 13, 2048, 2049, 16 * 1024, 16 * 1024 + 1, 128 * 1024, 3 * 1024 * 1024};

    /** Sends back what comes, a batch at a time. */
    static class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private static void echo(Loops loops, byte[] content, BiFunction<Channel, byte[], List<ByteBuf>> encoder, ByteBufAllocator allocator)
            throws InterruptedException {
        Channel server = loops.server(Echo::new).childOption(ChannelOption.ALLOCATOR, allocator).bind().sync().channel();
        Recorder recorder = new Recorder();
        Channel client = loops.client(recorder).option(ChannelOption.ALLOCATOR, allocator).connect(server.localAddress()).sync().channel();
        encoder.apply(client, content).forEach(client::write);
        client.flush();
        recorder.awaitBytes(content.length);
        assertArrayEquals(content, recorder.bytes());
        client.close().sync();
        server.close().sync();
    }

    private static byte[] random(int size) {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private static ByteBuf direct(Channel channel, byte[] content, int from, int to) {
        return channel.alloc().directBuffer(to - from).writeBytes(content, from, to - from);
    }

    @OnBothBackends
    void everySizeWithEveryAllocator(Backend backend) throws InterruptedException {
        List<ByteBufAllocator> allocators = List.of(ByteBufAllocator.DEFAULT, PooledByteBufAllocator.DEFAULT, new AdaptiveByteBufAllocator(),
            UnpooledByteBufAllocator.DEFAULT, new UnpooledByteBufAllocator(false));
        try (Loops loops = Loops.on(backend)) {
            for (ByteBufAllocator allocator : allocators) {
                for (int size : SIZES) {
                    echo(loops, random(size), (channel, content) -> List.of(direct(channel, content, 0, content.length)), allocator);
                }
            }
        }
    }

    @OnBothBackends
    void everyKindOfBuffer(Backend backend) throws InterruptedException {
        byte[] content = random(50_000);
        List<BiFunction<Channel, byte[], ByteBuf>> kinds = List.of(
            (channel, bytes) -> Unpooled.wrappedBuffer(bytes),
            (channel, bytes) -> channel.alloc().heapBuffer().writeBytes(bytes),
            (channel, bytes) -> Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip()),
            (channel, bytes) -> Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip().asReadOnlyBuffer()),
            (channel, bytes) -> direct(channel, bytes, 0, bytes.length).asReadOnly(),
            (channel, bytes) -> channel.alloc().directBuffer().writeZero(7).writeBytes(bytes).skipBytes(7).slice(),
            (channel, bytes) -> channel.alloc().compositeDirectBuffer(2000).addComponents(true, direct(channel, bytes, 0, 10_000),
                Unpooled.EMPTY_BUFFER, direct(channel, bytes, 10_000, 10_001), direct(channel, bytes, 10_001, bytes.length)),
            (channel, bytes) -> channel.alloc().compositeDirectBuffer(2000).addComponents(true, direct(channel, bytes, 0, 10_000),
                Unpooled.copiedBuffer(bytes, 10_000, bytes.length - 10_000)),
            EchoTest::manyComponents);
        try (Loops loops = Loops.on(backend)) {
            for (BiFunction<Channel, byte[], ByteBuf> kind : kinds) {
                echo(loops, content, (channel, bytes) -> List.of(kind.apply(channel, bytes)), ByteBufAllocator.DEFAULT);
            }
        }
    }

    private static ByteBuf manyComponents(Channel channel, byte[] bytes) {
        var composite = channel.alloc().compositeDirectBuffer(Integer.MAX_VALUE);
        for (int i = 0; i < bytes.length; i += 10) {
            composite.addComponent(true, direct(channel, bytes, i, i + 10));
        }
        return composite;
    }

    /** More messages, and more bytes, than one operation takes; empty ones between them. */
    @OnBothBackends
    void manyMessagesInOneFlush(Backend backend) throws InterruptedException {
        byte[] content = random(2_500_000);
        try (Loops loops = Loops.on(backend)) {
            echo(loops, content, (channel, bytes) -> {
                List<ByteBuf> messages = new java.util.ArrayList<>();
                for (int i = 0; i < bytes.length; i += 1000) {
                    messages.add(direct(channel, bytes, i, i + 1000));
                    messages.add(Unpooled.EMPTY_BUFFER);
                }
                return messages;
            }, ByteBufAllocator.DEFAULT);
        }
    }

    /** Fewer records than a burst of connections needs: the area is handed over while completions are still dispatched. */
    @OnBothBackends
    void smallAreas(Backend backend) throws InterruptedException {
        FerronetIoHandlerConfig.Builder config = FerronetIoHandlerConfig.builder().backend(backend).submissionCapacity(16).completionCapacity(16)
            .ringEntries(8).lentBuffers(4).lentBufferSize(1024);
        try (Loops loops = Loops.on(config, 1)) {
            Channel server = loops.server(Echo::new).bind().sync().channel();
            byte[] content = random(30_000);
            List<Recorder> recorders = new java.util.ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Recorder recorder = new Recorder();
                recorders.add(recorder);
                loops.client(recorder).connect(server.localAddress()).sync().channel().writeAndFlush(Unpooled.wrappedBuffer(content));
            }
            for (Recorder recorder : recorders) {
                recorder.awaitBytes(content.length);
                assertArrayEquals(content, recorder.bytes());
            }
        }
    }

    /** A channel with its own RECVBUF_ALLOCATOR gets buffers of the size that it asks for. */
    @OnBothBackends
    void ownReceiveAllocator(Backend backend) throws InterruptedException {
        try (Loops loops = Loops.on(backend)) {
            Channel server = loops.server(Echo::new).childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(100)).bind().sync()
                .channel();
            Recorder recorder = new Recorder();
            Channel client = loops.client(recorder).option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(700))
                .connect(server.localAddress()).sync().channel();
            byte[] content = random(100_000);
            client.writeAndFlush(Unpooled.wrappedBuffer(content)).sync();
            recorder.awaitBytes(content.length);
            assertArrayEquals(content, recorder.bytes());
            assertTrue(recorder.events().stream().filter(event -> event.startsWith("read("))
                .allMatch(event -> Integer.parseInt(event.substring(5, event.length() - 1)) <= 700), () -> recorder.events().toString());
        }
    }

    /** Several connections' completions in one turn: each gets one channelReadComplete. */
    @OnBothBackends
    void oneReadCompleteForABatch(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend)) {
            Recorder recorder = new Recorder();
            try (Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder));
                    var socket = accepting.connect()) {
                Channel channel = accepting.next();
                recorder.awaitEvent("active");
                Loops.run(channel, () -> {
                    for (int i = 0; i < 5; i++) {
                        write(socket, new byte[3000]);
                        pause(20);
                    }
                });
                recorder.awaitBytes(15_000);
                recorder.awaitEvent("complete");
                assertEquals(1, recorder.count("complete"), () -> recorder.events().toString());
            }
        }
    }

    static void write(java.net.Socket socket, byte[] content) {
        try {
            socket.getOutputStream().write(content);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
