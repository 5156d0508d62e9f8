/* Ferronet: native transport for event loops, TLS, and compression.
 *
 * Generated from the Rust sources by ffi/tests/header/generate.rs; do not edit. CONVENTIONS.md has the rules that hold for every
 * function and structure here. Unless a comment says otherwise, every item exists since revision 1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FERRONET_H
#define FERRONET_H


#include <stdint.h>
#include <stddef.h>
#include <stdio.h>

/**
 * First field of `ferronet_abi_info`: the bytes `FNAB` read as a little-endian number. Since revision 1.
 */
#define FERRONET_ABI_MAGIC 1111576134

/**
 * Revision of the C surface; grows by one with every change to it. Since revision 1.
 */
#define FERRONET_ABI_REVISION 4

/**
 * Oldest revision whose callers work unchanged. Since revision 1.
 */
#define FERRONET_ABI_FLOOR 1

/**
 * `flags`: the library was compiled for fully static executables (`crt-static`). The same object code serves the
 * shared library and the archive otherwise, so that the bit does not tell these two apart. Since revision 1.
 */
#define FERRONET_ABI_STATIC 1

/**
 * `flags`: debug assertions are compiled in. Since revision 1.
 */
#define FERRONET_ABI_DEBUG 2

/**
 * `flags`: test hooks are compiled in; never true of a shipped library. Since revision 1.
 */
#define FERRONET_ABI_TEST_HOOKS 4

/**
 * The io_uring backend. Since revision 1.
 */
#define FERRONET_FEATURE_IO_URING (1 << 0)

/**
 * The poll backend over epoll. Since revision 1.
 */
#define FERRONET_FEATURE_EPOLL (1 << 1)

/**
 * The poll backend over kqueue. Since revision 1.
 */
#define FERRONET_FEATURE_KQUEUE (1 << 2)

/**
 * Compression: ferronet_deflate_* and ferronet_inflate_*. Since revision 2.
 */
#define FERRONET_FEATURE_ZLIB (1 << 3)

/**
 * TLS: ferronet_tls_*. Since revision 3.
 */
#define FERRONET_FEATURE_TLS (1 << 4)

/**
 * Success; every status that is not negative is one. Since revision 1.
 */
#define FERRONET_OK 0

/**
 * The first number of Ferronet's own statuses. Above it (-4095 to -1) a status is a negated errno of the platform.
 * Since revision 1.
 */
#define FERRONET_ERR_BASE (-10000)

/**
 * A panic was caught at the boundary; the handle is poisoned. Since revision 1.
 */
#define FERRONET_ERR_PANIC (-10001)

/**
 * The handle was poisoned by an earlier panic. Since revision 1.
 */
#define FERRONET_ERR_POISONED (-10002)

/**
 * An argument is NULL, out of range or contradicts another. Since revision 1.
 */
#define FERRONET_ERR_INVALID_ARGUMENT (-10003)

/**
 * The handle is of another type, or no handle. Since revision 1.
 */
#define FERRONET_ERR_INVALID_HANDLE (-10004)

/**
 * The handle was closed. Since revision 1.
 */
#define FERRONET_ERR_CLOSED (-10005)

/**
 * Called from a thread that does not own the handle. Since revision 1.
 */
#define FERRONET_ERR_WRONG_THREAD (-10006)

/**
 * Operations are in flight. Since revision 1.
 */
#define FERRONET_ERR_BUSY (-10007)

/**
 * A structure is longer than the library knows, and its unknown tail is not zero. Since revision 1.
 */
#define FERRONET_ERR_TOO_BIG (-10008)

/**
 * The caller's revision is below the floor, or above what the structure allows. Since revision 1.
 */
#define FERRONET_ERR_ABI (-10009)

/**
 * A required feature was not built. Since revision 1.
 */
#define FERRONET_ERR_FEATURE (-10010)

/**
 * The running system does not offer what was asked for. Since revision 1.
 */
#define FERRONET_ERR_UNAVAILABLE (-10011)

/**
 * The operation code or one of its flags is unknown. Since revision 1.
 */
#define FERRONET_ERR_UNSUPPORTED_OP (-10012)

/**
 * The socket number is unknown to this reactor. Since revision 1.
 */
#define FERRONET_ERR_UNKNOWN_SOCKET (-10013)

/**
 * The option does not exist on this platform or this kind of socket. Since revision 1.
 */
#define FERRONET_ERR_UNSUPPORTED_OPTION (-10014)

/**
 * No lent buffer is free. Since revision 1.
 */
#define FERRONET_ERR_NO_BUFFERS (-10015)

/**
 * A limit that the caller set was reached. Since revision 1.
 */
#define FERRONET_ERR_LIMIT (-10016)

/**
 * The output region is too small; nothing was written. Since revision 1.
 */
#define FERRONET_ERR_TOO_SMALL (-10017)

/**
 * The reactor was not started. Since revision 1.
 */
#define FERRONET_ERR_NOT_STARTED (-10018)

/**
 * Compressed data is invalid, or a checksum or length in it is wrong. Since revision 2.
 */
#define FERRONET_ERR_DATA (-10019)

/**
 * Compressed data ends before its stream does. Since revision 2.
 */
#define FERRONET_ERR_TRUNCATED (-10020)

/**
 * Compressed data needs a dictionary that was not set. Since revision 2.
 */
#define FERRONET_ERR_DICTIONARY (-10021)

/**
 * The peer broke the protocol, by RFC 8446 or RFC 5246; an alert says so to it. Since revision 3.
 */
#define FERRONET_ERR_TLS_PROTOCOL (-10022)

/**
 * The first bytes are no TLS record, but for example plain HTTP. Since revision 3.
 */
#define FERRONET_ERR_TLS_NOT_TLS (-10023)

/**
 * The peer ended the connection with a fatal alert. Since revision 3.
 */
#define FERRONET_ERR_TLS_ALERT (-10024)

/**
 * The peer's certificate was refused: untrusted, expired, revoked, or for another name. Since revision 3.
 */
#define FERRONET_ERR_TLS_CERTIFICATE (-10025)

/**
 * A certificate is required, and the peer sent none. Since revision 3.
 */
#define FERRONET_ERR_TLS_NO_CERTIFICATE (-10026)

/**
 * Both sides have no version, cipher suite, group, signature scheme or application protocol in common. Since revision 3.
 */
#define FERRONET_ERR_TLS_NO_COMMON (-10027)

/**
 * The transport ended without a close_notify. Since revision 3.
 */
#define FERRONET_ERR_TLS_TRUNCATED (-10028)

/**
 * Left out on purpose: TLS below 1.2, CBC suites, renegotiation, and the like. Since revision 3.
 */
#define FERRONET_ERR_TLS_UNSUPPORTED (-10029)

/**
 * A certificate, key or revocation list cannot be read, or key and certificate are not for each other. Since revision 3.
 */
#define FERRONET_ERR_TLS_KEY (-10030)

/**
 * A callback of the caller failed. Since revision 3.
 */
#define FERRONET_ERR_TLS_CALLBACK (-10031)

/**
 * The keys have encrypted as much as they may. Since revision 3.
 */
#define FERRONET_ERR_TLS_EXHAUSTED (-10032)

/**
 * Accepts connections on a listening socket; result: the new descriptor, owned by the caller. On a socket that does not
 * listen it ends at once, whatever else waits there; so does a RECV on one that listens. Since revision 1.
 */
#define FERRONET_OP_ACCEPT 1

/**
 * Connects; `addr0` names a `ferronet_address`. Result: EALREADY while another CONNECT of the socket is under way,
 * EISCONN on a stream socket that is, or was, connected; a datagram socket gets another peer. Since revision 1.
 */
#define FERRONET_OP_CONNECT 2

/**
 * Receives into `addr0`/`len0`, or into lent buffers with `FERRONET_SUBMIT_LENT`. Result 0 is the end of the stream, or
 * that the receiving direction was shut down and what had come before is received (datagram sockets, too).
 * Receives of one socket run in the order of their records, one after the other; so do sends.
 * Since revision 1.
 */
#define FERRONET_OP_RECV 3

/**
 * Sends one or two regions whole: one completion, whose result is the sum, a negative status, or fewer bytes after a
 * cancel. Since revision 1.
 */
#define FERRONET_OP_SEND 4

/**
 * Sends `len0` (at most 1,024) regions named by a `ferronet_region` array at `addr0`; completes like SEND.
 * Since revision 1.
 */
#define FERRONET_OP_SEND_GATHER 5

/**
 * Waits for the `FERRONET_POLL_*` events in `len0`; result: the events that occurred. Since revision 1.
 */
#define FERRONET_OP_POLL 6

/**
 * Shuts down the direction in `len0` (`FERRONET_SHUTDOWN_*`). Since revision 1.
 */
#define FERRONET_OP_SHUTDOWN 7

/**
 * Cancels all operations of the socket, closes its descriptor and frees its number; completes last of them.
 * Since revision 1.
 */
#define FERRONET_OP_CLOSE 8

/**
 * Cancels the operation with `user_data` = `arg0` on the socket, or all with `FERRONET_SUBMIT_ALL`; result: operations
 * found. Since revision 1.
 */
#define FERRONET_OP_CANCEL 9

/**
 * Lends the buffer `addr0`/`len0` with identity `arg0`. It has no completion unless it is refused. Since revision 1.
 */
#define FERRONET_OP_LEND 10

/**
 * Go on after the first result: further completions follow, each but the last with `FERRONET_COMPLETE_MORE`.
 * Since revision 1.
 */
#define FERRONET_SUBMIT_MULTISHOT 1

/**
 * Receive into a lent buffer. Since revision 1.
 */
#define FERRONET_SUBMIT_LENT 2

/**
 * CANCEL: every operation of the socket. Since revision 1.
 */
#define FERRONET_SUBMIT_ALL 4

/**
 * SEND: more data follows soon (MSG_MORE). Since revision 1.
 */
#define FERRONET_SUBMIT_MORE 8

/**
 * The operation goes on; this is not its final completion. Since revision 1.
 */
#define FERRONET_COMPLETE_MORE 1

/**
 * `buffer` and `extra` name a lent buffer; it is the caller's again unless `FERRONET_COMPLETE_BUFFER_MORE` is set.
 * Since revision 1.
 */
#define FERRONET_COMPLETE_BUFFER 2

/**
 * The library keeps the lent buffer, and will put further bytes behind these. Since revision 1.
 */
#define FERRONET_COMPLETE_BUFFER_MORE 4

/**
 * The socket is known to have more bytes to receive. Since revision 1.
 */
#define FERRONET_COMPLETE_NONEMPTY 8

/**
 * Bytes to read, or a connection to accept. Since revision 1.
 */
#define FERRONET_POLL_IN 1

/**
 * Room to write. Since revision 1.
 */
#define FERRONET_POLL_OUT 2

/**
 * The peer closed its sending side, or the connection is gone. Reported even if not asked for. Since revision 1.
 */
#define FERRONET_POLL_RDHUP 4

/**
 * An error is pending on the socket. Reported even if not asked for. Since revision 1.
 */
#define FERRONET_POLL_ERR 8

/**
 * Both directions are closed. Reported even if not asked for. Since revision 1.
 */
#define FERRONET_POLL_HUP 16

/**
 * Shut down receiving. Since revision 1.
 */
#define FERRONET_SHUTDOWN_READ 0

/**
 * Shut down sending: the peer reads end of stream. Since revision 1.
 */
#define FERRONET_SHUTDOWN_WRITE 1

/**
 * Shut down both directions. Since revision 1.
 */
#define FERRONET_SHUTDOWN_BOTH 2

/**
 * Unix socket name. Since revision 1.
 */
#define FERRONET_FAMILY_UNIX 1

/**
 * IPv4. Since revision 1.
 */
#define FERRONET_FAMILY_IPV4 4

/**
 * IPv6. Since revision 1.
 */
#define FERRONET_FAMILY_IPV6 6

/**
 * vsock. Since revision 1.
 */
#define FERRONET_FAMILY_VSOCK 40

/**
 * A byte stream. Since revision 1.
 */
#define FERRONET_SOCKET_STREAM 1

/**
 * Datagrams. Since revision 1.
 */
#define FERRONET_SOCKET_DATAGRAM 2

/**
 * Let the library choose the backend, and fall back when one is refused. Since revision 1.
 */
#define FERRONET_BACKEND_AUTO 0

/**
 * io_uring, or a failure that says why not. Since revision 1.
 */
#define FERRONET_BACKEND_IO_URING 1

/**
 * epoll or kqueue. Since revision 1.
 */
#define FERRONET_BACKEND_POLL 2

