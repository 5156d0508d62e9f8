//! What sessions ask of the allocator: nothing for a record beyond what rustls asks, and little while they are idle.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use ferronet::tls::{Config, Context, Input, Session, SessionConfig};
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::unbuffered::{ConnectionState, EncodeError};

use crate::support::*;

/// Counts what each thread asks for, and what it holds.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE.set(LIVE.get() + layout.size() as i64);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as i64);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(of: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    of();
    ALLOCATIONS.get() - before
}

/// rustls alone, as a client.
struct Plain {
    connection: UnbufferedClientConnection,
    incoming: Vec<u8>,
}

impl Plain {
    fn new(version: &'static rustls::SupportedProtocolVersion) -> Self {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(&pem("root")).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.resumption = rustls::client::Resumption::disabled();
        let connection = UnbufferedClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
        Self { connection, incoming: Vec::new() }
    }

    /// Processes what came in, and gives what is to be sent.
    fn turn(&mut self) -> Vec<u8> {
        let mut outgoing = Vec::new();
        loop {
            let status = self.connection.process_tls_records(&mut self.incoming);
            let discard = status.discard;
            let goes_on = match status.state.unwrap() {
                ConnectionState::EncodeTlsData(mut data) => {
                    let start = outgoing.len();
                    let Err(EncodeError::InsufficientSize(needed)) = data.encode(&mut []) else { panic!() };
                    outgoing.resize(start + needed.required_size, 0);
                    data.encode(&mut outgoing[start..]).unwrap();
                    true
                }
                ConnectionState::TransmitTlsData(transmit) => {
                    transmit.done();
                    true
                }
                ConnectionState::ReadTraffic(mut traffic) => {
                    while traffic.next_record().is_some() {}
                    true
                }
                _ => false,
            };
            self.incoming.drain(..discard);
            if !goes_on {
                return outgoing;
            }
        }
    }

    fn connected(version: &'static rustls::SupportedProtocolVersion, server: &mut End) -> Self {
        let mut plain = Self::new(version);
        for _ in 0..3 {
            server.inbox.extend(plain.turn());
            server.read();
            plain.incoming.extend(server.flush());
        }
        plain.turn();
        assert!(server.done(), "{:?}", server.error);
        plain
    }

    fn encrypt(&mut self, data: &[u8], output: &mut [u8]) -> usize {
        match self.connection.process_tls_records(&mut []).state.unwrap() {
            ConnectionState::WriteTraffic(mut traffic) => traffic.encrypt(data, output).unwrap(),
            _ => panic!(),
        }
    }

    fn decrypt(&mut self, records: &mut [u8]) {
        let mut place = 0;
        while place < records.len() {
            let status = self.connection.process_tls_records(&mut records[place..]);
            place += status.discard;
            if let ConnectionState::ReadTraffic(mut traffic) = status.state.unwrap() {
                while traffic.next_record().is_some() {}
            }
        }
    }
}

const RECORDS: usize = 8;

