package io.ferronet.netty.transport;

import io.ferronet.api.Errno;
import io.ferronet.api.FerronetException;
import io.ferronet.api.Submission;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * A TCP listener. Runs on event loops of {@link FerronetIoHandler} only; on others, registering fails with an {@link IllegalStateException}.
 */
public final class FerronetServerSocketChannel extends AbstractFerronetChannel implements ServerSocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    /** Pause before accepting again when descriptors or memory are used up and the pipeline did not pause by itself. */
    private static final long EXHAUSTION_PAUSE_MILLIS = 100;

    private final FerronetServerSocketChannelConfig config;
    /** Accepted descriptors that wait for a read. */
    private final ArrayDeque<Integer> accepted = new ArrayDeque<>();
    private boolean readPending;
    /** A read has reached the channel since AUTO_READ was last switched off. */
    private boolean reading;
    private boolean armed;
    private boolean cancelling;
    private boolean paused;
    private boolean inTurnEnd;
    private long acceptId;
    private int failure;

    /**
     * Opens a listener: dual-stack IPv6, or IPv4 where IPv6 is missing or switched off.
     *
     * @throws IllegalStateException if Ferronet is not available
     */
    public FerronetServerSocketChannel() {
        this(null);
    }

    /**
     * Opens a listener.
     *
     * @param family {@link SocketProtocolFamily#INET} or {@link SocketProtocolFamily#INET6}; {@code null} for the default
     * @throws IllegalStateException if Ferronet is not available
     */
    public FerronetServerSocketChannel(SocketProtocolFamily family) {
        super(null, SocketDescriptor.open(family), false);
        config = new FerronetServerSocketChannelConfig(this, socket());
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public FerronetServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    /**
     * A listener has no peer.
     *
     * @return {@code null}
     */
    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        InetSocketAddress address = bindSocket(localAddress);
        socket().listen(config.getBacklog(), address);
        activate();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        throw new UnsupportedOperationException("a listener cannot write");
    }

    @Override
    protected Object filterOutboundMessage(Object msg) {
        throw new UnsupportedOperationException("a listener cannot write");
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        reading = true;
        if (inTurnEnd) {
            return;
        }
        if (accepted.isEmpty() && failure == 0) {
            arm();
        } else {
            queueTurnEnd();
        }
    }

    private void arm() {
        if (!armed && !paused && isActive() && isOperational()) {
            armed = true;
            acceptId = registration().add(Submission.OP_ACCEPT, Submission.FLAG_MULTISHOT, 0);
        }
    }

    private boolean isWanted() {
        return readPending || reading && config.isAutoRead();
    }

    @Override
    void registered() {
        if (!accepted.isEmpty()) {
            queueTurnEnd();
        } else if (readPending) {
            arm();
        }
    }

    @Override
    void completed(FerronetIoEvent event) {
        if (event.op() != Submission.OP_ACCEPT) {
            return;
        }
        if (!event.isMore()) {
            armed = false;
            cancelling = false;
        }
        int result = event.result();
        if (result >= 0) {
            if (isOpen()) {
                accepted.add(result);
            } else {
                socket().accepted(result).closeNow();
                return;
            }
        } else if (!isTransient(result)) {
            failure = result;
        }
        queueTurnEnd();
    }

    private static boolean isTransient(int status) {
        Errno errno = Failures.errno(status);
        return errno == Errno.ECANCELED || errno == Errno.ECONNABORTED || errno == Errno.EAGAIN || errno == Errno.EINTR;
    }

    @Override
    void completionsDispatched() {
        inTurnEnd = true;
        try {
            deliver();
        } finally {
            inTurnEnd = false;
        }
        if (!isOpen() || isDeregistering()) {
            return;
        }
        if (isWanted()) {
            if (accepted.isEmpty()) {
                arm();
            } else {
                queueTurnEnd();
            }
        } else {
            stopAccepting();
        }
    }

    @SuppressWarnings("deprecation") // Netty has no other type for the handle that a channel returns.
    private void deliver() {
        RecvByteBufAllocator.Handle limit = unsafe().recvBufAllocHandle();
        limit.reset(config);
        int delivered = 0;
        while (!accepted.isEmpty() && isOpen() && !isDeregistering() && (delivered == 0 ? isWanted() : readPending || limit.continueReading())) {
            readPending = false;
            SocketDescriptor child = socket().accepted(accepted.poll());
            limit.lastBytesRead(1);
            limit.incMessagesRead(1);
            delivered++;
            pipeline().fireChannelRead(new FerronetSocketChannel(this, child));
        }
        int status = failure;
        if (delivered > 0 || status != 0) {
            limit.readComplete();
            if (status != 0) {
                failure = 0;
                readPending = false;
            }
            pipeline().fireChannelReadComplete();
        }
        if (status != 0) {
            acceptFailed(status);
        }
    }

    private void acceptFailed(int status) {
        if (Failures.isExhaustion(status)) {
            paused = true;
            eventLoop().schedule(() -> {
                paused = false;
                if (isWanted()) {
                    arm();
                }
            }, EXHAUSTION_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
        pipeline().fireExceptionCaught(new FerronetException("accept on " + localAddress(), status));
    }

    private void stopAccepting() {
        if (armed && !cancelling && isOperational()) {
            cancelling = true;
            registration().cancel(acceptId);
            submitNow();
        }
    }

    @Override
    void readCleared() {
        readPending = false;
        reading = false;
        stopAccepting();
    }

    @Override
    void autoReadIsOff() {
        if (!readPending) {
            reading = false;
            stopAccepting();
        }
    }

    @Override
    void closing() {
        Integer descriptor;
        while ((descriptor = accepted.poll()) != null) {
            socket().accepted(descriptor).closeNow();
        }
    }

    @Override
    void released() {
        armed = false;
        cancelling = false;
    }

    private final class ServerUnsafe extends FerronetUnsafe {
        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException("a listener cannot connect"));
        }
    }
}
