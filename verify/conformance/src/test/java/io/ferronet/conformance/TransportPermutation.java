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
    private final EventLoopGroup group = transport.newSuiteGroup(NUM_THREADS, "suite-" + transport.name());

    private TransportPermutation() {
    }

    @Override
    public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
        return pairs(true);
    }

    /** The same for classes whose time limit leaves no room for all pairs. */
    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socketWithoutFastOpen() {
        return pairs(false);
    }

    private List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs(boolean fastOpen) {
        List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs =
                new ArrayList<>(combo(ownServers("own-own", fastOpen), ownClients("own-own", fastOpen)));
        if (!transport.isNio()) {
            pairs.addAll(combo(ownServers("own-nio", fastOpen), List.of(() -> nioClient("own-nio"))));
            pairs.addAll(combo(List.of(() -> nioServer("nio-own")), ownClients("nio-own", fastOpen)));
        }
        return pairs;
    }

    @Override
    public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
        return ownServers("own", true);
    }

    @Override
    public List<BootstrapFactory<Bootstrap>> clientSocket() {
        return List.of(() -> ownClient("own"));
    }

    @Override
    public List<BootstrapFactory<Bootstrap>> clientSocketWithFastOpen() {
        return ownClients("own", true);
    }

    private List<BootstrapFactory<ServerBootstrap>> ownServers(String pair, boolean fastOpen) {
        List<BootstrapFactory<ServerBootstrap>> servers = new ArrayList<>();
        servers.add(() -> ownServer(pair));
        if (fastOpen && transport.fastOpenServer()) {
            servers.add(() -> ownServer(pair).option(ChannelOption.TCP_FASTOPEN, FAST_OPEN_QUEUE));
        }
        return servers;
    }

    private List<BootstrapFactory<Bootstrap>> ownClients(String pair, boolean fastOpen) {
        List<BootstrapFactory<Bootstrap>> clients = new ArrayList<>();
        clients.add(() -> ownClient(pair));
        if (fastOpen && transport.fastOpenClient()) {
            clients.add(() -> ownClient(pair).option(ChannelOption.TCP_FASTOPEN_CONNECT, true));
        }
        return clients;
    }

    private ServerBootstrap ownServer(String pair) {
        return UsedChannels.noted(new ServerBootstrap().group(group), pair + " server", transport.serverChannel());
    }

    private Bootstrap ownClient(String pair) {
        return UsedChannels.noted(new Bootstrap().group(group), pair + " client", transport.channel());
    }

    private ServerBootstrap nioServer(String pair) {
        return UsedChannels.noted(new ServerBootstrap().group(NIO_GROUP), pair + " server", NioServerSocketChannel.class);
    }

    private Bootstrap nioClient(String pair) {
        return UsedChannels.noted(new Bootstrap().group(NIO_GROUP), pair + " client", NioSocketChannel.class);
    }
}
