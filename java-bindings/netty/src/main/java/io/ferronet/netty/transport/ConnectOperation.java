package io.ferronet.netty.transport;

import io.ferronet.api.Address;
import io.ferronet.api.Errno;
import io.ferronet.api.Submission;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A channel's attempt to connect, until it succeeds, fails, times out or is given up. Loop thread only. */
final class ConnectOperation {
    private final FerronetSocketChannel channel;
    private final InetSocketAddress remote;
    private final ChannelPromise promise;
    private Future<?> timeout;
    /** The operation was interrupted by a deregistration; the kernel goes on connecting. */
    private boolean interrupted;

    ConnectOperation(FerronetSocketChannel channel, InetSocketAddress remote, ChannelPromise promise) {
        this.channel = channel;
        this.remote = remote;
        this.promise = promise;
    }

    ChannelPromise promise() {
        return promise;
    }

    InetSocketAddress remote() {
        return remote;
    }

    /** Starts connecting; on its way when this returns. */
    void start(Registration registration) {
        Scratch scratch = registration.handler().reactor().scratch();
        int offset = scratch.reserve(Address.SIZE);
        Address.put(scratch.memory(), offset, remote, channel.socket().isIpv6());
        registration.add(Submission.OP_CONNECT, 0, scratch.address(offset), 0, 0, 0, 0);
        channel.submitNow();
        int millis = channel.config().getConnectTimeoutMillis();
        if (millis > 0) {
            timeout = channel.eventLoop().schedule(() -> timedOut(millis), millis, TimeUnit.MILLISECONDS);
        }
        promise.addListener(future -> {
            if (future.isCancelled()) {
                channel.connectAbandoned(this);
            }
        });
    }

    private void timedOut(int millis) {
        if (promise.tryFailure(new ConnectTimeoutException("connection timed out after " + millis + " ms: " + remote))) {
            channel.connectAbandoned(this);
        }
    }

    /** Goes on after a deregistration. */
    void resume(Registration registration) {
        if (interrupted) {
            interrupted = false;
            registration.add(Submission.OP_POLL, 0, Submission.POLL_OUT);
        }
    }

    /** The result of the operation, or 1 if it is still open. */
    int completed(int result) {
        if (channel.isDeregistering() && Failures.errno(result) == Errno.ECANCELED) {
            interrupted = true;
            return 1;
        }
        return Math.min(result, 0);
    }

    /** The result of waiting for the connection after it was interrupted. */
    int polled(int result) {
        return result > 0 ? channel.socket().pendingError() : completed(result);
    }

    void cancelTimeout() {
        if (timeout != null) {
            timeout.cancel(false);
            timeout = null;
        }
    }

    void closed() {
        cancelTimeout();
        promise.tryFailure(new ClosedChannelException());
    }

    /** The peer's address as the socket knows it, with the host name that was asked for. */
    InetSocketAddress connectedTo(InetSocketAddress peer) {
        if (peer == null) {
            return remote;
        }
        try {
            String host = remote.getHostString();
            byte[] bytes = peer.getAddress().getAddress();
            boolean scoped = peer.getAddress() instanceof Inet6Address ipv6 && ipv6.getScopeId() != 0;
            InetAddress address = scoped ? Inet6Address.getByAddress(host, bytes, ((Inet6Address) peer.getAddress()).getScopeId())
                : InetAddress.getByAddress(host, bytes);
            return new InetSocketAddress(address, peer.getPort());
        } catch (UnknownHostException e) {
            return peer;
        }
    }
}
