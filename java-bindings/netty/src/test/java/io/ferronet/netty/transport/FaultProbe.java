package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.ferronet.api.FerronetException;
import io.ferronet.api.Submission;
import io.ferronet.netty.Ferronet;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What {@link FaultTest} runs in a JVM of its own, on the library with the test hooks. Prints what happened. */
final class FaultProbe {
    private static final MethodHandle FAULT = fault();

    private FaultProbe() {
    }

    private static MethodHandle fault() {
        Path library = Path.of(System.getProperty("ferronet.library.path"));
        MemorySegment function = SymbolLookup.libraryLookup(library, Arena.global()).find("ferronet_test_fault").orElseThrow();
        return Linker.nativeLinker().downcallHandle(function,
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    }

    private static void arm(String name, long argument, long count) {
        try (Arena arena = Arena.ofConfined()) {
            int status = (int) FAULT.invokeExact(arena.allocateFrom(name), argument, count);
            if (status != 0) {
                throw new AssertionError(name + ": " + status);
            }
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Ferronet.ensureAvailability();
        Backend backend = Backend.valueOf(arguments[1]);
        switch (arguments[0]) {
            case "fallback" -> fallback(Integer.parseInt(arguments[2]));
            case "accept" -> accept(backend);
            case "abandoned" -> abandoned(backend);
            case "panic" -> panic(backend);
            case "closing" -> closing(backend);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("end");
    }

    /** The first ring is granted, the later ones are refused. */
    private static void fallback(int errno) throws Exception {
        Recording recording = new Recording();
        recording.enable("io.ferronet.Fallback");
        recording.start();
        Loops first = Loops.on(Backend.AUTO);
        System.out.println("first " + FerronetIoHandler.loops().get(0).backend());
        arm("uring-setup", errno, -1);
        try (Loops second = Loops.on(Backend.AUTO)) {
            FerronetLoopInfo info = FerronetIoHandler.loops().stream().filter(loop -> loop.backend() == Backend.POLL).findAny().orElseThrow();
            System.out.println("second " + info.backend() + " " + info.fallbackReason() + " " + info.fallbackStatus());
        }
        try (Loops third = Loops.on(Backend.IO_URING)) {
            System.out.println("third was granted");
        } catch (IllegalStateException e) {
            Throwable cause = e;
            while (!(cause instanceof FerronetException)) {
                cause = cause.getCause();
            }
            System.out.println("third " + ((FerronetException) cause).status() + " " + cause.getMessage());
        }
        first.close();
        recording.stop();
        Path file = Files.createTempFile("fallback", ".jfr");
        recording.dump(file);
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            System.out.println("event " + event.getString("backend") + " " + event.getString("reason") + " " + event.getInt("status"));
        }
        Files.delete(file);
    }

    /** Descriptors are used up for a while; afterwards accepting goes on. */
    private static void accept(Backend backend) throws Exception {
        arm("accept", 24, 2);
        try (Loops loops = Loops.on(backend)) {
            Channel server = loops.server(EchoTest.Echo::new).handler(new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    System.out.println("caught " + ((FerronetException) cause).errno() + " " + cause.getMessage());
                }
            }).bind().sync().channel();
            try (Socket socket = new Socket()) {
                socket.connect(server.localAddress());
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write(7);
                System.out.println("echoed " + socket.getInputStream().read());
            }
        }
    }

    /** An operation cannot be cancelled: its memory is given up, and the process goes on. */
    private static void abandoned(Backend backend) throws Exception {
        SocketDescriptor listener = SocketDescriptor.open(null);
        listener.bind(Loops.ANY_PORT);
        listener.listen(1, Loops.ANY_PORT);
        try (Loops other = Loops.on(backend); Loops.Accepting accepting = new Loops.Accepting(other, channel -> { });
                Socket socket = accepting.connect()) {
            Loops loops = Loops.on(backend);
            IoEventLoop loop = (IoEventLoop) loops.group().next();
            IoRegistration registration = loop.register(new StubbornHandle(listener)).sync().getNow();
            loop.submit(() -> registration.submit(FerronetIoOps.poll(Submission.POLL_IN))).sync();
            EchoTest.pause(50);
            arm("uring-cancel", 0, -1);
            arm("cancel-lost", 0, -1);
            long start = System.nanoTime();
            loops.group().shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            arm("uring-cancel", 0, 0);
            arm("cancel-lost", 0, 0);
            System.out.println((took < 1500 ? "in time" : "late: " + took + " ms") + ", abandoned " + (Ferronet.abandonedOperations() > 0)
                + ", unregistered " + StubbornHandle.unregistered);
            accepting.next();
            System.out.println("the other loop accepts");
        }
    }

    /** A handle that does not close, so that its operations stay in flight. */
    private record StubbornHandle(SocketDescriptor socket) implements FerronetIoHandle {
        private static volatile boolean unregistered;

        @Override
        public int descriptor() {
            return socket.intValue();
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            // Whatever comes is ignored.
        }

        @Override
        public void unregistered() {
            unregistered = true;
        }

        @Override
        public void close() {
            // Not closed.
        }
    }

    /** Closes that wait for a completion, one of them to linger, when the reactor fails. */
    private static void closing(Backend backend) throws Exception {
        try (ServerSocket peer = new ServerSocket(0, 10, Loops.ANY_PORT.getAddress()); Loops loops = Loops.on(backend)) {
            FerronetSocketChannel sending = (FerronetSocketChannel) loops.client(new ChannelInboundHandlerAdapter()).connect(peer.getLocalSocketAddress()).sync()
                .channel();
            FerronetSocketChannel lingering = (FerronetSocketChannel) loops.client(new ChannelInboundHandlerAdapter()).connect(peer.getLocalSocketAddress())
                .sync().channel();
            lingering.config().setSoLinger(1);
            ChannelFuture write = sending.writeAndFlush(sending.alloc().directBuffer(64 << 20).writeZero(64 << 20));
            EchoTest.pause(100);
            Loops.run(sending, () -> {
                sending.close();
                lingering.close();
                arm("panic-turn", 0, 1);
            });
            System.out.println("sending " + sending.closeFuture().await(5, TimeUnit.SECONDS));
            System.out.println("lingering " + lingering.closeFuture().await(5, TimeUnit.SECONDS));
            System.out.println("write " + write.await(5, TimeUnit.SECONDS));
        }
    }

    /** A panic in the reactor of one loop: its channels are closed, its tasks go on, and so do the other loops. */
    private static void panic(Backend backend) throws Exception {
        try (Loops other = Loops.on(backend); Loops loops = Loops.on(backend)) {
            Loops.Accepting accepting = new Loops.Accepting(loops, channel -> { });
            Socket socket = accepting.connect();
            Channel channel = accepting.next();
            Loops.run(channel, () -> arm("panic", 0, 1));
            channel.closeFuture().sync();
            accepting.listener().closeFuture().sync();
            System.out.println("peer reads " + socket.getInputStream().read());
            System.out.println("task " + loops.group().next().submit(() -> "runs").sync().getNow());
            ChannelFuture late = loops.group().register(new FerronetSocketChannel()).await();
            System.out.println("late " + late.cause().getMessage());
            Loops.Accepting healthy = new Loops.Accepting(other, accepted -> { });
            healthy.connect().close();
            healthy.next();
            System.out.println("the other loop accepts");
        }
    }
}
