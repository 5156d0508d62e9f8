package io.ferronet.netty.ssl;

import io.ferronet.netty.Ferronet;
import io.ferronet.netty.compression.FerronetZlibDecoder;
import io.ferronet.netty.compression.FerronetZlibEncoder;
import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetSocketChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.util.Arrays;

/** What {@link NoTransportTest} runs in a JVM of its own: TLS by both routes and compression, and how the transport is refused. */
final class NoTransportProbe extends HandlerPair {
    private static final byte[] DATA = random(100_000);

    private NoTransportProbe() {
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("compression " + Arrays.equals(DATA, inflated(deflated(DATA))));
        EnginePair engines = new EnginePair(Keys.context(true, null, BUNDLE).createSSLEngine(Keys.HOST, 443), Keys.context(true, BUNDLE, null).createSSLEngine());
        engines.client.setUseClientMode(true);
        engines.server.setUseClientMode(false);
        System.out.println("engine " + Arrays.equals(DATA, engines.handshake().toServer(DATA)));
        System.out.println("handler " + new NoTransportProbe().throughHandlers());
        System.out.println("library " + Ferronet.isLibraryAvailable() + ", cause " + Ferronet.libraryUnavailabilityCause());
        System.out.println("available " + Ferronet.isAvailable());
        if (!Ferronet.isAvailable()) {
            System.out.println("cause " + Ferronet.unavailabilityCause().getMessage());
            refused("factory", FerronetIoHandler::newFactory);
            refused("channel", FerronetSocketChannel::new);
        }
        System.out.println("end");
    }

    private static void refused(String what, Runnable action) {
        try {
            action.run();
            System.out.println(what + " succeeded");
        } catch (IllegalStateException e) {
            System.out.println(what + " refused: " + e.getMessage());
        }
    }

    private boolean throughHandlers() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        client.writeOneOutbound(Unpooled.wrappedBuffer(DATA));
        client.flushOutbound();
        exchange();
        boolean same = Arrays.equals(DATA, received(server)) && serverHandler.directBytes() >= DATA.length;
        finish();
        return same;
    }

    private static ByteBuf deflated(byte[] data) {
        EmbeddedChannel encoder = new EmbeddedChannel(new FerronetZlibEncoder(ZlibWrapper.GZIP, 6));
        encoder.writeOutbound(Unpooled.wrappedBuffer(data));
        encoder.finish();
        return all(encoder, false);
    }

    private static byte[] inflated(ByteBuf gzip) {
        EmbeddedChannel decoder = new EmbeddedChannel(new FerronetZlibDecoder(ZlibWrapper.GZIP));
        decoder.writeInbound(gzip);
        decoder.finish();
        ByteBuf all = all(decoder, true);
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes).release();
        return bytes;
    }

    private static ByteBuf all(EmbeddedChannel channel, boolean inbound) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = next(channel, inbound); part != null; part = next(channel, inbound)) {
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    private static ByteBuf next(EmbeddedChannel channel, boolean inbound) {
        return inbound ? channel.readInbound() : channel.readOutbound();
    }
}
