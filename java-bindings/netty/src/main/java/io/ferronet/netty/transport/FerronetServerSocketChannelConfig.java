package io.ferronet.netty.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import io.netty.util.internal.ObjectUtil;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options of a {@link FerronetServerSocketChannel}. What the kernel holds is set in the kernel and read back from it; an option that the platform
 * lacks fails with a {@link io.netty.channel.ChannelException}.
 */
public final class FerronetServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private static final SocketOptions OPTIONS = SocketOptions.server();

    private final AbstractFerronetChannel ferronetChannel;
    private final SocketDescriptor socket;
    private TcpMd5Signature md5Signature;
    private volatile int backlog = NetUtil.SOMAXCONN;

    FerronetServerSocketChannelConfig(FerronetServerSocketChannel channel, SocketDescriptor socket) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        ferronetChannel = channel;
        this.socket = socket;
        setReuseAddress(true);
    }

    @Override
    protected void autoReadCleared() {
        ferronetChannel.autoReadCleared();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>(super.getOptions());
        options.put(ChannelOption.SO_BACKLOG, backlog);
        OPTIONS.readSupported(socket, options);
        return options;
    }

    @SuppressWarnings("unchecked")
    @Override
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_BACKLOG) {
            return (T) Integer.valueOf(backlog);
        }
        return OPTIONS.contains(option) ? (T) OPTIONS.get(socket, option) : super.getOption(option);
    }

    @SuppressWarnings("unchecked")
    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_BACKLOG) {
            setBacklog((Integer) value);
        } else if (option == FerronetChannelOption.TCP_MD5SIG) {
            md5Signature().set((Map<InetAddress, byte[]>) value);
        } else if (OPTIONS.contains(option)) {
            OPTIONS.set(socket, option, value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public int getBacklog() {
        return backlog;
    }

    /**
     * Sets how many connections may wait to be accepted.
     *
     * @param backlog 0 or more; the system has its own least and largest value
     * @return this
     */
    @Override
    public FerronetServerSocketChannelConfig setBacklog(int backlog) {
        this.backlog = ObjectUtil.checkPositiveOrZero(backlog, "backlog");
        return this;
    }

    private synchronized TcpMd5Signature md5Signature() {
        if (md5Signature == null) {
            md5Signature = new TcpMd5Signature(socket);
        }
        return md5Signature;
    }

    @Override
    public boolean isReuseAddress() {
        return (Boolean) OPTIONS.get(socket, ChannelOption.SO_REUSEADDR);
    }

    @Override
    public FerronetServerSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        OPTIONS.set(socket, ChannelOption.SO_REUSEADDR, reuseAddress);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return (Integer) OPTIONS.get(socket, ChannelOption.SO_RCVBUF);
    }

    @Override
    public FerronetServerSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        OPTIONS.set(socket, ChannelOption.SO_RCVBUF, receiveBufferSize);
        return this;
    }

    /** Has no effect: the kernel has no such preferences. */
    @Override
    public FerronetServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public FerronetServerSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }

    @Override
    public FerronetServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }
}
