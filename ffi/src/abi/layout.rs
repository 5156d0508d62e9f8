//! The canonical layout table of the C surface: every structure and every constant, and their fingerprint.
//!
//! One line each, in the order of this file, with `\n` line ends:
//! `struct NAME SIZE ALIGN`, then `field NAME OFFSET SIZE` for each of its fields; `constant NAME VALUE`.
//! The fingerprint is the 64-bit FNV-1a hash (<http://www.isthe.com/chongo/tech/comp/fnv/>) of that text.

use super::config::*;
use super::features::*;
use super::info::*;
use super::log::*;
use super::option::*;
use super::record::*;
use super::status::*;
use super::tls::*;
use super::zlib::*;

/// A member of a structure; offset and size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in C.
    pub name: &'static str,
    /// Bytes from the beginning of the structure.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

/// A structure; size and alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Struct {
    /// Name in C.
    pub name: &'static str,
    /// Bytes.
    pub size: usize,
    /// Bytes.
    pub align: usize,
    /// Members by offset.
    pub fields: &'static [Field],
}

/// A constant of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Name in C.
    pub name: &'static str,
    /// Value.
    pub value: i64,
}

const fn size_of_member<T, U>(_: fn(&T) -> &U) -> usize {
    size_of::<U>()
}

macro_rules! structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        /// Every structure that crosses the boundary.
        pub const STRUCTS: &[Struct] = &[$(Struct {
            name: stringify!($name),
            size: size_of::<$name>(),
            align: align_of::<$name>(),
            fields: &[$(Field {
                name: stringify!($field),
                offset: std::mem::offset_of!($name, $field),
                size: size_of_member(|value: &$name| &value.$field),
            }),*],
        }),*];
        // Fails to compile when a structure has a member that the table does not name.
        const _: () = { $(let _: fn($name) = |$name { $($field: _),* }| ();)* };
    };
}

macro_rules! constants {
    ($($name:ident),* $(,)?) => {
        /// Every constant of the header except the fingerprint.
        pub const CONSTANTS: &[Constant] = &[$(Constant { name: stringify!($name), value: $name as i64 }),*];
    };
}

structs! {
    ferronet_abi_info {
        magic, struct_size, abi_revision, abi_floor, lib_version, flags, features_built, layout_fingerprint, version,
        target, build_id,
    }
    ferronet_attach_params {
        size, built_for_revision, required_features,
    }
    ferronet_reactor_config {
        size, backend, flags, submission_capacity, completion_capacity, ring_entries, lent_capacity, reserved,
        disabled_ring_features,
    }
    ferronet_reactor_areas {
        size, submission_capacity, submissions, completions, completion_capacity, lent_capacity,
    }
    ferronet_reactor_info {
        size, backend, requested_backend, fallback_reason, fallback_status, reserved, ring_features, turns,
        submissions, completions, wakeups, sockets, in_flight, lent, syscalls,
    }
    ferronet_caps {
        size, uring_reason, available, ring_features, uring_status, poll_reason, poll_status, kernel_version,
    }
    ferronet_submission {
        op, flags, reserved0, socket, user_data, addr0, len0, len1, addr1, arg0, reserved1,
    }
    ferronet_completion {
        user_data, result, flags, socket, buffer, extra,
    }
    ferronet_region {
        addr, len,
    }
    ferronet_address {
        family, port, scope_id, length, data,
    }
    ferronet_deflate_config {
        size, format, level, window_bits, memory_level, strategy, expected_length,
    }
    ferronet_inflate_config {
        size, format, flags, window_bits, max_output, ratio_floor, max_ratio, reserved,
    }
    ferronet_codec_progress {
        size, state, consumed, produced, total_in, total_out, checksum, members,
    }
    ferronet_tls_credential_config {
        size, flags, chain, key, password, ocsp_response, names, sign, sign_context, schemes,
    }
    ferronet_tls_config {
        size, side, flags, client_auth, trust, min_version, max_version, alpn_policy, crl_policy,
        credential_count, credentials, roots, crls, suites, groups, alpn, key_log_path, session_cache_size,
        session_timeout_s, ticket_count, max_early_data, max_certificate_bytes, ticket_keys, verify,
        verify_context, choose, choose_context, key_log, key_log_context,
    }
    ferronet_tls_session_config {
        size, flags, user, server_name, session_key, min_version, max_version, client_auth, alpn_policy, alpn,
        suites, groups,
    }
    ferronet_tls_progress {
        size, result, state, events, consumed, produced, needed, alert, records,
    }
    ferronet_tls_session_info {
        size, state, version, suite, group, resumed, peer_scheme, peer_certificates, local_certificates,
        issuers, tickets_received, alert, records_in, records_out, bytes_in, bytes_out, buffered,
    }
    ferronet_tls_context_info {
        size, side, handshakes_started, handshakes_done, handshakes_failed, handshakes_resumed, cache_entries,
        cache_hits, cache_misses, cache_timeouts, cache_full, tickets_issued, tickets_resumed, tickets_renewed,
        tickets_failed,
    }
    ferronet_tls_verification {
        size, side, user, flags, certificate_count, certificates, server_name, ocsp_response,
    }
    ferronet_tls_choice {
        size, side, user, server_name, alpn, schemes, suites, issuers, scheme_count, suite_count, issuer_count,
        reserved,
    }
}

