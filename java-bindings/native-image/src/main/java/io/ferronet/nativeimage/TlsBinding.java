package io.ferronet.nativeimage;

import io.ferronet.api.TlsCallbacks;
import io.ferronet.api.TlsStubs;

/** The functions of TLS. */
abstract class TlsBinding extends CodecBinding {
    @Override
    public TlsStubs tlsStubs() {
        return Callbacks.get().tls;
    }

    @Override
    public long tlsRegister(TlsCallbacks callbacks) {
        return TlsRegistry.register(callbacks);
    }

    @Override
    public void tlsUnregister(long user) {
        TlsRegistry.unregister(user);
    }

    @Override
    public int tlsCredentialNew(long config, long out) {
        return Functions.tlsCredentialNew(config, out);
    }

    @Override
    public int tlsCredentialFree(long credential) {
        return Functions.tlsCredentialFree(credential);
    }

    @Override
    public int tlsContextNew(long config, long out) {
        return Functions.tlsContextNew(config, out);
    }

    @Override
    public int tlsContextFree(long context) {
        return Functions.tlsContextFree(context);
    }

    @Override
    public int tlsContextSetTicketKeys(long context, long keys, long length) {
        return Functions.tlsContextSetTicketKeys(context, keys, length);
    }

    @Override
    public int tlsContextSetOcspResponse(long context, int index, long response, long length) {
        return Functions.tlsContextSetOcspResponse(context, index, response, length);
    }

    @Override
    public int tlsContextInfo(long context, long out) {
        return Functions.tlsContextGetInfo(context, out);
    }

    @Override
    public int tlsContextClearSessions(long context) {
        return Functions.tlsContextClearSessions(context);
    }

    @Override
    public int tlsContextRemoveSession(long context, long key, long length) {
        return Functions.tlsContextRemoveSession(context, key, length);
    }

    @Override
    public int tlsSessionNew(long context, long config, long out) {
        return Functions.tlsSessionNew(context, config, out);
    }

    @Override
    public int tlsSessionFree(long session) {
        return Functions.tlsSessionFree(session);
    }

    @Override
    public int tlsSessionWrap(long session, long sources, int sourceCount, long output, long out) {
        return Functions.tlsSessionWrap(session, sources, sourceCount, output, out);
    }

    @Override
    public int tlsSessionUnwrap(long session, long inputs, int inputCount, long outputs, int outputCount, int flags, long out) {
        return Functions.tlsSessionUnwrap(session, inputs, inputCount, outputs, outputCount, flags, out);
    }

    @Override
    public int tlsSessionTask(long session, long out) {
        return Functions.tlsSessionTask(session, out);
    }

    @Override
    public int tlsSessionClose(long session, long out) {
        return Functions.tlsSessionClose(session, out);
    }

    @Override
    public int tlsSessionEndInput(long session) {
        return Functions.tlsSessionEndInput(session);
    }

    @Override
    public int tlsSessionInfo(long session, long out) {
        return Functions.tlsSessionGetInfo(session, out);
    }

    @Override
    public long tlsSessionBytes(long session, int what, int index, long buffer, long capacity) {
        return Functions.tlsSessionGetBytes(session, what, index, buffer, capacity);
    }

    @Override
    public int tlsSessionExport(long session, long label, long labelLength, long context, long contextLength, long out, long outLength) {
        return Functions.tlsSessionExport(session, label, labelLength, context, contextLength, out, outLength);
    }

    @Override
    public long tlsNames(int what, long buffer, long capacity) {
        return Functions.tlsNames(what, buffer, capacity);
    }
}
