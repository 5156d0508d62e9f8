package io.ferronet.netty.transport;

import io.ferronet.api.Submission;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A handle on a listener's descriptor that notes every call. */
final class NotingHandle implements FerronetIoHandle {
    private final SocketDescriptor listener;
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private IoRegistration registration;
    private boolean registered;
    private boolean closing;

    NotingHandle() throws Exception {
        listener = SocketDescriptor.open(null);
        listener.bind(Loops.ANY_PORT);
        listener.listen(16, Loops.ANY_PORT);
    }

    /** Registers itself. */
    IoRegistration registerOn(IoHandler handler) throws Exception {
        registration = handler.register(this);
        return registration;
    }

    /** What was called so far, in order. */
    List<String> calls() {
        return calls;
    }

    /** A connection to the listener, which makes it readable. */
    Socket connect() throws Exception {
        Socket socket = new Socket();
        socket.connect(listener.localAddress());
        return socket;
    }

    @Override
    public int descriptor() {
        return listener.intValue();
    }

    @Override
    public void registered() {
        registered = true;
        calls.add("registered");
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        calls.add(((FerronetIoEvent) event).op() == Submission.OP_POLL ? "polled" : "cancelled");
    }

    @Override
    public void unregistered() {
        registered = false;
        calls.add("unregistered");
        if (closing) {
            closeDescriptor();
        }
    }

    /** The descriptor is kept until no operation names it any more. */
    @Override
    public void close() {
        closing = true;
        if (!registered) {
            closeDescriptor();
        } else {
            registration.cancel();
        }
    }

    private void closeDescriptor() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
