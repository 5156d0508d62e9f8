package io.ferronet.ffm;

/** The registry of native functions: the one table that the binding and the tests read. */
enum Function {
    ABI("ferronet_abi", Shape.J0, Heat.COLD),
    ATTACH("ferronet_attach", Shape.J2, Heat.COLD),
    DETACH("ferronet_detach", Shape.J1, Heat.COLD),
    PROBE("ferronet_probe", Shape.J1, Heat.COLD),
    STATUS_NAME("ferronet_status_name", Shape.J1, Heat.COLD),
    LAST_ERROR("ferronet_last_error", Shape.J3, Heat.COLD),
    LOG_SET("ferronet_log_set", Shape.J4, Heat.COLD),
    REACTOR_NEW("ferronet_reactor_new", Shape.J3, Heat.COLD),
    REACTOR_START("ferronet_reactor_start", Shape.J1, Heat.COLD),
    REACTOR_AREAS("ferronet_reactor_get_areas", Shape.J2, Heat.COLD),
    REACTOR_INFO("ferronet_reactor_get_info", Shape.J2, Heat.COLD),
    REACTOR_TURN("ferronet_reactor_turn", Shape.J3, Heat.HOT),
    REACTOR_SUBMIT("ferronet_reactor_submit", Shape.J2, Heat.HOT),
    REACTOR_WAKE("ferronet_reactor_wake", Shape.J1, Heat.HOT),
    REACTOR_ADD("ferronet_reactor_add", Shape.J2, Heat.HOT),
    REACTOR_REMOVE("ferronet_reactor_remove", Shape.J2, Heat.COLD),
    REACTOR_CLOSE("ferronet_reactor_close", Shape.J2, Heat.COLD),
    REACTOR_FREE("ferronet_reactor_free", Shape.J1, Heat.COLD),
    SOCKET_OPEN("ferronet_socket_open", Shape.J2, Heat.COLD),
    SOCKET_BIND("ferronet_socket_bind", Shape.J2, Heat.COLD),
    SOCKET_LISTEN("ferronet_socket_listen", Shape.J2, Heat.COLD),
    SOCKET_LOCAL_ADDRESS("ferronet_socket_local_address", Shape.J2, Heat.COLD),
    SOCKET_PEER_ADDRESS("ferronet_socket_peer_address", Shape.J2, Heat.COLD),
    SOCKET_SHUTDOWN("ferronet_socket_shutdown", Shape.J2, Heat.COLD),
    SOCKET_CLOSE("ferronet_socket_close", Shape.J1, Heat.COLD),
    SOCKET_SET_OPTION("ferronet_socket_set_option", Shape.J3, Heat.COLD),
    SOCKET_GET_OPTION("ferronet_socket_get_option", Shape.J3, Heat.COLD),
    SOCKET_SET_RAW_OPTION("ferronet_socket_set_raw_option", Shape.J5, Heat.COLD),
    SOCKET_GET_RAW_OPTION("ferronet_socket_get_raw_option", Shape.J5, Heat.COLD),
    DEFLATE_NEW("ferronet_deflate_new", Shape.J2, Heat.COLD),
    DEFLATE_PROCESS("ferronet_deflate_process", Shape.J5, Heat.HOT),
    DEFLATE_RESET("ferronet_deflate_reset", Shape.J2, Heat.HOT),
    DEFLATE_SET_DICTIONARY("ferronet_deflate_set_dictionary", Shape.J3, Heat.COLD),
    DEFLATE_FREE("ferronet_deflate_free", Shape.J1, Heat.COLD),
    DEFLATE_BOUND("ferronet_deflate_bound", Shape.J1, Heat.COLD),
    DEFLATE_BUFFER("ferronet_deflate_buffer", Shape.J5, Heat.HOT),
    INFLATE_NEW("ferronet_inflate_new", Shape.J2, Heat.COLD),
    INFLATE_PROCESS("ferronet_inflate_process", Shape.J5, Heat.HOT),
    INFLATE_RESET("ferronet_inflate_reset", Shape.J2, Heat.HOT),
    INFLATE_SET_DICTIONARY("ferronet_inflate_set_dictionary", Shape.J3, Heat.COLD),
    INFLATE_FREE("ferronet_inflate_free", Shape.J1, Heat.COLD),
    INFLATE_BUFFER("ferronet_inflate_buffer", Shape.J5, Heat.HOT),
    TLS_CREDENTIAL_NEW("ferronet_tls_credential_new", Shape.J2, Heat.COLD),
    TLS_CREDENTIAL_FREE("ferronet_tls_credential_free", Shape.J1, Heat.COLD),
    TLS_CONTEXT_NEW("ferronet_tls_context_new", Shape.J2, Heat.COLD),
    TLS_CONTEXT_FREE("ferronet_tls_context_free", Shape.J1, Heat.COLD),
    TLS_CONTEXT_SET_TICKET_KEYS("ferronet_tls_context_set_ticket_keys", Shape.J3, Heat.COLD),
    TLS_CONTEXT_SET_OCSP_RESPONSE("ferronet_tls_context_set_ocsp_response", Shape.J4, Heat.COLD),
    TLS_CONTEXT_INFO("ferronet_tls_context_get_info", Shape.J2, Heat.COLD),
    TLS_CONTEXT_CLEAR_SESSIONS("ferronet_tls_context_clear_sessions", Shape.J1, Heat.COLD),
    TLS_CONTEXT_REMOVE_SESSION("ferronet_tls_context_remove_session", Shape.J3, Heat.COLD),
    TLS_SESSION_NEW("ferronet_tls_session_new", Shape.J3, Heat.COLD),
    TLS_SESSION_FREE("ferronet_tls_session_free", Shape.J1, Heat.COLD),
    TLS_SESSION_WRAP("ferronet_tls_session_wrap", Shape.J5, Heat.HOT),
    TLS_SESSION_UNWRAP("ferronet_tls_session_unwrap", Shape.J7, Heat.HOT),
    TLS_SESSION_TASK("ferronet_tls_session_task", Shape.J2, Heat.COLD),
    TLS_SESSION_CLOSE("ferronet_tls_session_close", Shape.J2, Heat.COLD),
    TLS_SESSION_END_INPUT("ferronet_tls_session_end_input", Shape.J1, Heat.COLD),
    TLS_SESSION_INFO("ferronet_tls_session_get_info", Shape.J2, Heat.COLD),
    TLS_SESSION_BYTES("ferronet_tls_session_get_bytes", Shape.J5, Heat.COLD),
    TLS_SESSION_EXPORT("ferronet_tls_session_export", Shape.J7, Heat.COLD),
    TLS_NAMES("ferronet_tls_names", Shape.J3, Heat.COLD);

    /** How often a function is called, and how. */
    enum Heat {
        /** Per process, loop or connection. */
        COLD,
        /** Per loop turn or event. It may enter the kernel, so it is a plain call that lets the JVM reach a safepoint. */
        HOT,
        /** Bounded, without system call, lock or upcall: linked as a critical call. */
        CRITICAL,
    }

    private final String symbol;
    private final Shape shape;
    private final Heat heat;

    Function(String symbol, Shape shape, Heat heat) {
        this.symbol = symbol;
        this.shape = shape;
        this.heat = heat;
    }

    String symbol() {
        return symbol;
    }

    Shape shape() {
        return shape;
    }

    Heat heat() {
        return heat;
    }
}
