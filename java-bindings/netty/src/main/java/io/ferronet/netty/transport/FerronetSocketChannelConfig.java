package io.ferronet.netty.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.internal.PlatformDependent;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a {@link FerronetSocketChannel}. What the kernel holds is set in the kernel and read back from it; an option that the platform lacks fails
 * with a {@link ChannelException}.
 */
public final class FerronetSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    private static final SocketOptions OPTIONS = SocketOptions.stream();

    private final AbstractFerronetChannel ferronetChannel;
    private final SocketDescriptor socket;
    private final RecvByteBufAllocator defaultReceiveAllocator;
    private TcpMd5Signature md5Signature;
    private volatile boolean allowHalfClosure;

    FerronetSocketChannelConfig(FerronetSocketChannel channel, SocketDescriptor socket) {
        super(channel);
        ferronetChannel = channel;
        this.socket = socket;
        defaultReceiveAllocator = getRecvByteBufAllocator();
        if (PlatformDependent.canEnableTcpNoDelayByDefault()) {
            try {
                setTcpNoDelay(true);
            } catch (ChannelException e) {
                return; // The peer may have reset the connection before it was accepted.
            }
        }
    }

    /** Whether nobody has chosen another allocator of receive buffers. */
    boolean isDefaultReceiveAllocator() {
        return getRecvByteBufAllocator() == defaultReceiveAllocator;
    }

    @Override
    protected void autoReadCleared() {
        ferronetChannel.autoReadCleared();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>(super.getOptions());
        options.put(ChannelOption.ALLOW_HALF_CLOSURE, allowHalfClosure);
        OPTIONS.readSupported(socket, options);
        return options;
    }

    @SuppressWarnings("unchecked")
    @Override
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(allowHalfClosure);
        }
        return OPTIONS.contains(option) ? (T) OPTIONS.get(socket, option) : super.getOption(option);
    }

    @SuppressWarnings("unchecked")
    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == FerronetChannelOption.TCP_MD5SIG) {
            md5Signature().set((Map<InetAddress, byte[]>) value);
        } else if (option == ChannelOption.SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (OPTIONS.contains(option)) {
            OPTIONS.set(socket, option, value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    private synchronized TcpMd5Signature md5Signature() {
        if (md5Signature == null) {
            md5Signature = new TcpMd5Signature(socket);
        }
        return md5Signature;
    }

    @SuppressWarnings("unchecked")
    private <T> T read(ChannelOption<T> option) {
        return (T) OPTIONS.get(socket, option);
    }

    private <T> FerronetSocketChannelConfig write(ChannelOption<T> option, T value) {
        OPTIONS.set(socket, option, value);
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public FerronetSocketChannelConfig setAllowHalfClosure(boolean allowHalfClosure) {
        this.allowHalfClosure = allowHalfClosure;
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return read(ChannelOption.TCP_NODELAY);
    }

    @Override
    public FerronetSocketChannelConfig setTcpNoDelay(boolean tcpNoDelay) {
        return write(ChannelOption.TCP_NODELAY, tcpNoDelay);
    }

    @Override
    public int getSoLinger() {
        return read(ChannelOption.SO_LINGER);
    }

    /**
     * Sets SO_LINGER (socket(7)).
     *
     * @param soLinger seconds; 0 resets the connection on close, a negative number switches the option off
     * @return this
     */
    @Override
    public FerronetSocketChannelConfig setSoLinger(int soLinger) {
        return write(ChannelOption.SO_LINGER, Math.max(soLinger, -1));
    }

    @Override
    public int getSendBufferSize() {
        return read(ChannelOption.SO_SNDBUF);
    }

    @Override
    public FerronetSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        return write(ChannelOption.SO_SNDBUF, sendBufferSize);
    }

    @Override
    public int getReceiveBufferSize() {
        return read(ChannelOption.SO_RCVBUF);
    }

    @Override
    public FerronetSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        return write(ChannelOption.SO_RCVBUF, receiveBufferSize);
    }

    @Override
    public boolean isKeepAlive() {
        return read(ChannelOption.SO_KEEPALIVE);
    }

    @Override
    public FerronetSocketChannelConfig setKeepAlive(boolean keepAlive) {
        return write(ChannelOption.SO_KEEPALIVE, keepAlive);
    }

    @Override
    public int getTrafficClass() {
        return read(ChannelOption.IP_TOS);
    }

    @Override
    public FerronetSocketChannelConfig setTrafficClass(int trafficClass) {
        return write(ChannelOption.IP_TOS, trafficClass);
    }

    @Override
    public boolean isReuseAddress() {
        return read(ChannelOption.SO_REUSEADDR);
    }

    @Override
    public FerronetSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        return write(ChannelOption.SO_REUSEADDR, reuseAddress);
    }

    /** Has no effect: the kernel has no such preferences. */
    @Override
    public FerronetSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public FerronetSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public FerronetSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }
}
