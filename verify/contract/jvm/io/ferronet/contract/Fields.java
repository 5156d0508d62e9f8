package io.ferronet.contract;

import io.ferronet.api.AbiInfo;
import io.ferronet.api.Address;
import io.ferronet.api.Capabilities;
import io.ferronet.api.CodecProgress;
import io.ferronet.api.ReactorAreas;
import io.ferronet.api.ReactorInfo;
import io.ferronet.api.TlsContextInfo;
import io.ferronet.api.TlsProgress;
import io.ferronet.api.TlsSessionInfo;
import java.nio.ByteBuffer;
import java.util.Map;

/** The structures that a {@code field} step looks into. */
final class Fields {
    private record Field(int offset, boolean wide, boolean signed) {
    }

    private static Field word(int offset) {
        return new Field(offset, false, false);
    }

    private static Field signed(int offset) {
        return new Field(offset, false, true);
    }

    private static Field wide(int offset) {
        return new Field(offset, true, true);
    }

    static final Fields ABI = new Fields(Map.of("magic", word(AbiInfo.OFFSET_MAGIC), "struct_size", word(AbiInfo.OFFSET_STRUCT_SIZE),
        "abi_revision", word(AbiInfo.OFFSET_ABI_REVISION), "abi_floor", word(AbiInfo.OFFSET_ABI_FLOOR),
        "lib_version", word(AbiInfo.OFFSET_LIB_VERSION), "flags", word(AbiInfo.OFFSET_FLAGS),
        "features_built", wide(AbiInfo.OFFSET_FEATURES_BUILT), "layout_fingerprint", wide(AbiInfo.OFFSET_LAYOUT_FINGERPRINT)));

    static final Fields CAPABILITIES = new Fields(Map.of("uring_reason", word(Capabilities.OFFSET_URING_REASON),
        "available", wide(Capabilities.OFFSET_AVAILABLE), "ring_features", wide(Capabilities.OFFSET_RING_FEATURES),
        "uring_status", signed(Capabilities.OFFSET_URING_STATUS), "poll_reason", word(Capabilities.OFFSET_POLL_REASON),
        "poll_status", signed(Capabilities.OFFSET_POLL_STATUS), "kernel_version", word(Capabilities.OFFSET_KERNEL_VERSION)));

    static final Fields AREAS = new Fields(Map.of("submission_capacity", word(ReactorAreas.OFFSET_SUBMISSION_CAPACITY),
        "completion_capacity", word(ReactorAreas.OFFSET_COMPLETION_CAPACITY), "lent_capacity", word(ReactorAreas.OFFSET_LENT_CAPACITY),
        "submissions", wide(ReactorAreas.OFFSET_SUBMISSIONS), "completions", wide(ReactorAreas.OFFSET_COMPLETIONS)));

    static final Fields INFO = new Fields(Map.ofEntries(Map.entry("backend", word(ReactorInfo.OFFSET_BACKEND)),
        Map.entry("requested_backend", word(ReactorInfo.OFFSET_REQUESTED_BACKEND)),
        Map.entry("fallback_reason", word(ReactorInfo.OFFSET_FALLBACK_REASON)),
        Map.entry("fallback_status", signed(ReactorInfo.OFFSET_FALLBACK_STATUS)),
        Map.entry("ring_features", wide(ReactorInfo.OFFSET_RING_FEATURES)), Map.entry("turns", wide(ReactorInfo.OFFSET_TURNS)),
        Map.entry("submissions", wide(ReactorInfo.OFFSET_SUBMISSIONS)), Map.entry("completions", wide(ReactorInfo.OFFSET_COMPLETIONS)),
        Map.entry("wakeups", wide(ReactorInfo.OFFSET_WAKEUPS)), Map.entry("sockets", wide(ReactorInfo.OFFSET_SOCKETS)),
        Map.entry("in_flight", wide(ReactorInfo.OFFSET_IN_FLIGHT)), Map.entry("lent", wide(ReactorInfo.OFFSET_LENT)),
        Map.entry("syscalls", wide(ReactorInfo.OFFSET_SYSCALLS))));