/**
 * `flags` of the configuration: any one thread at a time may drive the reactor (virtual threads, hand-over between
 * threads). Since revision 1.
 */
#define FERRONET_REACTOR_ANY_THREAD 1

/**
 * A step of the kernel ladder: provided buffer rings (Linux 5.19). Since revision 1.
 */
#define FERRONET_RING_BUFFER_RING (1 << 0)

/**
 * Multishot accept (Linux 5.19). Since revision 1.
 */
#define FERRONET_RING_MULTISHOT_ACCEPT (1 << 1)

/**
 * Multishot receive (Linux 6.0). Since revision 1.
 */
#define FERRONET_RING_MULTISHOT_RECV (1 << 2)

/**
 * SINGLE_ISSUER and DEFER_TASKRUN (Linux 6.1). Since revision 1.
 */
#define FERRONET_RING_DEFER_TASKRUN (1 << 3)

/**
 * Incremental buffer rings (Linux 6.12). Since revision 1.
 */
#define FERRONET_RING_INCREMENTAL (1 << 4)

/**
 * Why something is not available; a `reason` field holds one of these. Since revision 1.
 */
#define FERRONET_REASON_NONE 0

/**
 * It was not compiled in, or the platform has no such thing. Since revision 1.
 */
#define FERRONET_REASON_NOT_BUILT 1

/**
 * The kernel is too old (ENOSYS, or a needed step is missing). Since revision 1.
 */
#define FERRONET_REASON_KERNEL_TOO_OLD 2

/**
 * A seccomp filter or a security module refuses it (EPERM, EACCES). Since revision 1.
 */
#define FERRONET_REASON_DENIED 3

/**
 * `kernel.io_uring_disabled` is set. Since revision 1.
 */
#define FERRONET_REASON_DISABLED_BY_SYSCTL 4

/**
 * RLIMIT_MEMLOCK is too low (ENOMEM). Since revision 1.
 */
#define FERRONET_REASON_MEMLOCK 5

/**
 * No descriptor is left (EMFILE, ENFILE). Since revision 1.
 */
#define FERRONET_REASON_DESCRIPTORS 6

/**
 * The caller switched it off. Since revision 1.
 */
#define FERRONET_REASON_SWITCHED_OFF 7

/**
 * It runs, but measured slower here than the other backend. Since revision 1.
 */
#define FERRONET_REASON_SLOWER 8

/**
 * Another errno; the status field beside the reason holds it. Since revision 1.
 */
#define FERRONET_REASON_OTHER 9

/**
 * No log text is delivered. Since revision 1.
 */
#define FERRONET_LOG_OFF 0

/**
 * What went wrong in the library itself: panics and memory that had to be leaked. Since revision 1.
 */
#define FERRONET_LOG_ERROR 1

/**
 * What the caller asked for and did not get, such as a refused backend. Since revision 1.
 */
#define FERRONET_LOG_WARNING 2

/**
 * Reactors that come and go. Since revision 1.
 */
#define FERRONET_LOG_INFO 3

/**
 * Every failed call. Since revision 1.
 */
#define FERRONET_LOG_DEBUG 4

/**
 * SO_RCVBUF in bytes (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_RCVBUF 1

/**
 * SO_SNDBUF in bytes (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_SNDBUF 2

/**
 * SO_KEEPALIVE (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_KEEPALIVE 3

/**
 * SO_REUSEADDR (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_REUSEADDR 4

/**
 * SO_REUSEPORT (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_REUSEPORT 5

/**
 * SO_LINGER in seconds; -1 is off (socket(7)). Above 0, whatever closes the socket may wait that long for the peer, and
 * so may the loop: remove such a socket from its reactor, and close it on another thread. Since revision 1.
 */
#define FERRONET_OPTION_LINGER 6

/**
 * SO_BROADCAST (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_BROADCAST 7

/**
 * SO_BUSY_POLL in microseconds (socket(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_BUSY_POLL 8

/**
 * SO_ERROR, read only: the pending errno, which reading clears (socket(7)). Since revision 1.
 */
#define FERRONET_OPTION_ERROR 9

/**
 * IP_TOS or IPV6_TCLASS by the socket's family (ip(7), ipv6(7)). Since revision 1.
 */
#define FERRONET_OPTION_TOS 20

/**
 * IP_FREEBIND (ip(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_FREEBIND 21

/**
 * IP_TRANSPARENT (ip(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_TRANSPARENT 22

/**
 * IP_BIND_ADDRESS_NO_PORT (ip(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_BIND_ADDRESS_NO_PORT 23

/**
 * IPV6_V6ONLY (ipv6(7)). Since revision 1.
 */
#define FERRONET_OPTION_V6ONLY 24

/**
 * TCP_NODELAY (tcp(7)). Since revision 1.
 */
#define FERRONET_OPTION_TCP_NODELAY 40

/**
 * TCP_CORK (tcp(7)), TCP_NOPUSH on BSD. Since revision 1.
 */
#define FERRONET_OPTION_TCP_CORK 41

/**
 * TCP_KEEPIDLE in seconds (tcp(7)). Since revision 1.
 */
#define FERRONET_OPTION_TCP_KEEPIDLE 42

/**
 * TCP_KEEPINTVL in seconds (tcp(7)). Since revision 1.
 */
#define FERRONET_OPTION_TCP_KEEPINTVL 43

/**
 * TCP_KEEPCNT (tcp(7)). Since revision 1.
 */
#define FERRONET_OPTION_TCP_KEEPCNT 44

/**
 * TCP_USER_TIMEOUT in milliseconds (tcp(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_TCP_USER_TIMEOUT 45

/**
 * TCP_QUICKACK (tcp(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_TCP_QUICKACK 46

/**
 * TCP_NOTSENT_LOWAT in bytes (tcp(7)). Since revision 1.
 */
#define FERRONET_OPTION_TCP_NOTSENT_LOWAT 47

/**
 * TCP_DEFER_ACCEPT in seconds (tcp(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_TCP_DEFER_ACCEPT 48

/**
 * TCP_FASTOPEN: queue length of pending fast opens of a listener (tcp(7)). Since revision 1.
 */
#define FERRONET_OPTION_TCP_FASTOPEN 49

/**
 * TCP_FASTOPEN_CONNECT (tcp(7)); Linux. Since revision 1.
 */
#define FERRONET_OPTION_TCP_FASTOPEN_CONNECT 50

/**
 * Framing: gzip, RFC 1952. Since revision 2.
 */
#define FERRONET_CODEC_GZIP 1

/**
 * Framing: zlib, RFC 1950 (HTTP's "deflate"). Since revision 2.
 */
#define FERRONET_CODEC_ZLIB 2

/**
 * Framing: none, RFC 1951. Since revision 2.
 */
#define FERRONET_CODEC_RAW 3

/**
 * Inflate only: gzip or zlib by their first two bytes, else raw. Since revision 2.
 */
#define FERRONET_CODEC_AUTO 4

/**
 * Level 6. 1 (fast) to 9 (small) stand for themselves, and give about the size that zlib gives at that level.
 * Since revision 2.
 */
#define FERRONET_LEVEL_DEFAULT 0

/**
 * No compression: stored blocks (zlib's level 0). Since revision 2.
 */
#define FERRONET_LEVEL_STORED 10

/**
 * The fastest mode: fixed codes, up to 70 % larger than level 1 on JSON, and up to 6 % larger than the input on random
 * data. Since revision 2.
 */
#define FERRONET_LEVEL_FASTEST 11

/**
 * Strategy: normal data. Since revision 2.
 */
#define FERRONET_STRATEGY_DEFAULT 0

/**
 * Strategy: small values with a random distribution. Since revision 2.
 */
#define FERRONET_STRATEGY_FILTERED 1

/**
 * Strategy: codes only, no matches. Since revision 2.
 */
#define FERRONET_STRATEGY_HUFFMAN 2

/**
 * Strategy: matches of distance one only. Since revision 2.
 */
#define FERRONET_STRATEGY_RLE 3

/**
 * Strategy: fixed codes only. Since revision 2.
 */
#define FERRONET_STRATEGY_FIXED 4

/**
 * The library collects as much input as it likes before it gives output. Since revision 2.
 */
#define FERRONET_FLUSH_NONE 0

/**
 * All input so far becomes output, up to a byte boundary. Since revision 2.
 */
#define FERRONET_FLUSH_SYNC 2

/**
 * The same, and what follows does not refer to what came before. Since revision 2.
 */
#define FERRONET_FLUSH_FULL 3

/**
 * Deflate: the stream ends behind this input. Inflate: no input follows, so that a stream which does not end is an error.
 * Since revision 2.
 */
#define FERRONET_FLUSH_FINISH 4

/**
 * All input was taken, and the flush is complete; more input may follow. Since revision 2.
 */
#define FERRONET_CODEC_NEEDS_INPUT 0

/**
 * The output region was too small: call again with the rest of the input and the same flush mode. Since revision 2.
 */
#define FERRONET_CODEC_NEEDS_OUTPUT 1

/**
 * The stream is complete. Input behind it is not consumed. Since revision 2.
 */
#define FERRONET_CODEC_END 2

/**
 * `flags`: gzip members that follow each other are one stream (RFC 1952, 2.2). Zero bytes behind the last one are
 * skipped; anything else there is an error. Since revision 2.
 */
#define FERRONET_INFLATE_CONCATENATED 1

/**
 * `flags`: the output has no bound but `max_output`. For trusted input only. Since revision 2.
 */
#define FERRONET_INFLATE_UNBOUNDED 2

/**
 * `side`: the end that opens the connection. Since revision 3.
 */
#define FERRONET_TLS_CLIENT 1

/**
 * `side`: the end that accepts it. Since revision 3.
 */
#define FERRONET_TLS_SERVER 2

/**
 * TLS 1.2, RFC 5246; the number on the wire. Since revision 3.
 */
#define FERRONET_TLS_VERSION_1_2 771

/**
 * TLS 1.3, RFC 8446; the number on the wire. Since revision 3.
 */
#define FERRONET_TLS_VERSION_1_3 772

/**
 * `client_auth`: the server asks for no certificate. Since revision 3.
 */
#define FERRONET_TLS_CLIENT_AUTH_NONE 0

/**
 * `client_auth`: the server asks, and takes a client without one; a certificate that is sent is checked. Since revision 3.
 */
#define FERRONET_TLS_CLIENT_AUTH_OPTIONAL 1

/**
 * `client_auth`: a client without a certificate is refused (FERRONET_ERR_TLS_NO_CERTIFICATE). Since revision 3.
 */
#define FERRONET_TLS_CLIENT_AUTH_REQUIRED 2

/**
 * `trust`: not said. Refused where a peer's certificate has to be judged: for clients, and for servers that ask for one.
 * Since revision 3.
 */
#define FERRONET_TLS_TRUST_UNSET 0

/**
 * `trust`: the certificates in `roots`. A peer's certificate of X.509 version 1 is refused. Since revision 3.
 */
#define FERRONET_TLS_TRUST_ROOTS 1

/**
 * `trust`: the operating system's store. Since revision 3.
 */
#define FERRONET_TLS_TRUST_PLATFORM 2

/**
 * `trust`: the `verify` callback. Of the peer's certificates only the first one's public key is read here, whatever their version. Since revision 3.
 */
#define FERRONET_TLS_TRUST_CALLBACK 3

/**
 * `trust`: any certificate is taken, whoever shows it. Protects from nobody who is on the path. Since revision 3.
 */
#define FERRONET_TLS_TRUST_INSECURE_NONE 4

/**
 * Context flag: no session tickets (RFC 5077; RFC 8446, 4.6.1) are issued, and none is asked for. Since revision 3.
 */
#define FERRONET_TLS_NO_TICKETS 1

/**
 * Context flag: no session is kept for resumption. Since revision 3.
 */
#define FERRONET_TLS_NO_SESSION_CACHE 2

/**
 * Context flag: every flight of the handshake is a task (FERRONET_TLS_STATE_NEED_TASK). Since revision 3.
 */
#define FERRONET_TLS_TASKS 4

/**
 * Context flag: a server follows the client's order of cipher suites instead of its own. Since revision 3.
 */
#define FERRONET_TLS_CLIENT_ORDER 8

/**
 * Context flag: a server takes early data (RFC 8446, 2.3), which can be replayed: ferronet_tls_session_unwrap gives it before
 * FERRONET_TLS_EVENT_HANDSHAKE_DONE. It then keeps its sessions itself, each for one resumption, instead of issuing stateless tickets. A client sends no
 * early data, with or without this flag. Since revision 3.
 */
#define FERRONET_TLS_EARLY_DATA 16

