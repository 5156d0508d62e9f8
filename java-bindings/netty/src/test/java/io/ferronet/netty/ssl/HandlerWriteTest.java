package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.IllegalReferenceCountException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What writers do with their promises and buffers before these are sent. */
class HandlerWriteTest extends HandlerPair {
    /** Beyond this size Netty's allocators keep no buffers at hand for each thread. */
    private static final int LARGEST_KEPT = 16_896;

    /** Sums up the direct memory that is asked for. */
    private static final class CountingAllocator extends AbstractByteBufAllocator {
        private long total;
        private int largest;

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            total += initialCapacity;
            largest = Math.max(largest, initialCapacity);
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    private void connected(String protocol) throws Exception {
        connect(protocol, false);
        exchange();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void noRecordIsMissingWhenAWriteIsCancelledBeforeItsFlush(String protocol) throws Exception {
        connected(protocol);
        byte[] data = random(40_000);
        ChannelPromise cancelled = client.newPromise();
        client.write(Unpooled.wrappedBuffer(data, 0, 30_000), cancelled);
        assertTrue(cancelled.cancel(false));
        client.flush();
        ChannelFuture next = client.writeAndFlush(Unpooled.wrappedBuffer(data, 30_000, 10_000));
        exchange();
        assertTrue(next.isSuccess());
        assertArrayEquals(data, received(server));
    }

    @Test
    void whatIsEncryptedCannotBeCancelled() throws Exception {
        connected("TLSv1.3");
        ChannelPromise promise = client.newPromise();
        int[] writes = {0};
        client.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise of) throws Exception {
                writes[0]++;
                assertFalse(promise.cancel(false));
                super.write(context, message, of);
            }
        });
        client.writeAndFlush(Unpooled.wrappedBuffer(random(100)), promise);
        exchange();
        assertEquals(1, writes[0]);
        assertTrue(promise.isSuccess());
        assertEquals(100, received(server).length);
    }

    @Test
    void ofALongMessageInTheHeapEachByteIsCopiedOnce() throws Exception {
        connected("TLSv1.3");
        CountingAllocator allocator = new CountingAllocator();
        client.config().setAllocator(allocator);
        byte[] data = random(8 << 20);
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7}));
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        exchange();
        byte[] received = received(server);
        assertArrayEquals(data, Arrays.copyOfRange(received, 1, received.length));
        // For the copy, and for the records.
        assertTrue(allocator.total < 2.1 * data.length, () -> allocator.total + " bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aLongMessageBeginsARecordAndEachRecordHasABufferOfItsOwn(String protocol) throws Exception {
        connected(protocol);
        CountingAllocator allocator = new CountingAllocator();
        client.config().setAllocator(allocator);
        byte[] data = random(100 + 2 * TlsRecords.MAX_DATA + 50);
        client.write(Unpooled.directBuffer().writeBytes(data, 0, 40));
        client.write(Unpooled.directBuffer().writeBytes(data, 40, 60));
        client.write(Unpooled.directBuffer().writeBytes(data, 100, 2 * TlsRecords.MAX_DATA + 20));
        client.writeAndFlush(Unpooled.directBuffer().writeBytes(data, data.length - 30, 30));
        int[] expected = {100, TlsRecords.MAX_DATA, TlsRecords.MAX_DATA, 50};
        for (int length : expected) {
            ByteBuf record = client.readOutbound();
            int overhead = record.readableBytes() - length;
            assertTrue(overhead > TlsRecords.HEADER && overhead <= TlsRecords.OVERHEAD, () -> "of " + length + " bytes came " + record.readableBytes());
            server.writeInbound(record);
        }
        assertTrue(client.outboundMessages().isEmpty());
        assertArrayEquals(data, received(server));
        assertTrue(allocator.largest <= LARGEST_KEPT, () -> allocator.largest + " bytes");
    }

    @Test
    void aBufferThatWasReleasedTooEarlyFailsAlone() throws Exception {
        connected("TLSv1.3");
        byte[] data = random(2_000);
        ChannelFuture first = client.write(Unpooled.wrappedBuffer(data, 0, 1_000));
        ByteBuf gone = Unpooled.directBuffer().writeBytes(data);
        ChannelFuture failing = client.write(gone);
        gone.release();
        ChannelFuture last = client.write(Unpooled.wrappedBuffer(data, 1_000, 1_000));
        client.flush();
        exchange();
        assertInstanceOf(IllegalReferenceCountException.class, failing.cause());
        assertTrue(first.isSuccess() && last.isSuccess());
        assertArrayEquals(data, received(server));

        gone = Unpooled.directBuffer().writeBytes(data);
        failing = client.write(gone);
        gone.release();
        client.flush();
        assertInstanceOf(IllegalReferenceCountException.class, failing.cause());
        assertTrue(client.outboundMessages().isEmpty());
    }
}
