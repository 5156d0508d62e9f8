package io.ferronet.conformance;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;

class EventLoopTest extends io.netty.channel.AbstractEventLoopTest {
    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return Transport.underTest().newGroup(2, "event-loop");
    }

    @Override
    protected Class<? extends ServerChannel> newChannel() {
        return Transport.underTest().serverChannel();
    }

    @Override
    protected Class<? extends SocketChannel> newSocketChannel() {
        return Transport.underTest().channel();
    }
}
