//! Records in and out.

use std::cell::RefCell;

use super::config::Side;
use super::connection::Unwritten;
use super::failure::Failure;
use super::info::{Outcome, Progress, event};
use super::record::{ALERT, DATA, Front, HEADER, MAX_DATA, MAX_RECORD, front};
use super::regions::{Input, Sending, Source, Target};
use super::session::Session;
use crate::abi::status::{FERRONET_ERR_TLS_EXHAUSTED, FERRONET_ERR_TLS_NOT_TLS};
use crate::error::{Error, Result};
use crate::text::quoted;

/// TLS 1.3 as on the wire.
const TLS_1_3: u16 = 0x0304;
/// Bytes that every AEAD of ours adds.
const TAG: usize = 16;
/// Bytes of the nonce that AES-GCM sends in TLS 1.2.
const NONCE: usize = 8;
/// The most data that a record may hold without its room being asked for: what an alert has.
const SMALL: usize = 2;
/// The length of a record that holds a KeyUpdate (RFC 8446, 4.6.3), unpadded.
const KEY_UPDATE: usize = HEADER + 5 + 1 + TAG;

/// What takes decrypted data, and gives how much of it.
type Taking<'a> = &'a mut dyn FnMut(&[u8]) -> usize;

thread_local! {
    /// Where records are put together that are not decrypted, or encrypted, where they lie.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The thread's scratch, which goes back to it.
struct Scratch(Vec<u8>);

impl Scratch {
    fn take() -> Self {
        Self(SCRATCH.take())
    }

    fn room(&mut self) -> &mut Vec<u8> {
        self.0.clear();
        self.0.reserve_exact(MAX_RECORD);
        &mut self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        SCRATCH.set(std::mem::take(&mut self.0));
    }
}

impl Session {
    /// Encrypts sources into the output, behind what the handshake has to send. No sources: sends what is pending.
    ///
    /// # Errors
    /// The session has failed, and its alert was delivered; the keys are exhausted.
    pub fn wrap(&mut self, sources: &[&[u8]], output: &mut [u8]) -> Result<Progress> {
        let mut progress = Progress::default();
        if let Some(failure) = &self.failure {
            if self.sent == self.outgoing.len() {
                return Err(failure.error.clone());
            }
        } else if !self.phase.task {
            if self.name.is_some() && !self.phase.closing {
                self.phase.started = true;
                self.step(Self::begin_client)?;
            }
            self.collect(&mut progress)?;
        }
        self.flush(output, &mut progress);
        let mut sending = Sending::new(sources);
        if self.sent == self.outgoing.len() && self.failure.is_none() && self.phase.done && !self.phase.closing {
            self.encrypt(&mut sending, output, &mut progress)?;
        }
        progress.consumed = sending.consumed;
        if self.phase.close_sent {
            progress.outcome = Outcome::Closed;
        }
        Ok(Progress { state: self.state(), alert: self.alert(), ..progress })
    }

    /// Moves what rustls has to send to `outgoing`, and close_notify when it is time.
    fn collect(&mut self, progress: &mut Progress) -> Result<()> {
        if self.phase.closing && !self.phase.close_queued {
            self.queue_close();
        }
        let fresh = self.connection.is_some() && (!self.phase.done || self.phase.closing);
        if fresh {
            progress.events |= if self.phase.done { self.advance()? } else { self.step(Self::advance)? };
        }
        Ok(())
    }

    fn queue_close(&mut self) {
        self.phase.close_queued = true;
        match &mut self.connection {
            Some(connection) if self.phase.done => {
                // What is pending goes first.
                let mut held = std::mem::take(&mut self.held);
                let mut sink = |data: &[u8]| held.extend_from_slice(data);
                let pumped = connection.pump(&mut self.incoming, &mut self.outgoing, Some(&mut sink));
                self.held = held;
                self.incoming.drain(..pumped.discard.min(self.incoming.len()));
                self.phase.close_said = connection.close(&mut self.incoming);
            }
            // Before any key there is only the clear; between the first key and the last there is nothing to say it with.
            Some(connection) if connection.common().protocol_version().is_some() => {}
            _ if self.phase.started => {
                self.phase.close_said = true;
                self.outgoing.extend([ALERT, 3, 3, 0, 2, 1, 0]);
            }
            _ => {}
        }
    }

    fn flush(&mut self, output: &mut [u8], progress: &mut Progress) {
        let pending = &self.outgoing[self.sent..];
        let count = pending.len().min(output.len());
        output[..count].copy_from_slice(&pending[..count]);
        self.sent += count;
        progress.produced = count;
        if self.sent < self.outgoing.len() {
            progress.outcome = Outcome::NeedsOutput;
            progress.needed = self.outgoing.len() - self.sent;
            return;
        }
        if count > 0 {
            self.phase.started = true;
            (self.outgoing, self.sent) = (Vec::new(), 0);
        }
        if self.phase.close_queued && !self.phase.close_sent && self.failure.is_none() {
            self.phase.close_sent = true;
            if self.phase.close_said {
                progress.events |= event::CLOSE_NOTIFY_SENT;
            }
        }
    }

    fn encrypt(&mut self, sending: &mut Sending<'_, '_>, output: &mut [u8], progress: &mut Progress) -> Result<()> {
        if sending.left() == 0 && self.incoming.is_empty() {
            // Key updates of ours go with the next data; those that rustls has queued go now.
            return self.send_pending(output, progress);
        }
        let overhead = HEADER + self.expansion();
        let Some(connection) = &mut self.connection else { return Ok(()) };
        let mut scratch = Scratch::take();
        let (mut records, mut bytes) = (0u32, 0u64);
        let outcome = connection.encrypt(&mut self.incoming, &mut |encrypt| {
            while sending.left() > 0 {
                let length = sending.left().min(MAX_DATA);
                let room = &mut output[progress.produced..];
                if room.len() < length + overhead {
                    return Err(Unwritten::NeedsOutput(length + overhead));
                }
                let data = sending.next(length, &mut scratch.0);
                progress.produced += encrypt(data, room)?;
                sending.advance(length);
                records += 1;
                bytes += length as u64;
            }
            Ok(())
        });
        progress.records += records;
        self.records_out += u64::from(records);
        self.bytes_out += bytes;
        match outcome {
            Ok(()) => Ok(()),
            Err(Unwritten::NeedsOutput(needed)) => {
                if progress.produced == 0 {
                    progress.outcome = Outcome::NeedsOutput;
                    progress.needed = needed;
                }
                Ok(())
            }
            Err(Unwritten::NotOpen) => {
                // Something is pending that goes first.
                drop(scratch);
                self.send_pending(output, progress)
            }
            Err(Unwritten::Exhausted) if progress.produced > 0 => Ok(()),
            Err(Unwritten::Exhausted) => {
                let error = Error::new(
                    FERRONET_ERR_TLS_EXHAUSTED,
                    "the keys of this TLS 1.2 connection have encrypted as many records as is safe: open a new connection",
                );
                Err(self.end(Failure { error, alert: None }))
            }
            Err(Unwritten::Failed(refusal)) => Err(self.fail(&refusal)),
        }
    }

    /// Delivers what rustls has queued after the handshake.
    fn send_pending(&mut self, output: &mut [u8], progress: &mut Progress) -> Result<()> {
        progress.events |= self.step(Self::advance)?;
        let before = progress.produced;
        let mut part = Progress::default();
        self.flush(&mut output[before..], &mut part);
        progress.produced = before + part.produced;
        progress.outcome = part.outcome;
        progress.needed = part.needed;
        Ok(())
    }

    /// Bytes that encryption adds to data, without the header.
    fn expansion(&self) -> usize {
        let common = self.connection.as_ref().map(|connection| connection.common());
        let version = common.and_then(|common| common.protocol_version()).map_or(TLS_1_3, u16::from);
        if version == TLS_1_3 {
            return 1 + TAG;
        }
        let suite = common.and_then(|common| common.negotiated_cipher_suite()).map_or(0, |suite| suite.suite().into());
        // ChaCha20-Poly1305 in TLS 1.2: RFC 7905.
        if matches!(suite, 0xcca8 | 0xcca9) { TAG } else { NONCE + TAG }
    }

    /// Takes records from the input and writes data to the outputs, as many as fit.
    ///
    /// # Errors
    /// The session fails: `FERRONET_ERR_TLS_*`.
    pub fn unwrap(&mut self, input: Input<'_, '_>, outputs: &mut [&mut [u8]]) -> Result<Progress> {
        let mut source = Source::new(input);
        let mut target = Target::new(outputs);
        self.receive(|session, progress| session.read_regions(&mut source, &mut target, progress))
    }

    /// The same in one region, whose front the data is moved to.
    ///
    /// # Errors
    /// As for [`Self::unwrap`].
    pub fn unwrap_in_place(&mut self, region: &mut [u8]) -> Result<Progress> {
        self.receive(|session, progress| session.read_in_place(region, progress))
    }

    fn receive(&mut self, read: impl FnOnce(&mut Self, &mut Progress) -> Result<()>) -> Result<Progress> {
        if let Some(failure) = &self.failure {
            return Err(failure.error.clone());
        }
        let mut progress = Progress::default();
        // A server has no hooks after its handshake; a client keeps tickets.
        if self.phase.done && self.context.side() == Side::Server {
            read(self, &mut progress)?;
        } else {
            self.step(|session| read(session, &mut progress))?;
        }
        if self.phase.close_received && progress.outcome != Outcome::NeedsOutput {
            progress.outcome = Outcome::Closed;
        }
        Ok(Progress { state: self.state(), alert: self.alert(), ..progress })
    }

    fn read_regions(
        &mut self,
        source: &mut Source<'_, '_>,
        target: &mut Target<'_, '_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut scratch = Scratch::take();
        let result = loop {
            let given = target.put(&self.held);
            self.held.drain(..given);
            if !self.held.is_empty() {
                progress.outcome = Outcome::NeedsOutput;
                progress.needed = self.held.len();
                break Ok(());
            }
            if progress.events & event::HANDSHAKE_DONE != 0 {
                break Ok(());
            }
            let mut header = [0; HEADER];
            let seen = source.peek(&mut header);
            let Some(length) = self.next_record(&header[..seen], source.left(), target.room(), progress)? else {
                break Ok(());
            };
            let mut sink = |data: &[u8]| target.put(data);
            let outcome = if !self.phase.done || !self.incoming.is_empty() {
                let start = self.incoming.len();
                source.append_to(&mut self.incoming, length);
                self.process_incoming(start, progress)
            } else if let Some(record) = source.in_place(length) {
                let outcome = self.process(record, Some(&mut sink), progress);
                source.advance(length);
                outcome
            } else {
                let room = scratch.room();
                source.append_to(room, length);
                self.process(room, Some(&mut sink), progress)
            };
            progress.consumed = source.consumed;
            progress.records += 1;
            if let Err(error) = outcome {
                break self.or_later(error, progress, target.produced);
            }
        };
        progress.consumed = source.consumed;
        progress.produced = target.produced;
        result
    }

    fn read_in_place(&mut self, region: &mut [u8], progress: &mut Progress) -> Result<()> {
        loop {
            // Data goes where records were read, never further.
            let room = progress.consumed - progress.produced;
            let given = self.held.len().min(room);
            region[progress.produced..progress.produced + given].copy_from_slice(&self.held[..given]);
            self.held.drain(..given);
            progress.produced += given;
            if !self.held.is_empty() {
                progress.outcome = Outcome::NeedsOutput;
                progress.needed = self.held.len();
                return Ok(());
            }
            if progress.events & event::HANDSHAKE_DONE != 0 {
                return Ok(());
            }
            let rest = &mut region[progress.consumed..];
            let left = rest.len();
            let Some(length) = self.next_record(&rest[..left.min(HEADER)], left, usize::MAX, progress)? else {
                return Ok(());
            };
            let outcome = if !self.phase.done || !self.incoming.is_empty() {
                let start = self.incoming.len();
                self.incoming.extend_from_slice(&rest[..length]);
                progress.consumed += length;
                self.process_incoming(start, progress)
            } else {
                let waits = self.process(&mut rest[..length], None, progress);
                progress.consumed += length;
                match waits {
                    Ok(true) => {
                        let mut written = progress.produced;
                        let mut sink = |data: &[u8]| {
                            region[written..written + data.len()].copy_from_slice(data);
                            written += data.len();
                            data.len()
                        };
                        let outcome = self.process(&mut [], Some(&mut sink), progress);
                        progress.produced = written;
                        outcome
                    }
                    other => other,
                }
            };
            progress.records += 1;
            if let Err(error) = outcome {
                let produced = progress.produced;
                return self.or_later(error, progress, produced);
            }
        }
    }

    /// What was decrypted before a failure is delivered first; the failure comes with the next call.
    fn or_later(&mut self, error: Error, progress: &Progress, produced: usize) -> Result<()> {
        if produced > 0 || progress.events & event::HANDSHAKE_DONE != 0 { Ok(()) } else { Err(error) }
    }

    /// The length of the next record if it can be taken; else says in `progress` why not.
    fn next_record(
        &mut self,
        header: &[u8],
        left: usize,
        room: usize,
        progress: &mut Progress,
    ) -> Result<Option<usize>> {
        if self.phase.task {
            return Ok(None);
        }
        if self.phase.close_received {
            return Ok(None);
        }
        let (kind, length) = match front_of(header, left) {
            Front::Partial { needed } => {
                progress.outcome = Outcome::NeedsInput;
                progress.needed = needed;
                return Ok(None);
            }
            Front::Broken { .. } if progress.produced > 0 || progress.consumed > 0 => return Ok(None),
            Front::Broken { seen } => return Err(self.broken(&header[..seen])),
            Front::Record { kind, length } => (kind, length),
        };
        if self.phase.done && kind == DATA && self.incoming.is_empty() {
            let most = length.saturating_sub(HEADER + self.expansion());
            if most > SMALL && most > room {
                progress.outcome = Outcome::NeedsOutput;
                progress.needed = most;
                return Ok(None);
            }
        }
        Ok(Some(length))
    }

    /// Ends the session for what is no record.
    fn broken(&mut self, header: &[u8]) -> Error {
        if !self.phase.done && self.records_in == 0 && self.incoming.is_empty() && !self.has_peer_bytes() {
            let text = format!(
                "the peer's first bytes are no TLS record but {}: it speaks something else, for example plain HTTP",
                quoted(header)
            );
            return self.end(Failure { error: Error::new(FERRONET_ERR_TLS_NOT_TLS, text), alert: None });
        }
        // rustls finds the same, and has the alert for it.
        self.incoming.extend_from_slice(header);
        match self.advance() {
            Err(error) => error,
            Ok(_) => self.fail_protocol(format!("the peer sent a record with the header {}", quoted(header))),
        }
    }

    /// Whether a record of the peer's was ever processed.
    fn has_peer_bytes(&self) -> bool {
        match self.context.side() {
            Side::Server => self.connection.is_some(),
            Side::Client => {
                self.connection.as_ref().is_some_and(|connection| connection.common().protocol_version().is_some())
            }
        }
    }

    /// Processes `incoming`, to whose place `start` a record was added; now, or in a task.
    fn process_incoming(&mut self, start: usize, progress: &mut Progress) -> Result<bool> {
        self.phase.started = true;
        self.watch(&self.incoming[start..]);
        if self.context.side() == Side::Server && !self.begin_server()? {
            return Ok(false);
        }
        if self.defers() {
            self.phase.task = true;
            return Ok(false);
        }
        progress.events |= self.advance()?;
        Ok(false)
    }

    /// Processes one record where it lies; without a sink it gives whether data waits.
    fn process(&mut self, record: &mut [u8], sink: Option<Taking<'_>>, progress: &mut Progress) -> Result<bool> {
        let Some(connection) = &mut self.connection else { return Ok(false) };
        let tickets = connection.tickets_received();
        let (mut got_data, mut bytes) = (false, 0u64);
        let held = &mut self.held;
        let pumped = match sink {
            Some(sink) => {
                let mut deliver = |data: &[u8]| {
                    got_data = true;
                    bytes += data.len() as u64;
                    let taken = sink(data);
                    held.extend_from_slice(&data[taken..]);
                };
                connection.pump(record, &mut self.outgoing, Some(&mut deliver))
            }
            None => connection.pump(record, &mut self.outgoing, None),
        };
        let has_data = pumped.has_data;
        let got_ticket = connection.tickets_received() > tickets;
        self.bytes_in += bytes;
        self.records_in += u64::from(got_data);
        if got_ticket {
            progress.events |= event::TICKET_RECEIVED;
        }
        let rest = pumped.discard.min(record.len());
        let silent = !got_data && !has_data && !got_ticket && !pumped.peer_closed && pumped.outcome.is_ok();
        if silent && record.len() == KEY_UPDATE && self.expansion() == 1 + TAG {
            progress.events |= event::KEY_UPDATE;
        }
        // The beginning of a message whose end is in a later record; it was decrypted in place.
        self.incoming.extend_from_slice(&record[rest..]);
        progress.events |= self.settle(super::connection::Pumped { discard: 0, ..pumped })?;
        Ok(has_data)
    }
}

/// What stands at the front of `left` bytes that begin with a header, or with less.
fn front_of(header: &[u8], left: usize) -> Front {
    match front(header) {
        Front::Partial { needed } if header.len() == HEADER && left >= needed => {
            Front::Record { kind: header[0], length: needed }
        }
        other => other,
    }
}
