package io.ferronet.netty.transport;

import io.netty.channel.ChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.net.InetAddress;
import java.util.Map;

/**
 * Options of Ferronet's channels beyond {@link ChannelOption} and {@link UnixChannelOption}. Options of Netty's epoll and io_uring transports with
 * the same names are accepted as well.
 *
 * @param <T> type of the value
 */
public final class FerronetChannelOption<T> extends UnixChannelOption<T> {
    /** TCP_CORK (tcp(7)): send full segments only. */
    public static final ChannelOption<Boolean> TCP_CORK = option("TCP_CORK");
    /** TCP_NOTSENT_LOWAT (tcp(7)): bytes that may wait unsent in the kernel. */
    public static final ChannelOption<Long> TCP_NOTSENT_LOWAT = option("TCP_NOTSENT_LOWAT");
    /** TCP_KEEPIDLE (tcp(7)): idle seconds before the first probe. */
    public static final ChannelOption<Integer> TCP_KEEPIDLE = option("TCP_KEEPIDLE");
    /** TCP_KEEPINTVL (tcp(7)): seconds between probes. */
    public static final ChannelOption<Integer> TCP_KEEPINTVL = option("TCP_KEEPINTVL");
    /** TCP_KEEPCNT (tcp(7)): probes before the connection is given up. */
    public static final ChannelOption<Integer> TCP_KEEPCNT = option("TCP_KEEPCNT");
    /** TCP_USER_TIMEOUT (tcp(7)): milliseconds that sent data may stay unacknowledged. */
    public static final ChannelOption<Integer> TCP_USER_TIMEOUT = option("TCP_USER_TIMEOUT");
    /** TCP_QUICKACK (tcp(7)): acknowledge at once. */
    public static final ChannelOption<Boolean> TCP_QUICKACK = option("TCP_QUICKACK");
    /** TCP_DEFER_ACCEPT (tcp(7)): seconds to wait for data before a connection is accepted. */
    public static final ChannelOption<Integer> TCP_DEFER_ACCEPT = option("TCP_DEFER_ACCEPT");
    /** TCP_MD5SIG (tcp(7)): a key for each peer address; set only. */
    public static final ChannelOption<Map<InetAddress, byte[]>> TCP_MD5SIG = valueOf("TCP_MD5SIG");
    /** SO_BUSY_POLL (socket(7)): microseconds of busy polling. */
    public static final ChannelOption<Integer> SO_BUSY_POLL = option("SO_BUSY_POLL");
    /** IP_FREEBIND (ip(7)): bind to an address that is not (yet) local. */
    public static final ChannelOption<Boolean> IP_FREEBIND = valueOf("IP_FREEBIND");
    /** IP_TRANSPARENT (ip(7)): transparent proxying. */
    public static final ChannelOption<Boolean> IP_TRANSPARENT = valueOf("IP_TRANSPARENT");
    /** IP_BIND_ADDRESS_NO_PORT (ip(7)): choose the port at connect. */
    public static final ChannelOption<Boolean> IP_BIND_ADDRESS_NO_PORT = valueOf("IP_BIND_ADDRESS_NO_PORT");

    private FerronetChannelOption() {
    }

    private static <T> ChannelOption<T> option(String name) {
        return valueOf(FerronetChannelOption.class, name);
    }
}
