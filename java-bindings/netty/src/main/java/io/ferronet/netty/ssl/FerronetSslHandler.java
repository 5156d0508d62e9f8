package io.ferronet.netty.ssl;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufConvertible;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLException;

/**
 * An {@link SslHandler} whose data goes through the native session directly: one call for each record that is sent, and one for all that was received, in direct memory and
 * without a copy in between. Handshakes, closing, timeouts and failures are those of {@code SslHandler}, with the same events and promises in the same order.
 *
 * <p>{@link #setWrapDataSize} has no effect: a record has up to 16 KiB, as many bytes as are at hand. {@link #engine()} serves to ask about the session; to wrap or unwrap with it
 * disturbs the connection.
 */
public final class FerronetSslHandler extends SslHandler {
    /** A record of one byte that the engine never looks into: what {@link SslHandler} is given to make it notice what the engine has become. */
    private static final byte[] PROBE = {23, 3, 3, 0, 1, 0};

    private final FerronetSslEngine engine;
    private final boolean startTls;
    private final RecordReader reader = new RecordReader();
    private PendingWriteQueue pending;
    private RecordWriter writer;
    private boolean sentFirst;
    private boolean open;
    /** The handshake is done, and its last flight and what waited for it are not sent yet. */
    private boolean opening;
    private boolean delivered;
    private boolean removed;
    /** {@code SslHandler} decodes: it queues what is received meanwhile. */
    private boolean decoding;
    private boolean receiving;
    /** {@code null} while there is none. */
    private Queue<ByteBuf> receivedMeanwhile;

    FerronetSslHandler(FerronetSslEngine engine, boolean startTls, Executor executor) {
        super(engine, startTls, executor);
        this.engine = engine;
        this.startTls = startTls;
    }

    FerronetSslHandler(FerronetSslEngine engine, boolean startTls) {
        super(engine, startTls);
        this.engine = engine;
        this.startTls = startTls;
    }

    /** The protocol that ALPN chose, or {@code null} if there is none. */
    @Override
    public String applicationProtocol() {
        String protocol = engine.getApplicationProtocol();
        return protocol == null || protocol.isEmpty() ? null : protocol;
    }

    /** Bytes of data that went through the native session past {@code SslHandler}: sent and received. For tests. */
    long directBytes() {
        return reader.bytes() + (writer == null ? 0 : writer.bytes());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        pending = new PendingWriteQueue(ctx);
        writer = new RecordWriter(engine, pending);
        super.handlerAdded(ctx);
        handshakeFuture().addListener(future -> handshakeDone(ctx, future));
        sslCloseFuture().addListener(future -> {
            if (!future.isSuccess()) {
                failPending(closedCause());
            }
        });
    }

    private void handshakeDone(ChannelHandlerContext ctx, Future<?> future) {
        if (future.isSuccess()) {
            open = !removed;
            opening = open;
            return;
        }
        // Writers hear of it after everybody has heard that the handshake failed.
        try {
            ctx.executor().execute(() -> failPending(future.cause()));
        } catch (RejectedExecutionException e) {
            failPending(future.cause());
        }
    }

    private void failPending(Throwable cause) {
        if (!pending.isEmpty()) {
            pending.removeAndFailAll(cause);
        }
    }

    /** Sends what waited for the end of the handshake, once everybody has heard of it. */
    private void flushOpening(ChannelHandlerContext ctx) throws Exception {
        if (opening && !removed) {
            opening = false;
            flush(ctx);
        }
    }