/**
 * Context flag: certificates are compressed with zlib where the peer agrees (RFC 8879). Since revision 3.
 */
#define FERRONET_TLS_COMPRESS_CERTIFICATES 32

/**
 * Context flag: no session is resumed. A server issues neither tickets nor session ids, a client asks for none and keeps none; as
 * FERRONET_TLS_NO_TICKETS and FERRONET_TLS_NO_SESSION_CACHE together. Refused with FERRONET_TLS_EARLY_DATA and with `ticket_keys`.
 * Since revision 4.
 */
#define FERRONET_TLS_NO_RESUMPTION 64

/**
 * `alpn_policy`: no protocol in common ends the handshake, with the alert no_application_protocol (RFC 7301, 3.2).
 * Since revision 3.
 */
#define FERRONET_TLS_ALPN_FATAL 0

/**
 * `alpn_policy`: no protocol in common goes on without one. Since revision 3.
 */
#define FERRONET_TLS_ALPN_ACCEPT 1

/**
 * `crl_policy`: only the end entity's certificate is looked for in `crls`, not those above it. Since revision 3.
 */
#define FERRONET_TLS_CRL_END_ENTITY 1

/**
 * `crl_policy`: a certificate that no list covers is taken. Since revision 3.
 */
#define FERRONET_TLS_CRL_ALLOW_UNKNOWN 2

/**
 * `crl_policy`: a list past its nextUpdate time (RFC 5280, 5.1.2.5) is refused. Since revision 3.
 */
#define FERRONET_TLS_CRL_ENFORCE_EXPIRY 4

/**
 * Session flag: a client does not send `server_name` (RFC 6066, 3); it still checks it. Since revision 3.
 */
#define FERRONET_TLS_NO_SNI 1

/**
 * Session flag: the name in the certificate is not compared with `server_name`; the chain is still checked. Since revision 3.
 */
#define FERRONET_TLS_NO_HOST_CHECK 2

/**
 * Unwrap flag: the input may be overwritten, and is then decrypted where it lies. Since revision 3.
 */
#define FERRONET_TLS_IN_PLACE 1

/**
 * `result`: the call did all it could; nothing is missing. Since revision 3.
 */
#define FERRONET_TLS_OK 0

/**
 * `result`: the rest of a record, or the peer's next flight, is missing. Since revision 3.
 */
#define FERRONET_TLS_NEEDS_INPUT 1

/**
 * `result`: the output is too small for the next record; `needed` says how much it takes. Since revision 3.
 */
#define FERRONET_TLS_NEEDS_OUTPUT 2

/**
 * `result`: unwrap: the peer's close_notify was received. wrap: ours was sent, so that no data is taken. Since revision 3.
 */
#define FERRONET_TLS_CLOSED 3

/**
 * `state`: nothing has happened yet. Since revision 3.
 */
#define FERRONET_TLS_STATE_NEW 0

/**
 * `state`: the handshake waits for the peer's bytes. Since revision 3.
 */
#define FERRONET_TLS_STATE_NEED_UNWRAP 1

/**
 * `state`: bytes wait for ferronet_tls_session_wrap: handshake, alert or close_notify. Since revision 3.
 */
#define FERRONET_TLS_STATE_NEED_WRAP 2

/**
 * `state`: the handshake waits for ferronet_tls_session_task. Since revision 3.
 */
#define FERRONET_TLS_STATE_NEED_TASK 3

/**
 * `state`: the handshake is complete; data goes both ways. Since revision 3.
 */
#define FERRONET_TLS_STATE_OPEN 4

/**
 * `state`: a close_notify was sent or received. Since revision 3.
 */
#define FERRONET_TLS_STATE_CLOSING 5

/**
 * `state`: the session has failed, and its alert was delivered. Since revision 3.
 */
#define FERRONET_TLS_STATE_FAILED 6

/**
 * `events`: the handshake became complete in this call. Since revision 3.
 */
#define FERRONET_TLS_EVENT_HANDSHAKE_DONE 1

/**
 * `events`: the peer's close_notify came in this call. Since revision 3.
 */
#define FERRONET_TLS_EVENT_CLOSE_NOTIFY_RECEIVED 2

/**
 * `events`: this call put our close_notify into the output. Since revision 3.
 */
#define FERRONET_TLS_EVENT_CLOSE_NOTIFY_SENT 4

/**
 * `events`: the peer sent a session ticket. Since revision 3.
 */
#define FERRONET_TLS_EVENT_TICKET_RECEIVED 8

/**
 * `events`: the peer changed its keys (RFC 8446, 4.6.3). Since revision 3.
 */
#define FERRONET_TLS_EVENT_KEY_UPDATE 16

/**
 * ferronet_tls_session_get_bytes: the protocol that ALPN chose (RFC 7301). Since revision 3.
 */
#define FERRONET_TLS_BYTES_ALPN 1

/**
 * ferronet_tls_session_get_bytes: the server name that was sent or received, as text. Since revision 3.
 */
#define FERRONET_TLS_BYTES_SERVER_NAME 2

/**
 * ferronet_tls_session_get_bytes: a certificate of the peer's, DER, the end entity's first. Since revision 3.
 */
#define FERRONET_TLS_BYTES_PEER_CERTIFICATE 3

/**
 * ferronet_tls_session_get_bytes: a certificate that we sent, DER, the end entity's first. Since revision 3.
 */
#define FERRONET_TLS_BYTES_LOCAL_CERTIFICATE 4

/**
 * ferronet_tls_session_get_bytes: the OCSP response that the server stapled, DER (RFC 6066, 8). Since revision 3.
 */
#define FERRONET_TLS_BYTES_OCSP_RESPONSE 5

/**
 * ferronet_tls_session_get_bytes: an id of the session, at most 32 bytes. Since revision 3.
 */
#define FERRONET_TLS_BYTES_SESSION_ID 6

/**
 * ferronet_tls_session_get_bytes: a name of an authority that the server takes client certificates of, DER. Since revision 3.
 */
#define FERRONET_TLS_BYTES_ISSUER 7

/**
 * ferronet_tls_session_get_bytes: the signature schemes that the peer takes, two bytes each, big-endian (RFC 8446, 4.2.3).
 * Since revision 3.
 */
#define FERRONET_TLS_BYTES_PEER_SCHEMES 8

/**
 * ferronet_tls_names: cipher suites, each as IANA=OPENSSL, the preferred first. Since revision 3.
 */
#define FERRONET_TLS_NAMES_SUITES 1

/**
 * ferronet_tls_names: key-exchange groups, the preferred first. Since revision 3.
 */
#define FERRONET_TLS_NAMES_GROUPS 2

/**
 * ferronet_tls_names: signature schemes by their names in RFC 8446. Since revision 3.
 */
#define FERRONET_TLS_NAMES_SCHEMES 3

/**
 * ferronet_tls_names: protocol versions, "TLSv1.2" and "TLSv1.3". Since revision 3.
 */
#define FERRONET_TLS_NAMES_VERSIONS 4

/**
 * `flags` of ferronet_tls_verification: the certificate must be for `server_name`. Since revision 3.
 */
#define FERRONET_TLS_VERIFY_HOST 1

/**
 * A compression stream. It belongs to one thread at a time. Since revision 2.
 */
typedef struct ferronet_deflate ferronet_deflate;

/**
 * A decompression stream. It belongs to one thread at a time. Since revision 2.
 */
typedef struct ferronet_inflate ferronet_inflate;

/**
 * The transport of one event loop. Since revision 1.
 */
typedef struct ferronet_reactor ferronet_reactor;

/**
 * A user of the library in this process; several may be attached at once and know nothing of each other.
 * Since revision 1.
 */
typedef struct ferronet_runtime ferronet_runtime;

/**
 * What TLS sessions have in common: configuration, session cache, ticket keys, statistics. Since revision 3.
 */
typedef struct ferronet_tls_context ferronet_tls_context;

/**
 * A certificate chain with its key; contexts and sessions keep what they need of it. Since revision 3.
 */
typedef struct ferronet_tls_credential ferronet_tls_credential;

/**
 * One TLS connection. One call at a time, from any thread. Since revision 3.
 */
typedef struct ferronet_tls_session ferronet_tls_session;

/**
 * What the library is, readable before anything else is trusted. 128 bytes, append-only. Since revision 1.
 */
typedef struct ferronet_abi_info {
    /**
     * `FERRONET_ABI_MAGIC`.
     */
    uint32_t magic;
    /**
     * Bytes of this block that the library knows; at least 128.
     */
    uint32_t struct_size;
    /**
     * Revision of the C surface.
     */
    uint32_t abi_revision;
    /**
     * Oldest revision whose callers work unchanged.
     */
    uint32_t abi_floor;
    /**
     * Library version: major << 24 | minor << 16 | patch << 8.
     */
    uint32_t lib_version;
    /**
     * `FERRONET_ABI_*` bits.
     */
    uint32_t flags;
    /**
     * `FERRONET_FEATURE_*` bits that were compiled in.
     */
    uint64_t features_built;
    /**
     * Hash of the layout table of this revision (`layout.json`).
     */
    uint64_t layout_fingerprint;
    /**
     * Library version as text, padded with zero bytes.
     */
    uint8_t version[24];
    /**
     * Target triple, padded with zero bytes.
     */
    uint8_t target[40];
    /**
     * Commit or `unreleased`, padded with zero bytes.
     */
    uint8_t build_id[24];
} ferronet_abi_info;

/**
 * What a caller states of itself. Size-prefixed. Since revision 1.
 */
typedef struct ferronet_attach_params {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * `FERRONET_ABI_REVISION` of the header that the caller was built with.
     */
    uint32_t built_for_revision;
    /**
     * Features without which the caller cannot work.
     */
    uint64_t required_features;
} ferronet_attach_params;

/**
 * What the running system allows. Size-prefixed, filled by the library. Since revision 1.
 */
typedef struct ferronet_caps {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * Why io_uring is not available, `FERRONET_REASON_*`.
     */
    uint32_t uring_reason;
    /**
     * `FERRONET_FEATURE_*` bits that run here.
     */
    uint64_t available;
    /**
     * `FERRONET_RING_*` steps of the kernel.
     */
    uint64_t ring_features;
    /**
     * The status behind `uring_reason`, or 0.
     */
    int32_t uring_status;
    /**
     * Why the poll backend is not available, `FERRONET_REASON_*`.
     */
    uint32_t poll_reason;
    /**
     * The status behind `poll_reason`, or 0.
     */
    int32_t poll_status;
    /**
     * Kernel version: major << 16 | minor.
     */
    uint32_t kernel_version;
} ferronet_caps;

/**
 * Receives a log text of `length` bytes (UTF-8, a zero byte follows) of a FERRONET_LOG_* level. Since revision 1.
 *
 * It gets back its own `context`. It must not throw, unwind or jump out, and must not call ferronet_log_set or
 * ferronet_detach. Owner: the text is the library's, and valid during the call. Threads: called on any thread that
 * calls the library, one call at a time.
 */
typedef void (*ferronet_log_callback)(void *context, int32_t level, const char *text, uint64_t length);

/**
 * Reactor configuration. Size-prefixed; zero means the default of each field. Since revision 1.
 */
typedef struct ferronet_reactor_config {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * `FERRONET_BACKEND_*`.
     */
    uint32_t backend;
    /**
     * `FERRONET_REACTOR_*` bits.
     */
    uint32_t flags;
    /**
     * Records in the submission area; power of two, 16 to 65,536; default 1,024.
     */
    uint32_t submission_capacity;
    /**
     * Records in the completion area; power of two, 16 to 65,536; default 1,024.
     */
    uint32_t completion_capacity;
    /**
     * Submission entries of the ring; power of two, 8 to 32,768; default 256. Completion entries are the double.
     * Halved on ENOMEM.
     */
    uint32_t ring_entries;
    /**
     * Entries of the buffer ring; power of two up to 32,768; default 256. At most as many buffers can be lent at once.
     */
    uint32_t lent_capacity;
    /**
     * Must be zero.
     */
    uint32_t reserved;
    /**
     * `FERRONET_RING_*` steps that must not be used.
     */
    uint64_t disabled_ring_features;
} ferronet_reactor_config;

/**
 * Where the shared areas are. Size-prefixed, filled by the library; valid until the reactor is freed.
 * Since revision 1.
 */
typedef struct ferronet_reactor_areas {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * Records in the submission area.
     */
    uint32_t submission_capacity;
    /**
     * Address of the first `ferronet_submission`.
     */
    uint64_t submissions;
    /**
     * Address of the first `ferronet_completion`.
     */
    uint64_t completions;
    /**
     * Records in the completion area.
     */
    uint32_t completion_capacity;
    /**
     * Buffers that can be lent at once.
     */
    uint32_t lent_capacity;
} ferronet_reactor_areas;

