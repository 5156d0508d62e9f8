package io.netty.handler.ssl;

import io.ferronet.netty.ssl.FerronetSslContext;
import io.ferronet.netty.ssl.HandlerBridge;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/** In the place of Netty's class of this name, so that who asks for it sees one. */
@SuppressWarnings("deprecation")
public abstract class OpenSslContext extends SslContext {
    private final FerronetSslContext ours;

    OpenSslContext(FerronetSslContext ours) {
        this.ours = ours;
    }

    @Override
    public boolean isClient() {
        return ours.isClient();
    }

    @Override
    public List<String> cipherSuites() {
        return ours.cipherSuites();
    }

    @Override
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return ours.applicationProtocolNegotiator();
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator alloc) {
        return ours.newEngine(alloc);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator alloc, String peerHost, int peerPort) {
        return ours.newEngine(alloc, peerHost, peerPort);
    }

    @Override
    public SSLSessionContext sessionContext() {
        return ours.sessionContext();
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls) {
        return HandlerBridge.made(ours.newHandler(alloc));
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, boolean startTls, Executor executor) {
        return HandlerBridge.made(ours.newHandler(alloc, executor));
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls) {
        return HandlerBridge.made(ours.newHandler(alloc, peerHost, peerPort));
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls, Executor executor) {
        return HandlerBridge.made(ours.newHandler(alloc, peerHost, peerPort, executor));
    }
}
