package io.ferronet.bench;

import io.ferronet.api.Backend;
import io.ferronet.netty.Ferronet;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetIoHandlerConfig;
import io.ferronet.netty.transport.FerronetLoopInfo;
import io.ferronet.netty.transport.FerronetServerSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * A transport that the server can run on.
 *
 * @param name its name on the command line
 * @param handlers its event-loop handlers
 * @param serverChannel makes its server channel
 * @param descriptor tells the descriptor of a server channel that is registered
 * @param backend tells which backend a running loop uses
 * @param library tells the build of the native library
 * @param counters what the loop counts about itself, such as its completions; empty where it counts nothing
 */
record Transport(
        String name,
        IoHandlerFactory handlers,
        ChannelFactory<? extends ServerChannel> serverChannel,
        ToIntFunction<Channel> descriptor,
        Supplier<String> backend,
        Supplier<String> library,
        Supplier<Map<String, Long>> counters) {

    private static final ToIntFunction<Channel> UNIX_DESCRIPTOR = channel -> ((UnixChannel) channel).fd().intValue();

    /** Sets TCP_CONGESTION on the listener; accepted sockets inherit it. */
    void setCongestionControl(Channel server, String algorithm) {
        SocketOption.setCongestionControl(descriptor.applyAsInt(server), algorithm);
    }

    static Transport named(String name) {
        return switch (name) {
            case "epoll" -> {
                Epoll.ensureAvailability();
                yield new Transport(name, EpollIoHandler.newFactory(), EpollServerSocketChannel::new, UNIX_DESCRIPTOR,
                        () -> "epoll", () -> "netty", Map::of);
            }
            case "io_uring" -> {
                IoUring.ensureAvailability();
                yield new Transport(name, IoUringIoHandler.newFactory(), IoUringServerSocketChannel::new, UNIX_DESCRIPTOR,
                        () -> "io_uring", () -> "netty", Map::of);
            }
            case "nio" -> nio(name);
            case "ferronet-uring" -> ferronet(name, Backend.IO_URING);
            case "ferronet-poll" -> ferronet(name, Backend.POLL);
            default -> throw new IllegalArgumentException(
                    "--transport " + name + ": known are epoll, io_uring, nio, ferronet-uring, ferronet-poll");
        };
    }

    private static Transport ferronet(String name, Backend backend) {
        Ferronet.ensureAvailability();
        return new Transport(
                name,
                FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build()),
                FerronetServerSocketChannel::new,
                UNIX_DESCRIPTOR,
                () -> Ferronet.loops().stream().map(loop -> loop.backend().name()).collect(Collectors.joining("+")),
                () -> Ferronet.library().abi().buildId(),
                Transport::countersOfFerronet);
    }

    private static Map<String, Long> countersOfFerronet() {
        return Map.of(
                "turns", Ferronet.loops().stream().mapToLong(FerronetLoopInfo::turns).sum(),
                "completions", Ferronet.loops().stream().mapToLong(FerronetLoopInfo::completions).sum());
    }

    private static Transport nio(String name) {
        ServerSocketChannel channel;
        try {
            channel = ServerSocketChannel.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Transport(name, NioIoHandler.newFactory(), () -> new NioServerSocketChannel(channel),
                ignored -> SocketOption.descriptorOf(channel), () -> "nio", () -> "jdk", Map::of);
    }
}
