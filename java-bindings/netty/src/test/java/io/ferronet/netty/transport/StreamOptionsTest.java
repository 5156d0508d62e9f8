package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.FerronetException;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Options: set, and read back from the kernel by level and name. Numbers are those of Linux. */
@Timeout(60)
class StreamOptionsTest {
    private static final int SOL_SOCKET = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_MAXSEG = 2;
    private static final int TCP_NODELAY = 1;
    private static final int TCP_CONGESTION = 13;
    private static final int SO_KEEPALIVE = 9;

    private final FerronetSocketChannel channel = new FerronetSocketChannel();
    private final FerronetServerSocketChannel server = new FerronetServerSocketChannel();

    @AfterEach
    void close() {
        channel.unsafe().closeForcibly();
        server.unsafe().closeForcibly();
    }

    private static Map<ChannelOption<?>, Object> streamValues() {
        Map<ChannelOption<?>, Object> values = new LinkedHashMap<>();
        values.put(ChannelOption.ALLOW_HALF_CLOSURE, true);
        values.put(ChannelOption.SO_KEEPALIVE, true);
        values.put(ChannelOption.SO_REUSEADDR, true);
        values.put(UnixChannelOption.SO_REUSEPORT, true);
        values.put(ChannelOption.SO_LINGER, 7);
        values.put(ChannelOption.IP_TOS, 0x10);
        values.put(ChannelOption.TCP_NODELAY, false);
        values.put(ChannelOption.TCP_FASTOPEN_CONNECT, true);
        values.put(FerronetChannelOption.TCP_CORK, true);
        values.put(FerronetChannelOption.TCP_NOTSENT_LOWAT, 123_456L);
        values.put(FerronetChannelOption.TCP_KEEPIDLE, 61);
        values.put(FerronetChannelOption.TCP_KEEPINTVL, 17);
        values.put(FerronetChannelOption.TCP_KEEPCNT, 5);
        values.put(FerronetChannelOption.TCP_USER_TIMEOUT, 4321);
        values.put(FerronetChannelOption.TCP_QUICKACK, false);
        values.put(FerronetChannelOption.SO_BUSY_POLL, 0);
        values.put(FerronetChannelOption.IP_FREEBIND, true);
        values.put(FerronetChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
        return values;
    }

    private static Map<ChannelOption<?>, Object> coreValues() {
        Map<ChannelOption<?>, Object> values = new LinkedHashMap<>();
        values.put(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT);
        values.put(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(100));
        values.put(ChannelOption.MESSAGE_SIZE_ESTIMATOR, new DefaultMessageSizeEstimator(3));
        values.put(ChannelOption.CONNECT_TIMEOUT_MILLIS, 1234);
        values.put(ChannelOption.MAX_MESSAGES_PER_WRITE, 5);
        values.put(ChannelOption.WRITE_SPIN_COUNT, 6);
        values.put(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(10, 20));
        values.put(ChannelOption.AUTO_READ, false);
        values.put(ChannelOption.AUTO_CLOSE, false);
        values.put(ChannelOption.SINGLE_EVENTEXECUTOR_PER_GROUP, false);
        return values;
    }

    @Test
    @SuppressWarnings("unchecked")
    void everyStreamOptionIsReadBack() {
        Map<ChannelOption<?>, Object> values = streamValues();
        values.putAll(coreValues());
        values.forEach((option, value) -> {
            assertTrue(channel.config().setOption((ChannelOption<Object>) option, value), option::name);
            assertEquals(value, channel.config().getOption(option), option::name);
        });
        assertTrue(channel.config().setOption(ChannelOption.SO_RCVBUF, 100_000));
        assertTrue(channel.config().getOption(ChannelOption.SO_RCVBUF) >= 100_000);
        assertTrue(channel.config().setOption(ChannelOption.SO_SNDBUF, 100_000));
        assertTrue(channel.config().getOption(ChannelOption.SO_SNDBUF) >= 100_000);
        Map<ChannelOption<?>, Object> all = channel.config().getOptions();
        values.keySet().forEach(option -> assertTrue(all.containsKey(option), option::name));
    }

    @Test
    @SuppressWarnings("unchecked")
    void everyServerOptionIsReadBack() {
        Map<ChannelOption<?>, Object> values = coreValues();
        values.remove(ChannelOption.AUTO_CLOSE);
        values.put(ChannelOption.SO_BACKLOG, 77);
        values.put(ChannelOption.SO_REUSEADDR, false);
        values.put(UnixChannelOption.SO_REUSEPORT, true);
        values.put(FerronetChannelOption.IP_FREEBIND, true);
        values.forEach((option, value) -> {
            assertTrue(server.config().setOption((ChannelOption<Object>) option, value), option::name);
            assertEquals(value, server.config().getOption(option), option::name);
        });
        assertTrue(server.config().setOption(FerronetChannelOption.TCP_DEFER_ACCEPT, 5));
        assertTrue(server.config().getOption(FerronetChannelOption.TCP_DEFER_ACCEPT) >= 5);
        assertTrue(server.config().setOption(ChannelOption.SO_RCVBUF, 100_000));
        assertTrue(server.config().getOption(ChannelOption.SO_RCVBUF) >= 100_000);
        assertTrue(server.config().setOption(ChannelOption.TCP_FASTOPEN, 3));
        assertTrue(server.config().getOptions().keySet().containsAll(values.keySet()));
    }

    /** What the configuration set is what the kernel says under its own numbers. */
    @Test
    void valuesComeFromTheKernel() {
        IntegerUnixChannelOption keepAlive = new IntegerUnixChannelOption("keep-alive", SOL_SOCKET, SO_KEEPALIVE);
        assertEquals(0, channel.config().getOption(keepAlive));
        channel.config().setKeepAlive(true);
        assertEquals(1, channel.config().getOption(keepAlive));
        channel.config().setOption(keepAlive, 0);
        assertFalse(channel.config().isKeepAlive());
        assertEquals(1, channel.config().getOption(new IntegerUnixChannelOption("no-delay", IPPROTO_TCP, TCP_NODELAY)), "on by default");
    }

    @Test
    void optionsByLevelAndName() {
        IntegerUnixChannelOption segment = new IntegerUnixChannelOption("segment", IPPROTO_TCP, TCP_MAXSEG);
        channel.config().setOption(segment, 1000);
        assertNotNull(channel.config().getOption(segment));
        RawUnixChannelOption congestion = new RawUnixChannelOption("congestion", IPPROTO_TCP, TCP_CONGESTION, 16);
        byte[] reno = new byte[16];
        System.arraycopy("reno".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, reno, 0, 4);
        channel.config().setOption(congestion, ByteBuffer.wrap(reno));
        ByteBuffer read = channel.config().getOption(congestion);
        byte[] bytes = new byte[4];
        read.get(bytes);
        assertArrayEquals("reno".getBytes(java.nio.charset.StandardCharsets.US_ASCII), bytes);
        RawUnixChannelOption raw = new RawUnixChannelOption("raw keep-alive", SOL_SOCKET, SO_KEEPALIVE, 4);
        channel.config().setOption(raw, ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(0, 1));
        assertTrue(channel.config().isKeepAlive());
        assertThrows(IllegalArgumentException.class, () -> channel.config().setOption(raw, ByteBuffer.allocate(3)));
        ChannelException failure = assertThrows(ChannelException.class,
            () -> channel.config().setOption(new IntegerUnixChannelOption("nothing", IPPROTO_TCP, 9999), 1));
        assertTrue(failure.getMessage().contains("nothing"), failure.getMessage());
        assertTrue(assertInstanceOf(FerronetException.class, failure.getCause()).errno() > 0);
    }

    /** Programs that move here from Netty's transports keep their options. */
    @Test
    void optionsOfNettysTransports() {
        ChannelOption<Integer> epoll = ChannelOption.valueOf("io.netty.channel.epoll.EpollChannelOption#TCP_KEEPIDLE");
        ChannelOption<Boolean> uring = ChannelOption.valueOf("io.netty.channel.uring.IoUringChannelOption#TCP_CORK");
        assertTrue(channel.config().setOption(epoll, 99));
        assertEquals(99, channel.config().getOption(FerronetChannelOption.TCP_KEEPIDLE));
        assertTrue(channel.config().setOption(uring, true));
        assertEquals(true, channel.config().getOption(FerronetChannelOption.TCP_CORK));
    }

    @Test
    void md5Keys() {
        Map<InetAddress, byte[]> keys = Map.of(InetAddress.getLoopbackAddress(), new byte[] {1, 2, 3});
        try {
            assertTrue(channel.config().setOption(FerronetChannelOption.TCP_MD5SIG, keys));
            assertTrue(channel.config().setOption(FerronetChannelOption.TCP_MD5SIG, Map.of()));
        } catch (ChannelException e) {
            assertTrue(e.getMessage().contains("TCP_MD5SIG"), e.getMessage()); // A kernel may be built without it.
        }
        assertThrows(IllegalArgumentException.class,
            () -> channel.config().setOption(FerronetChannelOption.TCP_MD5SIG, Map.of(InetAddress.getLoopbackAddress(), new byte[81])));
    }

    @Test
    void unknownOptionIsNotTaken() {
        assertFalse(channel.config().setOption(ChannelOption.SO_BACKLOG, 1));
        assertFalse(channel.config().setOption(ChannelOption.IP_MULTICAST_TTL, 1));
        assertFalse(server.config().setOption(ChannelOption.SO_LINGER, 1));
    }

    @Test
    void valueOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> channel.config().setOption(ChannelOption.SO_RCVBUF, 0));
        IllegalArgumentException tos = assertThrows(IllegalArgumentException.class, () -> channel.config().setOption(ChannelOption.IP_TOS, 256));
        assertEquals("option IP_TOS: 256 (expected: 0 to 255)", tos.getMessage());
        assertThrows(IllegalArgumentException.class, () -> channel.config().setOption(FerronetChannelOption.TCP_NOTSENT_LOWAT, -1L));
        assertThrows(IllegalArgumentException.class, () -> server.config().setBacklog(-1));
        ChannelException failure = assertThrows(ChannelException.class, () -> channel.config().setOption(FerronetChannelOption.TCP_KEEPIDLE, 1_000_000));
        assertTrue(failure.getMessage().contains("TCP_KEEPIDLE to 1000000"), failure.getMessage());
        assertTrue(failure.getMessage().contains("range"), failure.getMessage());
    }

    @Test
    void closedChannel() {
        channel.unsafe().closeForcibly();
        ChannelException failure = assertThrows(ChannelException.class, () -> channel.config().getOption(ChannelOption.SO_RCVBUF));
        assertInstanceOf(ClosedChannelException.class, failure.getCause());
        assertTrue(channel.config().getOptions().containsKey(ChannelOption.ALLOCATOR), "getOptions never throws");
    }

    /** Options of a bootstrap reach accepted and connected sockets. */
    @OnBothBackends
    void bootstrapOptions(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend);
                Loops.Accepting accepting = new Loops.Accepting(loops, accepted -> { }, bootstrap -> bootstrap.option(ChannelOption.SO_BACKLOG, 0)
                    .childOption(ChannelOption.SO_KEEPALIVE, true).childOption(FerronetChannelOption.TCP_KEEPIDLE, 33))) {
            var client = loops.client(new Recorder()).option(ChannelOption.SO_KEEPALIVE, true).connect(accepting.address()).sync().channel();
            var child = accepting.next();
            assertEquals(true, client.config().getOption(ChannelOption.SO_KEEPALIVE));
            assertEquals(true, child.config().getOption(ChannelOption.SO_KEEPALIVE));
            assertEquals(33, child.config().getOption(FerronetChannelOption.TCP_KEEPIDLE));
        }
    }
}
