//! What is left of a connection after its handshake: records under its keys, and the messages that may yet come in them.
//!
//! rustls does the handshake. Its record layer allocates and copies for each record, so that the keys are taken out of it as
//! soon as the handshake is complete; of rustls only what takes a client's tickets stays (`rustls::kernel::KernelConnection`,
//! which then makes the new keys, too).

use rustls::client::ClientConnectionData;
use rustls::kernel::KernelConnection;
use rustls::pki_types::CertificateDer;
use rustls::{
    AlertDescription, CommonState, ConnectionTrafficSecrets, ContentType, Error as Refusal, ExtractedSecrets,
    HandshakeKind, HandshakeType, InvalidMessage, PeerMisbehaved, ProtocolVersion, SupportedCipherSuite,
};

use super::cipher::{Cipher, Form, Opened, Unopened};
use super::connection::Connection;
use super::info::event;
use super::record::{ALERT, CHANGE_CIPHER_SPEC, DATA, HANDSHAKE, MAX_MESSAGE};
use super::schedule::Schedule;

/// The level of an alert (RFC 5246, 7.2).
const WARNING: u8 = 1;
const FATAL: u8 = 2;

/// Handshake messages that come after the handshake.
const HELLO_REQUEST: u8 = 0;
const CLIENT_HELLO: u8 = 1;
const NEW_SESSION_TICKET: u8 = 4;
const KEY_UPDATE: u8 = 24;
/// Bytes of a handshake message's header.
const MESSAGE_HEADER: usize = 4;

/// What a peer may do without effect, so often. rustls and BoringSSL have the same numbers.
const EMPTY_RECORDS: u8 = 32;
const KEY_UPDATES: u8 = 32;
const WARNINGS: u8 = 4;
const RENEGOTIATIONS: u8 = 1;

/// Why a connection ends, and the alert that says so to the peer.
#[derive(Debug)]
pub(super) struct Ending {
    pub refusal: Refusal,
    pub alert: Option<AlertDescription>,
}

impl Ending {
    fn new(refusal: impl Into<Refusal>, alert: AlertDescription) -> Self {
        Self { refusal: refusal.into(), alert: Some(alert) }
    }
}