    static final Fields ADDRESS = new Fields(Map.of("family", word(Address.OFFSET_FAMILY), "port", word(Address.OFFSET_PORT),
        "scope_id", word(Address.OFFSET_SCOPE_ID), "length", word(Address.OFFSET_LENGTH)));

    /** What an option step reads: the value, and for raw options the length behind it. */
    static final Fields VALUE = new Fields(Map.of("value", wide(0), "length", word(8)));

    static final Fields PROGRESS = new Fields(Map.of("state", word(CodecProgress.OFFSET_STATE), "consumed", wide(CodecProgress.OFFSET_CONSUMED),
        "produced", wide(CodecProgress.OFFSET_PRODUCED), "total_in", wide(CodecProgress.OFFSET_TOTAL_IN),
        "total_out", wide(CodecProgress.OFFSET_TOTAL_OUT), "checksum", word(CodecProgress.OFFSET_CHECKSUM),
        "members", word(CodecProgress.OFFSET_MEMBERS)));

    static final Fields TLS_PROGRESS = new Fields(Map.of("result", word(TlsProgress.OFFSET_RESULT), "state", word(TlsProgress.OFFSET_STATE),
        "events", word(TlsProgress.OFFSET_EVENTS), "consumed", wide(TlsProgress.OFFSET_CONSUMED), "produced", wide(TlsProgress.OFFSET_PRODUCED),
        "needed", wide(TlsProgress.OFFSET_NEEDED), "alert", word(TlsProgress.OFFSET_ALERT), "records", word(TlsProgress.OFFSET_RECORDS)));

    static final Fields TLS_SESSION = new Fields(Map.ofEntries(Map.entry("state", word(TlsSessionInfo.OFFSET_STATE)),
        Map.entry("version", word(TlsSessionInfo.OFFSET_VERSION)), Map.entry("suite", word(TlsSessionInfo.OFFSET_SUITE)),
        Map.entry("group", word(TlsSessionInfo.OFFSET_GROUP)), Map.entry("resumed", word(TlsSessionInfo.OFFSET_RESUMED)),
        Map.entry("peer_scheme", word(TlsSessionInfo.OFFSET_PEER_SCHEME)),
        Map.entry("peer_certificates", word(TlsSessionInfo.OFFSET_PEER_CERTIFICATES)),
        Map.entry("local_certificates", word(TlsSessionInfo.OFFSET_LOCAL_CERTIFICATES)),
        Map.entry("tickets_received", word(TlsSessionInfo.OFFSET_TICKETS_RECEIVED)), Map.entry("alert", word(TlsSessionInfo.OFFSET_ALERT)),
        Map.entry("bytes_in", wide(TlsSessionInfo.OFFSET_BYTES_IN)), Map.entry("bytes_out", wide(TlsSessionInfo.OFFSET_BYTES_OUT))));

    static final Fields TLS_CONTEXT = new Fields(Map.of("side", word(TlsContextInfo.OFFSET_SIDE),
        "handshakes_started", wide(TlsContextInfo.OFFSET_HANDSHAKES_STARTED), "handshakes_done", wide(TlsContextInfo.OFFSET_HANDSHAKES_DONE),
        "handshakes_failed", wide(TlsContextInfo.OFFSET_HANDSHAKES_FAILED),
        "handshakes_resumed", wide(TlsContextInfo.OFFSET_HANDSHAKES_RESUMED), "cache_entries", wide(TlsContextInfo.OFFSET_CACHE_ENTRIES),
        "tickets_issued", wide(TlsContextInfo.OFFSET_TICKETS_ISSUED)));

    private final Map<String, Field> fields;

    private Fields(Map<String, Field> fields) {
        this.fields = fields;
    }

    /** The field's value, or null when there is no such field. */
    Long get(ByteBuffer record, String name) {
        Field field = fields.get(name);
        if (field == null) {
            return null;
        }
        if (field.wide) {
            return record.getLong(field.offset);
        }
        int value = record.getInt(field.offset);
        return field.signed ? (long) value : Integer.toUnsignedLong(value);
    }
}
