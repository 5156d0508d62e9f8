package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.ferronet.netty.Ferronet;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What {@link BufferTest} runs in JVMs of its own: every kind of buffer echoed on each backend, through channels with each allocator. Uses public classes only,
 * so that it runs on the module path, too.
 */
public final class BufferProbe {
    private static final int LENGTH = 20_000;
    /** The buffer that a kind's own buffer is a part of, and that outlives it. */
    private static final Queue<ByteBuf> RETAINED = new ArrayDeque<>();

    /** Makes a buffer with the content out of an allocator. */
    private interface Kind {
        ByteBuf make(ByteBufAllocator allocator, byte[] content);
    }

    private BufferProbe() {
    }

    /**
     * Runs the echoes.
     *
     * @param arguments none
     * @throws Exception if one fails
     */
    public static void main(String[] arguments) throws Exception {
        System.out.println("unsafe " + PlatformDependent.hasUnsafe() + ", native access of Netty "
            + PlatformDependent.class.getModule().isNativeAccessEnabled() + ", modules " + PlatformDependent.class.getModule().isNamed());
        Throwable cause = Ferronet.unavailabilityCause();
        if (cause != null) {
            System.out.println("unavailable " + cause.getMessage());
            return;
        }
        Map<String, ByteBufAllocator> allocators = new LinkedHashMap<>();
        allocators.put("default", ByteBufAllocator.DEFAULT);
        allocators.put("pooled", PooledByteBufAllocator.DEFAULT);
        allocators.put("adaptive", new AdaptiveByteBufAllocator());
        allocators.put("heap", new UnpooledByteBufAllocator(false));
        for (Backend backend : new Backend[] {Backend.IO_URING, Backend.POLL}) {
            for (Map.Entry<String, ByteBufAllocator> allocator : allocators.entrySet()) {
                System.out.println(backend + " " + allocator.getKey() + " " + echo(backend, allocator.getValue()));
            }
        }
        System.out.println("end");
    }

