package io.ferronet.conformance;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadPerTaskExecutor;

class SingleThreadEventLoopTest extends io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest {
    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return Transport.underTest().newGroup(1, "single");
    }

    @Override
    protected EventLoopGroup newAutoScalingEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(
                SCALING_MAX_THREADS,
                new ThreadPerTaskExecutor(new DefaultThreadFactory("scaling", true)),
                AUTO_SCALING_CHOOSER_FACTORY,
                Transport.underTest().movableHandlers());
    }

    @Override
    protected Channel newChannel() {
        return Transport.underTest().newServerChannel();
    }

    @Override
    protected Class<? extends ServerChannel> serverChannelClass() {
        return Transport.underTest().serverChannel();
    }
}
