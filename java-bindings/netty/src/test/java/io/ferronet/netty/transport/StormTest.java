package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many connections that end in every way at once: no foreign byte, no stuck future, no descriptor and no buffer left. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class StormTest {
    /** Connections that are quiet beside a flood. */
    private static final int QUIET = 50;
    private static final int CLIENTS = 400;

    private static long descriptors() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    /** Checks that what comes back is the client's own number, again and again. */
    private static final class Client extends SimpleChannelInboundHandler<ByteBuf> {
        private final int number;
        private final AtomicReference<String> foreign;
        private int position;

        Client(int number, AtomicReference<String> foreign) {
            this.number = number;
            this.foreign = foreign;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            byte[] bytes = new byte[message.readableBytes()];
            message.readBytes(bytes);
            for (byte actual : bytes) {
                if (actual != (byte) (number >> 8 * (position++ & 3))) {
                    foreign.compareAndSet(null, "client " + number + " read " + actual + " at " + position);
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** Takes resets as they come. */
    private static final class QuietEcho extends EchoTest.Echo {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private static ByteBuf content(int number, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (number >> 8 * (i & 3));
        }
        return Unpooled.directBuffer(length).writeBytes(bytes);
    }

    @OnBothBackends
    void connectionsThatEndInEveryWay(Backend backend) throws Exception {
        endInEveryWay(() -> Loops.on(backend, 2));
    }

    /** The same on loops whose threads are virtual, which may change their carriers between two calls. */
    @OnBothBackends
    void connectionsThatEndInEveryWayOnVirtualThreads(Backend backend) throws Exception {
        endInEveryWay(() -> new Loops(new MultiThreadIoEventLoopGroup(2, new ThreadPerTaskExecutor(Thread.ofVirtual().factory()),
            FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build()))));
    }

    private static void endInEveryWay(Supplier<Loops> made) throws Exception {
        long before = descriptors();
        AtomicReference<String> foreign = new AtomicReference<>();
        Random random = new Random(42);
        try (Loops loops = made.get()) {
            Channel server = loops.server(QuietEcho::new).option(ChannelOption.SO_BACKLOG, 1024).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind().sync().channel();
            List<ChannelFuture> closes = new ArrayList<>();
            List<Integer> ways = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                SocketChannel client = (SocketChannel) loops.client(new Client(i, foreign)).option(ChannelOption.AUTO_READ, random.nextInt(4) > 0)
                    .connect(server.localAddress()).sync().channel();
                closes.add(client.closeFuture());
                client.writeAndFlush(content(i, 4 * (1 + random.nextInt(50_000))));
                int way = random.nextInt(6);
                ways.add(way);
                switch (way) {
                    case 0 -> client.close();
                    case 1 -> client.shutdownOutput();
                    case 2 -> {
                        client.config().setSoLinger(0);
                        client.close();
                    }
                    case 3 -> {
                        client.shutdownOutput();
                        client.writeAndFlush(content(i, 1000));
                        client.close();
                    }
                    case 4 -> client.eventLoop().schedule(() -> client.close(), random.nextInt(20), TimeUnit.MILLISECONDS);
                    default -> client.deregister().addListener(future -> loops.group().register(client));
                }
            }
            EchoTest.pause(500);
            server.close().sync();
            loops.close();
            for (int i = 0; i < CLIENTS; i++) {
                Channel client = closes.get(i).channel();
                assertTrue(closes.get(i).await(5, TimeUnit.SECONDS), "client " + i + ", which ended in way " + ways.get(i) + ", was not closed: " + client
                    + ", registered " + client.isRegistered());
            }
        }
        assertEquals(null, foreign.get());
        for (int i = 0; i < 100 && descriptors() > before; i++) {
            EchoTest.pause(20);
        }
        assertTrue(descriptors() <= before, descriptors() + " descriptors, before " + before);
    }

    /** One connection that floods the loop does not keep many quiet ones waiting. */
    @OnBothBackends
    void aFloodDoesNotStarveOthers(Backend backend) throws Exception {
        List<Socket> quiet = new ArrayList<>();
        try (Loops loops = Loops.on(backend);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(new EchoTest.Echo()));
                Socket flood = accepting.connect()) {
            for (int i = 0; i < QUIET; i++) {
                quiet.add(accepting.connect());
                quiet.get(i).setTcpNoDelay(true);
            }
            AtomicBoolean running = new AtomicBoolean(true);
            Thread writer = new Thread(() -> {
                byte[] chunk = new byte[1 << 20];
                while (running.get()) {
                    EchoTest.write(flood, chunk);
                }
            });
            Thread reader = new Thread(() -> {
                try {
                    byte[] chunk = new byte[1 << 20];
                    while (flood.getInputStream().read(chunk) >= 0) {
                        Thread.onSpinWait();
                    }
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            writer.start();
            reader.start();
            long[] latencies = new long[20 * QUIET];
            for (int i = 0; i < latencies.length; i++) {
                Socket socket = quiet.get(i % QUIET);
                long start = System.nanoTime();
                socket.getOutputStream().write(i);
                assertEquals(i & 0xff, socket.getInputStream().read());
                latencies[i] = System.nanoTime() - start;
            }
            running.set(false);
            writer.join();
            flood.shutdownOutput();
            reader.join();
            java.util.Arrays.sort(latencies);
            long late = latencies[latencies.length * 99 / 100];
            assertTrue(late < 400_000_000, "99 % within " + late + " ns");
            System.out.println(backend + ": 99 % of the answers to quiet connections came within " + late / 1000 + " us of a flood");
        } finally {
            for (Socket socket : quiet) {
                socket.close();
            }
        }
    }
}
