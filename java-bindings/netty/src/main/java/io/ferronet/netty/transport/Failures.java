package io.ferronet.netty.transport;

import io.ferronet.api.Errno;
import io.ferronet.api.FerronetException;
import io.ferronet.api.Status;
import io.netty.channel.ChannelException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/**
 * Statuses as the exceptions that Netty's users expect. Each one is a {@link FerronetException} or has one as its cause, which holds the status.
 */
final class Failures {
    private Failures() {
    }

    static FerronetException io(String operation, int status) {
        return new FerronetException(operation, status);
    }

    static IOException connect(SocketAddress remote, int status) {
        FerronetException cause = io("connect", status);
        Errno errno = errno(status);
        SocketException failure;
        if (errno == Errno.ENETUNREACH || errno == Errno.EHOSTUNREACH) {
            failure = new NoRouteToHostException(cause.getMessage());
        } else {
            failure = new ConnectException(cause.getMessage());
        }
        failure.initCause(cause);
        return failure;
    }

    static IOException bind(SocketAddress local, int status) {
        FerronetException cause = io("bind(" + local + ")", status);
        BindException failure = new BindException(cause.getMessage() + remedy(local, errno(status)));
        failure.initCause(cause);
        return failure;
    }

    private static String remedy(SocketAddress local, Errno errno) {
        if (errno == null) {
            return "";
        }
        return switch (errno) {
            case EADDRINUSE -> "; choose another port, or 0 for a free one, or stop what listens there";
            case EACCES -> "; ports below 1024 need the capability CAP_NET_BIND_SERVICE or a lower net.ipv4.ip_unprivileged_port_start";
            case EADDRNOTAVAIL -> "; bind to an address of this host, or to the wildcard address";
            default -> "";
        };
    }

    /** Whether accepting fails because something is used up, so that trying again at once would fail again. */
    static boolean isExhaustion(int status) {
        Errno errno = errno(status);
        return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM || errno == Errno.ENOBUFS;
    }

    static Errno errno(int status) {
        return Status.isOsError(status) ? Errno.of(Status.errno(status)) : null;
    }

    /** The address as one that a TCP socket takes. */
    static InetSocketAddress resolved(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new UnsupportedAddressType(address);
        }
        if (inet.isUnresolved()) {
            throw new UnresolvedAddress(inet);
        }
        return inet;
    }

    static ChannelException channel(FerronetException cause) {
        return new ChannelException(cause.getMessage(), cause);
    }

    /** Says which address is unresolved; the JDK's exception takes no message. */
    private static final class UnresolvedAddress extends UnresolvedAddressException {
        private static final long serialVersionUID = 1L;

        private final String text;

        UnresolvedAddress(InetSocketAddress address) {
            text = "unresolved address: " + address.getHostString() + ':' + address.getPort() + " (the host name is unknown, or no resolver has seen it)";
        }

        @Override
        public String getMessage() {
            return text;
        }
    }

    /** Says which address is of a wrong type; the JDK's exception takes no message. */
    private static final class UnsupportedAddressType extends UnsupportedAddressTypeException {
        private static final long serialVersionUID = 1L;

        private final String text;

        UnsupportedAddressType(SocketAddress address) {
            text = "unsupported address " + address + (address == null ? "" : " of type " + address.getClass().getName())
                + " (expected: java.net.InetSocketAddress)";
        }

        @Override
        public String getMessage() {
            return text;
        }
    }
}
