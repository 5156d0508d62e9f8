package io.ferronet.conformance;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import java.util.ArrayList;
import java.util.List;

/** Pairs the transport under test with itself and with NIO, each with and without TCP fast open where it has that. */
final class TransportPermutation extends SocketTestPermutation {
    static final TransportPermutation INSTANCE = new TransportPermutation();

    private static final int FAST_OPEN_QUEUE = 5;

    private final Transport transport = Transport.underTest();
    private final EventLoopGroup group = transport.newGroup(NUM_THREADS, "suite-" + transport.name());

    private TransportPermutation() {
    }

    @Override
    public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
        return pairs(ownServers(), ownClients());
    }

    /** The same for classes whose time limit leaves no room for all pairs. */
    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socketWithoutFastOpen() {
        return pairs(List.of(this::ownServer), List.of(this::ownClient));
    }

    private List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs(
            List<BootstrapFactory<ServerBootstrap>> servers, List<BootstrapFactory<Bootstrap>> clients) {
        List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs = new ArrayList<>(combo(servers, clients));
        if (!transport.isNio()) {
            pairs.addAll(combo(servers, List.of(this::nioClient)));
            pairs.addAll(combo(List.of(this::nioServer), clients));
        }
        return pairs;
    }

    @Override
    public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
        return ownServers();
    }

    @Override
    public List<BootstrapFactory<Bootstrap>> clientSocket() {
        return List.of(this::ownClient);
    }

    @Override
    public List<BootstrapFactory<Bootstrap>> clientSocketWithFastOpen() {
        return ownClients();
    }

    private List<BootstrapFactory<ServerBootstrap>> ownServers() {
        List<BootstrapFactory<ServerBootstrap>> servers = new ArrayList<>();
        servers.add(this::ownServer);
        if (transport.fastOpenServer()) {
            servers.add(() -> ownServer().option(ChannelOption.TCP_FASTOPEN, FAST_OPEN_QUEUE));
        }
        return servers;
    }

    private List<BootstrapFactory<Bootstrap>> ownClients() {
        List<BootstrapFactory<Bootstrap>> clients = new ArrayList<>();
        clients.add(this::ownClient);
        if (transport.fastOpenClient()) {
            clients.add(() -> ownClient().option(ChannelOption.TCP_FASTOPEN_CONNECT, true));
        }
        return clients;
    }

    private ServerBootstrap ownServer() {
        return new ServerBootstrap().group(group).channel(transport.serverChannel());
    }

    private Bootstrap ownClient() {
        return new Bootstrap().group(group).channel(transport.channel());
    }

    private ServerBootstrap nioServer() {
        return new ServerBootstrap().group(NIO_GROUP).channel(NioServerSocketChannel.class);
    }

    private Bootstrap nioClient() {
        return new Bootstrap().group(NIO_GROUP).channel(NioSocketChannel.class);
    }
}
