package io.ferronet.netty.transport;

import io.ferronet.api.Address;
import io.ferronet.api.Errno;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetException;
import io.ferronet.api.SocketOption;
import io.ferronet.api.Status;
import io.ferronet.netty.internal.NativeRuntime;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;

/**
 * A TCP socket: what is done with it by direct calls, beside the reactor. Any thread. Unlike its base class it calls no code of Netty's native
 * transports.
 */
final class SocketDescriptor extends FileDescriptor {
    private static final int SCRATCH_SIZE = 256;
    private static final FastThreadLocal<Scratchpad> SCRATCH = new FastThreadLocal<>() {
        @Override
        protected Scratchpad initialValue() {
            return new Scratchpad(NativeRuntime.forTransport().binding());
        }
    };

    private final FerronetBinding binding;
    private final boolean ipv6;
    private volatile boolean givenUp;

    private SocketDescriptor(FerronetBinding binding, int descriptor, boolean ipv6) {
        super(descriptor);
        this.binding = binding;
        this.ipv6 = ipv6;
    }

    private static final class Scratchpad {
        final ByteBuffer memory = ByteBuffer.allocateDirect(SCRATCH_SIZE).order(ByteOrder.nativeOrder());
        final long address;

        Scratchpad(FerronetBinding binding) {
            address = binding.addressOf(memory);
        }
    }

    /** Opens a stream socket: dual-stack IPv6 unless the family, the JVM's or Netty's settings or the system say IPv4. */
    static SocketDescriptor open(SocketProtocolFamily family) {
        FerronetBinding binding = NativeRuntime.forTransport().binding();
        if (family != null && family != SocketProtocolFamily.INET && family != SocketProtocolFamily.INET6) {
            throw new UnsupportedOperationException("protocol family " + family + " (expected: INET or INET6)");
        }
        boolean ipv6 = family == null ? !NetUtil.isIpV4StackPreferred() : family == SocketProtocolFamily.INET6;
        int descriptor = binding.socketOpen(ipv6 ? Address.FAMILY_IPV6 : Address.FAMILY_IPV4, Address.KIND_STREAM);
        if (family == null && ipv6 && Failures.errno(descriptor) == Errno.EAFNOSUPPORT) {
            ipv6 = false;
            descriptor = binding.socketOpen(Address.FAMILY_IPV4, Address.KIND_STREAM);
        }
        if (Status.isError(descriptor)) {
            throw Failures.channel(new FerronetException("opening a TCP socket", descriptor, binding.lastError(0)));
        }
        return new SocketDescriptor(binding, descriptor, ipv6);
    }

    /** An accepted socket: of the same family as its listener. */
    SocketDescriptor accepted(int descriptor) {
        return new SocketDescriptor(binding, descriptor, ipv6);
    }

    boolean isIpv6() {
        return ipv6;
    }

    /** Marks the socket closed without closing it, because the reactor does. */
    boolean claimClose() {
        return markClosed();
    }

    /** The reactor is about to close the socket; another one may have its number from now on. */
    void giveUp() {
        givenUp = true;
    }

    /** Whether direct calls reach the socket. */
    boolean isUsable() {
        return isOpen() && !givenUp;
    }

    /** The number for direct calls; no socket's when this one is not usable. */
    private int number() {
        return isUsable() ? intValue() : -1;
    }

    @Override
    public void close() throws IOException {
        if (markClosed()) {
            closeNow();
        }
    }

    /** Closes the descriptor of a socket that was marked closed before. */
    void closeNow() {
        binding.socketClose(intValue());
    }

    void bind(InetSocketAddress address) throws IOException {
        Scratchpad scratch = SCRATCH.get();
        Address.put(scratch.memory, 0, address, ipv6);
        int status = binding.socketBind(number(), scratch.address);
        if (Status.isError(status)) {
            throw Failures.bind(address, status);
        }
    }

    void listen(int backlog, InetSocketAddress address) throws IOException {
        int status = binding.socketListen(number(), backlog);
        if (Status.isError(status)) {
            throw Failures.bind(address, status);
        }
    }

