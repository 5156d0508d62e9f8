package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.DomainWildcardMappingBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Netty's {@link SniHandler} before handlers of ours. */
class HandlerSniTest extends HandlerPair {
    private final List<String> names = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private FerronetSslContext context;

    @BeforeEach
    void context() throws Exception {
        connect("TLSv1.3", false);
        context = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot()).build();
    }

    private SslContext chosen(String name) {
        names.add(String.valueOf(name));
        return context;
    }

    private void serve(SniHandler handler) {
        server = new EmbeddedChannel(handler, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                failure.compareAndSet(null, cause);
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                if (event instanceof SniCompletionEvent completion && completion.cause() != null) {
                    failure.compareAndSet(null, completion.cause());
                }
            }
        });
    }

    private ByteBuf hello() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = client.readOutbound(); part != null; part = client.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    /** The record of a hello as several records of at most so many bytes. */
    private static ByteBuf inRecords(ByteBuf hello, int first, int most) {
        ByteBuf records = Unpooled.buffer();
        hello.skipBytes(TlsRecords.HEADER);
        for (int size = first; hello.isReadable(); size = most) {
            int length = Math.min(size, hello.readableBytes());
            records.writeByte(22).writeShort(0x0301).writeShort(length).writeBytes(hello, length);
        }
        hello.release();
        return records;
    }

    private void finishHandshake() {
        exchange();
        client.writeOutbound(Unpooled.wrappedBuffer(new byte[100]));
        exchange();
        assertEquals(List.of(Keys.HOST), names);
        assertEquals(100, received(server).length);
        assertTrue(((FerronetSslHandler) server.pipeline().get(SslHandler.class)).directBytes() >= 100);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 50, 100_000})
    void aHelloMayComeInPieces(int piece) {
        serve(new SniHandler(this::chosen));
        ByteBuf hello = hello();
        while (hello.isReadable()) {
            server.writeInbound(hello.readBytes(Math.min(piece, hello.readableBytes())));
        }
        hello.release();
        finishHandshake();
    }

    /** The hash of the handshake is over messages, not records: a hello of many records is the same one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 64, 16_384})
    void aHelloMayBeOfManyRecords(int most) {
        serve(new SniHandler(this::chosen));
        server.writeInbound(inRecords(hello(), most, most));
        finishHandshake();
    }

    @Test
    void theFirstRecordOfAHelloMayHoldNoWholeHeader() {
        serve(new SniHandler(this::chosen));
        server.writeInbound(inRecords(hello(), 2, 16_384));
        finishHandshake();
    }

    /** Plain text has no name; the handler of the default context refuses it. */
    @Test
    void plainTextIsNoHello() {
        serve(new SniHandler(this::chosen));
        server.writeInbound(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
        assertEquals(List.of("null"), names);
        assertInstanceOf(DecoderException.class, failure.get());
        assertInstanceOf(NotSslRecordException.class, failure.get().getCause());
    }

    @Test
    void aNameThatIsNotAsciiIsRefused() {
        serve(new SniHandler(new DomainWildcardMappingBuilder<SslContext>(context).add("*.example.org", context).build()));
        ByteBuf hello = hello();
        int name = hello.indexOf(0, hello.writerIndex(), (byte) 's');
        while (!hello.toString(name, Keys.HOST.length(), StandardCharsets.ISO_8859_1).equals(Keys.HOST)) {
            name = hello.indexOf(name + 1, hello.writerIndex(), (byte) 's');
        }
        hello.setByte(name, 0x80);
        server.writeInbound(hello);
        assertInstanceOf(IllegalArgumentException.class, failure.get());
        assertNull(server.pipeline().get(SslHandler.class));
    }

    /** What is no TLS of version 3 is left to the handler of the default context. */
    @Test
    void anotherMajorVersionHasNoName() {
        serve(new SniHandler(this::chosen));
        server.writeInbound(Unpooled.wrappedBuffer(new byte[] {22, 2, 0, 0, 1, 0}));
        assertEquals(List.of("null"), names);
        assertInstanceOf(DecoderException.class, failure.get());
    }

    @Test
    void aHelloThatIsTooLongIsRefused() {
        serve(new SniHandler((name, promise) -> promise.setSuccess(chosen(name)), 10, 0));
        server.writeInbound(hello());
        assertInstanceOf(TooLongFrameException.class, failure.get());
        assertEquals(List.of(), names);
    }

    @Test
    void aHelloThatDoesNotComeTimesOut() throws Exception {
        serve(new SniHandler((name, promise) -> promise.setSuccess(chosen(name)), 0, 10));
        while (failure.get() == null && server.isOpen()) {
            Thread.sleep(10);
            server.runScheduledPendingTasks();
        }
        assertInstanceOf(SslHandshakeTimeoutException.class, failure.get());
        assertNull(server.pipeline().get(SslHandler.class));
    }

    /** The limit of the handler that takes over counts from then on. */
    @Test
    void theHandlerThatTakesOverTimesOut() throws Exception {
        AtomicReference<SslHandler> made = new AtomicReference<>();
        serve(new SniHandler(this::chosen) {
            @Override
            protected SslHandler newSslHandler(SslContext chosen, ByteBufAllocator allocator) {
                made.set(chosen.newHandler(allocator));
                made.get().setHandshakeTimeout(10, TimeUnit.MILLISECONDS);
                return made.get();
            }
        });
        server.writeInbound(hello());
        SslHandler handler = made.get();
        assertInstanceOf(FerronetSslHandler.class, handler);
        while (!handler.handshakeFuture().isDone()) {
            Thread.sleep(10);
            server.runScheduledPendingTasks();
        }
        assertInstanceOf(SslHandshakeTimeoutException.class, handler.handshakeFuture().cause());
    }
}