/**
 * What a reactor is and has done. Size-prefixed, filled by the library. Since revision 1.
 */
typedef struct ferronet_reactor_info {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * The backend in use, `FERRONET_BACKEND_IO_URING` or `FERRONET_BACKEND_POLL`.
     */
    uint32_t backend;
    /**
     * The backend that was asked for.
     */
    uint32_t requested_backend;
    /**
     * Why AUTO did not take io_uring, `FERRONET_REASON_*`.
     */
    uint32_t fallback_reason;
    /**
     * The status behind the reason, or 0.
     */
    int32_t fallback_status;
    /**
     * Must be ignored.
     */
    uint32_t reserved;
    /**
     * `FERRONET_RING_*` steps in use.
     */
    uint64_t ring_features;
    /**
     * Calls of `ferronet_reactor_turn`.
     */
    uint64_t turns;
    /**
     * Submissions taken.
     */
    uint64_t submissions;
    /**
     * Completions delivered.
     */
    uint64_t completions;
    /**
     * Wake-ups that had to write to the kernel.
     */
    uint64_t wakeups;
    /**
     * Sockets that were added and neither removed nor closed.
     */
    uint64_t sockets;
    /**
     * Operations without their final completion.
     */
    uint64_t in_flight;
    /**
     * Lent buffers that the library holds.
     */
    uint64_t lent;
    /**
     * System calls made by the reactor.
     */
    uint64_t syscalls;
} ferronet_reactor_info;

/**
 * A socket address in a form that is the same on every platform. 128 bytes, frozen since revision 1.
 */
typedef struct ferronet_address {
    /**
     * One of the `FERRONET_FAMILY_*` values.
     */
    uint32_t family;
    /**
     * Port in host byte order (vsock: port).
     */
    uint32_t port;
    /**
     * IPv6 scope id (vsock: context id); 0 otherwise.
     */
    uint32_t scope_id;
    /**
     * Valid bytes in `data`: 4, 16, or the length of a Unix path or abstract name.
     */
    uint32_t length;
    /**
     * IP address in network byte order, or the Unix name (an abstract name begins with a zero byte).
     */
    uint8_t data[112];
} ferronet_address;

/**
 * How to compress. Size-prefixed; zero means the default of each field. Since revision 2.
 */
typedef struct ferronet_deflate_config {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * FERRONET_CODEC_GZIP (default), ZLIB or RAW.
     */
    uint32_t format;
    /**
     * FERRONET_LEVEL_*, or 1 to 9.
     */
    int32_t level;
    /**
     * Base-two logarithm of the window; 9 to 15, default 15.
     */
    uint32_t window_bits;
    /**
     * Memory for the matching and coding state, 1 to 9; default 8.
     */
    uint32_t memory_level;
    /**
     * FERRONET_STRATEGY_*.
     */
    uint32_t strategy;
    /**
     * Bytes that the whole stream will have, 0 when unknown. Only a hint: up to 4,096 of them are compressed faster with a
     * smaller window and memory level, which take the place of the defaults.
     */
    uint64_t expected_length;
} ferronet_deflate_config;

/**
 * One memory region of a gathered send. 16 bytes, frozen since revision 1.
 */
typedef struct ferronet_region {
    /**
     * Address of the first byte.
     */
    uint64_t addr;
    /**
     * Bytes.
     */
    uint64_t len;
} ferronet_region;

/**
 * What a call has done. Size-prefixed, filled by the library. Since revision 2.
 */
typedef struct ferronet_codec_progress {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * FERRONET_CODEC_NEEDS_INPUT, NEEDS_OUTPUT or END.
     */
    uint32_t state;
    /**
     * Bytes of input that this call took.
     */
    uint64_t consumed;
    /**
     * Bytes of output that this call wrote.
     */
    uint64_t produced;
    /**
     * Bytes of input since the stream began.
     */
    uint64_t total_in;
    /**
     * Bytes of output since the stream began.
     */
    uint64_t total_out;
    /**
     * Checksum of the uncompressed bytes so far: CRC-32 (gzip, of the current member) or Adler-32 (zlib); 0 or 1 at the beginning, and
     * without a meaning for raw streams.
     */
    uint32_t checksum;
    /**
     * Gzip members that are complete; 0 or 1 for other formats.
     */
    uint32_t members;
} ferronet_codec_progress;

/**
 * How to decompress, and how far. Size-prefixed; zero means the default of each field. Since revision 2.
 *
 * Without FERRONET_INFLATE_UNBOUNDED a stream may give `ratio_floor` bytes whatever its size, and `max_ratio` times the
 * bytes that were consumed after that. Beyond: FERRONET_ERR_LIMIT.
 */
typedef struct ferronet_inflate_config {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * FERRONET_CODEC_AUTO (default), GZIP, ZLIB or RAW.
     */
    uint32_t format;
    /**
     * FERRONET_INFLATE_* bits.
     */
    uint32_t flags;
    /**
     * Base-two logarithm of the largest window that is accepted; 9 to 15, default 15.
     */
    uint32_t window_bits;
    /**
     * Bytes that a stream may give in all; 0 for no such bound.
     */
    uint64_t max_output;
    /**
     * Bytes that a stream may give before its ratio counts; default 16 MiB.
     */
    uint64_t ratio_floor;
    /**
     * Bytes of output for each byte of input above the floor; default 200.
     */
    uint32_t max_ratio;
    /**
     * Must be zero.
     */
    uint32_t reserved;
} ferronet_inflate_config;

/**
 * Signs a message with a key that the library does not hold. Since revision 3.
 *
 * It gets back its own `context`, and the session's `user`. `scheme` is the number of RFC 8446, 4.2.3; the message is not
 * hashed yet. Returns the bytes written to `out`, of `capacity`, or a negative number (FERRONET_ERR_TLS_CALLBACK is
 * returned then). It must not throw, unwind or jump out, and must not call a function on the same session.
 * Owner: the memory is the library's, and valid during the call. Threads: called inside ferronet_tls_session_task, on its
 * thread; for several sessions at a time.
 */
typedef int64_t (*ferronet_tls_sign_callback)(void *context,
                                              uint64_t user,
                                              uint32_t scheme,
                                              const uint8_t *message,
                                              uint64_t length,
                                              uint8_t *out,
                                              uint64_t capacity);

/**
 * A certificate chain with its key. Size-prefixed; all memory is copied. Since revision 3.
 */
typedef struct ferronet_tls_credential_config {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * Must be zero.
     */
    uint32_t flags;
    /**
     * Certificates, the end entity's first: PEM, or DER one behind the other.
     */
    struct ferronet_region chain;
    /**
     * Private key: PEM or DER, of PKCS#8, PKCS#1 or SEC1. Empty with `sign`.
     */
    struct ferronet_region key;
    /**
     * Password of an encrypted PKCS#8 key, UTF-8.
     */
    struct ferronet_region password;
    /**
     * OCSP response to staple, DER (RFC 6066, 8). Empty for none.
     */
    struct ferronet_region ocsp_response;
    /**
     * Server names that it serves, as text with commas in between; "*." in front stands for one label. Empty: the names in the certificate.
     */
    struct ferronet_region names;
    /**
     * Signs in place of `key`. NULL: `key` does.
     */
    ferronet_tls_sign_callback sign;
    /**
     * Given back to `sign`.
     */
    void *sign_context;
    /**
     * Schemes that `sign` offers, the preferred first: an array of uint16_t, numbers of RFC 8446, 4.2.3. Empty: all of the certificate's
     * key type.
     */
    struct ferronet_region schemes;
} ferronet_tls_credential_config;

/**
 * What a verify callback judges. Size-prefixed, filled by the library. Since revision 3.
 */
typedef struct ferronet_tls_verification {
    /**
     * Bytes of this structure that the library knows.
     */
    uint32_t size;
    /**
     * Our side: FERRONET_TLS_CLIENT judges a server's certificates.
     */
    uint32_t side;
    /**
     * The session's `user`.
     */
    uint64_t user;
    /**
     * FERRONET_TLS_VERIFY_HOST.
     */
    uint32_t flags;
    /**
     * Regions at `certificates`.
     */
    uint32_t certificate_count;
    /**
     * Address of an array of ferronet_region, DER, the end entity's first.
     */
    uint64_t certificates;
    /**
     * A client's `server_name`, as text.
     */
    struct ferronet_region server_name;
    /**
     * OCSP response that the server stapled, DER; empty for none.
     */
    struct ferronet_region ocsp_response;
} ferronet_tls_verification;

/**
 * Judges the peer's certificates. Since revision 3.
 *
 * It gets back its own `context`. 0 accepts; a number above 0 refuses with that alert (RFC 8446, 6.2; 42 is
 * bad_certificate); below 0 says that the judgement itself failed (handshake_failure is sent, FERRONET_ERR_TLS_CALLBACK
 * returned). It must not throw, unwind or jump out, and must not call a function on the same session.
 * Owner: the request and what it names are the library's, and valid during the call. Threads: called inside
 * ferronet_tls_session_task, on its thread.
 */
typedef int32_t (*ferronet_tls_verify_callback)(void *context, const struct ferronet_tls_verification *request);

/**
 * What a choose callback decides by. Size-prefixed, filled by the library. Since revision 3.
 */
typedef struct ferronet_tls_choice {
    /**
     * Bytes of this structure that the library knows.
     */
    uint32_t size;
    /**
     * Our side.
     */
    uint32_t side;
    /**
     * The session's `user`.
     */
    uint64_t user;
    /**
     * The server name that the client sent, as text; empty for none. For a client: its own `server_name`.
     */
    struct ferronet_region server_name;
    /**
     * ALPN protocols that the client offers, each as a length byte and its name; for a server.
     */
    struct ferronet_region alpn;
    /**
     * Address of an array of uint16_t: signature schemes that the peer takes, the preferred first (RFC 8446, 4.2.3).
     */
    uint64_t schemes;
    /**
     * Address of an array of uint16_t: cipher suites that the client offers; for a server.
     */
    uint64_t suites;
    /**
     * Address of an array of ferronet_region: names of the authorities that the peer trusts, DER; may be empty.
     */
    uint64_t issuers;
    /**
     * Numbers at `schemes`.
     */
    uint32_t scheme_count;
    /**
     * Numbers at `suites`.
     */
    uint32_t suite_count;
    /**
     * Regions at `issuers`.
     */
    uint32_t issuer_count;
    /**
     * Zero.
     */
    uint32_t reserved;
} ferronet_tls_choice;

/**
 * Chooses the credential of a session: a server's for a ClientHello, a client's for a CertificateRequest. Since revision 3.
 *
 * It gets back its own `context`. It writes a credential to `*out`, which holds NULL at first, and returns 0. NULL means none: a server
 * sends an alert then, a client no certificate. A negative number says that the choice failed (FERRONET_ERR_TLS_CALLBACK).
 * It must not throw, unwind or jump out, and must not call a function on the same session.
 * Owner: the credential stays the caller's, and may be freed once the callback has returned. The request is the library's, and
 * valid during the call. Threads: called inside ferronet_tls_session_task, on its thread.
 */
typedef int32_t (*ferronet_tls_choose_callback)(void *context,
                                                const struct ferronet_tls_choice *request,
                                                struct ferronet_tls_credential **out);

/**
 * Receives a line of the NSS key log format, with which whoever has it can read the connection. Since revision 3.
 *
 * It gets back its own `context`, and the session's `user`. `line` is text of `length` bytes without a line end (a zero byte follows):
 * label, client random and secret. It must not throw, unwind or jump out, and must not call a function on the same session.
 * Owner: the text is the library's, and valid during the call. Threads: called inside wrap, unwrap or task of a session, on
 * their thread.
 */
typedef void (*ferronet_tls_key_log_callback)(void *context, uint64_t user, const char *line, uint64_t length);

/**
 * Everything that sessions have in common. Size-prefixed; zero means the default of each field; all memory is copied.
 * Since revision 3.
 */
