package io.ferronet.interop;

/** A client, which may connect several times; it keeps its sessions. */
interface Client extends AutoCloseable {
    Connection connect(int port, String host) throws Exception;

    @Override
    void close();

    /** A connection whose handshake may still fail. */
    interface Connection {
        /** Sends data; does not wait for it to arrive. */
        void send(byte[] data) throws Exception;

        /** Waits for the next bytes of a number. */
        byte[] receive(int length) throws Exception;

        /** What the client says about the connection, after data has come back. */
        Observed observed() throws Exception;

        /** Ends the connection by close_notify; fails if it does not end in time. */
        void close() throws Exception;
    }
}