    private static String echo(Backend backend, ByteBufAllocator allocator) throws Exception {
        FerronetIoHandlerConfig config = FerronetIoHandlerConfig.builder().backend(backend).build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, FerronetIoHandler.newFactory(config));
        Channel server = new ServerBootstrap().group(group).channel(FerronetServerSocketChannel.class)
            .childOption(ChannelOption.ALLOCATOR, allocator).childHandler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            context.writeAndFlush(message);
                        }
                    });
                }
            }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Channel client = new Bootstrap().group(group).channel(FerronetSocketChannel.class).option(ChannelOption.ALLOCATOR, allocator)
            .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                    byte[] bytes = new byte[message.readableBytes()];
                    message.readBytes(bytes);
                    received.add(bytes);
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    failure.complete(cause);
                }
            }).connect(server.localAddress()).sync().channel();
        int count = 0;
        for (Map.Entry<String, Kind> kind : kinds().entrySet()) {
            byte[] content = new byte[LENGTH];
            new Random(count).nextBytes(content);
            ByteBuf buffer = kind.getValue().make(allocator, content);
            client.writeAndFlush(buffer).sync();
            ByteBuf parent = RETAINED.poll();
            int references = parent == null ? buffer.refCnt() : parent.refCnt() - 1;
            check(references == 0, kind.getKey() + " has " + references + " references after the write");
            if (parent != null) {
                parent.release();
            }
            byte[] echoed = new byte[0];
            while (echoed.length < LENGTH) {
                byte[] part = received.poll(10, TimeUnit.SECONDS);
                check(part != null, kind.getKey() + ": " + echoed.length + " bytes came back, failure " + failure.getNow(null));
                int old = echoed.length;
                echoed = Arrays.copyOf(echoed, old + part.length);
                System.arraycopy(part, 0, echoed, old, part.length);
            }
            check(Arrays.equals(content, echoed), kind.getKey() + ": other bytes came back");
            count++;
        }
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        return "echoed " + count + " kinds";
    }

    private static ByteBuf retained(ByteBuf parent) {
        RETAINED.add(parent);
        return parent;
    }

    private static ByteBuffer direct(byte[] content) {
        return ByteBuffer.allocateDirect(content.length).put(content).flip();
    }

    private static ByteBuf part(ByteBufAllocator allocator, byte[] content, int from, int to) {
        return allocator.directBuffer(to - from).writeBytes(content, from, to - from);
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put("heap", (allocator, content) -> allocator.heapBuffer().writeBytes(content));
        kinds.put("array", (allocator, content) -> Unpooled.wrappedBuffer(content));
        kinds.put("read-only array", (allocator, content) -> Unpooled.wrappedBuffer(ByteBuffer.wrap(content).asReadOnlyBuffer()));
        kinds.put("direct", (allocator, content) -> allocator.directBuffer().writeBytes(content));
        kinds.put("unpooled direct", (allocator, content) -> Unpooled.directBuffer().writeBytes(content));
        kinds.put("wrapped direct", (allocator, content) -> Unpooled.wrappedBuffer(direct(content)));
        kinds.put("wrapped part", (allocator, content) -> {
            ByteBuffer whole = ByteBuffer.allocateDirect(LENGTH + 20).position(7).put(content).flip().position(7);
            return Unpooled.wrappedBuffer(whole);
        });
        kinds.put("wrapped slice", (allocator, content) -> {
            ByteBuffer whole = ByteBuffer.allocateDirect(LENGTH + 20).position(7).put(content).flip().position(7);
            return Unpooled.wrappedBuffer(whole.slice());
        });
        kinds.put("wrapped read-only direct", (allocator, content) -> Unpooled.wrappedBuffer(direct(content).asReadOnlyBuffer()));
        kinds.put("wrapped segment", (allocator, content) -> Unpooled.wrappedBuffer(
            Arena.ofAuto().allocate(content.length).asByteBuffer().put(content).flip()));
        kinds.put("mapped file", BufferProbe::mappedFile);
        kinds.put("little endian", (allocator, content) -> Unpooled.wrappedBuffer(direct(content).order(ByteOrder.LITTLE_ENDIAN)));
        kinds.put("read-only", (allocator, content) -> allocator.directBuffer().writeBytes(content).asReadOnly());
        kinds.put("slice", (allocator, content) -> allocator.directBuffer().writeZero(7).writeBytes(content).skipBytes(7).slice());
        kinds.put("retained slice", (allocator, content) ->
            retained(allocator.directBuffer().writeZero(7).writeBytes(content).writeZero(9)).retainedSlice(7, LENGTH));
        kinds.put("read-only slice", (allocator, content) ->
            retained(allocator.directBuffer().writeZero(7).writeBytes(content)).retainedSlice(7, LENGTH).asReadOnly());
        kinds.put("retained duplicate", (allocator, content) -> retained(allocator.directBuffer().writeBytes(content)).retainedDuplicate());
        kinds.put("read slice", (allocator, content) -> retained(allocator.directBuffer().writeBytes(content).writeZero(9)).readRetainedSlice(LENGTH));
        kinds.put("unreleasable", (allocator, content) -> Unpooled.unreleasableBuffer(retained(allocator.directBuffer().writeBytes(content))));
        kinds.put("composite", (allocator, content) -> allocator.compositeDirectBuffer().addComponents(true, part(allocator, content, 0, 5000),
            Unpooled.EMPTY_BUFFER, part(allocator, content, 5000, 5001), part(allocator, content, 5001, LENGTH)));
        kinds.put("composite of all", (allocator, content) -> allocator.compositeBuffer().addComponents(true, part(allocator, content, 0, 5000),
            Unpooled.wrappedBuffer(content, 5000, 5000), Unpooled.wrappedBuffer(direct(Arrays.copyOfRange(content, 10_000, LENGTH)).asReadOnlyBuffer())));
        kinds.put("composite of many", (allocator, content) -> {
            CompositeByteBuf composite = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
            for (int i = 0; i < LENGTH; i += 10) {
                composite.addComponent(true, part(allocator, content, i, i + 10));
            }
            return composite;
        });
        kinds.put("fixed composite", (allocator, content) -> Unpooled.wrappedUnmodifiableBuffer(part(allocator, content, 0, 100),
            part(allocator, content, 100, LENGTH)));
        kinds.put("nested composite", (allocator, content) -> allocator.compositeDirectBuffer().addComponents(true,
            allocator.compositeDirectBuffer().addComponents(true, part(allocator, content, 0, 10), part(allocator, content, 10, 2000)),
            part(allocator, content, 2000, LENGTH)));
        return kinds;
    }

    private static ByteBuf mappedFile(ByteBufAllocator allocator, byte[] content) {
        try {
            Path file = Files.createTempFile("mapped", ".bin");
            try {
                Files.write(file, content);
                try (FileChannel channel = FileChannel.open(file)) {
                    return Unpooled.wrappedBuffer(channel.map(FileChannel.MapMode.READ_ONLY, 0, content.length));
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void check(boolean condition, String text) {
        if (!condition) {
            throw new IllegalStateException(text);
        }
    }
}
