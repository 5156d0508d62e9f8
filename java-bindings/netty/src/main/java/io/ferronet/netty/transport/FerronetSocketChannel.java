package io.ferronet.netty.transport;

import io.ferronet.api.Errno;
import io.ferronet.api.Status;
import io.ferronet.api.Submission;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.Executor;

/**
 * A TCP connection. Runs on event loops of {@link FerronetIoHandler} only; on others, registering fails with an {@link IllegalStateException}.
 */
public final class FerronetSocketChannel extends AbstractFerronetChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final FerronetSocketChannelConfig config;
    private final StreamReceiver receiver;
    private final StreamSender sender;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;
    private boolean inputEnded;
    private ConnectOperation connecting;

    /**
     * Opens a socket: dual-stack IPv6, or IPv4 where IPv6 is missing or switched off.
     *
     * @throws IllegalStateException if Ferronet is not available
     */
    public FerronetSocketChannel() {
        this((SocketProtocolFamily) null);
    }

    /**
     * Opens a socket.
     *
     * @param family {@link SocketProtocolFamily#INET} or {@link SocketProtocolFamily#INET6}; {@code null} for the default
     * @throws IllegalStateException if Ferronet is not available
     */
    public FerronetSocketChannel(SocketProtocolFamily family) {
        this(null, SocketDescriptor.open(family), false);
    }

    FerronetSocketChannel(FerronetServerSocketChannel parent, SocketDescriptor socket) {
        this(parent, socket, true);
    }

    private FerronetSocketChannel(FerronetServerSocketChannel parent, SocketDescriptor socket, boolean active) {
        super(parent, socket, active);
        config = new FerronetSocketChannelConfig(this, socket);
        receiver = new StreamReceiver(this, config);
        sender = new StreamSender(this);
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public FerronetSocketChannelConfig config() {
        return config;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    private StreamUnsafe streamUnsafe() {
        return (StreamUnsafe) unsafe();
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        bindSocket(localAddress);
    }

    @Override
    protected void doBeginRead() {
        receiver.beginRead();
    }

    @Override
    void readCleared() {
        receiver.readCleared();
    }

    @Override
    void autoReadIsOff() {
        receiver.autoReadIsOff();
    }

    @Override
    void registered() {
        if (connecting != null) {
            connecting.resume(registration());
        }
        if (isActive()) {
            receiver.resume();
            streamUnsafe().flushNow();
        }
    }

    @Override
    void completionsDispatched() {
        receiver.turnEnd();
    }

    @Override
    void completed(FerronetIoEvent event) {
        switch (event.op()) {
            case Submission.OP_RECV -> receiver.completed(event);
            case Submission.OP_SEND, Submission.OP_SEND_GATHER -> sent(event);
            case Submission.OP_CONNECT -> connectCompleted(connecting == null ? 1 : connecting.completed(event.result()));
            case Submission.OP_POLL -> {
                if (connecting != null) {
                    connectCompleted(connecting.polled(event.result()));
                } else {
                    receiver.hangupPolled(event);
                }
            }
            default -> { } // Nothing else is submitted.
        }
    }

    private void sent(FerronetIoEvent event) {
        int status = sender.completed(event);
        StreamUnsafe unsafe = streamUnsafe();
        boolean ownShutdown = outputShutdown;
        sender.runIdleAction();
        if (unsafe.finishClose()) {
            return;
        }
        if (status == 0) {
            unsafe.flushNow();
        } else if (!ownShutdown && Failures.errno(status) != Errno.ECANCELED && isOpen()) {
            unsafe.failWrite(Failures.io("sending to " + remoteAddress(), status));
        }
        if (!config.isAutoClose()) {
            queueTurnEnd();
        }
    }

    /** Whether messages were flushed that the kernel has not taken yet. */
    boolean hasPendingWrites() {
        ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
        return sender.isInFlight() || buffer != null && !buffer.isEmpty();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        sender.write(in);
    }

    @Override
    protected Object filterOutboundMessage(Object msg) {
        return OutboundMessages.sendable(alloc(), msg);
    }

    /** The peer has closed its side, and everything before was delivered. */
    void inputEnded() {
        if (!inputShutdown) {
            if (!config.isAllowHalfClosure()) {
                unsafe().close(voidPromise());
                return;
            }
            inputShutdown = true;
            socket().shutdown(Submission.SHUTDOWN_READ);
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
        if (!inputEnded) {
            inputEnded = true;
            receiver.inputClosed();
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }

    private void connectCompleted(int status) {
        ConnectOperation operation = connecting;
        if (operation == null || status > 0) {
            return;
        }
        connecting = null;
        operation.cancelTimeout();
        StreamUnsafe unsafe = streamUnsafe();
        if (status < 0) {
            operation.promise().tryFailure(unsafe.annotate(Failures.connect(operation.remote(), status), operation.remote()));
            if (config.isAutoClose()) {
                unsafe.close(voidPromise());
            }
            return;
        }
        activate();
        refreshAddresses();
        setRemote(operation.connectedTo(socket().peerAddress()));
        submittingAtOnce(() -> {
            boolean accepted = operation.promise().trySuccess();
            // The connection exists even if the promise was cancelled meanwhile; the events say so before it is closed.
            pipeline().fireChannelActive();
            if (!accepted) {
                unsafe.close(voidPromise());
            }
        });
        if (isActive() && isOperational()) {
            receiver.resume();
            unsafe.flushNow();
        }
    }

    /** The attempt was cancelled or has timed out. */
    void connectAbandoned(ConnectOperation operation) {
        if (connecting == operation) {
            connecting = null;
            operation.cancelTimeout();
            unsafe().close(voidPromise());
        }
    }

    @Override
    void closing() {
        receiver.stop();
        sender.detach();
        ConnectOperation operation = connecting;
        if (operation != null) {
            connecting = null;
            operation.closed();
        }
    }

    @Override
    void released() {
        receiver.release();
        sender.release();
        sender.runIdleAction();
        streamUnsafe().finishClose();
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !isOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !isOpen();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(() -> {
            try {
                shutdown(Submission.SHUTDOWN_READ);
                inputShutdown = true;
                promise.setSuccess();
            } catch (IOException | NotYetConnectedException e) {
                promise.setFailure(e);
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(() -> streamUnsafe().shutdownOutputInOrder(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput().addListener(output -> shutdownInput().addListener(input -> {
            Throwable cause = output.cause() != null ? output.cause() : input.cause();
            if (cause == null) {
                promise.setSuccess();
            } else {
                promise.setFailure(cause);
            }
        }));
        return promise;
    }

    private void onLoop(Runnable action) {
        if (eventLoop().inEventLoop()) {
            action.run();
        } else {
            eventLoop().execute(action);
        }
    }

    @Override
    protected void doShutdownOutput() throws IOException {
        sender.detach();
        if (!outputShutdown) {
            shutdown(Submission.SHUTDOWN_WRITE);
            outputShutdown = true;
        }
    }

    private void shutdown(int direction) throws IOException {
        if (!socket().isUsable()) {
            throw new ClosedChannelException();
        }
        int status = socket().shutdown(direction);
        if (Failures.errno(status) == Errno.ENOTCONN) {
            if (!isActive()) {
                throw new NotYetConnectedException();
            }
        } else if (Status.isError(status)) {
            throw Failures.io("shutdown", status);
        }
    }

    private final class StreamUnsafe extends FerronetUnsafe {
        /** {@code null} until the channel is closed. */
        private StreamClose closing;

        Throwable annotate(Throwable cause, SocketAddress remote) {
            return annotateConnectException(cause, remote);
        }

        /** Fails what is not sent yet, but only after what was handed to the kernel has been accounted for. */
        void shutdownOutputInOrder(ChannelPromise promise) {
            if (!sender.isInFlight() || !isOperational()) {
                shutdownOutput(promise);
                return;
            }
            if (!promise.setUncancellable()) {
                return;
            }
            submitNow();
            outputShutdown = !Status.isError(socket().shutdown(Submission.SHUTDOWN_WRITE));
            sender.whenIdle(() -> shutdownOutput(promise));
        }

        @Override
        protected void flush0() {
            if (!sender.isInFlight()) {
                super.flush0();
            }
        }

        @Override
        protected void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
            streamClose().close(promise, cause, closeCause);
        }

        private StreamClose streamClose() {
            if (closing == null) {
                closing = new StreamClose(FerronetSocketChannel.this, receiver, sender, super::close);
            }
            return closing;
        }

        /** Goes on with a close that waited for a send; whether there was one. */
        boolean finishClose() {
            return closing != null && closing.finish();
        }

        @Override
        protected Executor prepareToClose() {
            return streamClose().lingering();
        }

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (isActive()) {
                    throw new AlreadyConnectedException();
                }
                if (!isOperational()) {
                    throw new IllegalStateException("channel not registered to an event loop");
                }
                InetSocketAddress remote = Failures.resolved(remoteAddress);
                if (localAddress != null) {
                    bindSocket(localAddress);
                }
                prepareFastOpen();
                connecting = new ConnectOperation(FerronetSocketChannel.this, remote, promise);
                connecting.start(registration());
            } catch (Exception e) {
                promise.tryFailure(annotateConnectException(e, remoteAddress));
                closeIfClosed();
            }
        }

        /** Fast open delays the connection until the first bytes are sent; without any to send, it would wait for ever. */
        private void prepareFastOpen() {
            ChannelOutboundBuffer buffer = outboundBuffer();
            if (buffer != null && buffer.totalPendingWriteBytes() == 0) {
                try {
                    if (config.getOption(ChannelOption.TCP_FASTOPEN_CONNECT)) {
                        config.setOption(ChannelOption.TCP_FASTOPEN_CONNECT, false);
                    }
                } catch (ChannelException e) {
                    return; // The platform has no fast open.
                }
            }
        }
    }
}
