package io.ferronet.api;

/**
 * The functions of TLS, as part of {@link FerronetBinding}. A library that was built without TLS answers {@link Status#FEATURE}.
 * Since revision 3.
 */
public interface TlsFunctions {
    /**
     * {@code ferronet_tls_credential_new}: makes a certificate chain with its key.
     *
     * @param config address of {@link TlsCredentialConfig}
     * @param out address of eight bytes that receive the credential
     * @return 0 or a status
     */
    int tlsCredentialNew(long config, long out);

    /**
     * {@code ferronet_tls_credential_free}: ends a credential; contexts and sessions that were given it go on.
     *
     * @param credential the credential; invalid afterwards
     * @return 0 or a status
     */
    int tlsCredentialFree(long credential);

    /**
     * {@code ferronet_tls_context_new}: makes what sessions have in common.
     *
     * @param config address of {@link TlsConfig}
     * @param out address of eight bytes that receive the context
     * @return 0 or a status
     */
    int tlsContextNew(long config, long out);

    /**
     * {@code ferronet_tls_context_free}: ends a context; its sessions go on.
     *
     * @param context the context; invalid afterwards
     * @return 0 or a status
     */
    int tlsContextFree(long context);

    /**
     * {@code ferronet_tls_context_set_ticket_keys}: replaces the keys of stateless tickets.
     *
     * @param context the context
     * @param keys address of keys of 48 bytes each: 16 of name, 32 of key
     * @param length bytes of all keys
     * @return 0 or a status
     */
    int tlsContextSetTicketKeys(long context, long keys, long length);

    /**
     * {@code ferronet_tls_context_set_ocsp_response}: replaces the OCSP response that goes with a credential.
     *
     * @param context the context
     * @param index index of the credential in the configuration
     * @param response address of the response, DER
     * @param length bytes of the response; 0 removes it
     * @return 0 or a status
     */
    int tlsContextSetOcspResponse(long context, int index, long response, long length);

    /**
     * {@code ferronet_tls_context_get_info}: says what a context has counted.
     *
     * @param context the context
     * @param out address of {@link TlsContextInfo}, with its size field set
     * @return 0 or a status
     */
    int tlsContextInfo(long context, long out);

    /**
     * {@code ferronet_tls_context_clear_sessions}: forgets every session that could be resumed through the cache.
     *
     * @param context the context
     * @return 0 or a status
     */
    int tlsContextClearSessions(long context);

    /**
     * {@code ferronet_tls_context_remove_session}: forgets one session.
     *
     * @param context the context
     * @param key address of a client's session key, or of a server's session id
     * @param length bytes of the key
     * @return 1 when there was one, 0 when not, or a status
     */
    int tlsContextRemoveSession(long context, long key, long length);

    /**
     * {@code ferronet_tls_session_new}: makes one connection's session.
     *
     * @param context the context
     * @param config address of {@link TlsSessionConfig}; a server's may be 0
     * @param out address of eight bytes that receive the session
     * @return 0 or a status
     */
    int tlsSessionNew(long context, long config, long out);

    /**
     * {@code ferronet_tls_session_free}: ends a session in whatever state it is; nothing is sent.
     *
     * @param session the session; invalid afterwards
     * @return 0 or a status
     */
    int tlsSessionFree(long session);

    /**
     * {@code ferronet_tls_session_wrap}: encrypts the sources into the output, behind what the session itself has to send.
     *
     * @param session the session
     * @param sources address of {@link Region} records, or 0
     * @param sourceCount regions; 0 sends what is pending
     * @param output address of one {@link Region}
     * @param out address of {@link TlsProgress}, with its size field set; filled whatever the result is
     * @return 0 or a status
     */
    int tlsSessionWrap(long session, long sources, int sourceCount, long output, long out);