typedef struct ferronet_tls_config {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * FERRONET_TLS_CLIENT or FERRONET_TLS_SERVER.
     */
    uint32_t side;
    /**
     * Context flags.
     */
    uint32_t flags;
    /**
     * FERRONET_TLS_CLIENT_AUTH_*, of a server.
     */
    uint32_t client_auth;
    /**
     * FERRONET_TLS_TRUST_*.
     */
    uint32_t trust;
    /**
     * Oldest version, FERRONET_TLS_VERSION_*; default 1.2.
     */
    uint32_t min_version;
    /**
     * Newest version; default 1.3.
     */
    uint32_t max_version;
    /**
     * FERRONET_TLS_ALPN_FATAL or FERRONET_TLS_ALPN_ACCEPT.
     */
    uint32_t alpn_policy;
    /**
     * FERRONET_TLS_CRL_* bits.
     */
    uint32_t crl_policy;
    /**
     * Pointers at `credentials`.
     */
    uint32_t credential_count;
    /**
     * Address of an array of ferronet_tls_credential *. A server takes the first whose names hold the client's server name and whose key
     * fits the client's signature schemes, else the first that fits; a client the first that fits the server's request.
     */
    uint64_t credentials;
    /**
     * Certificates of authorities for FERRONET_TLS_TRUST_ROOTS: PEM, or DER one behind the other. A server also names them to its clients.
     */
    struct ferronet_region roots;
    /**
     * Certificate revocation lists: PEM, or DER one behind the other. Empty: revocation is not checked.
     */
    struct ferronet_region crls;
    /**
     * Cipher suites, the preferred first: IANA or OpenSSL names with ':' or ',' in between. Empty: all.
     */
    struct ferronet_region suites;
    /**
     * Key-exchange groups, the preferred first: names with ':' or ',' in between (X25519, secp256r1 or P-256, secp384r1 or P-384, X25519MLKEM768).
     * Empty: all.
     */
    struct ferronet_region groups;
    /**
     * ALPN protocols, the preferred first, each as a length byte and its name (RFC 7301, 3.1). Empty: none.
     */
    struct ferronet_region alpn;
    /**
     * Name of a file to which key log lines are added. Empty for none.
     */
    struct ferronet_region key_log_path;
    /**
     * Sessions kept for resumption; default 20,480.
     */
    uint32_t session_cache_size;
    /**
     * Seconds for which a session can be resumed; default 300, at most 604,800 (RFC 8446, 4.6.1).
     */
    uint32_t session_timeout_s;
    /**
     * Tickets that a server sends after a TLS 1.3 handshake; default 2. FERRONET_TLS_NO_TICKETS is for none.
     */
    uint32_t ticket_count;
    /**
     * Bytes of early data that a server takes, with FERRONET_TLS_EARLY_DATA; default 16,384.
     */
    uint32_t max_early_data;
    /**
     * Bytes that a peer's chain may have, at most 65,535; default 65,535.
     */
    uint64_t max_certificate_bytes;
    /**
     * Keys of stateless tickets, 48 bytes each: 16 of name, 32 of key. The first encrypts, all decrypt. Empty: random keys
     * that are replaced by themselves.
     */
    struct ferronet_region ticket_keys;
    /**
     * Judges the peer's certificates, for FERRONET_TLS_TRUST_CALLBACK.
     */
    ferronet_tls_verify_callback verify;
    /**
     * Given back to `verify`.
     */
    void *verify_context;
    /**
     * Chooses the credential in place of `credentials`. NULL: the library does.
     */
    ferronet_tls_choose_callback choose;
    /**
     * Given back to `choose`.
     */
    void *choose_context;
    /**
     * Receives the key log. NULL for none.
     */
    ferronet_tls_key_log_callback key_log;
    /**
     * Given back to `key_log`.
     */
    void *key_log_context;
} ferronet_tls_config;

/**
 * What a context has counted. Size-prefixed, filled by the library. Since revision 3.
 */
typedef struct ferronet_tls_context_info {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * FERRONET_TLS_CLIENT or FERRONET_TLS_SERVER.
     */
    uint32_t side;
    /**
     * Handshakes that began.
     */
    uint64_t handshakes_started;
    /**
     * Handshakes that became complete.
     */
    uint64_t handshakes_done;
    /**
     * Handshakes that failed.
     */
    uint64_t handshakes_failed;
    /**
     * Handshakes that resumed a session.
     */
    uint64_t handshakes_resumed;
    /**
     * Sessions in the cache now.
     */
    uint64_t cache_entries;
    /**
     * Sessions that were found in the cache.
     */
    uint64_t cache_hits;
    /**
     * Sessions that were asked for and not found.
     */
    uint64_t cache_misses;
    /**
     * Sessions that were found and too old.
     */
    uint64_t cache_timeouts;
    /**
     * Sessions that were dropped because the cache was full.
     */
    uint64_t cache_full;
    /**
     * Tickets issued.
     */
    uint64_t tickets_issued;
    /**
     * Tickets that resumed a session.
     */
    uint64_t tickets_resumed;
    /**
     * Tickets that were encrypted with a key other than the first, and so renewed.
     */
    uint64_t tickets_renewed;
    /**
     * Tickets that could not be decrypted or were too old.
     */
    uint64_t tickets_failed;
} ferronet_tls_context_info;

/**
 * What is special to a session. Size-prefixed; zero, or an empty region, means the context's value; all memory is copied.
 * Since revision 3.
 */
typedef struct ferronet_tls_session_config {
    /**
     * Bytes of this structure that the caller fills.
     */
    uint32_t size;
    /**
     * Session flags.
     */
    uint32_t flags;
    /**
     * Any number; callbacks get it back.
     */
    uint64_t user;
    /**
     * The peer's DNS name or IP address, as text, for a client. It is checked, and a DNS name is sent. Empty only
     * with FERRONET_TLS_NO_HOST_CHECK.
     */
    struct ferronet_region server_name;
    /**
     * What a client's session is kept under for resumption, for example host:port. Empty: the server name.
     */
    struct ferronet_region session_key;
    /**
     * FERRONET_TLS_VERSION_*.
     */
    uint32_t min_version;
    /**
     * FERRONET_TLS_VERSION_*.
     */
    uint32_t max_version;
    /**
     * 1 + FERRONET_TLS_CLIENT_AUTH_*.
     */
    uint32_t client_auth;
    /**
     * 1 + FERRONET_TLS_ALPN_FATAL or FERRONET_TLS_ALPN_ACCEPT.
     */
    uint32_t alpn_policy;
    /**
     * As in ferronet_tls_config.
     */
    struct ferronet_region alpn;
    /**
     * As in ferronet_tls_config.
     */
    struct ferronet_region suites;
    /**
     * As in ferronet_tls_config.
     */
    struct ferronet_region groups;
} ferronet_tls_session_config;

/**
 * What a call has done, and what comes next. Size-prefixed, filled by the library; also when the call fails. Since revision 3.
 */
typedef struct ferronet_tls_progress {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * FERRONET_TLS_OK, NEEDS_INPUT, NEEDS_OUTPUT or CLOSED.
     */
    uint32_t result;
    /**
     * FERRONET_TLS_STATE_*: what the session waits for.
     */
    uint32_t state;
    /**
     * FERRONET_TLS_EVENT_* bits of this call.
     */
    uint32_t events;
    /**
     * Bytes of input that this call took, counted through all regions.
     */
    uint64_t consumed;
    /**
     * Bytes that this call wrote to the output.
     */
    uint64_t produced;
    /**
     * With NEEDS_OUTPUT: bytes of output that the next record takes. With NEEDS_INPUT: bytes that its input has in all, 0 when
     * that is not known yet.
     */
    uint64_t needed;
    /**
     * 1 + the number of the alert that was received, or that the failure of this session sends (RFC 8446, 6); 0 for none. None is sent by a handshake
     * of TLS 1.2 that fails, other than by the peer's doing, once it has begun to encrypt: the peer then sees the transport end.
     */
    uint32_t alert;
    /**
     * Records that this call took or wrote.
     */
    uint32_t records;
} ferronet_tls_progress;

/**
 * What a session has negotiated and counted. Size-prefixed, filled by the library. Since revision 3.
 */
typedef struct ferronet_tls_session_info {
    /**
     * Bytes of this structure that the caller provides.
     */
    uint32_t size;
    /**
     * FERRONET_TLS_STATE_*.
     */
    uint32_t state;
    /**
     * FERRONET_TLS_VERSION_*; 0 before it is known.
     */
    uint32_t version;
    /**
     * IANA number of the cipher suite; 0 before it is known.
     */
    uint32_t suite;
    /**
     * IANA number of the key-exchange group; 0 for none.
     */
    uint32_t group;
    /**
     * 1 when an earlier session was resumed.
     */
    uint32_t resumed;
    /**
     * Signature scheme of the peer's proof (RFC 8446, 4.2.3); 0 for none.
     */
    uint32_t peer_scheme;
    /**
     * Certificates of the peer's.
     */
    uint32_t peer_certificates;
    /**
     * Certificates that we sent.
     */
    uint32_t local_certificates;
    /**
     * Names at FERRONET_TLS_BYTES_ISSUER.
     */
    uint32_t issuers;
    /**
     * Session tickets received.
     */
    uint32_t tickets_received;
    /**
     * 1 + the number of the alert that was received, or that the session's failure sends; 0 for none.
     */
    uint32_t alert;
    /**
     * Records of data received.
     */
    uint64_t records_in;
    /**
     * Records of data sent.
     */
    uint64_t records_out;
    /**
     * Bytes of data received, decrypted.
     */
    uint64_t bytes_in;
    /**
     * Bytes of data sent, before encryption.
     */
    uint64_t bytes_out;
    /**
     * Bytes of heap that the session's own buffers hold now.
     */
    uint64_t buffered;
} ferronet_tls_session_info;

/**
 * One operation that the caller asks for. 64 bytes, frozen since revision 1.
 *
 * Written by the caller into the submission area, read by `ferronet_reactor_turn` and `ferronet_reactor_submit` on the
 * same thread. Fields that an operation does not use must be zero. Memory that a record names stays the caller's, and
 * must stay valid and (for a send) unchanged until the operation's final completion; an address record or a region
 * array is copied before the call returns.
 */
typedef struct ferronet_submission {
    /**
     * One of the `FERRONET_OP_*` values.
     */
    uint8_t op;
    /**
     * `FERRONET_SUBMIT_*` bits.
     */
    uint8_t flags;
    /**
     * Must be zero.
     */
    uint16_t reserved0;
    /**
     * The socket, as returned by `ferronet_reactor_add`; zero for operations without one.
     */
    uint32_t socket;
    /**
     * Echoed in every completion of this operation. Unique among the operations in flight on one socket.
     */
    uint64_t user_data;
    /**
     * Address of the first region, of the region array, or of a `ferronet_address`.
     */
    uint64_t addr0;
    /**
     * Bytes of the first region, entries of the region array, poll events, or shutdown direction.
     */
    uint32_t len0;
    /**
     * Bytes of the second region of a send.
     */
    uint32_t len1;
    /**
     * Address of the second region of a send.
     */
    uint64_t addr1;
    /**
     * CANCEL: `user_data` of the target. LEND: identity of the buffer (0 to 65,535).
     */
    uint64_t arg0;
    /**
     * Must be zero.
     */
    uint64_t reserved1[2];
} ferronet_submission;

/**
 * One result. 32 bytes, frozen since revision 1. Valid until the next `ferronet_reactor_turn`.
 */
typedef struct ferronet_completion {
    /**
     * `user_data` of the submission.
     */
    uint64_t user_data;
    /**
     * Bytes moved, accepted descriptor, poll events, 0, or a negative status.
     */
    int32_t result;
    /**
     * `FERRONET_COMPLETE_*` bits.
     */
    uint32_t flags;
    /**
     * The socket of the submission.
     */
    uint32_t socket;
    /**
     * Identity of the lent buffer that holds the bytes, when `FERRONET_COMPLETE_BUFFER` is set.
     */
    uint32_t buffer;
    /**
     * With a buffer: offset of the bytes in it. Failed send: bytes that were sent before the failure.
     */
    uint64_t extra;
} ferronet_completion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * What the library is: revision, floor, features, version. Since revision 1.
 *
 * Callable before anything else, from any thread; never fails, allocates or changes anything.
 * Owner: the library; the block is constant and stays valid while the library is loaded.
 */
const struct ferronet_abi_info *ferronet_abi(void);

/**
 * Makes the library ready for a caller, and checks that both fit together. Since revision 1.
 *
 * `params` says what the caller was built for. On success `*out` is a runtime.
 * Owner: the caller, until ferronet_detach. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG, FERRONET_ERR_ABI (the caller's
 * revision is below the floor), FERRONET_ERR_FEATURE (a required feature was not built).
 */
int32_t ferronet_attach(const struct ferronet_attach_params *params, struct ferronet_runtime **out);

/**
 * Ends a runtime: its log callback is not called any more when this returns. Since revision 1.
 *
 * Reactors made from it may outlive it. Owner: the handle is gone, whatever its state was. Threads: any, but no other
 * call on the runtime at the same time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED (detached before),
 * FERRONET_ERR_BUSY (called from inside a log callback; the runtime stays).
 */
