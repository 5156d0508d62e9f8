package io.ferronet.api;

/**
 * What a TLS handshake asks its application. All but {@link #keyLog} are called inside {@link TlsFunctions#tlsSessionTask}, on its thread, and
 * for several sessions at a time; none may call a function of the session that it is called for. An exception counts as a failure and is
 * dropped: an implementation that wants to report it keeps it. Since revision 3.
 */
public interface TlsCallbacks {
    /**
     * Judges the peer's certificates.
     *
     * @param user the session's number
     * @param request address of {@link TlsVerification}, valid during the call
     * @return 0 to accept, the number of an alert (RFC 8446, 6.2) to refuse, or a negative number when the judgement failed
     */
    default int verify(long user, long request) {
        return -1;
    }

    /**
     * Signs a message, which is not hashed yet.
     *
     * @param user the session's number
     * @param scheme the signature scheme (RFC 8446, 4.2.3)
     * @param message address of the message, valid during the call
     * @param length bytes of the message
     * @param out address of memory for the signature, valid during the call
     * @param capacity bytes at {@code out}
     * @return bytes of the signature, or a negative number
     */
    default long sign(long user, int scheme, long message, long length, long out, long capacity) {
        return -1;
    }

    /**
     * Chooses the credential.
     *
     * @param user the session's number
     * @param request address of {@link TlsChoice}, valid during the call
     * @return the credential, 0 for none, or a negative number when the choice failed
     */
    default long choose(long user, long request) {
        return -1;
    }

    /**
     * Receives a line of the NSS key log format. Called inside wrap, unwrap or task.
     *
     * @param user the session's number
     * @param line label, client random and secret, without a line end
     */
    default void keyLog(long user, String line) {
    }
}
