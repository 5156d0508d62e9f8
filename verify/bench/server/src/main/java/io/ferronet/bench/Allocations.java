package io.ferronet.bench;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Prints the bytes that an event loop allocates on the Java heap for one request: {@code NAME bytes NUMBER} a line.
 *
 * <p>A blocking client sends 13 bytes at a time over loopback; the loop echoes them, or answers with 128 KiB. The number is meant
 * for a JVM whose compiler does no escape analysis ({@code -XX:TieredStopAtLevel=1}): then it is what the sources
 * allocate, and the same in every run. With {@code planted} as argument the handler allocates more than it should.
 */
public final class Allocations {
    private static final int REQUEST = 13;
    private static final int LARGE = 128 * 1024;
    private static final int WARM_UP = 4_000;
    private static final int MEASURED = 4_000;
    private static final int PLANTED = 512;

    private Allocations() {
    }

    /**
     * Entry point.
     *
     * @param arguments {@code planted} or nothing
     * @throws Exception when a transport is unavailable or the loopback connection fails
     */
    public static void main(String[] arguments) throws Exception {
        boolean planted = arguments.length == 1 && arguments[0].equals("planted");
        for (String backend : new String[] {"poll", "uring"}) {
            Transport transport = Transport.named("ferronet-" + backend);
            System.out.println("java-echo-13-" + backend + " bytes " + measure(transport, REQUEST, planted));
            System.out.println("java-reply-128k-" + backend + " bytes " + measure(transport, LARGE, planted));
        }
    }

    private static double measure(Transport transport, int answer, boolean planted) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlers());
        try {
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channelFactory(transport.serverChannel())
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new Answering(answer, planted));
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))
                    .sync()
                    .channel();
            long loop = group.next().submit(() -> Thread.currentThread().threadId()).get();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            try (Socket client = new Socket()) {
                client.setTcpNoDelay(true);
                client.setSoTimeout(20_000);
                client.connect(server.localAddress());
                request(client, answer, WARM_UP);
                long before = threads.getThreadAllocatedBytes(loop);
                request(client, answer, MEASURED);
                return (threads.getThreadAllocatedBytes(loop) - before) / (double) MEASURED;
            }
        } finally {
            group.shutdownGracefully(0, 5, java.util.concurrent.TimeUnit.SECONDS).sync();
        }
    }

    private static void request(Socket client, int answer, int count) throws IOException {
        byte[] request = new byte[REQUEST];
        byte[] buffer = new byte[answer];
        for (int i = 0; i < count; i++) {
            client.getOutputStream().write(request);
            if (client.getInputStream().readNBytes(buffer, 0, answer) != answer) {
                throw new IOException("the server closed the connection");
            }
        }
    }

    private static final class Answering extends ChannelInboundHandlerAdapter {
        private final ByteBuf body;
        private final boolean planted;
        private byte[] kept;

        Answering(int answer, boolean planted) {
            this.planted = planted;
            body = answer == REQUEST ? null : Unpooled.unreleasableBuffer(Unpooled.directBuffer(answer).writeZero(answer));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (planted) {
                kept = new byte[PLANTED];
            }
            if (body == null) {
                context.write(message);
            } else {
                ((ByteBuf) message).release();
                context.write(body.retainedDuplicate());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
