//! Fixtures, and two sessions that talk through memory.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;
use std::sync::Arc;

use crate::prose::assert_prose;
use ferronet::tls::{
    Config, Context, Credential, CredentialConfig, Input, Outcome, Progress, Session, SessionConfig, SessionInfo, Side,
    State, Trust, event,
};

pub fn fixture(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tls/fixtures").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn pem(name: &str) -> Vec<u8> {
    fixture(&format!("{name}.pem"))
}

pub fn credential_config(name: &str) -> CredentialConfig {
    CredentialConfig { chain: pem(name), key: pem(&format!("{name}.key")), ..CredentialConfig::default() }
}

pub fn credential(name: &str) -> Credential {
    Credential::new(credential_config(name)).unwrap()
}

/// A server that shows the credential of that name.
pub fn server(name: &str) -> Config {
    Config { credentials: vec![credential(name)], ..Config::new(Side::Server) }
}

/// A client that trusts the tests' root.
pub fn client() -> Config {
    Config { trust: Trust::Roots, roots: pem("root"), ..Config::new(Side::Client) }
}

pub fn localhost() -> SessionConfig {
    SessionConfig { server_name: Some("localhost".into()), ..SessionConfig::default() }
}

/// One end, and the bytes that are on their way to it.
pub struct End {
    pub session: Session,
    pub inbox: Vec<u8>,
    pub received: Vec<u8>,
    pub events: u32,
    pub tasks: u32,
    pub error: Option<ferronet::Error>,
}

impl End {
    pub fn new(context: &Arc<Context>, config: SessionConfig) -> Self {
        Self::of(Session::new(context, config).unwrap())
    }

    pub fn of(session: Session) -> Self {
        Self { session, inbox: Vec::new(), received: Vec::new(), events: 0, tasks: 0, error: None }
    }

    fn note(&mut self, result: ferronet::Result<Progress>) -> Option<Progress> {
        match result {
            Ok(progress) => {
                self.events |= progress.events;
                Some(progress)
            }
            Err(error) => {
                assert_prose(&error.text);
                self.error.get_or_insert(error);
                None
            }
        }
    }

    /// Sends what is pending.
    pub fn flush(&mut self) -> Vec<u8> {
        let mut output = vec![0; 40_000];
        let result = self.session.wrap(&[], &mut output);
        let produced = self.note(result).map_or(0, |progress| progress.produced);
        output.truncate(produced);
        output
    }

    /// Encrypts data, all of it.
    pub fn send(&mut self, data: &[u8]) -> Vec<u8> {
        let mut sent = Vec::new();
        let mut rest = data;
        while !rest.is_empty() {
            let mut output = vec![0; 40_000];
            let progress = self.session.wrap(&[rest], &mut output).unwrap();
            assert!(progress.consumed > 0 || progress.produced > 0, "{progress:?}");
            rest = &rest[progress.consumed..];
            sent.extend_from_slice(&output[..progress.produced]);
        }
        sent
    }

    /// Reads what can be read of the inbox, and says whether that was anything.
    pub fn read(&mut self) -> bool {
        let mut moved = false;
        loop {
            if self.session.state() == State::NeedTask {
                self.tasks += 1;
                let result = self.session.task();
                self.note(result);
                moved = true;
            }
            let mut output = vec![0; 40_000];
            let result = self.session.unwrap(Input::Keep(&[&self.inbox]), &mut [&mut output]);
            let Some(progress) = self.note(result) else { return moved };
            self.inbox.drain(..progress.consumed);
            self.received.extend_from_slice(&output[..progress.produced]);
            if progress.consumed == 0 && progress.produced == 0 && progress.state != State::NeedTask {
                return moved;
            }
            moved = true;
        }
    }

    pub fn done(&self) -> bool {
        self.events & event::HANDSHAKE_DONE != 0
    }

    pub fn info(&self) -> SessionInfo {
        self.session.info()
    }
}

pub struct Pair {
    pub client: End,
    pub server: End,
}

impl Pair {
    pub fn new(client: Config, server: Config) -> Self {
        Self::of(&Context::new(client).unwrap(), &Context::new(server).unwrap())
    }

    pub fn of(client: &Arc<Context>, server: &Arc<Context>) -> Self {
        Self { client: End::new(client, localhost()), server: End::new(server, SessionConfig::default()) }
    }

    /// Moves bytes until nothing moves.
    pub fn settle(&mut self) {
        for _ in 0..100 {
            let to_server = self.client.flush();
            self.server.inbox.extend_from_slice(&to_server);
            let mut moved = self.server.read() || !to_server.is_empty();
            let to_client = self.server.flush();
            self.client.inbox.extend_from_slice(&to_client);
            moved |= self.client.read() || !to_client.is_empty();
            if !moved {
                return;
            }
        }
        panic!("the two ends do not come to rest");
    }

    /// The handshake, which must succeed.
    pub fn connect(mut self) -> Self {
        self.settle();
        assert_eq!((&self.client.error, &self.server.error), (&None, &None));
        assert!(self.client.done() && self.server.done());
        assert_eq!((self.client.session.state(), self.server.session.state()), (State::Open, State::Open));
        self
    }

    /// The handshake, which must fail: the errors of client and server.
    pub fn refuse(mut self) -> (Option<ferronet::Error>, Option<ferronet::Error>) {
        self.settle();
        assert!(self.client.error.is_some() || self.server.error.is_some(), "the handshake has succeeded");
        (self.client.error, self.server.error)
    }

    /// Data both ways.
    pub fn talk(&mut self, data: &[u8]) {
        let bytes = self.client.send(data);
        self.server.inbox.extend_from_slice(&bytes);
        self.settle();
        assert!(std::mem::take(&mut self.server.received) == data, "client to server");
        let bytes = self.server.send(data);
        self.client.inbox.extend_from_slice(&bytes);
        self.settle();
        assert!(std::mem::take(&mut self.client.received) == data, "server to client");
    }
}

pub fn connect(client: Config, server: Config) -> Pair {
    Pair::new(client, server).connect()
}

/// Bytes that repeat late.
pub fn varied(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 31 + index / 251) as u8).collect()
}

/// What both contexts must give for a connection through them.
pub fn outcome(progress: Progress) -> (Outcome, usize, usize) {
    (progress.outcome, progress.consumed, progress.produced)
}
