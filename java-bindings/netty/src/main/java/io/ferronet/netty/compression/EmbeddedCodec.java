package io.ferronet.netty.compression;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;

/** The channel around a codec that Netty's HTTP handlers ask for. */
final class EmbeddedCodec {
    private EmbeddedCodec() {
    }

    static EmbeddedChannel of(Channel channel, ChannelHandler codec) {
        return EmbeddedChannel.builder()
            .channelId(channel.id())
            .hasDisconnect(channel.metadata().hasDisconnect())
            .config(channel.config())
            .handlers(codec)
            .build();
    }
}
