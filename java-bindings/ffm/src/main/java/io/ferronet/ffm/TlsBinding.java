package io.ferronet.ffm;

import io.ferronet.api.TlsCallbacks;
import io.ferronet.api.TlsStubs;

/** The functions of TLS. */
abstract class TlsBinding extends CodecBinding {
    @Override
    public TlsStubs tlsStubs() {
        return TlsUpcall.Stubs.ALL;
    }

    @Override
    public long tlsRegister(TlsCallbacks callbacks) {
        return TlsUpcall.register(callbacks);
    }

    @Override
    public void tlsUnregister(long user) {
        TlsUpcall.unregister(user);
    }

    @Override
    public int tlsCredentialNew(long config, long out) {
        try {
            return (int) (long) Handles.TlsCredentialNew.CALL.invokeExact(config, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsCredentialFree(long credential) {
        try {
            return (int) (long) Handles.TlsCredentialFree.CALL.invokeExact(credential);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextNew(long config, long out) {
        try {
            return (int) (long) Handles.TlsContextNew.CALL.invokeExact(config, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextFree(long context) {
        try {
            return (int) (long) Handles.TlsContextFree.CALL.invokeExact(context);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextSetTicketKeys(long context, long keys, long length) {
        try {
            return (int) (long) Handles.TlsContextSetTicketKeys.CALL.invokeExact(context, keys, length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextSetOcspResponse(long context, int index, long response, long length) {
        try {
            return (int) (long) Handles.TlsContextSetOcspResponse.CALL.invokeExact(context, (long) index, response, length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextInfo(long context, long out) {
        try {
            return (int) (long) Handles.TlsContextInfo.CALL.invokeExact(context, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextClearSessions(long context) {
        try {
            return (int) (long) Handles.TlsContextClearSessions.CALL.invokeExact(context);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsContextRemoveSession(long context, long key, long length) {
        try {
            return (int) (long) Handles.TlsContextRemoveSession.CALL.invokeExact(context, key, length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionNew(long context, long config, long out) {
        try {
            return (int) (long) Handles.TlsSessionNew.CALL.invokeExact(context, config, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionFree(long session) {
        try {
            return (int) (long) Handles.TlsSessionFree.CALL.invokeExact(session);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionWrap(long session, long sources, int sourceCount, long output, long out) {
        try {
            return (int) (long) Handles.TlsSessionWrap.CALL.invokeExact(session, sources, (long) sourceCount, output, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionUnwrap(long session, long inputs, int inputCount, long outputs, int outputCount, int flags, long out) {
        try {
            return (int) (long) Handles.TlsSessionUnwrap.CALL.invokeExact(session, inputs, (long) inputCount, outputs, (long) outputCount,
                (long) flags, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionTask(long session, long out) {
        try {
            return (int) (long) Handles.TlsSessionTask.CALL.invokeExact(session, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionClose(long session, long out) {
        try {
            return (int) (long) Handles.TlsSessionClose.CALL.invokeExact(session, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionEndInput(long session) {
        try {
            return (int) (long) Handles.TlsSessionEndInput.CALL.invokeExact(session);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionInfo(long session, long out) {
        try {
            return (int) (long) Handles.TlsSessionInfo.CALL.invokeExact(session, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long tlsSessionBytes(long session, int what, int index, long buffer, long capacity) {
        try {
            return (long) Handles.TlsSessionBytes.CALL.invokeExact(session, (long) what, (long) index, buffer, capacity);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int tlsSessionExport(long session, long label, long labelLength, long context, long contextLength, long out, long outLength) {
        try {
            return (int) (long) Handles.TlsSessionExport.CALL.invokeExact(session, label, labelLength, context, contextLength, out, outLength);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long tlsNames(int what, long buffer, long capacity) {
        try {
            return (long) Handles.TlsNames.CALL.invokeExact((long) what, buffer, capacity);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }
}