/// What was negotiated, for as long as the connection lasts.
pub(super) struct Facts {
    pub version: u16,
    pub suite: SupportedCipherSuite,
    pub group: u16,
    pub resumed: bool,
    pub alpn: Box<[u8]>,
    pub peer_certificates: Box<[CertificateDer<'static>]>,
}

impl Facts {
    fn new(common: &CommonState) -> Option<Self> {
        Some(Self {
            version: common.protocol_version()?.into(),
            suite: common.negotiated_cipher_suite()?,
            group: common.negotiated_key_exchange_group().map_or(0, |group| group.name().into()),
            resumed: common.handshake_kind() == Some(HandshakeKind::Resumed),
            alpn: common.alpn_protocol().unwrap_or_default().into(),
            peer_certificates: common.peer_certificates().unwrap_or_default().into(),
        })
    }
}

/// What makes new keys, and takes tickets.
enum Kernel {
    Client(Box<KernelConnection<ClientConnectionData>>),
    Server(Box<Schedule>),
    /// TLS 1.2: nothing is left to be done.
    None,
}

/// What the peer has left of its allowances.
struct Allowances {
    empty: u8,
    updates: u8,
    warnings: u8,
    renegotiations: u8,
}

/// The records of a connection after its handshake.
pub(super) struct Layer {
    facts: Facts,
    /// New keys and tickets.
    kernel: Kernel,
    client: bool,
    out: Cipher,
    /// Records that the keys of `out` may encrypt.
    limit: u64,
    into: Cipher,
    /// The beginning of a handshake message.
    partial: Vec<u8>,
    /// Bytes of a refused handshake message that are still to come.
    skip: usize,
    allowed: Allowances,
    /// The peer has asked for new keys of ours, which go ahead of our next data.
    owes_update: bool,
    tickets_received: u32,
}

impl Layer {
    /// Takes over a connection whose handshake is complete, and from which nothing is to be sent or delivered.
    ///
    /// # Errors
    /// rustls's, for a connection that is not such.
    pub(super) fn new(connection: Connection, schedule: Option<Box<Schedule>>) -> Result<Self, Refusal> {
        let facts = Facts::new(connection.common()).ok_or(Refusal::HandshakeNotComplete)?;
        let tickets_received = connection.tickets_received();
        let client = matches!(connection, Connection::Client(_));
        let tls13 = facts.version == u16::from(ProtocolVersion::TLSv1_3);
        let (secrets, kernel) = match connection {
            Connection::Client(connection) => {
                let (secrets, kernel) = connection.dangerous_into_kernel_connection()?;
                (secrets, if tls13 { Kernel::Client(Box::new(kernel)) } else { Kernel::None })
            }
            Connection::Server(connection) => {
                let (secrets, _) = connection.dangerous_into_kernel_connection()?;
                let kernel = match schedule.filter(|schedule| schedule.is_whole()) {
                    Some(schedule) => Kernel::Server(schedule),
                    None if tls13 => return Err(Refusal::General("the traffic secrets were not told".into())),
                    None => Kernel::None,
                };
                (secrets, kernel)
            }
        };
        let ExtractedSecrets { tx, rx } = secrets;
        Ok(Self {
            limit: limit(facts.suite),
            out: Cipher::new(tls13, tx.0, &tx.1).ok_or_else(unknown_cipher)?,
            into: Cipher::new(tls13, rx.0, &rx.1).ok_or_else(unknown_cipher)?,
            facts,
            kernel,
            client,
            partial: Vec::new(),
            skip: 0,
            allowed: Allowances {
                empty: EMPTY_RECORDS,
                updates: KEY_UPDATES,
                warnings: WARNINGS,
                renegotiations: RENEGOTIATIONS,
            },
            owes_update: false,
            tickets_received,
        })
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Tickets that a client received, with TLS 1.3.
    pub(super) fn tickets_received(&self) -> u32 {
        self.tickets_received
    }

    /// Heap of the layer's own buffers.
    pub(super) fn buffered(&self) -> usize {
        self.partial.capacity()
    }

    fn is_tls13(&self) -> bool {
        self.out.form() == Form::Tls13
    }

    /// Bytes that a record has beside its data.
    pub(super) fn overhead(&self) -> usize {
        self.out.form().overhead()
    }

    /// Bytes of the KeyUpdate that has to go ahead of data, or by itself; 0 for none.
    pub(super) fn update(&self, has_data: bool) -> usize {
        let due = self.owes_update || (has_data && self.is_worn());
        if due && self.is_tls13() { self.overhead() + MESSAGE_HEADER + 1 } else { 0 }
    }

    /// The keys may encrypt one more record, which then is no data.
    fn is_worn(&self) -> bool {
        self.out.number().saturating_add(1) >= self.limit
    }

    /// Writes the KeyUpdate into its [`Self::update`] bytes, and changes the keys.
    pub(super) fn send_update(&mut self, record: &mut [u8]) -> bool {
        // Keys that wear out here have as many records behind them from the peer, who is asked for new ones too.
        let request = u8::from(!self.owes_update);
        if request == 1 {
            // The answer is no whim of the peer's, who may have nothing else to send.
            self.allowed.updates = KEY_UPDATES;
        }
        self.owes_update = false;
        if !self.out.seal(HANDSHAKE, Some(&[KEY_UPDATE, 0, 0, 1, request]), record) {
            return false;
        }
        let next = match &mut self.kernel {
            Kernel::Client(kernel) => kernel.update_tx_secret().ok().and_then(|next| renewed(&next)),
            Kernel::Server(schedule) => next_of(schedule, self.facts.suite, false, &self.out),
            Kernel::None => None,
        };
        let Some(next) = next else { return false };
        self.out = next;
        true
    }

    /// Encrypts data into the record, whose length is that of the data and [`Self::overhead`]. `false`: the keys are exhausted.
    #[inline]
    pub(super) fn seal(&mut self, data: &[u8], record: &mut [u8]) -> bool {
        !self.is_worn() && self.out.seal(DATA, Some(data), record)
    }

    /// The same for data that `fill` writes in its place.
    pub(super) fn seal_filled(&mut self, fill: impl FnOnce(&mut [u8]), record: &mut [u8]) -> bool {
        if self.is_worn() {
            return false;
        }
        let place = self.out.place(record.len());
        fill(&mut record[place]);
        self.out.seal(DATA, None, record)
    }

    /// Appends an alert to what is to be sent; `false` when the keys have no number left for it.
    pub(super) fn send_alert(&mut self, fatal: bool, alert: AlertDescription, outgoing: &mut Vec<u8>) -> bool {
        let start = outgoing.len();
        outgoing.resize(start + self.overhead() + 2, 0);
        let message = [if fatal { FATAL } else { WARNING }, alert.into()];
        let sealed = self.out.seal(ALERT, Some(&message), &mut outgoing[start..]);
        if !sealed {
            outgoing.truncate(start);
        }
        sealed
    }

    /// Bytes that opening a record writes.
    #[inline]
    pub(super) fn room(&self, record: usize) -> usize {
        self.into.room(record).unwrap_or(0)
    }

    /// Opens a record into `out`, of [`Self::room`] bytes.
    #[inline]
    pub(super) fn open(&mut self, record: &[u8], out: &mut [u8]) -> Result<Opened, Ending> {
        self.check_kind(record[0])?;
        self.into.open(record, out).map_err(unopened)
    }

    /// Opens a record where it lies.
    #[inline]
    pub(super) fn open_in_place(&mut self, record: &mut [u8]) -> Result<Opened, Ending> {
        self.check_kind(record[0])?;
        self.into.open_in_place(record).map_err(unopened)
    }

    /// Refuses what does not come in the clear after a handshake.
    #[inline]
    fn check_kind(&self, kind: u8) -> Result<(), Ending> {
        if kind == CHANGE_CIPHER_SPEC || (self.is_tls13() && kind != DATA) {
            return Err(unexpected_type(kind));
        }
        Ok(())
    }

    /// Whether an opened record is data; counts it.
    #[inline]
    pub(super) fn is_data(&mut self, opened: Opened) -> Result<bool, Ending> {
        if opened.kind != DATA {
            return Ok(false);
        }
        if self.is_amid_message() {
            return Err(interleaved());
        }
        if opened.length == 0 {
            self.allowed.empty = spend(self.allowed.empty, PeerMisbehaved::TooManyEmptyFragments)?;
        } else {
            (self.allowed.empty, self.allowed.updates) = (EMPTY_RECORDS, KEY_UPDATES);
        }
        Ok(true)
    }

    fn is_amid_message(&self) -> bool {
        self.skip > 0 || !self.partial.is_empty()
    }

    /// Takes what is no data, and gives the events. Answers go to `outgoing`.
    pub(super) fn control(&mut self, kind: u8, text: &[u8], outgoing: &mut Vec<u8>) -> Result<u32, Ending> {
        if kind != HANDSHAKE && self.is_amid_message() {
            return Err(interleaved());
        }
        match kind {
            ALERT => self.alert(text),
            // RFC 8446, 5.1.
            HANDSHAKE if text.is_empty() => {
                Err(Ending::new(InvalidMessage::InvalidEmptyPayload, AlertDescription::UnexpectedMessage))
            }
            HANDSHAKE => self.handshake(text, outgoing),
            other => Err(unexpected_type(other)),
        }
    }

    fn alert(&mut self, text: &[u8]) -> Result<u32, Ending> {
        let [level, alert] = *text else {
            return Err(Ending::new(InvalidMessage::MessageTooShort, AlertDescription::DecodeError));
        };
        let alert = AlertDescription::from(alert);
        let received = Refusal::AlertReceived(alert);
        if level != WARNING && level != FATAL {
            return Err(Ending::new(received, AlertDescription::IllegalParameter));
        }
        if alert == AlertDescription::CloseNotify {
            return Ok(event::CLOSE_NOTIFY_RECEIVED);
        }
        if level == FATAL {
            return Err(Ending { refusal: received, alert: None });
        }
        self.allowed.warnings = spend(self.allowed.warnings, PeerMisbehaved::TooManyWarningAlertsReceived)?;
        // TLS 1.3 knows no other (RFC 8446, 6.2).
        if self.is_tls13() && alert != AlertDescription::UserCanceled {
            return Err(Ending::new(received, AlertDescription::DecodeError));
        }
        Ok(0)
    }

    fn handshake(&mut self, text: &[u8], outgoing: &mut Vec<u8>) -> Result<u32, Ending> {
        let mut rest = text;
        let mut events = 0;
        while !rest.is_empty() {
            let skipped = self.skip.min(rest.len());
            self.skip -= skipped;
            rest = &rest[skipped..];
            let missing = MESSAGE_HEADER.saturating_sub(self.partial.len()).min(rest.len());
            self.partial.extend_from_slice(&rest[..missing]);
            rest = &rest[missing..];
            let [kind, a, b, c, ..] = self.partial[..] else { break };
            let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
            if self.partial.len() == MESSAGE_HEADER {
                self.check_message(kind, length)?;
                if !self.is_tls13() {
                    self.partial = Vec::new();
                    self.skip = length;
                    self.refuse_renegotiation(outgoing)?;
                    continue;
                }
            }
            let partial = std::mem::take(&mut self.partial);
            let needed = length - (partial.len() - MESSAGE_HEADER);
            if rest.len() < needed {
                self.partial = partial;
                self.partial.extend_from_slice(rest);
                break;
            }
            let (end, after) = rest.split_at(needed);
            rest = after;
            let begun = &partial[MESSAGE_HEADER..];
            let gathered;
            let body = if begun.is_empty() {
                end
            } else {
                gathered = [begun, end].concat();
                &gathered[..]
            };
            events |= match kind {
                NEW_SESSION_TICKET => self.ticket(body)?,
                _ => self.peer_update(body, rest.is_empty())?,
            };
        }
        Ok(events)
    }

    /// Refuses a message by its header, so that nothing of it is kept.
    fn check_message(&self, kind: u8, length: usize) -> Result<(), Ending> {
        let expected: &[u8] = match (self.is_tls13(), self.client) {
            (true, true) => &[NEW_SESSION_TICKET, KEY_UPDATE],
            (true, false) => &[KEY_UPDATE],
            (false, true) => &[HELLO_REQUEST],
            (false, false) => &[CLIENT_HELLO],
        };
        if !expected.contains(&kind) {
            let refusal = Refusal::InappropriateHandshakeMessage {
                expect_types: expected.iter().map(|kind| HandshakeType::from(*kind)).collect(),
                got_type: kind.into(),
            };
            return Err(Ending::new(refusal, AlertDescription::UnexpectedMessage));
        }
        let most = match kind {
            HELLO_REQUEST => 0,
            KEY_UPDATE => 1,
            _ => MAX_MESSAGE,
        };
        if length > most || (kind == KEY_UPDATE && length == 0) {
            return Err(Ending::new(InvalidMessage::HandshakePayloadTooLarge, AlertDescription::DecodeError));
        }
        Ok(())
    }

    /// TLS 1.2: the first time it is declined (RFC 5246, 7.2.2), the second is the end.
    fn refuse_renegotiation(&mut self, outgoing: &mut Vec<u8>) -> Result<(), Ending> {
        let left = spend(self.allowed.renegotiations, PeerMisbehaved::TooManyRenegotiationRequests);
        self.allowed.renegotiations =
            left.map_err(|ending| Ending { alert: Some(AlertDescription::HandshakeFailure), ..ending })?;
        self.send_alert(false, AlertDescription::NoRenegotiation, outgoing);
        Ok(())
    }

    fn ticket(&mut self, body: &[u8]) -> Result<u32, Ending> {
        let Kernel::Client(kernel) = &mut self.kernel else { return Ok(0) };
        kernel.handle_new_session_ticket(body).map_err(|refusal| {
            let alert = match &refusal {
                Refusal::InvalidMessage(reason) => (*reason).into(),
                _ => AlertDescription::InternalError,
            };
            Ending::new(refusal, alert)
        })?;
        self.tickets_received = self.tickets_received.saturating_add(1);
        Ok(event::TICKET_RECEIVED)
    }

    fn peer_update(&mut self, body: &[u8], is_last: bool) -> Result<u32, Ending> {
        if !is_last {
            // What follows would be under two keys.
            return Err(Ending::new(PeerMisbehaved::KeyEpochWithPendingFragment, AlertDescription::UnexpectedMessage));
        }
        self.allowed.updates = spend(self.allowed.updates, PeerMisbehaved::TooManyKeyUpdateRequests)?;
        match body {
            [0] => {}
            [1] => self.owes_update = true,
            _ => return Err(Ending::new(InvalidMessage::InvalidKeyUpdate, AlertDescription::IllegalParameter)),
        }
        let next = match &mut self.kernel {
            Kernel::Client(kernel) => kernel.update_rx_secret().ok().and_then(|next| renewed(&next)),
            Kernel::Server(schedule) => next_of(schedule, self.facts.suite, true, &self.into),
            Kernel::None => None,
        };
        self.into = next.ok_or_else(|| Ending::new(unknown_cipher(), AlertDescription::InternalError))?;
        Ok(event::KEY_UPDATE)
    }

    #[cfg(test)]
    pub(super) fn ciphers(&mut self) -> (&mut Cipher, &mut u64, &mut Cipher) {
        (&mut self.out, &mut self.limit, &mut self.into)
    }
}

/// The header of no record.
pub(super) fn broken_header(header: &[u8]) -> Ending {
    match *header {
        [kind, ..] if !(CHANGE_CIPHER_SPEC..=DATA).contains(&kind) => {
            Ending::new(InvalidMessage::InvalidContentType, AlertDescription::UnexpectedMessage)
        }
        [_, 3, ..] => Ending::new(Refusal::PeerSentOversizedRecord, AlertDescription::RecordOverflow),
        _ => Ending::new(InvalidMessage::UnknownProtocolVersion, AlertDescription::DecodeError),
    }
}

/// Records that the keys of a suite may encrypt.
fn limit(suite: SupportedCipherSuite) -> u64 {
    match suite {
        SupportedCipherSuite::Tls13(suite) => suite.common.confidentiality_limit,
        SupportedCipherSuite::Tls12(suite) => suite.common.confidentiality_limit,
    }
}

fn renewed((number, secrets): &(u64, ConnectionTrafficSecrets)) -> Option<Cipher> {
    Cipher::new(true, *number, secrets)
}

fn next_of(schedule: &mut Schedule, suite: SupportedCipherSuite, of_client: bool, cipher: &Cipher) -> Option<Cipher> {
    schedule.next(suite.tls13()?, of_client, cipher)
}

fn unknown_cipher() -> Refusal {
    Refusal::General("the keys are for a cipher that is not known here".into())
}

fn unopened(unopened: Unopened) -> Ending {
    match unopened {
        Unopened::BadMac => Ending::new(Refusal::DecryptError, AlertDescription::BadRecordMac),
        Unopened::TooLong => Ending::new(Refusal::PeerSentOversizedRecord, AlertDescription::RecordOverflow),
        Unopened::NoType => Ending::new(PeerMisbehaved::IllegalTlsInnerPlaintext, AlertDescription::UnexpectedMessage),
    }
}

fn unexpected_type(kind: u8) -> Ending {
    let refusal = Refusal::InappropriateMessage {
        expect_types: vec![ContentType::ApplicationData, ContentType::Handshake, ContentType::Alert],
        got_type: kind.into(),
    };
    Ending::new(refusal, AlertDescription::UnexpectedMessage)
}

fn interleaved() -> Ending {
    Ending::new(PeerMisbehaved::MessageInterleavedWithHandshakeMessage, AlertDescription::UnexpectedMessage)
}

/// One less of an allowance.
fn spend(allowance: u8, spent: PeerMisbehaved) -> Result<u8, Ending> {
    allowance.checked_sub(1).ok_or_else(|| Ending::new(spent, AlertDescription::UnexpectedMessage))
}