constants![
    FERRONET_ABI_MAGIC,
    FERRONET_ABI_REVISION,
    FERRONET_ABI_FLOOR,
    FERRONET_ABI_STATIC,
    FERRONET_ABI_DEBUG,
    FERRONET_ABI_TEST_HOOKS,
    FERRONET_FEATURE_IO_URING,
    FERRONET_FEATURE_EPOLL,
    FERRONET_FEATURE_KQUEUE,
    FERRONET_FEATURE_ZLIB,
    FERRONET_FEATURE_TLS,
    FERRONET_BACKEND_AUTO,
    FERRONET_BACKEND_IO_URING,
    FERRONET_BACKEND_POLL,
    FERRONET_REACTOR_ANY_THREAD,
    FERRONET_RING_BUFFER_RING,
    FERRONET_RING_MULTISHOT_ACCEPT,
    FERRONET_RING_MULTISHOT_RECV,
    FERRONET_RING_DEFER_TASKRUN,
    FERRONET_RING_INCREMENTAL,
    FERRONET_REASON_NONE,
    FERRONET_REASON_NOT_BUILT,
    FERRONET_REASON_KERNEL_TOO_OLD,
    FERRONET_REASON_DENIED,
    FERRONET_REASON_DISABLED_BY_SYSCTL,
    FERRONET_REASON_MEMLOCK,
    FERRONET_REASON_DESCRIPTORS,
    FERRONET_REASON_SWITCHED_OFF,
    FERRONET_REASON_SLOWER,
    FERRONET_REASON_OTHER,
    FERRONET_OP_ACCEPT,
    FERRONET_OP_CONNECT,
    FERRONET_OP_RECV,
    FERRONET_OP_SEND,
    FERRONET_OP_SEND_GATHER,
    FERRONET_OP_POLL,
    FERRONET_OP_SHUTDOWN,
    FERRONET_OP_CLOSE,
    FERRONET_OP_CANCEL,
    FERRONET_OP_LEND,
    FERRONET_SUBMIT_MULTISHOT,
    FERRONET_SUBMIT_LENT,
    FERRONET_SUBMIT_ALL,
    FERRONET_SUBMIT_MORE,
    FERRONET_COMPLETE_MORE,
    FERRONET_COMPLETE_BUFFER,
    FERRONET_COMPLETE_BUFFER_MORE,
    FERRONET_COMPLETE_NONEMPTY,
    FERRONET_POLL_IN,
    FERRONET_POLL_OUT,
    FERRONET_POLL_RDHUP,
    FERRONET_POLL_ERR,
    FERRONET_POLL_HUP,
    FERRONET_SHUTDOWN_READ,
    FERRONET_SHUTDOWN_WRITE,
    FERRONET_SHUTDOWN_BOTH,
    FERRONET_FAMILY_UNIX,
    FERRONET_FAMILY_IPV4,
    FERRONET_FAMILY_IPV6,
    FERRONET_FAMILY_VSOCK,
    FERRONET_SOCKET_STREAM,
    FERRONET_SOCKET_DATAGRAM,
    FERRONET_LOG_OFF,
    FERRONET_LOG_ERROR,
    FERRONET_LOG_WARNING,
    FERRONET_LOG_INFO,
    FERRONET_LOG_DEBUG,
    FERRONET_OK,
    FERRONET_ERR_BASE,
    FERRONET_ERR_PANIC,
    FERRONET_ERR_POISONED,
    FERRONET_ERR_INVALID_ARGUMENT,
    FERRONET_ERR_INVALID_HANDLE,
    FERRONET_ERR_CLOSED,
    FERRONET_ERR_WRONG_THREAD,
    FERRONET_ERR_BUSY,
    FERRONET_ERR_TOO_BIG,
    FERRONET_ERR_ABI,
    FERRONET_ERR_FEATURE,
    FERRONET_ERR_UNAVAILABLE,
    FERRONET_ERR_UNSUPPORTED_OP,
    FERRONET_ERR_UNKNOWN_SOCKET,
    FERRONET_ERR_UNSUPPORTED_OPTION,
    FERRONET_ERR_NO_BUFFERS,
    FERRONET_ERR_LIMIT,
    FERRONET_ERR_TOO_SMALL,
    FERRONET_ERR_NOT_STARTED,
    FERRONET_ERR_DATA,
    FERRONET_ERR_TRUNCATED,
    FERRONET_ERR_DICTIONARY,
    FERRONET_ERR_TLS_PROTOCOL,
    FERRONET_ERR_TLS_NOT_TLS,
    FERRONET_ERR_TLS_ALERT,
    FERRONET_ERR_TLS_CERTIFICATE,
    FERRONET_ERR_TLS_NO_CERTIFICATE,
    FERRONET_ERR_TLS_NO_COMMON,
    FERRONET_ERR_TLS_TRUNCATED,
    FERRONET_ERR_TLS_UNSUPPORTED,
    FERRONET_ERR_TLS_KEY,
    FERRONET_ERR_TLS_CALLBACK,
    FERRONET_ERR_TLS_EXHAUSTED,
    FERRONET_OPTION_RCVBUF,
    FERRONET_OPTION_SNDBUF,
    FERRONET_OPTION_KEEPALIVE,
    FERRONET_OPTION_REUSEADDR,
    FERRONET_OPTION_REUSEPORT,
    FERRONET_OPTION_LINGER,
    FERRONET_OPTION_BROADCAST,
    FERRONET_OPTION_BUSY_POLL,
    FERRONET_OPTION_ERROR,
    FERRONET_OPTION_TOS,
    FERRONET_OPTION_FREEBIND,
    FERRONET_OPTION_TRANSPARENT,
    FERRONET_OPTION_BIND_ADDRESS_NO_PORT,
    FERRONET_OPTION_V6ONLY,
    FERRONET_OPTION_TCP_NODELAY,
    FERRONET_OPTION_TCP_CORK,
    FERRONET_OPTION_TCP_KEEPIDLE,
    FERRONET_OPTION_TCP_KEEPINTVL,
    FERRONET_OPTION_TCP_KEEPCNT,
    FERRONET_OPTION_TCP_USER_TIMEOUT,
    FERRONET_OPTION_TCP_QUICKACK,
    FERRONET_OPTION_TCP_NOTSENT_LOWAT,
    FERRONET_OPTION_TCP_DEFER_ACCEPT,
    FERRONET_OPTION_TCP_FASTOPEN,
    FERRONET_OPTION_TCP_FASTOPEN_CONNECT,
    FERRONET_CODEC_GZIP,
    FERRONET_CODEC_ZLIB,
    FERRONET_CODEC_RAW,
    FERRONET_CODEC_AUTO,
    FERRONET_LEVEL_DEFAULT,
    FERRONET_LEVEL_STORED,
    FERRONET_LEVEL_FASTEST,
    FERRONET_STRATEGY_DEFAULT,
    FERRONET_STRATEGY_FILTERED,
    FERRONET_STRATEGY_HUFFMAN,
    FERRONET_STRATEGY_RLE,
    FERRONET_STRATEGY_FIXED,
    FERRONET_FLUSH_NONE,
    FERRONET_FLUSH_SYNC,
    FERRONET_FLUSH_FULL,
    FERRONET_FLUSH_FINISH,
    FERRONET_CODEC_NEEDS_INPUT,
    FERRONET_CODEC_NEEDS_OUTPUT,
    FERRONET_CODEC_END,
    FERRONET_INFLATE_CONCATENATED,
    FERRONET_INFLATE_UNBOUNDED,
    FERRONET_TLS_CLIENT,
    FERRONET_TLS_SERVER,
    FERRONET_TLS_VERSION_1_2,
    FERRONET_TLS_VERSION_1_3,
    FERRONET_TLS_CLIENT_AUTH_NONE,
    FERRONET_TLS_CLIENT_AUTH_OPTIONAL,
    FERRONET_TLS_CLIENT_AUTH_REQUIRED,
    FERRONET_TLS_TRUST_UNSET,
    FERRONET_TLS_TRUST_ROOTS,
    FERRONET_TLS_TRUST_PLATFORM,
    FERRONET_TLS_TRUST_CALLBACK,
    FERRONET_TLS_TRUST_INSECURE_NONE,
    FERRONET_TLS_NO_TICKETS,
    FERRONET_TLS_NO_SESSION_CACHE,
    FERRONET_TLS_TASKS,
    FERRONET_TLS_CLIENT_ORDER,
    FERRONET_TLS_EARLY_DATA,
    FERRONET_TLS_COMPRESS_CERTIFICATES,
    FERRONET_TLS_NO_RESUMPTION,
    FERRONET_TLS_ALPN_FATAL,
    FERRONET_TLS_ALPN_ACCEPT,
    FERRONET_TLS_CRL_END_ENTITY,
    FERRONET_TLS_CRL_ALLOW_UNKNOWN,
    FERRONET_TLS_CRL_ENFORCE_EXPIRY,
    FERRONET_TLS_NO_SNI,
    FERRONET_TLS_NO_HOST_CHECK,
    FERRONET_TLS_IN_PLACE,
    FERRONET_TLS_OK,
    FERRONET_TLS_NEEDS_INPUT,
    FERRONET_TLS_NEEDS_OUTPUT,
    FERRONET_TLS_CLOSED,
    FERRONET_TLS_STATE_NEW,
    FERRONET_TLS_STATE_NEED_UNWRAP,
    FERRONET_TLS_STATE_NEED_WRAP,
    FERRONET_TLS_STATE_NEED_TASK,
    FERRONET_TLS_STATE_OPEN,
    FERRONET_TLS_STATE_CLOSING,
    FERRONET_TLS_STATE_FAILED,
    FERRONET_TLS_EVENT_HANDSHAKE_DONE,
    FERRONET_TLS_EVENT_CLOSE_NOTIFY_RECEIVED,
    FERRONET_TLS_EVENT_CLOSE_NOTIFY_SENT,
    FERRONET_TLS_EVENT_TICKET_RECEIVED,
    FERRONET_TLS_EVENT_KEY_UPDATE,
    FERRONET_TLS_BYTES_ALPN,
    FERRONET_TLS_BYTES_SERVER_NAME,
    FERRONET_TLS_BYTES_PEER_CERTIFICATE,
    FERRONET_TLS_BYTES_LOCAL_CERTIFICATE,
    FERRONET_TLS_BYTES_OCSP_RESPONSE,
    FERRONET_TLS_BYTES_SESSION_ID,
    FERRONET_TLS_BYTES_ISSUER,
    FERRONET_TLS_BYTES_PEER_SCHEMES,
    FERRONET_TLS_NAMES_SUITES,
    FERRONET_TLS_NAMES_GROUPS,
    FERRONET_TLS_NAMES_SCHEMES,
    FERRONET_TLS_NAMES_VERSIONS,
    FERRONET_TLS_VERIFY_HOST,
];

