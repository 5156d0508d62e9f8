package io.ferronet.netty.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Records what a channel's pipeline sees, in order: {@code read(n)}, {@code complete}, events, exceptions, {@code inactive}. */
class Recorder extends ChannelInboundHandlerAdapter {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final List<String> events = new ArrayList<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Throwable failure;

    private synchronized void record(String event) {
        events.add(event);
        notifyAll();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        record("active");
        super.channelActive(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        ByteBuf buffer = (ByteBuf) message;
        int length = buffer.readableBytes();
        synchronized (this) {
            byte[] content = new byte[length];
            buffer.readBytes(content);
            bytes.writeBytes(content);
        }
        buffer.release();
        record("read(" + length + ")");
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        record("complete");
        super.channelReadComplete(context);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        record(event.toString());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        synchronized (this) {
            failure = cause;
        }
        record(cause.getClass().getSimpleName());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        record("inactive");
        super.channelInactive(context);
    }

    synchronized List<String> events() {
        return List.copyOf(events);
    }

    synchronized long count(String event) {
        return events.stream().filter(event::equals).count();
    }

    synchronized byte[] bytes() {
        return bytes.toByteArray();
    }

    synchronized String text() {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    synchronized int received() {
        return bytes.size();
    }

    synchronized Throwable failure() {
        return failure;
    }

    void awaitEvent(String event) throws InterruptedException {
        await(() -> events.contains(event), event);
    }

    void awaitBytes(int count) throws InterruptedException {
        await(() -> bytes.size() >= count, count + " bytes");
    }

    private synchronized void await(java.util.function.BooleanSupplier condition, String what) throws InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(what + " did not come; there is: " + events + ", " + bytes.size() + " bytes");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