int32_t ferronet_detach(struct ferronet_runtime *runtime);

/**
 * Says what the running system allows, with a reason for everything that it does not. Since revision 1.
 *
 * `out->size` is set by the caller; as much as both sides know is written, and `size` says how much that was.
 * Owner: the caller. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG (size above 4096).
 */
int32_t ferronet_probe(struct ferronet_caps *out);

/**
 * Sets where the diagnostics of a runtime and of its reactors go. Off at first. Since revision 1.
 *
 * `level` is the most detailed FERRONET_LOG_* level to deliver; FERRONET_LOG_OFF or a NULL callback ends it.
 * When this returns, the previous callback is not running and will not be called again.
 * Owner: `context` stays the caller's; it must be usable from every thread until the callback is replaced or the
 * runtime is detached. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, level unknown), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED,
 * FERRONET_ERR_POISONED, FERRONET_ERR_BUSY (called from inside a log callback).
 */
int32_t ferronet_log_set(struct ferronet_runtime *runtime,
                         int32_t level,
                         ferronet_log_callback callback,
                         void *context);

/**
 * Name of a status: "FERRONET_OK" for 0 and above, "FERRONET_ERR_PANIC", "EADDRINUSE", or "UNKNOWN". Since revision 1.
 *
 * Owner: the library; the text is constant and stays valid while the library is loaded. Never NULL.
 * Threads: any. It has no errors.
 */
const char *ferronet_status_name(int32_t status);

/**
 * Copies the text of the last failed call on a handle: what failed, on what value, by which rule, and the remedy.
 * Since revision 1.
 *
 * `handle` is of any kind; NULL asks for the calling thread's last failed call that had no valid handle
 * (ferronet_attach, ferronet_probe, ferronet_socket_*, the functions that make a stream or work on whole buffers, and
 * every call whose handle was refused). A text stays until the next failure. At most `capacity` bytes are written to
 * `buffer`, the zero byte included, which is always there when `capacity` is above 0; a text is never cut inside a
 * character. `capacity` 0 only asks for the
 * length, and `buffer` may be NULL then.
 * Returns the length of the whole text in bytes without the zero byte (so a result of `capacity` or more says that
 * the text was cut), 0 when nothing has failed yet.
 * Owner: the caller. Threads: any; the handle may be in use by another one. Poisoned handles work.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (`buffer` is NULL), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED (freed).
 */
int64_t ferronet_last_error(const void *handle, char *buffer, uint64_t capacity);

/**
 * Makes a reactor and chooses its backend. Since revision 1.
 *
 * `config` NULL means the defaults. On success `*out` is the reactor, bound to no thread yet.
 * Owner: the caller, until ferronet_reactor_free; the runtime may be detached before. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, a value out of range), FERRONET_ERR_TOO_BIG, FERRONET_ERR_UNAVAILABLE
 * or a negated errno (the backend that was asked for is refused), and those of every handle (INVALID_HANDLE, CLOSED,
 * POISONED).
 */
int32_t ferronet_reactor_new(struct ferronet_runtime *runtime,
                             const struct ferronet_reactor_config *config,
                             struct ferronet_reactor **out);

/**
 * Binds a reactor to the calling thread; turns, submissions and sockets are that thread's from now on.
 * Since revision 1.
 *
 * Again from another thread only while no socket is added and nothing is in flight; wake-ups in between are kept.
 * Owner: the handle stays the caller's. Threads: any, the later loop thread.
 * Errors: FERRONET_ERR_BUSY (sockets or operations on the earlier thread, or a call in progress), FERRONET_ERR_CLOSED,
 * a negated errno (the kernel refuses the ring), and those of every handle.
 */
int32_t ferronet_reactor_start(struct ferronet_reactor *reactor);

/**
 * Says where the shared areas are; fixed until the reactor is freed. Since revision 1.
 *
 * `out->size` is set by the caller; as much as both sides know is written, and `size` says how much that was.
 * Owner: the areas are the reactor's. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG (size above 4096), and those of
 * every handle.
 */
int32_t ferronet_reactor_get_areas(const struct ferronet_reactor *reactor, struct ferronet_reactor_areas *out);

/**
 * Says what a reactor is and has done. Since revision 1.
 *
 * `out->size` is set by the caller; as much as both sides know is written, and `size` says how much that was.
 * Owner: the caller. Threads: the loop's; any before the start and after the close.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG (size above 4096),
 * FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), and those of every handle.
 */
int32_t ferronet_reactor_get_info(const struct ferronet_reactor *reactor, struct ferronet_reactor_info *out);

/**
 * One iteration of the loop: takes the first `submitted` submission records, starts them, waits if nothing is ready,
 * and returns the number of completion records. Since revision 1.
 *
 * `timeout_ns` is in nanoseconds: -1 waits without limit, 0 does not wait. The completion records are valid until the
 * next turn. What does not fit into the area is kept for the next turn, which then does not wait.
 * Owner: memory that a record names stays valid and untouched until its operation's final completion. Threads: the
 * loop's.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (more records than the area holds, timeout below -1),
 * FERRONET_ERR_NOT_STARTED, FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), a negated errno, and
 * those of every handle. A record that is wrong in itself is answered by its completion, not here.
 */
int64_t ferronet_reactor_turn(struct ferronet_reactor *reactor, uint32_t submitted, int64_t timeout_ns);

/**
 * Starts the first `submitted` submission records now; never waits, never touches completion records.
 * Since revision 1.
 *
 * Owner: as for ferronet_reactor_turn. Threads: the loop's.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (more records than the area holds), FERRONET_ERR_NOT_STARTED,
 * FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), a negated errno, and those of every handle.
 */
int32_t ferronet_reactor_submit(struct ferronet_reactor *reactor, uint32_t submitted);

/**
 * Makes the loop return from its wait, or not wait the next time. Harmless after the close. Since revision 1.
 *
 * Owner: the handle stays the caller's. Threads: any, also while the loop's thread is in a turn; not while
 * ferronet_reactor_free runs. Errors: those of every handle.
 */
int32_t ferronet_reactor_wake(struct ferronet_reactor *reactor);

/**
 * Takes a socket in, and returns its number (1 to 2^31 - 1) for submission records. Since revision 1.
 *
 * The descriptor's blocking mode is set as the backend needs it.
 * Owner: the reactor closes the descriptor on FERRONET_OP_CLOSE and in ferronet_reactor_close; after
 * ferronet_reactor_remove it is the caller's again. Threads: the loop's.
 * Errors: FERRONET_ERR_NOT_STARTED, FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in progress), a negated errno
 * (EBADF, ENOTSOCK; EEXIST: added already), and those of every handle.
 */
int64_t ferronet_reactor_add(struct ferronet_reactor *reactor, int32_t descriptor);

/**
 * Lets a socket go; its descriptor stays open. Since revision 1.
 *
 * Owner: the descriptor is the caller's again. Threads: the loop's.
 * Errors: FERRONET_ERR_UNKNOWN_SOCKET, FERRONET_ERR_BUSY (operations in flight), FERRONET_ERR_NOT_STARTED,
 * FERRONET_ERR_WRONG_THREAD, and those of every handle.
 */
int32_t ferronet_reactor_remove(struct ferronet_reactor *reactor, uint32_t socket);

/**
 * Cancels everything, waits up to `bound_ns` nanoseconds, and closes the descriptors of the sockets still added.
 * Since revision 1.
 *
 * Returns the operations still in flight. If that is not 0, their memory and the lent buffers must never be freed: the
 * kernel may still write to them, and the library leaks its side. A second call returns the same number.
 * Owner: the handle stays the caller's, and lives until ferronet_reactor_free. Threads: the loop's; any before the
 * start.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (negative bound), FERRONET_ERR_WRONG_THREAD, FERRONET_ERR_BUSY (a call in
 * progress), and those of every handle.
 */
int64_t ferronet_reactor_close(struct ferronet_reactor *reactor, int64_t bound_ns);

/**
 * Frees a reactor; one that is not closed is closed first, with a bound of 200 ms. Since revision 1.
 *
 * A poisoned reactor is not closed: everything that it holds is leaked, because its state is unknown.
 * Owner: the handle is gone on success. Threads: the loop's; any before the start, after the close and when poisoned;
 * no other call on the reactor at the same time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_CLOSED (freed before),
 * FERRONET_ERR_WRONG_THREAD and FERRONET_ERR_BUSY (a call in progress); the reactor stays.
 */
int32_t ferronet_reactor_free(struct ferronet_reactor *reactor);

/**
 * Opens a socket of a FERRONET_FAMILY_* and a FERRONET_SOCKET_* kind. Since revision 1.
 *
 * It is close-on-exec, and an IPv6 socket takes IPv4 connections too until FERRONET_OPTION_V6ONLY is set.
 * Returns the descriptor. Owner: the caller, until ferronet_socket_close or, once it is added, FERRONET_OP_CLOSE.
 * Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (unknown family or kind), a negated errno (EMFILE,
 * EAFNOSUPPORT).
 */
int32_t ferronet_socket_open(uint32_t family, uint32_t kind);

/**
 * Binds a socket to a local address; port 0 lets the system choose. Since revision 1.
 *
 * Owner: `address` stays the caller's. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, malformed address), a negated errno (EADDRINUSE, EADDRNOTAVAIL,
 * EACCES).
 */
int32_t ferronet_socket_bind(int32_t fd, const struct ferronet_address *address);

/**
 * Makes a bound stream socket listen; `backlog` is a number of connections. Since revision 1.
 *
 * 0 is passed on as it is (the system's least); the system caps large values (net.core.somaxconn on Linux).
 * Owner: the descriptor stays the caller's. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (negative backlog), a negated errno (EADDRINUSE, EOPNOTSUPP).
 */
int32_t ferronet_socket_listen(int32_t fd, int32_t backlog);

/**
 * Reads the local address of a socket. Since revision 1.
 *
 * Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno (EBADF, ENOTSOCK).
 */
int32_t ferronet_socket_local_address(int32_t fd, struct ferronet_address *out);

/**
 * Reads the peer's address of a connected socket. Since revision 1.
 *
 * Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno (ENOTCONN, EBADF).
 */
int32_t ferronet_socket_peer_address(int32_t fd, struct ferronet_address *out);

/**
 * Shuts down a direction (FERRONET_SHUTDOWN_*) of a connected socket. Since revision 1.
 *
 * Owner: the descriptor stays the caller's. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (unknown direction), a negated errno (ENOTCONN, EBADF).
 */
int32_t ferronet_socket_shutdown(int32_t fd, uint32_t direction);

/**
 * Closes a descriptor that is not added to a reactor. Since revision 1.
 *
 * Owner: the descriptor is gone, also when an error is reported. Threads: any. Errors: a negated errno (EBADF, EIO).
 */
int32_t ferronet_socket_close(int32_t fd);

/**
 * Sets a FERRONET_OPTION_* of a socket; each option's own comment has the unit of its value. Since revision 1.
 *
 * Owner: the descriptor stays the caller's. Threads: any.
 * Errors: FERRONET_ERR_UNSUPPORTED_OPTION (unknown here, or not for this kind of socket),
 * FERRONET_ERR_INVALID_ARGUMENT
 * (value out of range), a negated errno (EBADF, EPERM, ENOPROTOOPT).
 */
int32_t ferronet_socket_set_option(int32_t fd, int32_t option, int64_t value);

/**
 * Reads a FERRONET_OPTION_* of a socket. Since revision 1.
 *
 * Owner: the caller. Threads: any.
 * Errors: FERRONET_ERR_UNSUPPORTED_OPTION, FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno (EBADF, ENOPROTOOPT).
 */
int32_t ferronet_socket_get_option(int32_t fd, int32_t option, int64_t *out);

/**
 * Sets an option by the platform's own level and name (setsockopt) from `length` bytes at `value`. Since revision 1.
 *
 * Owner: `value` stays the caller's. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length), a
 * negated errno.
 */
int32_t ferronet_socket_set_raw_option(int32_t fd, int32_t level, int32_t name, const void *value, uint32_t length);

/**
 * Reads an option by the platform's own level and name (getsockopt). Since revision 1.
 *
 * `*length` holds the capacity of `value` in bytes before, and the length of what was read after.
 * Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL), a negated errno.
 */
int32_t ferronet_socket_get_raw_option(int32_t fd, int32_t level, int32_t name, void *value, uint32_t *length);

