//! Records in and out.

use rustls::AlertDescription;

use super::config::Side;
use super::failure::Failure;
use super::info::{Outcome, Progress, event};
use super::layer::{Ending, broken_header};
use super::record::{ALERT, DATA, Front, HEADER, MAX_DATA, front};
use super::regions::{Input, Sending, Source, Target};
use super::scratch::Scratch;
use super::session::Session;
use crate::abi::status::{FERRONET_ERR_TLS_EXHAUSTED, FERRONET_ERR_TLS_NOT_TLS};
use crate::error::{Error, Result};
use crate::text::quoted;

/// The most data that a record may hold without its room being asked for: what an alert has.
const SMALL: usize = 2;

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

    /// Moves what the handshake has to send to `outgoing`, and close_notify when it is time.
    fn collect(&mut self, progress: &mut Progress) -> Result<()> {
        if self.phase.closing && !self.phase.close_queued {
            self.queue_close();
        }
        if self.connection.is_some() {
            progress.events |= self.step(Self::advance)?;
        }
        Ok(())
    }

    fn queue_close(&mut self) {
        self.phase.close_queued = true;
        if let Some(layer) = &mut self.layer {
            self.phase.close_said = layer.send_alert(false, AlertDescription::CloseNotify, &mut self.outgoing);
            return;
        }
        // Before any key there is only the clear; between the first key and the last there is nothing to say it with.
        let has_keys = |connection: &super::connection::Connection| connection.common().protocol_version().is_some();
        if self.phase.started && !self.connection.as_deref().is_some_and(has_keys) {
            self.phase.close_said = true;
            self.outgoing.extend([ALERT, 3, 3, 0, 2, 1, 0]);
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
        let Some(layer) = &mut self.layer else { return Ok(()) };
        let overhead = layer.overhead();
        let (mut records, mut bytes) = (0u32, 0u64);
        let sealed = loop {
            let length = sending.left().min(MAX_DATA);
            let update = layer.update(length > 0);
            if length == 0 && update == 0 {
                break true;
            }
            let record = if length > 0 { length + overhead } else { 0 };
            let Some(room) = output.get_mut(progress.produced..progress.produced + update + record) else {
                if progress.produced == 0 {
                    progress.outcome = Outcome::NeedsOutput;
                    progress.needed = update + record;
                }
                break true;
            };
            let (first, room) = room.split_at_mut(update);
            if update > 0 {
                if !layer.send_update(first) {
                    break false;
                }
                progress.produced += update;
            }
            if length == 0 {
                break true;
            }
            let sealed = match sending.contiguous(length) {
                Some(data) => layer.seal(data, room),
                None => layer.seal_filled(|room| sending.copy_to(room), room),
            };
            if !sealed {
                break false;
            }
            sending.advance(length);
            progress.produced += record;
            records += 1;
            bytes += length as u64;
        };
        progress.records += records;
        self.records_out += u64::from(records);
        self.bytes_out += bytes;
        if sealed || progress.produced > 0 {
            return Ok(());
        }
        // The last number of the keys says so to the peer.
        layer.send_alert(false, AlertDescription::CloseNotify, &mut self.outgoing);
        let error = Error::new(
            FERRONET_ERR_TLS_EXHAUSTED,
            "the keys of this connection have encrypted as many records as is safe: open a new connection",
        );
        Err(self.end(Failure { error, alert: None }))
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
        // After the handshake only a ticket has hooks.
        if self.layer.is_some() {
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
            progress.produced = target.produced;
            if !self.held.is_empty() {
                progress.outcome = Outcome::NeedsOutput;
                progress.needed = self.held.len();
                break Ok(());
            }
            if progress.events & event::HANDSHAKE_DONE != 0 {
                break Ok(());
            }
            let mut header = [0; HEADER];
            let seen = source.copy_to(&mut header);
            let Some(length) = self.next_record(&header[..seen], source.left(), target.room(), progress)? else {
                break Ok(());
            };
            let outcome = if self.layer.is_none() {
                let start = self.incoming.len();
                source.append_to(&mut self.incoming, length);
                self.process_incoming(start, progress)
            } else {
                self.read_record(source, length, target, &mut scratch, progress)
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
            let outcome = match &mut self.layer {
                None => {
                    let start = self.incoming.len();
                    self.incoming.extend_from_slice(&rest[..length]);
                    self.process_incoming(start, progress)
                }
                Some(layer) => match layer
                    .open_in_place(&mut rest[..length])
                    .and_then(|opened| Ok((opened, layer.is_data(opened)?)))
                {
                    Err(ending) => Err(self.refuse(ending)),
                    Ok((opened, true)) => {
                        let start = progress.consumed + opened.start;
                        region.copy_within(start..start + opened.length, progress.produced);
                        progress.produced += opened.length;
                        self.count_in(opened.length);
                        Ok(())
                    }
                    Ok((opened, false)) => {
                        self.take_control(opened.kind, &rest[opened.start..opened.start + opened.length], progress)
                    }
                },
            };
            progress.consumed += length;
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
        if let Some(layer) = &self.layer
            && kind == DATA
        {
            let most = length.saturating_sub(layer.overhead());
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
        if self.layer.is_some() {
            return self.refuse(broken_header(header));
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
        if self.layer.is_some() {
            return true;
        }
        match self.context.side() {
            Side::Server => self.connection.is_some(),
            Side::Client => {
                self.connection.as_ref().is_some_and(|connection| connection.common().protocol_version().is_some())
            }
        }
    }

    /// Processes `incoming`, to whose place `start` a record was added; now, or in a task.
    fn process_incoming(&mut self, start: usize, progress: &mut Progress) -> Result<()> {
        self.phase.started = true;
        self.watch(&self.incoming[start..]);
        if self.context.side() == Side::Server && !self.begin_server()? {
            return Ok(());
        }
        if self.defers() {
            self.phase.task = true;
            return Ok(());
        }
        progress.events |= self.advance()?;
        Ok(())
    }

    /// Takes one record after the handshake: opened into the outputs if there is room in one piece, else by way of the
    /// scratch, or of its own place.
    fn read_record(
        &mut self,
        source: &mut Source<'_, '_>,
        length: usize,
        target: &mut Target<'_, '_>,
        scratch: &mut Scratch,
        progress: &mut Progress,
    ) -> Result<()> {
        let Some(layer) = &mut self.layer else { return Ok(()) };
        let room = layer.room(length);
        let scattered = source.contiguous(length).is_none();
        if scattered {
            source.copy_to(scratch.room(length));
        }
        // Where it was opened to: `None` for the output.
        let (opened, place): (_, Option<&[u8]>) = match (target.contiguous(room), scattered) {
            (Some(out), true) => (layer.open(scratch.room(length), out), None),
            (Some(out), false) => (layer.open(source.contiguous(length).unwrap_or_default(), out), None),
            (None, true) => {
                let record = scratch.room(length);
                (layer.open_in_place(record), Some(record))
            }
            (None, false) => match source.in_place(length) {
                Some(record) => (layer.open_in_place(record), Some(record)),
                None => {
                    let text = scratch.room(room);
                    (layer.open(source.contiguous(length).unwrap_or_default(), text), Some(text))
                }
            },
        };
        let outcome = match opened.and_then(|opened| Ok((opened, layer.is_data(opened)?))) {
            Err(ending) => Err(self.refuse(ending)),
            Ok((opened, true)) => {
                match place {
                    None => target.advance(opened.length),
                    Some(place) => {
                        let data = &place[opened.start..opened.start + opened.length];
                        let taken = target.put(data);
                        self.held.extend_from_slice(&data[taken..]);
                    }
                }
                self.count_in(opened.length);
                Ok(())
            }
            Ok((opened, false)) => {
                let text = match place {
                    Some(place) => &place[opened.start..opened.start + opened.length],
                    None => &*target.contiguous(opened.length).unwrap_or_default(),
                };
                self.take_control(opened.kind, text, progress)
            }
        };
        source.advance(length);
        outcome
    }

    fn count_in(&mut self, length: usize) {
        self.records_in += u64::from(length > 0);
        self.bytes_in += length as u64;
    }

    /// Takes what a record holds that is no data.
    #[cold]
    fn take_control(&mut self, kind: u8, text: &[u8], progress: &mut Progress) -> Result<()> {
        let taken = self.step(|session| match &mut session.layer {
            Some(layer) => layer.control(kind, text, &mut session.outgoing),
            None => Ok(0),
        });
        let events = taken.map_err(|ending: Ending| self.refuse(ending))?;
        progress.events |= events;
        self.phase.close_received |= events & event::CLOSE_NOTIFY_RECEIVED != 0;
        Ok(())
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
