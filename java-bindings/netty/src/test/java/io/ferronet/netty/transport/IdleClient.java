package io.ferronet.netty.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** The peers of {@link ScaleTest}, in a process of their own: they connect, are quiet, and then ask once each. */
final class IdleClient {
    private static final int CONNECTIONS_PER_ADDRESS = 5000;

    private IdleClient() {
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        List<SocketChannel> connections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SocketChannel connection = SocketChannel.open();
            byte[] local = {127, 0, 1, (byte) (1 + i / CONNECTIONS_PER_ADDRESS)};
            connection.bind(new InetSocketAddress(InetAddress.getByAddress(local), 0));
            connection.connect(server);
            connection.setOption(StandardSocketOptions.SO_LINGER, 0); // No port stays taken.
            connections.add(connection);
        }
        System.out.println("connected");
        if (System.in.read() < 0) {
            return;
        }
        ByteBuffer memory = ByteBuffer.allocateDirect(1);
        for (int i = 0; i < count; i++) {
            connections.get(i).write(memory.clear().put(0, (byte) i));
        }
        for (int i = 0; i < count; i++) {
            if (connections.get(i).read(memory.clear()) != 1 || memory.get(0) != (byte) i) {
                System.out.println("connection " + i + " got no answer");
                return;
            }
        }
        System.out.println("answered");
        if (System.in.read() < 0) {
            return;
        }
        for (SocketChannel connection : connections) {
            connection.close();
        }
    }
}