    @Override
    public void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
        removed = true;
        open = false;
        opening = false;
        failPending(new ChannelException("Pending write on removal of SslHandler"));
        ByteBuf rest = reader.takePartial();
        try {
            super.handlerRemoved0(ctx);
        } finally {
            engine.release();
            if (rest != null) {
                ctx.fireChannelRead(rest);
                ctx.fireChannelReadComplete();
            }
        }
    }

    // Outbound.

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) throws Exception {
        if (!(msg instanceof ByteBufConvertible) || pending == null || removed) {
            super.write(ctx, msg, promise);
            return;
        }
        pending.add(((ByteBufConvertible) msg).asByteBuf(), promise);
    }

    @Override
    public void flush(ChannelHandlerContext ctx) throws Exception {
        if (open && engine.isOutboundOpen()) {
            if (!pending.isEmpty()) {
                flushOpen(ctx);
            } else {
                ctx.flush();
            }
            return;
        }
        if (startTls && !sentFirst) {
            sentFirst = true;
            pending.removeAndWriteAll();
        } else if (engine.isClosingOutbound()) {
            failPending(closedCause());
        }
        passEmptyWrites(ctx);
        super.flush(ctx);
        flushOpening(ctx);
    }

    /** What has no data need not wait for the handshake: it is done with what {@code SslHandler} sends next. */
    private void passEmptyWrites(ChannelHandlerContext ctx) throws Exception {
        while (pending.current() instanceof ByteBuf message && !message.isReadable()) {
            super.write(ctx, Unpooled.EMPTY_BUFFER, pending.remove());
        }
    }

    private Throwable closedCause() {
        Throwable cause = handshakeFuture().cause();
        if (cause == null) {
            cause = sslCloseFuture().cause();
        }
        return cause == null ? new SslClosedEngineException("SSLEngine closed already") : cause;
    }

    private void flushOpen(ChannelHandlerContext ctx) {
        try {
            writer.writeAll(ctx);
            if (!engine.isOutboundOpen()) {
                failPending(closedCause());
            }
        } catch (Throwable e) {
            // The peer may have the beginning of a message, which nothing may continue but its own rest.
            engine.closeOutbound();
            failPending(e);
            throw e;
        } finally {
            ctx.flush();
        }
        if (engine.pendingFailure() != null) {
            notice(ctx);
        }
    }

    // Inbound.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
        if (open && !decoding && msg instanceof ByteBuf received && actualReadableBytes() == 0) {
            flushOpening(ctx);
            receive(ctx, received);
            return;
        }
        boolean outermost = !decoding;
        decoding = true;
        try {
            super.channelRead(ctx, msg);
        } finally {
            decoding = !outermost;
        }
        flushOpening(ctx);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws SSLException {
        if (open) {
            // Came together with the end of the handshake.
            receive(ctx, in.readBytes(in.readableBytes()));
        } else {
            super.decode(ctx, in, out);
        }
    }

    private void receive(ChannelHandlerContext ctx, ByteBuf received) {
        if (receiving) {
            if (receivedMeanwhile == null) {
                receivedMeanwhile = new ArrayDeque<>();
            }
            receivedMeanwhile.add(received);
            return;
        }
        receiving = true;
        try {
            for (ByteBuf next = received; next != null; next = nextReceived()) {
                receiveOne(ctx, next);
            }
        } finally {
            receiving = false;
            for (ByteBuf next = nextReceived(); next != null; next = nextReceived()) {
                next.release();
            }
            receivedMeanwhile = null;
        }
    }

    private ByteBuf nextReceived() {
        return receivedMeanwhile == null ? null : receivedMeanwhile.poll();
    }

    private void receiveOne(ChannelHandlerContext ctx, ByteBuf received) {
        ByteBuf rest = received;
        try {
            while (!removed && engine.isInboundOpen()) {
                if (rest != null && reader.hasPartial()) {
                    reader.complete(rest);
                }
                ByteBuf records = reader.takeComplete();
                if (records == null) {
                    if (rest == null || !rest.isReadable()) {
                        return;
                    }
                    records = reader.overwritable(ctx.alloc(), rest);
                    rest = records == rest ? null : released(rest);
                }
                ByteBuf data = reader.decrypt(engine, ctx.alloc(), records);
                boolean event = reader.hasEvent();
                if (data != null) {
                    delivered = true;
                    ctx.fireChannelRead(data);
                }
                if (event) {
                    noticeEvent(ctx);
                }
            }
            if (removed && rest != null && rest.isReadable()) {
                ByteBuf after = rest;
                rest = null;
                ctx.fireChannelRead(after);
            }
        } finally {
            ReferenceCountUtil.release(rest);
        }
    }

    private static ByteBuf released(ByteBuf buffer) {
        buffer.release();
        return null;
    }

    /** The session has something to send, was closed by the peer, or has failed. */
    private void noticeEvent(ChannelHandlerContext ctx) {
        if (removed) {
            return;
        }
        if (engine.isInboundOpen() && engine.pendingFailure() == null) {
            try {
                super.flush(ctx);
            } catch (Exception e) {
                ctx.fireExceptionCaught(e);
            }
            return;
        }
        notice(ctx);
    }

    /** Lets {@code SslHandler} notice that the engine was closed, or has failed: it sends the alert, and tells everybody. */
    private void notice(ChannelHandlerContext ctx) {
        ByteBuf probe = Unpooled.wrappedBuffer(PROBE);
        try {
            super.decode(ctx, probe, List.of());
        } catch (SSLException e) {
            throw new DecoderException(e);
        } finally {
            probe.release();
            if (engine.isClosingOutbound()) {
                failPending(closedCause());
            }
            ctx.flush();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (!open) {
            super.channelReadComplete(ctx);
            flushOpening(ctx);
            return;
        }
        flushOpening(ctx);
        if (!delivered && !ctx.channel().config().isAutoRead()) {
            ctx.read();
        }
        delivered = false;
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        reader.release();
        try {
            super.channelInactive(ctx);
        } finally {
            failPending(new ClosedChannelException());
            // Not only with the removal: the loop of a channel may end before that.
            engine.release();
        }
    }
}