    /** The bound address, or {@code null}. */
    InetSocketAddress localAddress() {
        Scratchpad scratch = SCRATCH.get();
        return Status.isError(binding.socketLocalAddress(number(), scratch.address)) ? null : Address.get(scratch.memory, 0);
    }

    /** The peer's address, or {@code null}. */
    InetSocketAddress peerAddress() {
        Scratchpad scratch = SCRATCH.get();
        return Status.isError(binding.socketPeerAddress(number(), scratch.address)) ? null : Address.get(scratch.memory, 0);
    }

    /** Shuts a direction down; a status. */
    int shutdown(int direction) {
        return binding.socketShutdown(number(), direction);
    }

    /** The pending error as a status; reading clears it. */
    int pendingError() {
        try {
            return -(int) option("SO_ERROR", SocketOption.ERROR);
        } catch (ChannelException e) {
            return e.getCause() instanceof FerronetException failure ? failure.status() : Status.INVALID_ARGUMENT;
        }
    }

    long option(String name, int option) {
        checkOpen(name);
        Scratchpad scratch = SCRATCH.get();
        int status = binding.socketGetOption(number(), option, scratch.address);
        if (Status.isError(status)) {
            throw optionFailure("reading", name, "", status);
        }
        return scratch.memory.getLong(0);
    }

    void option(String name, int option, long value) {
        checkOpen(name);
        int status = binding.socketSetOption(number(), option, value);
        if (Status.isError(status)) {
            throw optionFailure("setting", name, " to " + value, status);
        }
    }

    /** Reads an option by level and name into {@code value}'s remaining bytes, and returns how many there are. */
    int rawOption(String name, int level, int option, ByteBuffer value) {
        checkOpen(name);
        ByteBuffer memory = ByteBuffer.allocateDirect(value.remaining() + Integer.BYTES).order(ByteOrder.nativeOrder());
        long address = binding.addressOf(memory);
        int length = value.remaining();
        memory.putInt(length, length);
        int status = binding.socketGetRawOption(number(), level, option, address, address + length);
        if (Status.isError(status)) {
            throw optionFailure("reading", name, "", status);
        }
        int read = memory.getInt(length);
        value.put(memory.limit(read));
        return read;
    }

    /** Sets an option by level and name to {@code value}'s remaining bytes. */
    void rawOption(String name, int level, int option, ByteBuffer value, String text) {
        checkOpen(name);
        ByteBuffer memory = ByteBuffer.allocateDirect(Math.max(value.remaining(), 1)).order(ByteOrder.nativeOrder());
        int length = value.remaining();
        memory.put(value.duplicate());
        int status = binding.socketSetRawOption(number(), level, option, binding.addressOf(memory), length);
        if (Status.isError(status)) {
            throw optionFailure("setting", name, text, status);
        }
    }

    private void checkOpen(String option) {
        if (!isUsable()) {
            throw new ChannelException("option " + option + ": the channel is closed", new ClosedChannelException());
        }
    }

    private static ChannelException optionFailure(String verb, String name, String value, int status) {
        FerronetException cause = new FerronetException(verb + " option " + name + value, status);
        return new ChannelException(cause.getMessage() + remedy(status), cause);
    }

    private static String remedy(int status) {
        Errno errno = Failures.errno(status);
        if (status == Status.UNSUPPORTED_OPTION || errno == Errno.ENOPROTOOPT || errno == Errno.EOPNOTSUPP) {
            return "; " + System.getProperty("os.name") + ' ' + System.getProperty("os.version") + " on " + System.getProperty("os.arch")
                + " does not have it for this kind of socket: leave it out here";
        }
        if (errno == Errno.EPERM || errno == Errno.EACCES) {
            return "; it needs a privilege, such as CAP_NET_ADMIN";
        }
        if (errno == Errno.EINVAL) {
            return "; the value is out of the option's range";
        }
        return "";
    }
}
