//! rustls's unbuffered connections, driven step by step through the handshake.

use std::sync::Arc;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, ReadEarlyData, UnbufferedStatus};
use rustls::{ClientConfig, CommonState, ServerConfig};

/// A connection of either side.
pub(super) enum Connection {
    Client(UnbufferedClientConnection),
    Server(UnbufferedServerConnection),
}

/// What is left when everything was processed that can be.
pub(super) struct Pumped {
    /// Bytes of the records that are not needed any more.
    pub discard: usize,
    /// The peer's close_notify came.
    pub peer_closed: bool,
    pub outcome: Result<(), rustls::Error>,
}

/// What takes decrypted data.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&[u8]);

trait Process {
    type Data;
    /// Reads early data, which only servers get.
    fn read_early(early: ReadEarlyData<'_, '_, Self::Data>, sink: Sink<'_>);
    fn process<'c, 'i>(&'c mut self, records: &'i mut [u8]) -> UnbufferedStatus<'c, 'i, Self::Data>;
}

impl Process for UnbufferedClientConnection {
    type Data = ClientConnectionData;

    fn read_early(_: ReadEarlyData<'_, '_, Self::Data>, _: Sink<'_>) {}

    fn process<'c, 'i>(&'c mut self, records: &'i mut [u8]) -> UnbufferedStatus<'c, 'i, Self::Data> {
        self.process_tls_records(records)
    }
}

impl Process for UnbufferedServerConnection {
    type Data = ServerConnectionData;

    fn read_early(early: ReadEarlyData<'_, '_, Self::Data>, sink: Sink<'_>) {
        let mut early = early;
        while let Some(Ok(record)) = early.next_record() {
            sink(record.payload);
        }
    }

    fn process<'c, 'i>(&'c mut self, records: &'i mut [u8]) -> UnbufferedStatus<'c, 'i, Self::Data> {
        self.process_tls_records(records)
    }
}

impl Connection {
    pub(super) fn client(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, rustls::Error> {
        UnbufferedClientConnection::new(config, name).map(Self::Client)
    }

    pub(super) fn server(config: Arc<ServerConfig>) -> Result<Self, rustls::Error> {
        UnbufferedServerConnection::new(config).map(Self::Server)
    }

    pub(super) fn common(&self) -> &CommonState {
        match self {
            Self::Client(connection) => connection,
            Self::Server(connection) => connection,
        }
    }

    /// TLS 1.3 tickets that a client received.
    pub(super) fn tickets_received(&self) -> u32 {
        match self {
            Self::Client(connection) => connection.tls13_tickets_received(),
            Self::Server(_) => 0,
        }
    }

    /// Processes records, and appends to `outgoing` what is to be sent. `records` must begin with what an earlier call
    /// did not discard.
    pub(super) fn pump(&mut self, records: &mut [u8], outgoing: &mut Vec<u8>, sink: Sink<'_>) -> Pumped {
        match self {
            Self::Client(connection) => pump(connection, records, outgoing, sink),
            Self::Server(connection) => pump(connection, records, outgoing, sink),
        }
    }

    /// Appends the alert of a failure to `outgoing`.
    pub(super) fn pull_alert(&mut self, records: &mut [u8], outgoing: &mut Vec<u8>) {
        match self {
            Self::Client(connection) => pull_alert(connection, records, outgoing),
            Self::Server(connection) => pull_alert(connection, records, outgoing),
        }
    }
}

fn pump<P: Process>(connection: &mut P, records: &mut [u8], outgoing: &mut Vec<u8>, sink: Sink<'_>) -> Pumped {
    let mut pumped = Pumped { discard: 0, peer_closed: false, outcome: Ok(()) };
    loop {
        let UnbufferedStatus { discard, state } = connection.process(&mut records[pumped.discard..]);
        pumped.discard += discard;
        match state {
            Err(error) => {
                pumped.outcome = Err(error);
                return pumped;
            }
            Ok(ConnectionState::EncodeTlsData(data)) => append(data, outgoing),
            Ok(ConnectionState::TransmitTlsData(transmit)) => transmit.done(),
            Ok(ConnectionState::PeerClosed) => pumped.peer_closed = true,
            Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                while let Some(Ok(record)) = traffic.next_record() {
                    sink(record.payload);
                    pumped.discard += record.discard;
                }
            }
            Ok(ConnectionState::ReadEarlyData(early)) => P::read_early(early, sink),
            // Blocked, open for data, closed: nothing happens without further records.
            Ok(_) => return pumped,
        }
    }
}

fn append<Data>(data: EncodeTlsData<'_, Data>, outgoing: &mut Vec<u8>) {
    let mut data = data;
    let start = outgoing.len();
    if let Err(EncodeError::InsufficientSize(needed)) = data.encode(&mut []) {
        outgoing.resize(start + needed.required_size, 0);
        let written = data.encode(&mut outgoing[start..]).unwrap_or(0);
        outgoing.truncate(start + written);
    }
}

fn pull_alert<P: Process>(connection: &mut P, records: &mut [u8], outgoing: &mut Vec<u8>) {
    let mut done = 0;
    loop {
        let UnbufferedStatus { discard, state } = connection.process(&mut records[done..]);
        done += discard;
        match state {
            Ok(ConnectionState::EncodeTlsData(data)) => append(data, outgoing),
            _ => return,
        }
    }
}
