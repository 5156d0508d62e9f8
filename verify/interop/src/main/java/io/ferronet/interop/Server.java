package io.ferronet.interop;

/** A server that sends back what it receives. */
interface Server extends AutoCloseable {
    int port();

    /** What it says about its next connection, whose handshake must have begun. */
    Observed observed() throws Exception;

    /** Why its last connection failed, in one line; empty if it knows nothing. */
    String trouble();

    @Override
    void close();
}