/**
 * Makes a compression stream. Since revision 2.
 *
 * `config` may be NULL: gzip, level 6. It costs about 10 us and 270 KiB: keep streams, and reset them. Streams belong to no
 * reactor: a pool is the caller's, and takes no lock when each thread has its own. For example a thread keeps idle streams in an array
 * of its own; a body takes one of them and resets it, or makes one when there is none, and puts it back behind its end, or frees it when
 * the array is full.
 * A body that is there as a whole needs none: ferronet_deflate_buffer keeps what it needs for the thread.
 * Owner: the caller, until ferronet_deflate_free. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range), FERRONET_ERR_TOO_BIG, -ENOMEM.
 */
int32_t ferronet_deflate_new(const struct ferronet_deflate_config *config,
                             struct ferronet_deflate **out);

/**
 * Compresses the input region into the output region. Since revision 2.
 *
 * A NULL region is an empty one; the two must not overlap. `flush` is a FERRONET_FLUSH_* value. `out->size` is set by the caller.
 * FERRONET_CODEC_NEEDS_OUTPUT asks for another call with the rest of the input, the same flush and a new output region.
 * All input in one call with FERRONET_FLUSH_FINISH is the fastest way up to level 7.
 * After FERRONET_CODEC_END the stream takes no input until it is reset. A gzip header has neither time nor name, and system 0, so that
 * the same input gives the same bytes on every platform.
 * Owner: the regions stay the caller's, and are not used after the call. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (flush unknown, regions overlap, input behind the end), FERRONET_ERR_BUSY (another call
 * on the stream has not returned), and those of every handle.
 */
int32_t ferronet_deflate_process(struct ferronet_deflate *deflate,
                                 const struct ferronet_region *input,
                                 const struct ferronet_region *output,
                                 uint32_t flush,
                                 struct ferronet_codec_progress *out);

/**
 * Begins a new compression stream in the same state. Since revision 2.
 *
 * `config` NULL keeps the settings. With the same format, window, memory level and kind of expected length (up to 4,096, or not)
 * nothing is allocated. A dictionary stays. What was not delivered is dropped.
 * Owner: the stream stays the caller's. Threads: one at a time.
 * Errors: those of ferronet_deflate_new (the stream is as before then), FERRONET_ERR_BUSY, and those of every handle.
 */
int32_t ferronet_deflate_reset(struct ferronet_deflate *deflate,
                               const struct ferronet_deflate_config *config);

/**
 * Sets what a stream may refer to from its first byte on, for it and those after a reset. Since revision 2.
 *
 * Length 0 removes it; `dictionary` may be NULL then. Owner: copied. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, format gzip, the stream has begun), FERRONET_ERR_BUSY, and those of every handle.
 */
int32_t ferronet_deflate_set_dictionary(struct ferronet_deflate *deflate,
                                        const void *dictionary,
                                        uint64_t length);

/**
 * Ends a compression stream, in whatever state it is. Since revision 2.
 *
 * Owner: the handle is gone. Threads: any, but no other call on the stream at the same time.
 * Errors: FERRONET_ERR_BUSY (another call on it has not returned; the stream stays), and those of every handle.
 */
int32_t ferronet_deflate_free(struct ferronet_deflate *deflate);

/**
 * The most bytes that `length` bytes can become as one stream without flushes in between, whatever the settings.
 * Since revision 2.
 *
 * Returns the number, at most INT64_MAX. Owner: none. Threads: any. It has no errors.
 */
int64_t ferronet_deflate_bound(uint64_t length);

/**
 * Compresses `length` bytes as one stream. Since revision 2.
 *
 * `config` may be NULL: gzip, level 6; its `expected_length` is not used. The calling thread keeps the state for its next call.
 * Returns the bytes written to `output`. Owner: the memory stays the caller's; the two must not overlap. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length, overlap, a member out of range), FERRONET_ERR_TOO_BIG,
 * FERRONET_ERR_TOO_SMALL (more than `capacity` bytes; ferronet_deflate_bound always suffices), -ENOMEM.
 */
int64_t ferronet_deflate_buffer(const struct ferronet_deflate_config *config,
                                const void *input,
                                uint64_t length,
                                void *output,
                                uint64_t capacity);

/**
 * Makes a decompression stream. Since revision 2.
 *
 * `config` may be NULL: the format is detected, and the output bounded by the defaults.
 * Owner: the caller, until ferronet_inflate_free. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range), FERRONET_ERR_TOO_BIG, -ENOMEM.
 */
int32_t ferronet_inflate_new(const struct ferronet_inflate_config *config, struct ferronet_inflate **out);

/**
 * Decompresses the input region into the output region. Since revision 2.
 *
 * A NULL region is an empty one; the two must not overlap. `flush` is FERRONET_FLUSH_NONE, or FERRONET_FLUSH_FINISH when no input follows.
 * `out->size` is set by the caller. FERRONET_CODEC_NEEDS_OUTPUT asks for another call with the rest of the input and a new
 * output region. Behind FERRONET_CODEC_END no input is consumed, except that of further gzip members when they were asked for;
 * the output of each member then ends with a call of its own.
 * What was decompressed before an error is delivered first, with FERRONET_CODEC_NEEDS_OUTPUT; after an error every call
 * fails with it until a reset. The text names the byte of the input.
 * Owner: the regions stay the caller's, and are not used after the call. Threads: one at a time.
 * Errors: FERRONET_ERR_DATA, FERRONET_ERR_TRUNCATED (with FINISH), FERRONET_ERR_DICTIONARY, FERRONET_ERR_LIMIT (more output than
 * the bounds allow), FERRONET_ERR_INVALID_ARGUMENT (flush unknown, regions overlap), FERRONET_ERR_BUSY (another call on the
 * stream has not returned), -ENOMEM, and those of every handle.
 */
int32_t ferronet_inflate_process(struct ferronet_inflate *inflate,
                                 const struct ferronet_region *input,
                                 const struct ferronet_region *output,
                                 uint32_t flush,
                                 struct ferronet_codec_progress *out);

/**
 * Begins a new decompression stream in the same state. Since revision 2.
 *
 * `config` NULL keeps the settings. A dictionary stays, an error does not.
 * Owner: the stream stays the caller's. Threads: one at a time.
 * Errors: those of ferronet_inflate_new (the stream is as before then), FERRONET_ERR_BUSY, and those of every handle.
 */
int32_t ferronet_inflate_reset(struct ferronet_inflate *inflate, const struct ferronet_inflate_config *config);

/**
 * Sets what a stream may refer to from its first byte on, for it and those after a reset. Since revision 2.
 *
 * A zlib stream takes it when it asks for it by its checksum; a raw one from the beginning. Length 0 removes it;
 * `dictionary` may be NULL then. Owner: copied. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, the stream has begun), FERRONET_ERR_BUSY, and those of every handle.
 */
int32_t ferronet_inflate_set_dictionary(struct ferronet_inflate *inflate, const void *dictionary, uint64_t length);

/**
 * Ends a decompression stream, in whatever state it is. Since revision 2.
 *
 * Owner: the handle is gone. Threads: any, but no other call on the stream at the same time.
 * Errors: FERRONET_ERR_BUSY (another call on it has not returned; the stream stays), and those of every handle.
 */
int32_t ferronet_inflate_free(struct ferronet_inflate *inflate);

/**
 * Decompresses `length` bytes that are one whole stream. Since revision 2.
 *
 * `config` may be NULL: the format is detected, and the output bounded by the defaults. The calling thread keeps the state for its next call.
 * Returns the bytes written to `output`. Owner: the memory stays the caller's; the two must not overlap. Threads: any.
 * Errors: those of ferronet_inflate_process, FERRONET_ERR_DATA also when bytes follow the stream, FERRONET_ERR_TOO_SMALL (more than
 * `capacity` bytes), FERRONET_ERR_TOO_BIG.
 */
int64_t ferronet_inflate_buffer(const struct ferronet_inflate_config *config,
                                const void *input,
                                uint64_t length,
                                void *output,
                                uint64_t capacity);

/**
 * Makes a credential. Since revision 3.
 *
 * The key is compared with the end entity's certificate. The memory of the key can be wiped afterwards; the library wipes its own copies.
 * Owner: the caller, until ferronet_tls_credential_free. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range, neither key nor callback), FERRONET_ERR_TOO_BIG, FERRONET_ERR_TLS_KEY (chain or key
 * unreadable, of an unsupported kind, encrypted and not to be opened with the password, or not for each other), FERRONET_ERR_FEATURE.
 */
int32_t ferronet_tls_credential_new(const struct ferronet_tls_credential_config *config,
                                    struct ferronet_tls_credential **out);

/**
 * Ends a credential. Contexts and sessions that were given it go on. Since revision 3.
 *
 * Owner: the handle is gone. Threads: any, but no other call on it at the same time. Errors: those of every handle.
 */
int32_t ferronet_tls_credential_free(struct ferronet_tls_credential *credential);

/**
 * Makes a context. Since revision 3.
 *
 * Owner: the caller, until ferronet_tls_context_free; the credentials stay the caller's, and may be freed. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range or against another, trust not said), FERRONET_ERR_TOO_BIG,
 * FERRONET_ERR_TLS_KEY (roots or revocation lists unreadable), FERRONET_ERR_TLS_UNSUPPORTED (a version, suite or group that is unknown or left
 * out on purpose), FERRONET_ERR_UNAVAILABLE (no platform roots), FERRONET_ERR_INVALID_HANDLE and FERRONET_ERR_CLOSED (of a credential),
 * FERRONET_ERR_FEATURE, and those of the system about the key log's file.
 */
int32_t ferronet_tls_context_new(const struct ferronet_tls_config *config,
                                 struct ferronet_tls_context **out);

/**
 * Ends a context. Its sessions go on. Since revision 3.
 *
 * The callbacks and their contexts must stay valid until the last of its sessions is freed. Owner: the handle is gone. Threads: any, but no
 * other call on it at the same time. Errors: those of every handle.
 */
int32_t ferronet_tls_context_free(struct ferronet_tls_context *context);

/**
 * Replaces the keys of stateless tickets, as `ticket_keys` of the configuration. Since revision 3.
 *
 * Owner: copied. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, no multiple of 48, a client's context, tickets are off), and those of every handle.
 */
int32_t ferronet_tls_context_set_ticket_keys(struct ferronet_tls_context *context,
                                             const void *keys,
                                             uint64_t length);

/**
 * Replaces the OCSP response that goes with the context's credential of that index. Since revision 3.
 *
 * Length 0 removes it; `response` may be NULL then. Sessions that begin from now on staple it. Owner: copied. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length, no such credential), and those of every handle.
 */
int32_t ferronet_tls_context_set_ocsp_response(struct ferronet_tls_context *context,
                                               uint32_t index,
                                               const void *response,
                                               uint64_t length);

/**
 * Says what a context has counted. Since revision 3.
 *
 * `out->size` is set by the caller. Owner: the caller. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG, and those of every handle.
 */
int32_t ferronet_tls_context_get_info(const struct ferronet_tls_context *context,
                                      struct ferronet_tls_context_info *out);

/**
 * Forgets every session that could be resumed through the context's cache. Since revision 3.
 *
 * Tickets that clients hold stay good; new keys (ferronet_tls_context_set_ticket_keys) end those. Owner: none. Threads: any. Errors: those of every handle.
 */
int32_t ferronet_tls_context_clear_sessions(struct ferronet_tls_context *context);

/**
 * Forgets one session: a client's by its `session_key` (or server name), a server's by its id. Since revision 3.
 *
 * Returns 1 when there was one, else 0. Owner: the key stays the caller's. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length), and those of every handle.
 */
int32_t ferronet_tls_context_remove_session(struct ferronet_tls_context *context, const void *key, uint64_t length);

/**
 * Copies a list of supported names, with commas in between. Since revision 3.
 *
 * `what` is a FERRONET_TLS_NAMES_* value. At most `capacity` bytes are written to `buffer`, without a zero byte; `buffer` may be NULL when
 * `capacity` is 0. Returns the length of the whole list (more than `capacity`: it was cut).
 * Owner: the caller. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (`what` unknown, NULL with a capacity), FERRONET_ERR_FEATURE.
 */
int64_t ferronet_tls_names(uint32_t what,
                           char *buffer,
                           uint64_t capacity);

/**
 * Makes a session of a context. Since revision 3.
 *
 * `config` may be NULL for a server. Nothing is sent: a client's state is FERRONET_TLS_STATE_NEW, and its first ferronet_tls_session_wrap gives the ClientHello.
 * Owner: the caller, until ferronet_tls_session_free; the context may be freed before. Threads: any.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range, no valid server name), FERRONET_ERR_TOO_BIG, FERRONET_ERR_TLS_UNSUPPORTED, and
 * those of every handle.
 */
int32_t ferronet_tls_session_new(struct ferronet_tls_context *context,
                                 const struct ferronet_tls_session_config *config,
                                 struct ferronet_tls_session **out);

