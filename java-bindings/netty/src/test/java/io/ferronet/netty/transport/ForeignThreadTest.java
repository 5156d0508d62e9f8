package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.channel.Channel;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What other threads than the loop's do by mistake, or because a close lingers, harms neither the loop nor the promises. */
@Timeout(120)
@ExtendWith(LeakCheck.class)
class ForeignThreadTest {
    private static final int ROUNDS = 60;

    /** The queue is refused to another thread, and the reactor goes on. */
    @OnBothBackends
    void anotherThreadCannotSubmit(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline()
                .addLast(new EchoTest.Echo())); Socket socket = accepting.connect()) {
            AbstractFerronetChannel channel = (AbstractFerronetChannel) accepting.next();
            Reactor reactor = channel.registration().handler().reactor();
            IllegalStateException refusal = assertThrows(IllegalStateException.class, reactor::submit);
            assertTrue(refusal.getMessage().contains(Thread.currentThread().getName()) && refusal.getMessage().contains("eventLoop().execute"),
                refusal::getMessage);
            assertEquals(0, reactor.failure());
            EchoTest.write(socket, new byte[] {7});
            assertEquals(7, socket.getInputStream().read());
        }
    }

    /** A channel that another thread closes by force is closed on its loop; the loop's other channels go on. */
    @OnBothBackends
    void anotherThreadClosesByForce(Backend backend) throws Exception {
        try (Loops loops = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline()
                .addLast(new EchoTest.Echo())); Socket closed = accepting.connect()) {
            AbstractFerronetChannel channel = (AbstractFerronetChannel) accepting.next();
            Reactor reactor = channel.registration().handler().reactor();
            try (Socket open = accepting.connect()) {
                accepting.next();
                channel.doClose();
                assertEquals(-1, closed.getInputStream().read());
                assertEquals(0, reactor.failure());
                EchoTest.write(open, new byte[] {7});
                assertEquals(7, open.getInputStream().read());
            }
        }
    }

    /** Closes that linger while their channel moves and its loops end: each is done, and no loop fails. */
    @OnBothBackends
    void lingeringClosesEndWithTheirLoops(Backend backend) throws Exception {
        Random random = new Random(7);
        try (Loops peers = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(peers, channel -> { })) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Channel> channels = new ArrayList<>();
                List<String> ways = new ArrayList<>();
                Loops first = Loops.on(backend);
                Loops second = Loops.on(backend);
                for (int i = 0; i < 8; i++) {
                    FerronetSocketChannel channel = (FerronetSocketChannel) first.client(new Recorder()).connect(accepting.address()).sync().channel();
                    channel.config().setSoLinger(1);
                    channels.add(channel);
                    if (random.nextBoolean()) {
                        channel.writeAndFlush(channel.alloc().directBuffer(1000).writeZero(1000));
                    }
                    int way = random.nextInt(4);
                    ways.add(String.valueOf(way));
                    switch (way) {
                        case 0 -> channel.close();
                        case 1 -> {
                            channel.close();
                            channel.deregister().addListener(left -> second.group().register(channel));
                        }
                        case 2 -> {
                            channel.deregister().addListener(left -> second.group().register(channel));
                            channel.close();
                        }
                        default -> channel.eventLoop().execute(() -> {
                            channel.deregister().addListener(left -> second.group().register(channel));
                            channel.close();
                        });
                    }
                }
                if (random.nextBoolean()) {
                    EchoTest.pause(random.nextInt(3));
                }
                first.group().shutdownGracefully(0, 0, TimeUnit.SECONDS);
                second.group().shutdownGracefully(0, 0, TimeUnit.SECONDS);
                for (int i = 0; i < channels.size(); i++) {
                    Channel channel = channels.get(i);
                    String what = "round " + round + ", way " + ways.get(i) + ": " + channel;
                    assertTrue(channel.closeFuture().await(10, TimeUnit.SECONDS), what);
                }
                first.close();
                second.close();
            }
            assertEquals(0, FerronetIoHandler.abandonedOperations());
        }
    }
}
