//! From the first byte to the end of the handshake, and how a session fails.

use std::sync::Arc;

use rustls::AlertDescription;

use super::config::{AlpnPolicy, Side};
use super::connection::{Connection, Pumped};
use super::context::Made;
use super::counters::Counters;
use super::failure::{Failure, TLS_1_2, failure, old_version};
use super::info::{Progress, event};
use super::layer::{Ending, Layer};
use super::negotiation::{self, Hello};
use super::record::{self, Alert, First, MAX_RECORD, client_hello, has_common_protocol, server_hello};
use super::schedule::Secret;
use super::session::Session;
use crate::abi::status::{
    FERRONET_ERR_TLS_CALLBACK, FERRONET_ERR_TLS_NO_COMMON, FERRONET_ERR_TLS_PROTOCOL, FERRONET_ERR_TLS_UNSUPPORTED,
};
use crate::error::{Error, Result};

/// The level of an alert (RFC 5246, 7.2).
const FATAL: u8 = 2;

impl Session {
    /// Runs a step with the negotiation in reach of the hooks.
    pub(super) fn step<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let mut home = self.negotiation.take();
        let result = negotiation::during(&mut home, || run(self));
        self.negotiation = home;
        result
    }

    /// Makes a client's connection, whose ClientHello is then pending.
    pub(super) fn begin_client(&mut self) -> Result<()> {
        let (Some(Made::Client(config)), Some(name)) = (&self.made, self.name.take()) else { return Ok(()) };
        let connection = Connection::client(Arc::clone(config), name);
        self.made = None;
        self.count_start();
        match connection {
            Ok(connection) => {
                self.connection = Some(Box::new(connection));
                Ok(())
            }
            Err(error) => Err(self.fail(&error)),
        }
    }

    /// Makes a server's connection once the ClientHello is whole; `false` before.
    pub(super) fn begin_server(&mut self) -> Result<bool> {
        if self.connection.is_some() {
            return Ok(true);
        }
        let incoming = &self.incoming;
        let hello = match negotiation::with(|own| own.first.read(incoming)).unwrap_or(First::Other) {
            First::Partial => return Ok(false),
            First::Whole(message) => client_hello(&message),
            First::Other => Hello::default(),
        };
        let Some(Made::Server(config)) = self.made.take() else { return Ok(false) };
        self.count_start();
        self.check_hello(&hello, &config)?;
        let mut config = config;
        if self.alpn_policy == AlpnPolicy::Accept && !config.alpn_protocols.is_empty() && !hello.alpn.is_empty() {
            let ours: Vec<u8> = config
                .alpn_protocols
                .iter()
                .flat_map(|name| std::iter::once(name.len() as u8).chain(name.iter().copied()))
                .collect();
            if !has_common_protocol(&ours, &hello.alpn) {
                let mut without = rustls::ServerConfig::clone(&config);
                without.alpn_protocols.clear();
                config = Arc::new(without);
            }
        }
        negotiation::with(|own| {
            own.server_name = hello.server_name.as_deref().map(Into::into);
            own.peer_schemes = hello.schemes.iter().flat_map(|scheme| scheme.to_be_bytes()).collect();
            own.hello = Some(Box::new(hello));
        });
        match Connection::server(config) {
            Ok(connection) => {
                self.connection = Some(Box::new(connection));
                Ok(true)
            }
            Err(error) => Err(self.fail(&error)),
        }
    }

    /// Refuses what rustls would refuse as well, but for a reason that tells less.
    fn check_hello(&mut self, hello: &Hello, config: &rustls::ServerConfig) -> Result<()> {
        let offers = |suite: &rustls::SupportedCipherSuite| hello.suites.contains(&suite.suite().into());
        let (status, alert, text) = if (1..TLS_1_2).contains(&hello.version) {
            (FERRONET_ERR_TLS_UNSUPPORTED, AlertDescription::ProtocolVersion, old_version(hello.version))
        } else if !hello.suites.is_empty() && !config.crypto_provider().cipher_suites.iter().any(offers) {
            let text = "the client and this side have no cipher suite in common; suites with CBC or RSA key exchange are not supported";
            (FERRONET_ERR_TLS_NO_COMMON, AlertDescription::HandshakeFailure, text.to_owned())
        } else {
            return Ok(());
        };
        let alert = u8::from(alert);
        self.outgoing.extend([record::ALERT, 3, 3, 0, 2, FATAL, alert]);
        Err(self.end(Failure { error: Error::new(status, text), alert: Some(alert) }))
    }

    fn count_start(&mut self) {
        if !self.phase.counted {
            self.phase.counted = true;
            Counters::add(&self.context.counters().handshakes_started);
        }
    }

    /// Does the part of the handshake that [`super::State::NeedTask`] stands for, with its hooks.
    ///
    /// # Errors
    /// As for [`Self::unwrap`].
    pub fn task(&mut self) -> Result<Progress> {
        if let Some(failure) = &self.failure {
            return Err(failure.error.clone());
        }
        if !self.phase.task {
            return Ok(self.progress());
        }
        self.phase.task = false;
        let events = self.step(Self::advance)?;
        Ok(Progress { events, ..self.progress() })
    }

    /// Processes what lies in `incoming`, and gives the events. Data goes to `held`.
    pub(super) fn advance(&mut self) -> Result<u32> {
        let Some(connection) = &mut self.connection else { return Ok(0) };
        let before = self.outgoing.len();
        let tickets = connection.tickets_received();
        let (held, records_in, bytes_in) = (&mut self.held, &mut self.records_in, &mut self.bytes_in);
        let mut sink = |data: &[u8]| {
            *records_in += 1;
            *bytes_in += data.len() as u64;
            held.extend_from_slice(data);
        };
        let pumped = connection.pump(&mut self.incoming, &mut self.outgoing, &mut sink);
        let mut events = u32::from(connection.tickets_received() > tickets) * event::TICKET_RECEIVED;
        if pumped.outcome.is_ok() && negotiation::with(|own| own.failure.is_some()) == Some(true) {
            // A hook has failed, but rustls goes on: the peer must not take the handshake for complete.
            self.outgoing.truncate(before);
        }
        if let Some((random, id)) = server_hello(&self.outgoing[before..]) {
            keep_server_hello(random, id);
        }
        self.phase.ciphered |= record::changes_cipher(&self.outgoing[before..]);
        events |= self.settle(pumped)?;
        Ok(events)
    }

    /// Takes note of what a pump over `incoming` gave.
    pub(super) fn settle(&mut self, pumped: Pumped) -> Result<u32> {
        self.incoming.drain(..pumped.discard.min(self.incoming.len()));
        let mut events = 0;
        if pumped.peer_closed && !self.phase.close_received {
            self.phase.close_received = true;
            events |= event::CLOSE_NOTIFY_RECEIVED;
        }
        if let Err(refusal) = pumped.outcome {
            return Err(self.fail(&refusal));
        }
        if let Some(error) = negotiation::with(|own| own.failure.take()).flatten() {
            let alert = self.say(Some(AlertDescription::InternalError.into()));
            return Err(self.end(Failure { error, alert }));
        }
        if self.connection.as_ref().is_some_and(|connection| !connection.common().is_handshaking()) {
            events |= event::HANDSHAKE_DONE;
            self.complete()?;
        }
        if self.incoming.is_empty() && (self.phase.done || self.incoming.capacity() > MAX_RECORD) {
            self.incoming = Vec::new();
        }
        Ok(events)
    }

    fn complete(&mut self) -> Result<()> {
        if !self.incoming.is_empty() {
            return Err(self.fail_protocol("the peer's handshake has a message behind its last one"));
        }
        let Some(connection) = self.connection.take() else { return Ok(()) };
        let schedule = negotiation::with(|own| own.schedule.take()).flatten();
        let layer = match Layer::new(*connection, schedule) {
            Ok(layer) => layer,
            Err(refusal) => return Err(self.fail(&refusal)),
        };
        self.phase.done = true;
        let counters = self.context.counters();
        Counters::add(&counters.handshakes_done);
        if layer.facts().resumed {
            Counters::add(&counters.handshakes_resumed);
        }
        self.layer = Some(Box::new(layer));
        negotiation::with(|own| {
            own.hello = None;
            own.writing = None;
            if own.session_id.is_empty() {
                own.session_id = own.secrets.client_random().into();
            }
        });
        Ok(())
    }

    /// Ends the session for what came after the handshake, and keeps its alert for wrap.
    pub(super) fn refuse(&mut self, ending: Ending) -> Error {
        let mut failure = failure(&ending.refusal, None, self.context.side());
        if let Some(alert) = ending.alert {
            failure.alert = Some(alert.into());
            if let Some(layer) = &mut self.layer {
                layer.send_alert(true, alert, &mut self.outgoing);
            }
        }
        self.end(failure)
    }

    /// Ends the session with what rustls says, and keeps its alert for wrap.
    pub(super) fn fail(&mut self, refusal: &rustls::Error) -> Error {
        let before = self.outgoing.len();
        if let Some(connection) = &mut self.connection {
            connection.pull_alert(&mut self.incoming, &mut self.outgoing);
        }
        let side = self.context.side();
        let hook = negotiation::with(|own| own.failure.take()).flatten();
        let mut failure = failure(refusal, hook, side);
        self.phase.ciphered |= record::changes_cipher(&self.outgoing[before..]);
        match record::alert(&self.outgoing[before..]) {
            // An alert in the clear tells what it is; the encrypted ones go by what they are sent for.
            Some(Alert::Clear(description)) => failure.alert = Some(description),
            Some(Alert::Sealed) => {}
            None if matches!(refusal, rustls::Error::AlertReceived(_)) => {}
            None => {
                if failure.error.status == FERRONET_ERR_TLS_CALLBACK {
                    failure.alert = Some(AlertDescription::InternalError.into());
                }
                failure.alert = self.say(failure.alert);
            }
        }
        self.end(failure)
    }

    /// Queues a fatal alert that rustls does not send, and gives it back; `None` where that cannot be: it keeps the keys of TLS 1.2.
    fn say(&mut self, alert: Option<u8>) -> Option<u8> {
        let alert = alert.filter(|_| self.phase.started)?;
        if let Some(secret) = negotiation::with(|own| own.writing.take())? {
            return self.seal(alert, &secret);
        }
        let version = self.connection.as_ref().and_then(|connection| connection.common().protocol_version());
        if self.phase.ciphered && version.is_some_and(|version| u16::from(version) == TLS_1_2) {
            return None;
        }
        self.outgoing.extend([record::ALERT, 3, 3, 0, 2, FATAL, alert]);
        Some(alert)
    }

    /// Queues an alert under a secret of TLS 1.3. Whatever was encrypted under it waits in `outgoing`: a flight is made in one step.
    fn seal(&mut self, alert: u8, secret: &Secret) -> Option<u8> {
        let suite = self.connection.as_ref()?.common().negotiated_cipher_suite()?.tls13()?;
        let mut cipher = secret.cipher(suite, record::sealed(&self.outgoing))?;
        let start = self.outgoing.len();
        self.outgoing.resize(start + record::SEALED_ALERT, 0);
        if !cipher.seal(record::ALERT, Some(&[FATAL, alert]), &mut self.outgoing[start..]) {
            self.outgoing.truncate(start);
            return None;
        }
        Some(alert)
    }

    /// Ends the session.
    pub(super) fn end(&mut self, failure: Failure) -> Error {
        let error = failure.error.clone();
        if self.failure.is_none() {
            if !self.phase.done {
                self.count_start();
                Counters::add(&self.context.counters().handshakes_failed);
            }
            self.failure = Some(Box::new(failure));
            self.phase.task = false;
            self.incoming = Vec::new();
        }
        error
    }

    /// Ends the session for bytes that are no record.
    pub(super) fn fail_protocol(&mut self, text: impl Into<String>) -> Error {
        self.end(Failure { error: Error::new(FERRONET_ERR_TLS_PROTOCOL, text), alert: None })
    }

    /// Whether a record has to wait for a task.
    pub(super) fn defers(&self) -> bool {
        !self.phase.done && self.context.is_deferred()
    }

    /// Looks for what a client learns from a ServerHello in the clear.
    pub(super) fn watch(&self, record: &[u8]) {
        if self.context.side() == Side::Client
            && let Some((random, id)) = server_hello(record)
        {
            keep_server_hello(random, id);
        }
    }
}

fn keep_server_hello(random: &[u8], id: &[u8]) {
    negotiation::with(|own| {
        own.secrets.set_server_random(random);
        own.session_id = if id.is_empty() { random.into() } else { id.into() };
    });
}