    /**
     * {@code ferronet_tls_session_unwrap}: takes records from the inputs and gives their data into the outputs.
     *
     * @param session the session
     * @param inputs address of {@link Region} records
     * @param inputCount regions of input
     * @param outputs address of {@link Region} records, or 0
     * @param outputCount regions of output
     * @param flags 0 or {@link Tls#IN_PLACE}; with it, one input and no output, the data comes to lie at the beginning of the input
     * @param out address of {@link TlsProgress}, with its size field set; filled whatever the result is
     * @return 0 or a status
     */
    int tlsSessionUnwrap(long session, long inputs, int inputCount, long outputs, int outputCount, int flags, long out);

    /**
     * {@code ferronet_tls_session_task}: goes on with a handshake in {@link Tls#STATE_NEED_TASK}, callbacks included. Any thread, while no other
     * calls the session.
     *
     * @param session the session
     * @param out address of {@link TlsProgress}, with its size field set; filled whatever the result is
     * @return 0 or a status
     */
    int tlsSessionTask(long session, long out);

    /**
     * {@code ferronet_tls_session_close}: ends the data that this side sends; the next wrap gives a close_notify.
     *
     * @param session the session
     * @param out address of {@link TlsProgress}, with its size field set; filled whatever the result is
     * @return 0 or a status
     */
    int tlsSessionClose(long session, long out);

    /**
     * {@code ferronet_tls_session_end_input}: says that the transport gives no more bytes.
     *
     * @param session the session
     * @return 0, {@link Status#TLS_TRUNCATED} when no close_notify came, or another status
     */
    int tlsSessionEndInput(long session);

    /**
     * {@code ferronet_tls_session_get_info}: says what a session has negotiated and counted.
     *
     * @param session the session
     * @param out address of {@link TlsSessionInfo}, with its size field set
     * @return 0 or a status
     */
    int tlsSessionInfo(long session, long out);

    /**
     * {@code ferronet_tls_session_get_bytes}: copies bytes that belong to a session.
     *
     * @param session the session
     * @param what one of {@link Tls}'s {@code BYTES} values
     * @param index which, where there may be several; else 0
     * @param buffer address of memory, or 0 with no capacity
     * @param capacity bytes at {@code buffer}
     * @return bytes of the whole (more than {@code capacity}: it was cut), 0 when there is nothing, or a status
     */
    long tlsSessionBytes(long session, int what, int index, long buffer, long capacity);

    /**
     * {@code ferronet_tls_session_export}: derives keying material (RFC 5705; RFC 8446, 7.5).
     *
     * @param session the session
     * @param label address of the label
     * @param labelLength bytes of the label
     * @param context address of the context value, or 0 for none
     * @param contextLength bytes of the context value
     * @param out address of memory for the material
     * @param outLength bytes to derive
     * @return 0 or a status
     */
    int tlsSessionExport(long session, long label, long labelLength, long context, long contextLength, long out, long outLength);

    /**
     * {@code ferronet_tls_names}: copies a list of supported names, with commas in between.
     *
     * @param what one of {@link Tls}'s {@code NAMES} values
     * @param buffer address of memory, or 0 with no capacity
     * @param capacity bytes at {@code buffer}
     * @return bytes of the whole list (more than {@code capacity}: it was cut), or a status
     */
    long tlsNames(int what, long buffer, long capacity);

    /**
     * The addresses of the stubs for {@link TlsConfig}'s and {@link TlsCredentialConfig}'s callbacks. They are made once and stay for as long as
     * the process runs. Each goes into a configuration together with the context.
     *
     * @return the same addresses for every call
     */
    TlsStubs tlsStubs();

    /**
     * Makes callbacks reachable for the stubs: a session whose {@code user} is the result calls them. They are held until they are
     * unregistered, which comes after the last such session was freed; so they must not hold what frees it.
     *
     * @param callbacks what the stubs call
     * @return a number that no other registration has, never 0
     */
    long tlsRegister(TlsCallbacks callbacks);

    /**
     * Ends a registration. Stubs that are called for it then fail the handshake.
     *
     * @param user what {@link #tlsRegister} returned; an unknown number does nothing
     */
    void tlsUnregister(long user);
}
