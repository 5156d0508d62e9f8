package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;

/** A read without memory closes the channel, and the loop lives on. */
@Timeout(60)
class OutOfMemoryTest {
    /** Runs out of memory when it is told to. */
    private static final class Exhaustible extends AbstractByteBufAllocator {
        private final AtomicReference<Throwable> failure = new AtomicReference<>(new OutOfMemoryError("injected"));
        private final AtomicBoolean exhausted = new AtomicBoolean();

        Exhaustible() {
            super(true);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (exhausted.get()) {
                PlatformDependent.throwException(failure.get());
            }
            return toLeakAwareBuffer(new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity));
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    private static void exhaust(Loops loops, Exhaustible allocator, RecvByteBufAllocator receive, ByteBufAllocator channelAllocator) throws Exception {
        Recorder recorder = new Recorder();
        try (Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder), bootstrap -> {
            bootstrap.childOption(ChannelOption.ALLOCATOR, channelAllocator);
            if (receive != null) {
                bootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, receive);
            }
        })) {
            try (Socket socket = accepting.connect()) {
                accepting.next();
                EchoTest.write(socket, new byte[10]);
                recorder.awaitBytes(10);
                allocator.exhausted.set(true);
                EchoTest.write(socket, new byte[10]);
                recorder.awaitEvent("inactive");
                assertSame(allocator.failure.get(), recorder.failure());
            }
            allocator.exhausted.set(false);
            loops.group().next().submit(() -> { }).sync();
        }
    }

    @OnBothBackends
    void lentBuffers(Backend backend) throws Exception {
        Exhaustible allocator = new Exhaustible();
        try (Loops loops = Loops.on(FerronetIoHandlerConfig.builder().backend(backend).allocator(allocator), 1)) {
            exhaust(loops, allocator, null, allocator);
        }
    }

    /** Any other failure, too, ends the connection instead of losing bytes of it. */
    @OnBothBackends
    void failingAllocator(Backend backend) throws Exception {
        Exhaustible allocator = new Exhaustible();
        allocator.failure.set(new IllegalStateException("injected"));
        try (Loops loops = Loops.on(FerronetIoHandlerConfig.builder().backend(backend).allocator(allocator), 1)) {
            exhaust(loops, allocator, null, allocator);
        }
    }

    @OnBothBackends
    void ownBuffers(Backend backend) throws Exception {
        Exhaustible allocator = new Exhaustible();
        try (Loops loops = Loops.on(backend)) {
            exhaust(loops, allocator, new FixedRecvByteBufAllocator(100), allocator);
        }
    }

    /** No lent buffer can be had at all: channels receive into buffers of their own. */
    @OnBothBackends
    void noLentBuffer(Backend backend) throws Exception {
        Exhaustible allocator = new Exhaustible();
        Recorder recorder = new Recorder();
        try (Loops loops = Loops.on(FerronetIoHandlerConfig.builder().backend(backend).lentBuffers(1).lentBufferSize(64).copyThreshold(0)
                .allocator(allocator), 1);
                Loops.Accepting accepting = new Loops.Accepting(loops, channel -> channel.pipeline().addLast(recorder),
                    bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator));
                Socket first = accepting.connect()) {
            EchoTest.write(first, new byte[100_000]);
            recorder.awaitBytes(100_000);
            assertTrue(recorder.events().contains("active"));
        }
    }
}