/**
 * Ends a session, in whatever state it is; nothing is sent. Since revision 3.
 *
 * Owner: the handle is gone, and its keys are wiped. Threads: any, but no other call on it at the same time.
 * Errors: FERRONET_ERR_BUSY (another call on it has not returned; the session stays), and those of every handle.
 */
int32_t ferronet_tls_session_free(struct ferronet_tls_session *session);

/**
 * Encrypts the sources into the output, behind what the session itself has to send. Since revision 3.
 *
 * `sources` are `source_count` regions, one message; both may be 0, which sends what is pending: handshake, alert, close_notify, key
 * update, tickets. While the handshake runs no source is taken. Records are filled to 16 KiB over the borders of regions. It writes
 * as many whole records as fit; FERRONET_TLS_NEEDS_OUTPUT asks for another call with the rest of the sources. `output` is one
 * region, which no source may overlap. `out->size` is set by the caller; `out` is filled whatever the status is.
 * Owner: the memory stays the caller's, and is not used after the call. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, regions overlap), FERRONET_ERR_BUSY (another call on the session has not returned),
 * the status with which the session failed, once its alert was delivered, FERRONET_ERR_TLS_EXHAUSTED (the keys have encrypted all that
 * they may), and those of every handle.
 */
int32_t ferronet_tls_session_wrap(struct ferronet_tls_session *session,
                                  const struct ferronet_region *sources,
                                  uint32_t source_count,
                                  const struct ferronet_region *output,
                                  struct ferronet_tls_progress *out);

/**
 * Takes records from the inputs and gives their data into the outputs. Since revision 3.
 *
 * `inputs` are `input_count` regions, one stream of bytes; `outputs` are `output_count` regions that are filled in order. As many records are
 * taken as are whole and fit; the handshake ends the call, so that FERRONET_TLS_EVENT_HANDSHAKE_DONE is seen before data. Of a record
 * that is not whole nothing is consumed, except in the handshake. `flags` is 0 or FERRONET_TLS_IN_PLACE, with which the inputs may be
 * overwritten; with one input, `outputs` NULL and `output_count` 0 the data then comes to lie at the beginning of that input. Early data may find no
 * room there, and neither does what an earlier call without room has decrypted: the result is then FERRONET_TLS_NEEDS_OUTPUT, and a call with outputs of
 * `needed` bytes, and with or without inputs, gives it. Without the flag the inputs stay as they are. No output may overlap an input; behind what was produced, their bytes have any value. `out->size` is set by the caller; `out` is filled whatever the status is.
 * FERRONET_TLS_STATE_NEED_TASK asks for ferronet_tls_session_task, FERRONET_TLS_STATE_NEED_WRAP for ferronet_tls_session_wrap. After an error
 * ferronet_tls_session_wrap gives the alert that tells the peer.
 * Owner: the memory stays the caller's, and is not used after the call. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, flags unknown, regions overlap), FERRONET_ERR_BUSY (another call on the session has
 * not returned), FERRONET_ERR_TLS_* (then the session has failed, and every later call returns the same), and those of every handle.
 */
int32_t ferronet_tls_session_unwrap(struct ferronet_tls_session *session,
                                    const struct ferronet_region *inputs,
                                    uint32_t input_count,
                                    const struct ferronet_region *outputs,
                                    uint32_t output_count,
                                    uint32_t flags,
                                    struct ferronet_tls_progress *out);

/**
 * Goes on with a handshake that waits in FERRONET_TLS_STATE_NEED_TASK, callbacks included. Since revision 3.
 *
 * In any other state it does nothing. `out->size` is set by the caller; `out` is filled whatever the status is.
 * Owner: the session stays the caller's. Threads: any; it may be another one than that of the connection, which must not call the session meanwhile.
 * Errors: FERRONET_ERR_BUSY (another call on the session has not returned), FERRONET_ERR_TLS_* (then the session has failed), and those of every handle.
 */
int32_t ferronet_tls_session_task(struct ferronet_tls_session *session,
                                  struct ferronet_tls_progress *out);

/**
 * Ends the data that this side sends: the next ferronet_tls_session_wrap gives a close_notify (RFC 8446, 6.1). Since revision 3.
 *
 * Data may still be received. In a handshake it cancels: the close_notify goes in the clear before the first key, and is left out between that and the last
 * (FERRONET_TLS_EVENT_CLOSE_NOTIFY_SENT says whether it went). A second call does nothing.
 * `out->size` is set by the caller; `out` is filled whatever the status is.
 * Owner: the session stays the caller's. Threads: one at a time.
 * Errors: FERRONET_ERR_BUSY (another call on the session has not returned), the status with which the session failed, and those of every handle.
 */
int32_t ferronet_tls_session_close(struct ferronet_tls_session *session,
                                   struct ferronet_tls_progress *out);

/**
 * Says that no more bytes come from the peer: the transport has ended. Since revision 3.
 *
 * Owner: the session stays the caller's. Threads: one at a time.
 * Errors: FERRONET_ERR_TLS_TRUNCATED (no close_notify came before: what was received may not be all), FERRONET_ERR_BUSY (another call on the session
 * has not returned), the status with which the session failed, and those of every handle.
 */
int32_t ferronet_tls_session_end_input(struct ferronet_tls_session *session);

/**
 * Says what a session has negotiated and counted. Since revision 3.
 *
 * `out->size` is set by the caller. Owner: the caller. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, size below 4), FERRONET_ERR_TOO_BIG, FERRONET_ERR_BUSY (another call on the session has not returned), and
 * those of every handle.
 */
int32_t ferronet_tls_session_get_info(const struct ferronet_tls_session *session,
                                      struct ferronet_tls_session_info *out);

/**
 * Copies bytes that belong to a session. Since revision 3.
 *
 * `what` is a FERRONET_TLS_BYTES_* value, `index` counts where there may be several (certificates, issuers), and is 0 else. At most `capacity`
 * bytes are written to `buffer`, which may be NULL when `capacity` is 0. Returns the length of the whole (more than `capacity`: it was cut), 0 when
 * there is nothing of that kind, or not yet.
 * Owner: the caller. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (`what` unknown, NULL with a capacity), FERRONET_ERR_BUSY (another call on the session has not returned),
 * and those of every handle.
 */
int64_t ferronet_tls_session_get_bytes(const struct ferronet_tls_session *session,
                                       uint32_t what,
                                       uint32_t index,
                                       void *buffer,
                                       uint64_t capacity);

/**
 * Derives keying material that both ends of the connection share (RFC 5705; RFC 8446, 7.5). Since revision 3.
 *
 * `context` NULL is no context, which in TLS 1.2 differs from an empty one. `out_length` bytes are written.
 * Owner: the caller. Threads: one at a time.
 * Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, no length, the handshake is not complete, a label that TLS reserves), FERRONET_ERR_BUSY (another call on the
 * session has not returned), and those of every handle.
 */
int32_t ferronet_tls_session_export(struct ferronet_tls_session *session,
                                    const void *label,
                                    uint64_t label_length,
                                    const void *context,
                                    uint64_t context_length,
                                    void *out,
                                    uint64_t out_length);

#if defined(FERRONET_TEST_HOOKS)
/**
 * Test hook: panics inside the guard of a runtime or reactor, or (NULL) of a call without a handle. Since revision 1.
 *
 * Owner: the handle stays the caller's. Threads: any. Errors: FERRONET_ERR_PANIC, FERRONET_ERR_POISONED.
 */
int32_t ferronet_test_panic(void *handle);
#endif

#if defined(FERRONET_TEST_HOOKS)
/**
 * Test hook: arms the named fault of the process for `count` uses; -1 is for ever, 0 disarms it. Since revision 1.
 *
 * Owner: `name` stays the caller's. Threads: any. Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, empty or not UTF-8).
 */
int32_t ferronet_test_fault(const char *name, int64_t argument, int64_t count);
#endif

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/** The oldest revision of the library that the program can work with. Define it before the inclusion to accept older
 *  ones than the header's; the program must then look up newer functions itself. Since revision 1. */
#ifndef FERRONET_ABI_REQUIRED
#define FERRONET_ABI_REQUIRED FERRONET_ABI_REVISION
#endif

/** FERRONET_FEATURE_* bits without which the program cannot work. Define it before the inclusion. Since revision 1. */
#ifndef FERRONET_FEATURES_REQUIRED
#define FERRONET_FEATURES_REQUIRED 0
#endif

/** Hash of the structures and constants of this header, as ferronet_abi_info.layout_fingerprint has it.
 *  Since revision 1. */
#define FERRONET_LAYOUT_FINGERPRINT UINT64_C(0x12ea57e3016d5ee3)

/** Checks that the library in `file` (for the text), which gave `info`, serves a program that was built for a revision and
 *  needs a minimum and features. For programs that load the library themselves; others call ferronet_abi_check.
 *  Since revision 1.
 *
 *  Returns FERRONET_OK, FERRONET_ERR_ABI or FERRONET_ERR_FEATURE, and writes why to `message` (at most `capacity` bytes
 *  with the zero byte; NULL with 0 for none). Owner: the caller. Threads: any. */
static inline int32_t ferronet_abi_verify(const ferronet_abi_info *info, const char *file, uint32_t built_for,
                                          uint32_t minimum, uint64_t features, uint64_t fingerprint, char *message,
                                          uint64_t capacity) {
    uint64_t missing;
    unsigned bit = 0;
    if (capacity > 0) {
        message[0] = 0;
    }
    if (info == NULL) {
        snprintf(message, (size_t)capacity, "%s is not a Ferronet library: ferronet_abi() returned NULL", file);
        return FERRONET_ERR_ABI;
    }
    if (info->magic != FERRONET_ABI_MAGIC) {
        snprintf(message, (size_t)capacity, "%s is not a Ferronet library: its ABI block begins with 0x%08x instead of 0x%08x",
                 file, (unsigned)info->magic, (unsigned)FERRONET_ABI_MAGIC);
        return FERRONET_ERR_ABI;
    }
    if (info->struct_size < 128) {
        snprintf(message, (size_t)capacity,
                 "%s has an ABI block of %u bytes, but at least 128 are needed: replace the file", file,
                 (unsigned)info->struct_size);
        return FERRONET_ERR_ABI;
    }
    if (info->abi_revision < minimum) {
        snprintf(message, (size_t)capacity, "%s has ABI revision %u, but at least %u is needed: use a newer library", file,
                 (unsigned)info->abi_revision, (unsigned)minimum);
        return FERRONET_ERR_ABI;
    }
    if (built_for < info->abi_floor) {
        snprintf(message, (size_t)capacity,
                 "%s serves callers from ABI revision %u on, but this one was built for %u: rebuild the caller or use an "
                 "older library",
                 file, (unsigned)info->abi_floor, (unsigned)built_for);
        return FERRONET_ERR_ABI;
    }
    if (info->abi_revision == built_for && info->layout_fingerprint != fingerprint) {
        snprintf(message, (size_t)capacity,
                 "%s has layout fingerprint 0x%016llx for ABI revision %u, but 0x%016llx is expected: take library and "
                 "header from one release",
                 file, (unsigned long long)info->layout_fingerprint, (unsigned)info->abi_revision,
                 (unsigned long long)fingerprint);
        return FERRONET_ERR_ABI;
    }
    missing = features & ~info->features_built;
    if (missing != 0) {
        while ((missing >> bit & 1) == 0) {
            bit++;
        }
        snprintf(message, (size_t)capacity,
                 "%s was built without the required feature %s (bit %u): use a library that has it", file,
                 bit == 0   ? "io_uring"
                 : bit == 1 ? "epoll"
                 : bit == 2 ? "kqueue"
                 : bit == 3 ? "zlib"
                 : bit == 4 ? "tls"
                            : "unknown",
                 bit);
        return FERRONET_ERR_FEATURE;
    }
    return FERRONET_OK;
}

/** Checks that the library that the program is linked with serves this header. Call it before any other function.
 *  Since revision 1.
 *
 *  Returns as ferronet_abi_verify does, and writes why to `message`. Owner: the caller. Threads: any. */
static inline int32_t ferronet_abi_check_message(char *message, uint64_t capacity) {
    return ferronet_abi_verify(ferronet_abi(), "the Ferronet library", FERRONET_ABI_REVISION, FERRONET_ABI_REQUIRED,
                               FERRONET_FEATURES_REQUIRED, FERRONET_LAYOUT_FINGERPRINT, message, capacity);
}

/** The same without the text. Since revision 1. Threads: any. */
static inline int32_t ferronet_abi_check(void) {
    return ferronet_abi_check_message(NULL, 0);
}

#endif /* FERRONET_H */
