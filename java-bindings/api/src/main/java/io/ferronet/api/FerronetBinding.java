package io.ferronet.api;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The functions of {@code ferronet.h}, one method each, in primitive types: addresses and handles are {@code long} (0 is
 * NULL), descriptors and socket numbers {@code int}.
 *
 * <p>An {@code int} or {@code long} result is 0 or positive on success and a negative status on failure (see {@link Status}).
 * Output structures are written only on success. The semantics, thread rules and ownership of each function are those of the header;
 * what is repeated here is what a Java caller needs. A method never throws because of a failed call. An address that is not
 * what the method asks for is undefined behaviour, as in C. Since revision 1.
 */
public interface FerronetBinding extends TlsFunctions {
    /**
     * The metadata of the loaded library.
     *
     * @return what {@code ferronet_abi} said when the library was loaded
     */
    AbiInfo abi();

    /**
     * How the library got into the process.
     *
     * @return its source, target and load time
     */
    LoadedLibrary library();

    /**
     * {@code ferronet_attach}: states what this caller was built for, and makes a runtime.
     *
     * @param params address of {@link AttachParams}
     * @param out address of eight bytes that receive the runtime
     * @return 0 or a status
     */
    int attach(long params, long out);

    /**
     * {@code ferronet_detach}: gives a runtime back. Its reactors may outlive it.
     *
     * @param runtime the runtime
     * @return 0 or a status
     */
    int detach(long runtime);

    /**
     * {@code ferronet_probe}: asks what the running system allows.
     *
     * @param out address of {@link Capabilities}, with its size field set
     * @return 0 or a status
     */
    int probe(long out);

    /**
     * {@code ferronet_status_name}.
     *
     * @param status any number
     * @return the status' name, such as {@code FERRONET_ERR_BUSY} or {@code EADDRINUSE}; {@code FERRONET_OK} for 0 and above
     */
    String statusName(int status);

    /**
     * {@code ferronet_last_error}: the text of the last failed call.
     *
     * @param handle a handle of any kind, or 0 for calls without a handle on this thread
     * @param buffer address of {@code capacity} bytes that receive UTF-8 text, cut and NUL-terminated; may be 0 when {@code capacity} is 0
     * @param capacity bytes at {@code buffer}
     * @return bytes of the whole text without the NUL, or a status
     */
    long lastError(long handle, long buffer, long capacity);

    /**
     * {@code ferronet_log_set}: sends the library's diagnostics to a receiver, until it is replaced or the runtime is detached. When this returns, the
     * previous receiver is not running and will not be called again.
     *
     * @param runtime the runtime
     * @param level the most detailed level to deliver, {@link LogReceiver#OFF} to {@link LogReceiver#DEBUG}
     * @param receiver called on the thread that logs, also concurrently; {@code null} switches logging off
     * @return 0 or a status; {@link Status#BUSY} from inside a receiver, and while another thread sets the same runtime's receiver
     */
    int logSet(long runtime, int level, LogReceiver receiver);

    /**
     * {@code ferronet_reactor_new}: makes a reactor, and chooses its backend.
     *
     * @param runtime the runtime
     * @param config address of {@link ReactorConfig}, or 0 for the defaults
     * @param out address of eight bytes that receive the reactor
     * @return 0 or a status
     */
    int reactorNew(long runtime, long config, long out);

    /**
     * {@code ferronet_reactor_start}: binds the reactor to the calling thread.
     *
     * @param reactor the reactor
     * @return 0 or a status
     */
    int reactorStart(long reactor);

    /**
     * {@code ferronet_reactor_get_areas}: where the shared record areas are.
     *
     * @param reactor the reactor
     * @param out address of {@link ReactorAreas}, with its size field set
     * @return 0 or a status
     */
    int reactorAreas(long reactor, long out);

    /**
     * {@code ferronet_reactor_get_info}: the reactor's backend and counters.
     *
     * @param reactor the reactor
     * @param out address of {@link ReactorInfo}, with its size field set
     * @return 0 or a status
     */
    int reactorInfo(long reactor, long out);

    /**
     * {@code ferronet_reactor_turn}: one loop iteration. Takes the first records of the submission area, waits if nothing is
     * ready, and leaves completions in the completion area until the next turn. May block in the kernel; lets the JVM reach a safepoint meanwhile.
     *
     * @param reactor the reactor
     * @param submitted records in the submission area
     * @param timeoutNanos longest wait in nanoseconds; 0 does not wait, -1 waits without a limit
     * @return number of completion records, or a status
     */
    long reactorTurn(long reactor, int submitted, long timeoutNanos);

    /**
     * {@code ferronet_reactor_submit}: starts what is queued; never waits and never touches completion records.
     *
     * @param reactor the reactor
     * @param submitted records in the submission area
     * @return 0 or a status
     */
    int reactorSubmit(long reactor, int submitted);

    /**
     * {@code ferronet_reactor_wake}: ends the current or the next wait. Any thread, until the reactor is freed.
     *
     * @param reactor the reactor
     * @return 0 or a status
     */
    int reactorWake(long reactor);

