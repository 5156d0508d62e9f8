package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the handler does with data, between two channels without a transport. */
class HandlerDataTest extends HandlerPair {
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void dataOfAnySizeArrivesPastTheEngine(String protocol) throws Exception {
        connect(protocol, false);
        exchange();
        assertTrue(clientHandler.handshakeFuture().isSuccess());
        long total = 0;
        for (int size : new int[] {1, 13, 16_383, 16_384, 16_385, 100_000, 262_144, 262_145, 3_000_000}) {
            byte[] data = random(size);
            ChannelFuture sent = client.writeAndFlush(client.alloc().directBuffer(size).writeBytes(data));
            exchange();
            assertTrue(sent.isSuccess());
            assertArrayEquals(data, received(server));
            total += size;
        }
        assertEquals(total, clientHandler.directBytes());
        assertEquals(total, serverHandler.directBytes());
    }

    @Test
    void buffersOfAnyKindAreSentAndLeftAsTheyAre() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        byte[] data = random(40_000);
        ByteBuffer users = ByteBuffer.allocateDirect(data.length).put(data).flip();
        CompositeByteBuf mixed = Unpooled.compositeBuffer().addComponents(true, Unpooled.wrappedBuffer(data, 0, 10_000),
            Unpooled.directBuffer().writeBytes(data, 10_000, 30_000));
        CompositeByteBuf direct = Unpooled.compositeBuffer().addComponents(true, Unpooled.directBuffer().writeBytes(data, 0, 10_000),
            Unpooled.directBuffer().writeBytes(data, 10_000, 30_000));
        ByteBuf whole = Unpooled.directBuffer().writeBytes(data);
        for (ByteBuf message : List.of(Unpooled.wrappedBuffer(data.clone()), Unpooled.wrappedBuffer(users.duplicate()), Unpooled.wrappedBuffer(users.asReadOnlyBuffer()),
            mixed, direct, whole.retainedSlice(), whole.retainedDuplicate().asReadOnly(), whole)) {
            client.writeAndFlush(message);
            exchange();
            assertArrayEquals(data, received(server), message::toString);
            assertEquals(0, message.refCnt() - (message.unwrap() == null || message.refCnt() == 0 ? 0 : whole.refCnt()), message::toString);
        }
        byte[] after = new byte[data.length];
        users.duplicate().get(after);
        assertArrayEquals(data, after);
    }

    @Test
    void receivedMemoryOfOthersIsNotOverwritten() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        byte[] data = random(5_000);
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        ByteBuf sealed = client.readOutbound();
        byte[] records = new byte[sealed.readableBytes()];
        sealed.getBytes(sealed.readerIndex(), records);
        ByteBuf pooled = PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(records);
        ByteBuf held = pooled.retainedDuplicate();
        server.writeInbound(pooled);
        assertArrayEquals(data, received(server));
        byte[] seen = new byte[records.length];
        held.getBytes(held.readerIndex(), seen);
        assertArrayEquals(records, seen);
        held.release();
        sealed.release();

        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        sealed = client.readOutbound();
        records = new byte[sealed.readableBytes()];
        sealed.readBytes(records);
        sealed.release();
        ByteBuffer users = ByteBuffer.allocateDirect(records.length).put(records).flip();
        server.writeInbound(Unpooled.wrappedBuffer(users.duplicate()));
        assertArrayEquals(data, received(server));
        users.get(seen = new byte[records.length]);
        assertArrayEquals(records, seen);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 5, 6, 100, 16_000, 17_000})
    void recordsMayArriveInPieces(int piece) throws Exception {
        connect("TLSv1.3", false);
        exchange();
        byte[] data = random(50_000);
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf sent = client.readOutbound(); sent != null; sent = client.readOutbound()) {
            all.writeBytes(sent);
            sent.release();
        }
        while (all.isReadable()) {
            int count = Math.min(piece, all.readableBytes());
            server.writeInbound(server.alloc().directBuffer(count).writeBytes(all, count));
        }
        all.release();
        assertArrayEquals(data, received(server));
    }

    @Test
    void whatIsWrittenBeforeTheHandshakeFollowsItInOrder() throws Exception {
        connect("TLSv1.3", false);
        ChannelFuture first = client.write(Unpooled.copiedBuffer("one", java.nio.charset.StandardCharsets.US_ASCII));
        ChannelFuture second = client.writeAndFlush(Unpooled.copiedBuffer("two", java.nio.charset.StandardCharsets.US_ASCII));
        assertFalse(first.isDone());
        exchange();
        assertTrue(first.isSuccess());
        assertTrue(second.isSuccess());
        assertEquals("onetwo", new String(received(server), java.nio.charset.StandardCharsets.US_ASCII));
        assertInstanceOf(SslHandshakeCompletionEvent.class, events.get(0));
        assertEquals("read", events.get(1));
    }

    @Test
    void manyWritesBecomeFewRecords() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        List<ChannelFuture> futures = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            futures.add(client.write(Unpooled.directBuffer().writeBytes(random(13))));
        }
        client.flush();
        assertEquals(1, client.outboundMessages().size());
        exchange();
        futures.forEach(future -> assertTrue(future.isSuccess()));
        assertEquals(13_000, received(server).length);
    }

    @Test
    void anEmptyWriteIsDone() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        assertTrue(client.writeAndFlush(Unpooled.EMPTY_BUFFER).isSuccess());
    }

    @Test
    void closingSendsCloseNotifyAndTellsBoth() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        client.writeAndFlush(Unpooled.wrappedBuffer(random(100)));
        ChannelFuture unflushed = client.write(Unpooled.wrappedBuffer(random(10)));
        client.close();
        exchange();
        assertInstanceOf(SSLException.class, unflushed.cause());
        assertEquals(100, received(server).length);
        assertTrue(events.contains(SslCloseCompletionEvent.SUCCESS), events::toString);
        assertTrue(serverHandler.sslCloseFuture().isSuccess());
        assertFalse(client.isOpen());
        ChannelFuture late = server.writeAndFlush(Unpooled.wrappedBuffer(random(10)));
        assertNotNull(late.cause());
    }

    @Test
    void anEndWithoutCloseNotifyIsTold() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        server.pipeline().fireChannelInactive();
        assertTrue(serverHandler.sslCloseFuture().isDone());
        assertNotNull(serverHandler.sslCloseFuture().cause());
    }

    @Test
    void alteredDataFailsAfterWhatCameBefore() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        byte[] good = random(200);
        client.writeAndFlush(Unpooled.wrappedBuffer(good));
        ByteBuf first = client.readOutbound();
        client.writeAndFlush(Unpooled.wrappedBuffer(random(300)));
        ByteBuf second = client.readOutbound();
        second.setByte(second.readerIndex() + 50, second.getByte(second.readerIndex() + 50) ^ 1);
        ByteBuf both = server.alloc().directBuffer().writeBytes(first).writeBytes(second);
        first.release();
        second.release();
        DecoderException failure = null;
        try {
            server.writeInbound(both);
        } catch (DecoderException e) {
            failure = e;
        }
        assertNotNull(failure);
        assertInstanceOf(SSLException.class, failure.getCause());
        assertArrayEquals(good, received(server));
        ByteBuf alert = server.readOutbound();
        assertNotNull(alert);
        alert.release();
        assertFalse(server.isOpen());
    }

    @Test
    void withoutAutoReadNothingMoreIsReadThanAskedFor() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        int[] reads = {0};
        server.pipeline().addFirst(new io.netty.channel.ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) throws Exception {
                reads[0]++;
                super.read(context);
            }
        });
        server.config().setAutoRead(false);
        byte[] data = random(10_000);
        client.writeAndFlush(Unpooled.wrappedBuffer(data));
        ByteBuf sealed = client.readOutbound();
        server.writeInbound(server.alloc().directBuffer().writeBytes(sealed, 3_000));
        assertEquals(1, reads[0], "a part of a record delivers nothing, so more has to be read");
        server.writeInbound(server.alloc().directBuffer().writeBytes(sealed));
        assertEquals(1, reads[0], "what was delivered is what was asked for");
        sealed.release();
        assertArrayEquals(data, received(server));
    }

    @Test
    void removalGivesTheRestToTheNext() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        client.writeAndFlush(Unpooled.wrappedBuffer(random(1_000)));
        ByteBuf sealed = client.readOutbound();
        server.writeInbound(server.alloc().directBuffer().writeBytes(sealed, 500));
        sealed.release();
        ChannelFuture unsent = server.write(Unpooled.wrappedBuffer(random(10)));
        server.pipeline().remove(SslHandler.class);
        assertNotNull(unsent.cause());
        assertEquals(500, received(server).length);
    }

    @Test
    void withStartTlsTheFirstWriteIsPlain() throws Exception {
        connect("TLSv1.3", true);
        ChannelFuture plain = server.writeAndFlush(Unpooled.copiedBuffer("go", java.nio.charset.StandardCharsets.US_ASCII));
        ByteBuf sent = server.readOutbound();
        assertTrue(plain.isSuccess());
        assertEquals("go", sent.toString(java.nio.charset.StandardCharsets.US_ASCII));
        sent.release();
        client = new EmbeddedChannel(clientHandler);
        exchange();
        byte[] data = random(100);
        server.writeAndFlush(Unpooled.wrappedBuffer(data));
        exchange();
        assertArrayEquals(data, received(client));
        assertNull(clientHandler.applicationProtocol());
    }
}