#[test]
fn a_record_asks_for_no_memory_beyond_what_rustls_asks() {
    for (version, number) in [(&rustls::version::TLS12, 0x0303), (&rustls::version::TLS13, 0x0304)] {
        for size in [1024, 16_384] {
            let mut peer = End::new(&Context::new(server("ecdsa256")).unwrap(), SessionConfig::default());
            let mut plain = Plain::connected(version, &mut peer);
            let mut pair = connect(Config { max_version: number, ..client() }, server("ecdsa256"));
            pair.talk(b"the first record, and the thread's scratch");

            let data = varied(size);
            let mut wire = vec![0; RECORDS * (size + 100)];
            let mut length = 0;
            let rustls_writes = allocations(|| {
                for _ in 0..RECORDS {
                    length += plain.encrypt(&data, &mut wire[length..]);
                }
            });
            let mut ours = vec![0; RECORDS * (size + 100)];
            let mut produced = 0;
            let session_writes = allocations(|| {
                for _ in 0..RECORDS {
                    produced += pair.client.session.wrap(&[&data], &mut ours[produced..]).unwrap().produced;
                }
            });
            assert!(
                session_writes <= rustls_writes,
                "{session_writes} for {rustls_writes}: wrap, {size} bytes, 0x{number:04x}"
            );
            assert_eq!(produced, length);

            let halves = data.split_at(size / 2);
            let mut gathered = vec![0; size + 100];
            let session_gathers = allocations(|| {
                pair.server.session.wrap(&[halves.0, halves.1], &mut gathered).unwrap();
            });
            assert!(session_gathers <= rustls_writes / RECORDS as u64, "wrap of two regions");

            let mut from_peer = vec![0; RECORDS * (size + 100)];
            let mut length = 0;
            for _ in 0..RECORDS {
                length += peer.session.wrap(&[&data], &mut from_peer[length..]).unwrap().produced;
            }
            let rustls_reads = allocations(|| plain.decrypt(&mut from_peer[..length]));
            let mut output = vec![0; RECORDS * size];
            let mut kept = ours.clone();
            let session_reads = allocations(|| {
                let progress = pair.server.session.unwrap_in_place(&mut kept[..produced]).unwrap();
                assert_eq!(progress.produced, RECORDS * size);
            });
            assert!(
                session_reads <= rustls_reads,
                "{session_reads} for {rustls_reads}: unwrap in place, {size} bytes, 0x{number:04x}"
            );
            produced = 0;
            for _ in 0..RECORDS {
                produced += pair.client.session.wrap(&[&data], &mut ours[produced..]).unwrap().produced;
            }
            let session_copies = allocations(|| {
                let input = Input::Keep(&[&ours[..produced]]);
                let progress = pair.server.session.unwrap(input, &mut [&mut output]).unwrap();
                assert_eq!(progress.produced, RECORDS * size);
            });
            assert!(
                session_copies <= rustls_reads,
                "{session_copies} for {rustls_reads}: unwrap that copies, {size} bytes, 0x{number:04x}"
            );
        }
    }
}

/// Heap that a closure leaves behind.
fn held<R>(of: impl FnOnce() -> R) -> (R, i64) {
    let before = LIVE.get();
    let result = of();
    (result, LIVE.get() - before)
}

/// Moves bytes from one session to another, and counts what each holds afterwards.
fn pass(from: &mut Session, to: &mut Session, heap: &mut [i64; 2], wire: &mut [u8]) {
    let (length, left) = held(|| from.wrap(&[], wire).unwrap().produced);
    heap[0] += left;
    let mut place = 0;
    while place < length {
        let input = Input::Keep(&[&wire[place..length]]);
        let (progress, left) = held(|| to.unwrap(input, &mut [&mut [0; 2000]]).unwrap());
        heap[1] += left;
        assert!(progress.consumed > 0, "{progress:?}");
        place += progress.consumed;
    }
}

#[test]
fn an_idle_session_holds_little() {
    for (version, most) in [(0x0303, [4000, 4000]), (0x0304, [4000, 4000])] {
        let client = Context::new(Config { max_version: version, no_session_cache: true, ..client() }).unwrap();
        let server = Context::new(server("ecdsa256")).unwrap();
        // What contexts and threads make at first use.
        Pair::of(&client, &server).connect().talk(b"data");
        let mut wire = vec![0; 40_000];
        let (mut ours, of_client) = held(|| Session::new(&client, localhost()).unwrap());
        let (mut theirs, of_server) = held(|| Session::new(&server, SessionConfig::default()).unwrap());
        let mut heap = [of_client, of_server];
        for _ in 0..3 {
            pass(&mut ours, &mut theirs, &mut heap, &mut wire);
            let mut turned = [heap[1], heap[0]];
            pass(&mut theirs, &mut ours, &mut turned, &mut wire);
            heap = [turned[1], turned[0]];
        }
        assert_eq!((ours.info().buffered, theirs.info().buffered), (0, 0));
        assert_eq!(ours.state(), ferronet::tls::State::Open);
        let own = size_of::<Session>() as i64;
        println!(
            "0x{version:04x}: a client holds {} bytes, a server {}, of which a session's structure {own}",
            heap[0] + own,
            heap[1] + own
        );
        assert!(heap[0] + own < most[0] && heap[1] + own < most[1], "{heap:?} + {own}");
    }
}