    /**
     * {@code ferronet_reactor_add}: gives a descriptor to the reactor.
     *
     * @param reactor the reactor
     * @param descriptor the descriptor; still the caller's until a CLOSE operation or {@link #reactorClose}
     * @return the socket number (1 and above), or a status
     */
    long reactorAdd(long reactor, int descriptor);

    /**
     * {@code ferronet_reactor_remove}: takes a socket from the reactor; its descriptor stays open and is the caller's.
     *
     * @param reactor the reactor
     * @param socket the socket number
     * @return 0 or a status
     */
    int reactorRemove(long reactor, int socket);

    /**
     * {@code ferronet_reactor_close}: cancels everything and closes the sockets that are still added.
     *
     * @param reactor the reactor
     * @param boundNanos longest wait in nanoseconds
     * @return operations still in flight, whose memory must never be freed, or a status
     */
    long reactorClose(long reactor, long boundNanos);

    /**
     * {@code ferronet_reactor_free}: frees a reactor, closing it first when necessary.
     *
     * @param reactor the reactor; invalid afterwards
     * @return 0 or a status
     */
    int reactorFree(long reactor);

    /**
     * {@code ferronet_socket_open}.
     *
     * @param family one of {@link Address}'s families
     * @param kind {@link Address#KIND_STREAM} or {@link Address#KIND_DATAGRAM}
     * @return the descriptor, owned by the caller, or a status
     */
    int socketOpen(int family, int kind);

    /**
     * {@code ferronet_socket_bind}.
     *
     * @param descriptor the socket
     * @param address address of an {@link Address}
     * @return 0 or a status
     */
    int socketBind(int descriptor, long address);

    /**
     * {@code ferronet_socket_listen}.
     *
     * @param descriptor the socket
     * @param backlog connections that may wait; 0 is passed on
     * @return 0 or a status
     */
    int socketListen(int descriptor, int backlog);

    /**
     * {@code ferronet_socket_local_address}.
     *
     * @param descriptor the socket
     * @param out address of an {@link Address}
     * @return 0 or a status
     */
    int socketLocalAddress(int descriptor, long out);

    /**
     * {@code ferronet_socket_peer_address}.
     *
     * @param descriptor the socket
     * @param out address of an {@link Address}
     * @return 0 or a status
     */
    int socketPeerAddress(int descriptor, long out);

    /**
     * {@code ferronet_socket_shutdown}.
     *
     * @param descriptor the socket
     * @param direction one of {@link Submission}'s {@code SHUTDOWN} values
     * @return 0 or a status
     */
    int socketShutdown(int descriptor, int direction);

    /**
     * {@code ferronet_socket_close}: for descriptors that are not added to a reactor.
     *
     * @param descriptor the socket
     * @return 0 or a status
     */
    int socketClose(int descriptor);

    /**
     * {@code ferronet_socket_set_option}.
     *
     * @param descriptor the socket
     * @param option one of {@link SocketOption}
     * @param value the value; 0 or 1 for a boolean
     * @return 0 or a status
     */
    int socketSetOption(int descriptor, int option, long value);

    /**
     * {@code ferronet_socket_get_option}.
     *
     * @param descriptor the socket
     * @param option one of {@link SocketOption}
     * @param out address of eight bytes that receive the value
     * @return 0 or a status
     */
    int socketGetOption(int descriptor, int option, long out);

    /**
     * {@code ferronet_socket_set_raw_option}: {@code setsockopt(2)} with the platform's own numbers.
     *
     * @param descriptor the socket
     * @param level the level
     * @param name the option
     * @param value address of the value
     * @param length bytes of the value
     * @return 0 or a status
     */
    int socketSetRawOption(int descriptor, int level, int name, long value, int length);

    /**
     * {@code ferronet_socket_get_raw_option}: {@code getsockopt(2)} with the platform's own numbers.
     *
     * @param descriptor the socket
     * @param level the level
     * @param name the option
     * @param value address of the bytes that receive the value
     * @param length address of four bytes: the capacity before, the value's length after the call
     * @return 0 or a status
     */
    int socketGetRawOption(int descriptor, int level, int name, long value, long length);

    /**
     * {@code ferronet_deflate_new}: makes a compression stream; about 10 microseconds and 270 KiB. Since revision 2.
     *
     * @param config address of {@link DeflateConfig}, or 0 for gzip at level 6
     * @param out address of eight bytes that receive the stream
     * @return 0 or a status
     */
    int deflateNew(long config, long out);

    /**
     * {@code ferronet_deflate_process}: compresses the input region into the output region. Since revision 2.
     *
     * @param deflate the stream
     * @param input address of {@link Region}, or 0 for none
     * @param output address of {@link Region}, or 0 for none
     * @param flush one of {@link Codec}'s {@code FLUSH} values
     * @param out address of {@link CodecProgress}, with its size field set
     * @return 0 or a status
     */
    int deflateProcess(long deflate, long input, long output, int flush, long out);

