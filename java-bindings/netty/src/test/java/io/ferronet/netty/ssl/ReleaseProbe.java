package io.ferronet.netty.ssl;

import io.ferronet.netty.transport.RecordingLeakDetector;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.IllegalReferenceCountException;
import java.util.Arrays;

/** What {@link ReleaseTest} runs in a JVM of its own, over a binding that counts: what becomes of contexts, keys, engines and sessions, released and not. */
final class ReleaseProbe extends HandlerPair {
    private static final byte[] DATA = random(10_000);
    private static final int ROUNDS = 100;

    private ReleaseProbe() {
    }

    public static void main(String[] arguments) throws Exception {
        released();
        early();
        forgotten();
        engines();
        System.out.println("end");
    }

    private static String live() {
        return "contexts " + (CountingProvider.calls("tlsContextNew") - CountingProvider.calls("tlsContextFree"))
            + ", keys " + (CountingProvider.calls("tlsCredentialNew") - CountingProvider.calls("tlsCredentialFree"))
            + ", sessions " + (CountingProvider.calls("tlsSessionNew") - CountingProvider.calls("tlsSessionFree"))
            + ", callbacks " + (CountingProvider.calls("tlsRegister") - CountingProvider.calls("tlsUnregister"));
    }

    /** Everything is freed when it is released or closed, and nothing reported. */
    private static void released() throws Exception {
        ReleaseProbe pair = new ReleaseProbe();
        FerronetSslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.getKeyPair().getPrivate(), BUNDLE.getCertificatePathWithRoot()).build();
        FerronetSslContext clientContext = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).build();
        pair.open(clientContext, serverContext);
        System.out.println("connected: " + live());
        System.out.println("retained " + serverContext.retain().release() + ", released " + serverContext.release() + ' ' + clientContext.release() + ", left "
            + serverContext.refCnt());
        System.out.println("released: " + live());
        System.out.println("data " + pair.echo());
        try {
            serverContext.newHandler(ByteBufAllocator.DEFAULT);
            System.out.println("a released context makes handlers");
        } catch (IllegalReferenceCountException e) {
            System.out.println("refused: " + e.getMessage());
        }
        pair.finish();
        System.out.println("closed: " + live());
        collect("contexts 0, keys 0, sessions 0, callbacks 0");
        report("nothing");
    }

    /** Released before the handshakes: it is freed after them, or, when a handler is forgotten, by the collector, though the context is not forgotten. */
    private static void early() throws Exception {
        ReleaseProbe pair = new ReleaseProbe();
        FerronetSslContext serverContext = FerronetSslContextBuilder.forServer(BUNDLE.toKeyManagerFactory()).build();
        FerronetSslContext clientContext = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).build();
        pair.make(clientContext, serverContext);
        clientContext.newEngine(ByteBufAllocator.DEFAULT);
        System.out.println("released early " + serverContext.release() + ' ' + clientContext.release());
        pair.exchange();
        System.out.println("early data " + pair.echo());
        pair.finish();
        pair = null;
        collect("contexts 0, keys 0, sessions 0, callbacks 0");
        System.out.println("early: " + live() + ", references " + serverContext.refCnt() + ' ' + clientContext.refCnt());
        report("early");
    }

    /** Nothing is released or closed: it is freed all the same, and reported. */
    private static void forgotten() throws Exception {
        new ReleaseProbe().connectAndForget();
        collect("contexts 0, keys 0, sessions 0, callbacks 0");
        System.out.println("forgotten: " + live());
        report("forgotten");
    }

    private void connectAndForget() throws Exception {
        connect("TLSv1.3", false);
        exchange();
        if (!echo()) {
            throw new AssertionError("no data");
        }
    }

    /** Engines of the provider have nobody to release them: they are freed, and not reported. */
    private static void engines() throws Exception {
        EnginePair pair = new EnginePair(Keys.context(true, null, BUNDLE).createSSLEngine(Keys.HOST, 443), Keys.context(true, BUNDLE, null).createSSLEngine());
        pair.client.setUseClientMode(true);
        pair.server.setUseClientMode(false);
        System.out.println("engines " + Arrays.equals(DATA, pair.handshake().toServer(DATA)));
        pair = null;
        collect("contexts 0, keys 0, sessions 0, callbacks 0");
        System.out.println("engines: " + live());
        report("engines");
    }

    private void open(FerronetSslContext clientContext, FerronetSslContext serverContext) throws Exception {
        make(clientContext, serverContext);
        exchange();
    }

    private void make(FerronetSslContext clientContext, FerronetSslContext serverContext) {
        serverHandler = (FerronetSslHandler) serverContext.newHandler(ByteBufAllocator.DEFAULT);
        clientHandler = (FerronetSslHandler) clientContext.newHandler(ByteBufAllocator.DEFAULT, Keys.HOST, 443);
        server = new EmbeddedChannel(serverHandler);
        client = new EmbeddedChannel(clientHandler);
    }

    private boolean echo() {
        client.writeOutbound(Unpooled.wrappedBuffer(DATA));
        exchange();
        return Arrays.equals(DATA, received(server));
    }

    private static void collect(String wanted) throws InterruptedException {
        for (int i = 0; i < ROUNDS && !live().equals(wanted); i++) {
            System.gc();
            Thread.sleep(20);
        }
    }

    private static void report(String when) throws Exception {
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
            // The detector looks at its queue when something is tracked.
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
            FerronetSslContext context = FerronetSslContextBuilder.forClient().trustManager(BUNDLE.toTrustManagerFactory()).build();
            ((FerronetSslEngine) context.newHandler(ByteBufAllocator.DEFAULT).engine()).release();
            context.release();
        }
        for (String leak = RecordingLeakDetector.poll(); leak != null; leak = RecordingLeakDetector.poll()) {
            System.out.println("reported, " + when + ": " + leak.lines().findFirst().orElse(""));
        }
    }
}
