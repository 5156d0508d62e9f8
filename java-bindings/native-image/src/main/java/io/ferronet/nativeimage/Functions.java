package io.ferronet.nativeimage;

import org.graalvm.nativeimage.c.CContext;
import org.graalvm.nativeimage.c.function.CFunction;
import org.graalvm.nativeimage.c.function.CLibrary;

/**
 * The functions of {@code ferronet.h}, linked from the static library. Pointers travel as {@code long}; every call leaves Java's state, so that it may
 * block, reach a safepoint meanwhile, and call back.
 */
@CContext(LibraryDirectives.class)
@CLibrary(value = StaticLibrary.NAME, requireStatic = true)
final class Functions {
    private Functions() {
    }

    @CFunction("ferronet_abi")
    static native long abi();

    @CFunction("ferronet_attach")
    static native int attach(long params, long out);

    @CFunction("ferronet_detach")
    static native int detach(long runtime);

    @CFunction("ferronet_probe")
    static native int probe(long out);

    @CFunction("ferronet_status_name")
    static native long statusName(int status);

    @CFunction("ferronet_last_error")
    static native long lastError(long handle, long buffer, long capacity);

    @CFunction("ferronet_log_set")
    static native int logSet(long runtime, int level, long callback, long context);

    @CFunction("ferronet_reactor_new")
    static native int reactorNew(long runtime, long config, long out);

    @CFunction("ferronet_reactor_start")
    static native int reactorStart(long reactor);

    @CFunction("ferronet_reactor_get_areas")
    static native int reactorGetAreas(long reactor, long out);

    @CFunction("ferronet_reactor_get_info")
    static native int reactorGetInfo(long reactor, long out);

    @CFunction("ferronet_reactor_turn")
    static native long reactorTurn(long reactor, int submitted, long timeoutNs);

    @CFunction("ferronet_reactor_submit")
    static native int reactorSubmit(long reactor, int submitted);

    @CFunction("ferronet_reactor_wake")
    static native int reactorWake(long reactor);

    @CFunction("ferronet_reactor_add")
    static native long reactorAdd(long reactor, int descriptor);

    @CFunction("ferronet_reactor_remove")
    static native int reactorRemove(long reactor, int socket);

    @CFunction("ferronet_reactor_close")
    static native long reactorClose(long reactor, long boundNs);

    @CFunction("ferronet_reactor_free")
    static native int reactorFree(long reactor);

    @CFunction("ferronet_socket_open")
    static native int socketOpen(int family, int kind);

    @CFunction("ferronet_socket_bind")
    static native int socketBind(int fd, long address);

    @CFunction("ferronet_socket_listen")
    static native int socketListen(int fd, int backlog);

    @CFunction("ferronet_socket_local_address")
    static native int socketLocalAddress(int fd, long out);

    @CFunction("ferronet_socket_peer_address")
    static native int socketPeerAddress(int fd, long out);

    @CFunction("ferronet_socket_shutdown")
    static native int socketShutdown(int fd, int direction);

    @CFunction("ferronet_socket_close")
    static native int socketClose(int fd);

    @CFunction("ferronet_socket_set_option")
    static native int socketSetOption(int fd, int option, long value);

    @CFunction("ferronet_socket_get_option")
    static native int socketGetOption(int fd, int option, long out);

    @CFunction("ferronet_socket_set_raw_option")
    static native int socketSetRawOption(int fd, int level, int name, long value, int length);

    @CFunction("ferronet_socket_get_raw_option")
    static native int socketGetRawOption(int fd, int level, int name, long value, long length);

    @CFunction("ferronet_deflate_new")
    static native int deflateNew(long config, long out);

    @CFunction("ferronet_deflate_process")
    static native int deflateProcess(long deflate, long input, long output, int flush, long out);

    @CFunction("ferronet_deflate_reset")
    static native int deflateReset(long deflate, long config);

    @CFunction("ferronet_deflate_set_dictionary")
    static native int deflateSetDictionary(long deflate, long dictionary, long length);

    @CFunction("ferronet_deflate_free")
    static native int deflateFree(long deflate);

    @CFunction("ferronet_deflate_bound")
    static native long deflateBound(long length);

    @CFunction("ferronet_deflate_buffer")
    static native long deflateBuffer(long config, long input, long length, long output, long capacity);

    @CFunction("ferronet_inflate_new")
    static native int inflateNew(long config, long out);

    @CFunction("ferronet_inflate_process")
    static native int inflateProcess(long inflate, long input, long output, int flush, long out);

    @CFunction("ferronet_inflate_reset")
    static native int inflateReset(long inflate, long config);

    @CFunction("ferronet_inflate_set_dictionary")
    static native int inflateSetDictionary(long inflate, long dictionary, long length);

    @CFunction("ferronet_inflate_free")
    static native int inflateFree(long inflate);

    @CFunction("ferronet_inflate_buffer")
    static native long inflateBuffer(long config, long input, long length, long output, long capacity);

    @CFunction("ferronet_tls_credential_new")
    static native int tlsCredentialNew(long config, long out);

    @CFunction("ferronet_tls_credential_free")
    static native int tlsCredentialFree(long credential);

    @CFunction("ferronet_tls_context_new")
    static native int tlsContextNew(long config, long out);

    @CFunction("ferronet_tls_context_free")
    static native int tlsContextFree(long context);

    @CFunction("ferronet_tls_context_set_ticket_keys")
    static native int tlsContextSetTicketKeys(long context, long keys, long length);

    @CFunction("ferronet_tls_context_set_ocsp_response")
    static native int tlsContextSetOcspResponse(long context, int index, long response, long length);

    @CFunction("ferronet_tls_context_get_info")
    static native int tlsContextGetInfo(long context, long out);

    @CFunction("ferronet_tls_context_clear_sessions")
    static native int tlsContextClearSessions(long context);

    @CFunction("ferronet_tls_context_remove_session")
    static native int tlsContextRemoveSession(long context, long key, long length);

    @CFunction("ferronet_tls_session_new")
    static native int tlsSessionNew(long context, long config, long out);

    @CFunction("ferronet_tls_session_free")
    static native int tlsSessionFree(long session);

    @CFunction("ferronet_tls_session_wrap")
    static native int tlsSessionWrap(long session, long sources, int sourceCount, long output, long out);

    @CFunction("ferronet_tls_session_unwrap")
    static native int tlsSessionUnwrap(long session, long inputs, int inputCount, long outputs, int outputCount, int flags, long out);

    @CFunction("ferronet_tls_session_task")
    static native int tlsSessionTask(long session, long out);

    @CFunction("ferronet_tls_session_close")
    static native int tlsSessionClose(long session, long out);

    @CFunction("ferronet_tls_session_end_input")
    static native int tlsSessionEndInput(long session);

    @CFunction("ferronet_tls_session_get_info")
    static native int tlsSessionGetInfo(long session, long out);

    @CFunction("ferronet_tls_session_get_bytes")
    static native long tlsSessionGetBytes(long session, int what, int index, long buffer, long capacity);

    @CFunction("ferronet_tls_session_export")
    static native int tlsSessionExport(long session, long label, long labelLength, long context, long contextLength, long out, long outLength);

    @CFunction("ferronet_tls_names")
    static native long tlsNames(int what, long buffer, long capacity);

    /** Not of the header: {@code ffi/src/boundary/image.rs}. */
    @CFunction("ferronet_image_callbacks")
    static native int imageCallbacks(int layout, long out);
}