    /**
     * {@code ferronet_deflate_reset}: begins a new stream in the same state. Since revision 2.
     *
     * @param deflate the stream
     * @param config address of {@link DeflateConfig}, or 0 to keep the settings
     * @return 0 or a status
     */
    int deflateReset(long deflate, long config);

    /**
     * {@code ferronet_deflate_set_dictionary}: sets what a stream may refer to from its first byte on. Since revision 2.
     *
     * @param deflate the stream
     * @param dictionary address of the bytes, which are copied
     * @param length bytes of the dictionary; 0 removes it
     * @return 0 or a status
     */
    int deflateSetDictionary(long deflate, long dictionary, long length);

    /**
     * {@code ferronet_deflate_free}: ends a compression stream. Since revision 2.
     *
     * @param deflate the stream; invalid afterwards
     * @return 0 or a status
     */
    int deflateFree(long deflate);

    /**
     * {@code ferronet_deflate_bound}: the most bytes that a stream without flushes in between can have. Since revision 2.
     *
     * @param length bytes of input
     * @return bytes
     */
    long deflateBound(long length);

    /**
     * {@code ferronet_deflate_buffer}: compresses bytes as one stream. Since revision 2.
     *
     * @param config address of {@link DeflateConfig}, or 0 for gzip at level 6
     * @param input address of the input
     * @param length bytes of input
     * @param output address of the output, which must not overlap the input
     * @param capacity bytes at {@code output}
     * @return bytes written, or a status
     */
    long deflateBuffer(long config, long input, long length, long output, long capacity);

    /**
     * {@code ferronet_inflate_new}: makes a decompression stream. Since revision 2.
     *
     * @param config address of {@link InflateConfig}, or 0 for the defaults
     * @param out address of eight bytes that receive the stream
     * @return 0 or a status
     */
    int inflateNew(long config, long out);

    /**
     * {@code ferronet_inflate_process}: decompresses the input region into the output region. Since revision 2.
     *
     * @param inflate the stream
     * @param input address of {@link Region}, or 0 for none
     * @param output address of {@link Region}, or 0 for none
     * @param flush {@link Codec#FLUSH_NONE}, or {@link Codec#FLUSH_FINISH} when no input follows
     * @param out address of {@link CodecProgress}, with its size field set
     * @return 0 or a status
     */
    int inflateProcess(long inflate, long input, long output, int flush, long out);

    /**
     * {@code ferronet_inflate_reset}: begins a new stream in the same state. Since revision 2.
     *
     * @param inflate the stream
     * @param config address of {@link InflateConfig}, or 0 to keep the settings
     * @return 0 or a status
     */
    int inflateReset(long inflate, long config);

    /**
     * {@code ferronet_inflate_set_dictionary}: sets what a stream may refer to from its first byte on. Since revision 2.
     *
     * @param inflate the stream
     * @param dictionary address of the bytes, which are copied
     * @param length bytes of the dictionary; 0 removes it
     * @return 0 or a status
     */
    int inflateSetDictionary(long inflate, long dictionary, long length);

    /**
     * {@code ferronet_inflate_free}: ends a decompression stream. Since revision 2.
     *
     * @param inflate the stream; invalid afterwards
     * @return 0 or a status
     */
    int inflateFree(long inflate);

    /**
     * {@code ferronet_inflate_buffer}: decompresses bytes that are one whole stream. Since revision 2.
     *
     * @param config address of {@link InflateConfig}, or 0 for the defaults
     * @param input address of the input
     * @param length bytes of input, one whole stream
     * @param output address of the output, which must not overlap the input
     * @param capacity bytes at {@code output}
     * @return bytes written, or a status
     */
    long inflateBuffer(long config, long input, long length, long output, long capacity);

    /**
     * Native memory as a buffer. The buffer does not keep the memory alive: its owner does.
     *
     * @param address the first byte
     * @param size bytes, at most {@link Integer#MAX_VALUE}
     * @return a direct buffer over the memory, in native byte order
     */
    ByteBuffer memory(long address, long size);

    /**
     * The address of a direct buffer's index 0, whatever its position is. The caller keeps the buffer reachable while the address is in use.
     *
     * @param buffer a direct buffer
     * @return the address
     * @throws IllegalArgumentException if the buffer is not direct
     */
    long addressOf(ByteBuffer buffer);

    /**
     * The text of the last failed call on a handle: what failed, on what, and why.
     *
     * @param handle a handle of any kind, or 0 for calls without a handle on this thread
     * @return the text; empty if there is none
     */
    default String lastError(long handle) {
        ByteBuffer text = ByteBuffer.allocateDirect(512).order(ByteOrder.nativeOrder());
        long length = lastError(handle, addressOf(text), text.capacity());
        if (length >= text.capacity()) {
            text = ByteBuffer.allocateDirect((int) Math.min(length, 1 << 16) + 1).order(ByteOrder.nativeOrder());
            length = lastError(handle, addressOf(text), text.capacity());
        }
        if (length <= 0) {
            return "";
        }
        byte[] bytes = new byte[(int) Math.min(length, text.capacity() - 1L)];
        text.get(0, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
