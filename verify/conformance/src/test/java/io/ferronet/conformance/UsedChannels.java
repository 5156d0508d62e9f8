package io.ferronet.conformance;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ReflectiveChannelFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The channels that a class made and gave to an event loop, so that a permutation that was never run shows. */
final class UsedChannels {
    private static final Queue<Use> USES = new ConcurrentLinkedQueue<>();

    private record Use(String role, Channel channel) {
    }

    private UsedChannels() {
    }

    /** Lets the bootstrap make channels of this type, and notes each of them under the role. */
    static <B extends AbstractBootstrap<B, C>, C extends Channel> B noted(B bootstrap, String role, Class<? extends C> type) {
        ChannelFactory<C> factory = new ReflectiveChannelFactory<>(type);
        return bootstrap.channelFactory(() -> {
            C channel = factory.newChannel();
            USES.add(new Use(role, channel));
            return channel;
        });
    }

    /** Writes a line for each role, channel type and allocator: how many channels there were. */
    static void write(Path file) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        for (Use use : USES) {
            if (hadLoop(use.channel)) {
                String key = String.join("\t", use.role, use.channel.getClass().getSimpleName(), name(use.channel.config().getAllocator()));
                counts.merge(key, 1, Integer::sum);
            }
        }
        Files.createDirectories(file.getParent());
        Files.write(file, counts.entrySet().stream().map(count -> count.getKey() + '\t' + count.getValue()).toList());
    }

    private static boolean hadLoop(Channel channel) {
        try {
            return channel.eventLoop() != null;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static String name(ByteBufAllocator allocator) {
        if (allocator instanceof PooledByteBufAllocator) {
            return "pooled";
        }
        return allocator instanceof AdaptiveByteBufAllocator ? "adaptive" : allocator.getClass().getSimpleName();
    }
}