/// Hash of the table of this revision: `layout_fingerprint` of `ferronet_abi_info`.
pub const FINGERPRINT: u64 = {
    let mut hash = Fnv::new();
    let mut i = 0;
    while i < STRUCTS.len() {
        let item = &STRUCTS[i];
        hash = hash.text("struct ").text(item.name).number(item.size as i64).number(item.align as i64).text("\n");
        let mut j = 0;
        while j < item.fields.len() {
            let field = &item.fields[j];
            hash =
                hash.text("field ").text(field.name).number(field.offset as i64).number(field.size as i64).text("\n");
            j += 1;
        }
        i += 1;
    }
    i = 0;
    while i < CONSTANTS.len() {
        hash = hash.text("constant ").text(CONSTANTS[i].name).number(CONSTANTS[i].value).text("\n");
        i += 1;
    }
    hash.0
};

/// The table as text.
pub fn text() -> String {
    let mut lines = String::new();
    for item in STRUCTS {
        lines.push_str(&format!("struct {} {} {}\n", item.name, item.size, item.align));
        for field in item.fields {
            lines.push_str(&format!("field {} {} {}\n", field.name, field.offset, field.size));
        }
    }
    for constant in CONSTANTS {
        lines.push_str(&format!("constant {} {}\n", constant.name, constant.value));
    }
    lines
}

/// 64-bit FNV-1a that also runs at compile time.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    const fn byte(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3))
    }

    const fn text(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            self = self.byte(bytes[i]);
            i += 1;
        }
        self
    }

    /// A space and the number in decimal.
    const fn number(self, value: i64) -> Self {
        let mut hash = self.byte(b' ');
        if value < 0 {
            hash = hash.byte(b'-');
        }
        let value = value.unsigned_abs();
        let mut unit = 1;
        while value / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            hash = hash.byte(b'0' + (value / unit % 10) as u8);
            unit /= 10;
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_the_hash_of_the_text() {
        assert_eq!(FINGERPRINT, Fnv::new().text(&text()).0);
    }

    #[test]
    fn the_hash_gives_the_published_values() {
        assert_eq!(Fnv::new().0, 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::new().text("a").0, 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::new().text("foobar").0, 0x8594_4171_f739_67e8);
    }

    #[test]
    fn no_structure_has_hidden_padding() {
        for item in STRUCTS {
            let mut end = 0;
            for field in item.fields {
                assert_eq!(field.offset, end, "{}.{}", item.name, field.name);
                end += field.size;
            }
            assert_eq!(end, item.size, "{}", item.name);
        }
    }
}
