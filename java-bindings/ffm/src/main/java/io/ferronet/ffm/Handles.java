package io.ferronet.ffm;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * One lazily initialised holder per function, so that its handle is a constant for the compiler and costs nothing until its first call.
 * {@link #resolve} comes first.
 */
final class Handles {
    private static volatile long[] addresses;

    private Handles() {
    }

    /**
     * Sets the addresses that the holders link, once per class.
     *
     * @param resolved address of each function, by ordinal
     */
    static void resolve(long[] resolved) {
        addresses = resolved;
    }

    private static MethodHandle link(Function function) {
        Linker.Option[] options = function.heat() == Function.Heat.CRITICAL
            ? new Linker.Option[] {Linker.Option.critical(false)} : new Linker.Option[0];
        return Linker.nativeLinker().downcallHandle(MemorySegment.ofAddress(addresses[function.ordinal()]),
            function.shape().descriptor(), options);
    }

    static final class Attach {
        static final MethodHandle CALL = link(Function.ATTACH);
    }

    static final class Detach {
        static final MethodHandle CALL = link(Function.DETACH);
    }

    static final class Probe {
        static final MethodHandle CALL = link(Function.PROBE);
    }

    static final class StatusName {
        static final MethodHandle CALL = link(Function.STATUS_NAME);
    }

    static final class LastError {
        static final MethodHandle CALL = link(Function.LAST_ERROR);
    }

    static final class LogSet {
        static final MethodHandle CALL = link(Function.LOG_SET);
    }

    static final class ReactorNew {
        static final MethodHandle CALL = link(Function.REACTOR_NEW);
    }

    static final class ReactorStart {
        static final MethodHandle CALL = link(Function.REACTOR_START);
    }

    static final class ReactorAreas {
        static final MethodHandle CALL = link(Function.REACTOR_AREAS);
    }

    static final class ReactorInfo {
        static final MethodHandle CALL = link(Function.REACTOR_INFO);
    }

    static final class ReactorTurn {
        static final MethodHandle CALL = link(Function.REACTOR_TURN);
    }

    static final class ReactorSubmit {
        static final MethodHandle CALL = link(Function.REACTOR_SUBMIT);
    }

    static final class ReactorWake {
        static final MethodHandle CALL = link(Function.REACTOR_WAKE);
    }

    static final class ReactorAdd {
        static final MethodHandle CALL = link(Function.REACTOR_ADD);
    }

    static final class ReactorRemove {
        static final MethodHandle CALL = link(Function.REACTOR_REMOVE);
    }

    static final class ReactorClose {
        static final MethodHandle CALL = link(Function.REACTOR_CLOSE);
    }

    static final class ReactorFree {
        static final MethodHandle CALL = link(Function.REACTOR_FREE);
    }

    static final class SocketOpen {
        static final MethodHandle CALL = link(Function.SOCKET_OPEN);
    }

    static final class SocketBind {
        static final MethodHandle CALL = link(Function.SOCKET_BIND);
    }

    static final class SocketListen {
        static final MethodHandle CALL = link(Function.SOCKET_LISTEN);
    }

    static final class SocketLocalAddress {
        static final MethodHandle CALL = link(Function.SOCKET_LOCAL_ADDRESS);
    }

    static final class SocketPeerAddress {
        static final MethodHandle CALL = link(Function.SOCKET_PEER_ADDRESS);
    }

    static final class SocketShutdown {
        static final MethodHandle CALL = link(Function.SOCKET_SHUTDOWN);
    }

    static final class SocketClose {
        static final MethodHandle CALL = link(Function.SOCKET_CLOSE);
    }

    static final class SocketSetOption {
        static final MethodHandle CALL = link(Function.SOCKET_SET_OPTION);
    }

    static final class SocketGetOption {
        static final MethodHandle CALL = link(Function.SOCKET_GET_OPTION);
    }

    static final class SocketSetRawOption {
        static final MethodHandle CALL = link(Function.SOCKET_SET_RAW_OPTION);
    }

    static final class SocketGetRawOption {
        static final MethodHandle CALL = link(Function.SOCKET_GET_RAW_OPTION);
    }

    static final class DeflateNew {
        static final MethodHandle CALL = link(Function.DEFLATE_NEW);
    }

    static final class DeflateProcess {
        static final MethodHandle CALL = link(Function.DEFLATE_PROCESS);
    }

    static final class DeflateReset {
        static final MethodHandle CALL = link(Function.DEFLATE_RESET);
    }

    static final class DeflateSetDictionary {
        static final MethodHandle CALL = link(Function.DEFLATE_SET_DICTIONARY);
    }

    static final class DeflateFree {
        static final MethodHandle CALL = link(Function.DEFLATE_FREE);
    }

    static final class DeflateBound {
        static final MethodHandle CALL = link(Function.DEFLATE_BOUND);
    }

    static final class DeflateBuffer {
        static final MethodHandle CALL = link(Function.DEFLATE_BUFFER);
    }

    static final class InflateNew {
        static final MethodHandle CALL = link(Function.INFLATE_NEW);
    }

    static final class InflateProcess {
        static final MethodHandle CALL = link(Function.INFLATE_PROCESS);
    }

    static final class InflateReset {
        static final MethodHandle CALL = link(Function.INFLATE_RESET);
    }

    static final class InflateSetDictionary {
        static final MethodHandle CALL = link(Function.INFLATE_SET_DICTIONARY);
    }

    static final class InflateFree {
        static final MethodHandle CALL = link(Function.INFLATE_FREE);
    }

    static final class InflateBuffer {
        static final MethodHandle CALL = link(Function.INFLATE_BUFFER);
    }

    static final class TlsCredentialNew {
        static final MethodHandle CALL = link(Function.TLS_CREDENTIAL_NEW);
    }

    static final class TlsCredentialFree {
        static final MethodHandle CALL = link(Function.TLS_CREDENTIAL_FREE);
    }

    static final class TlsContextNew {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_NEW);
    }

    static final class TlsContextFree {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_FREE);
    }

    static final class TlsContextSetTicketKeys {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_SET_TICKET_KEYS);
    }

    static final class TlsContextSetOcspResponse {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_SET_OCSP_RESPONSE);
    }

    static final class TlsContextInfo {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_INFO);
    }

    static final class TlsContextClearSessions {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_CLEAR_SESSIONS);
    }

    static final class TlsContextRemoveSession {
        static final MethodHandle CALL = link(Function.TLS_CONTEXT_REMOVE_SESSION);
    }

    static final class TlsSessionNew {
        static final MethodHandle CALL = link(Function.TLS_SESSION_NEW);
    }

    static final class TlsSessionFree {
        static final MethodHandle CALL = link(Function.TLS_SESSION_FREE);
    }

    static final class TlsSessionWrap {
        static final MethodHandle CALL = link(Function.TLS_SESSION_WRAP);
    }

    static final class TlsSessionUnwrap {
        static final MethodHandle CALL = link(Function.TLS_SESSION_UNWRAP);
    }

    static final class TlsSessionTask {
        static final MethodHandle CALL = link(Function.TLS_SESSION_TASK);
    }

    static final class TlsSessionClose {
        static final MethodHandle CALL = link(Function.TLS_SESSION_CLOSE);
    }

    static final class TlsSessionEndInput {
        static final MethodHandle CALL = link(Function.TLS_SESSION_END_INPUT);
    }

    static final class TlsSessionInfo {
        static final MethodHandle CALL = link(Function.TLS_SESSION_INFO);
    }

    static final class TlsSessionBytes {
        static final MethodHandle CALL = link(Function.TLS_SESSION_BYTES);
    }

    static final class TlsSessionExport {
        static final MethodHandle CALL = link(Function.TLS_SESSION_EXPORT);
    }

    static final class TlsNames {
        static final MethodHandle CALL = link(Function.TLS_NAMES);
    }
}
