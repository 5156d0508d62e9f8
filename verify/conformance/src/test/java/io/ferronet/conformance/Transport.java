package io.ferronet.conformance;

import io.ferronet.api.Backend;
import io.ferronet.netty.Ferronet;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetIoHandlerConfig;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.ferronet.netty.transport.FerronetSocketChannel;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * What a transport under test is made of.
 *
 * @param name the value of the property that chooses it
 * @param handlers handlers of its event loops
 * @param suiteHandlers the same for channels with the allocators of the suite's permutations; {@code ferronet.conformance.allocator}
 *     says which of them the loops lend their receive buffers from: channels with that one receive into lent buffers, others into their own
 * @param movableHandlers handlers of loops that may move to another thread when resumed
 * @param serverChannel its TCP server channel
 * @param channel its TCP channel
 * @param fastOpenServer whether a server with TCP_FASTOPEN is part of the permutation
 * @param fastOpenClient whether a client with TCP_FASTOPEN_CONNECT is part of the permutation
 */
record Transport(
        String name,
        IoHandlerFactory handlers,
        IoHandlerFactory suiteHandlers,
        IoHandlerFactory movableHandlers,
        Class<? extends ServerSocketChannel> serverChannel,
        Class<? extends SocketChannel> channel,
        boolean fastOpenServer,
        boolean fastOpenClient) {

    private static final Transport UNDER_TEST = named(System.getProperty("ferronet.conformance.transport", "epoll"));

    static Transport underTest() {
        return UNDER_TEST;
    }

    boolean isNio() {
        return channel == NioSocketChannel.class;
    }

    EventLoopGroup newGroup(int threads, String threadName) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(threadName, true), handlers);
    }

    EventLoopGroup newSuiteGroup(int threads, String threadName) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(threadName, true), suiteHandlers);
    }

    ServerSocketChannel newServerChannel() {
        return new ReflectiveChannelFactory<>(serverChannel).newChannel();
    }

    private static Transport named(String name) {
        return switch (name) {
            case "nio" -> new Transport(
                    name,
                    NioIoHandler.newFactory(),
                    NioIoHandler.newFactory(),
                    NioIoHandler.newFactory(),
                    NioServerSocketChannel.class,
                    NioSocketChannel.class,
                    false,
                    false);
            case "epoll" -> {
                Epoll.ensureAvailability();
                yield new Transport(
                        name,
                        EpollIoHandler.newFactory(),
                        EpollIoHandler.newFactory(),
                        EpollIoHandler.newFactory(),
                        EpollServerSocketChannel.class,
                        EpollSocketChannel.class,
                        Epoll.isTcpFastOpenServerSideAvailable(),
                        Epoll.isTcpFastOpenClientSideAvailable());
            }
            case "io_uring" -> {
                IoUring.ensureAvailability();
                yield new Transport(
                        name,
                        IoUringIoHandler.newFactory(),
                        IoUringIoHandler.newFactory(),
                        IoUringIoHandler.newFactory(new IoUringIoHandlerConfig().setSingleIssuer(false)),
                        IoUringServerSocketChannel.class,
                        IoUringSocketChannel.class,
                        IoUring.isTcpFastOpenServerSideAvailable(),
                        IoUring.isTcpFastOpenClientSideAvailable());
            }
            case "ferronet-uring" -> ferronet(name, Backend.IO_URING);
            case "ferronet-poll" -> ferronet(name, Backend.POLL);
            default -> throw new IllegalArgumentException(
                    "transport " + name + " is unknown; known are epoll, io_uring, nio, ferronet-uring, ferronet-poll");
        };
    }

    /** With a backend that is asked for by name: a refused one fails instead of falling back. */
    private static Transport ferronet(String name, Backend backend) {
        Ferronet.ensureAvailability();
        FerronetIoHandlerConfig.Builder config = FerronetIoHandlerConfig.builder().backend(backend);
        IoHandlerFactory handlers = FerronetIoHandler.newFactory(config.build());
        return new Transport(
                name,
                handlers,
                FerronetIoHandler.newFactory(config.allocator(suiteAllocator()).build()),
                handlers,
                FerronetServerSocketChannel.class,
                FerronetSocketChannel.class,
                Epoll.isTcpFastOpenServerSideAvailable(),
                Epoll.isTcpFastOpenClientSideAvailable());
    }

    private static ByteBufAllocator suiteAllocator() {
        String name = System.getProperty("ferronet.conformance.allocator");
        Class<? extends ByteBufAllocator> type =
                switch (name) {
                    case "pooled" -> PooledByteBufAllocator.class;
                    case "adaptive" -> AdaptiveByteBufAllocator.class;
                    default -> throw new IllegalArgumentException("allocator " + name + " is unknown; known are pooled, adaptive");
                };
        return TestsuitePermutation.allocator().stream().filter(type::isInstance).findFirst().orElseThrow();
    }
}
