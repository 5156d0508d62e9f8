package io.ferronet.netty.transport;

import io.netty.channel.IoHandle;

/**
 * A handle that {@link FerronetIoHandler} accepts: something with a socket descriptor. It gets a {@link FerronetIoEvent} for each completion of
 * what was submitted through its registration.
 */
public interface FerronetIoHandle extends IoHandle {
    /**
     * The socket. Asked once, while the handle is registered.
     *
     * @return an open descriptor; the reactor closes it only when {@link FerronetIoOps#close()} is submitted
     */
    int descriptor();

    /** Called when the loop shuts down or its reactor fails: the handle should submit {@link FerronetIoOps#close()} or cancel its registration. */
    @Override
    void close();
}
