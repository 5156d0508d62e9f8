//! What calls and queries answer.

/// What a call leaves to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is missing.
    #[default]
    Ok,
    /// The rest of a record, or the peer's next flight, is missing.
    NeedsInput,
    /// The output is too small for the next record.
    NeedsOutput,
    /// unwrap: the peer's close_notify was received. wrap: ours was sent.
    Closed,
}

/// What a session waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing has happened yet.
    #[default]
    New,
    /// The peer's handshake bytes.
    NeedUnwrap,
    /// A call of wrap, which has bytes to deliver.
    NeedWrap,
    /// A call of task.
    NeedTask,
    /// Data, both ways.
    Open,
    /// A close_notify was sent or received.
    Closing,
    /// It has failed, and its alert was delivered.
    Failed,
}

/// What a call has done; sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is left to be done.
    pub outcome: Outcome,
    /// What the session waits for.
    pub state: State,
    /// What happened: bits of [`event`].
    pub events: u32,
    /// Input that the call took, through all regions.
    pub consumed: usize,
    /// Output that it wrote.
    pub produced: usize,
    /// Output that the next record takes, or bytes of input that it has in all; 0 when unknown.
    pub needed: usize,
    /// The alert that was received, or that this session's failure sends.
    pub alert: Option<u8>,
    /// Records that the call took or wrote.
    pub records: u32,
}

/// Bits of [`Progress::events`].
pub mod event {
    /// The handshake became complete.
    pub const HANDSHAKE_DONE: u32 = 1;
    /// The peer's close_notify came.
    pub const CLOSE_NOTIFY_RECEIVED: u32 = 2;
    /// Our close_notify went into the output.
    pub const CLOSE_NOTIFY_SENT: u32 = 4;
    /// The peer sent a session ticket.
    pub const TICKET_RECEIVED: u32 = 8;
    /// The peer changed its keys.
    pub const KEY_UPDATE: u32 = 16;
}

/// What a session has negotiated and counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// What it waits for.
    pub state: State,
    /// As on the wire; 0 before it is known.
    pub version: u16,
    /// IANA number; 0 before it is known.
    pub suite: u16,
    /// IANA number; 0 for none.
    pub group: u16,
    /// An earlier session was resumed.
    pub resumed: bool,
    /// Signature scheme of the peer's proof; 0 for none.
    pub peer_scheme: u16,
    /// Certificates of the peer's.
    pub peer_certificates: u32,
    /// Certificates that we sent.
    pub local_certificates: u32,
    /// Authorities that the server named.
    pub issuers: u32,
    /// Tickets received.
    pub tickets_received: u32,
    /// The alert that was received or that the failure sends.
    pub alert: Option<u8>,
    /// Records of data received.
    pub records_in: u64,
    /// Records of data sent.
    pub records_out: u64,
    /// Data received, decrypted.
    pub bytes_in: u64,
    /// Data sent, before encryption.
    pub bytes_out: u64,
    /// Heap of the session's own buffers now.
    pub buffered: u64,
}

/// What [`super::Session::bytes`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The protocol that ALPN chose.
    Alpn,
    /// The server name that was sent or received.
    ServerName,
    /// A certificate of the peer's, DER.
    PeerCertificate,
    /// A certificate of ours, DER.
    LocalCertificate,
    /// The OCSP response that the server stapled.
    OcspResponse,
    /// An id of the session, at most 32 bytes.
    SessionId,
    /// A name of an authority that the server takes client certificates of.
    Issuer,
    /// The signature schemes that the peer takes, two bytes each.
    PeerSchemes,
}

/// What a context has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextInfo {
    /// Handshakes that began.
    pub handshakes_started: u64,
    /// Handshakes that became complete.
    pub handshakes_done: u64,
    /// Handshakes that failed.
    pub handshakes_failed: u64,
    /// Handshakes that resumed a session.
    pub handshakes_resumed: u64,
    /// Sessions in the cache now.
    pub cache_entries: u64,
    /// Sessions that were found.
    pub cache_hits: u64,
    /// Sessions that were asked for and not found.
    pub cache_misses: u64,
    /// Sessions that were found and too old.
    pub cache_timeouts: u64,
    /// Sessions that were dropped because the cache was full.
    pub cache_full: u64,
    /// Tickets issued.
    pub tickets_issued: u64,
    /// Tickets that resumed a session.
    pub tickets_resumed: u64,
    /// Tickets that were encrypted with a key other than the first.
    pub tickets_renewed: u64,
    /// Tickets that could not be decrypted or were too old.
    pub tickets_failed: u64,
}

/// Which [`super::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Cipher suites, each as IANA=OPENSSL, the preferred first.
    Suites,
    /// Key-exchange groups, the preferred first.
    Groups,
    /// Signature schemes.
    Schemes,
    /// Protocol versions.
    Versions,
}
