//! Random sequences of operations against a simple model: every operation ends once, in an allowed way, before the
//! close of its socket; and each stream arrives whole, in order and unaltered.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use ferronet::abi::config::ferronet_reactor_config;
use ferronet::abi::record::*;
use ferronet::abi::status::*;

use crate::harness::*;

const CANCELLED: i32 = -libc::ECANCELED;

both_backends!(random_operations_keep_every_promise);

const LENT: usize = 8;
const LENT_SIZE: usize = 600;

/// A small generator of numbers (xorshift), so that a failure can be run again by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The byte at a place of a stream.
fn byte_at(seed: u64, place: usize) -> u8 {
    (place as u64 ^ place as u64 >> 8 ^ seed) as u8
}

fn stream(seed: u64, begin: usize, length: usize) -> Vec<u8> {
    (begin..begin + length).map(|place| byte_at(seed, place)).collect()
}

enum Kind {
    /// With the memory to receive into; none is a lent buffer.
    Receive(Option<Box<[u8]>>),
    Send(Vec<u8>),
    Watch,
    Cancel,
    Close,
}

struct Operation {
    socket: usize,
    kind: Kind,
}

struct Modelled {
    number: u32,
    peer: TcpStream,
    seed: u64,
    peer_wrote: usize,
    peer_shut: bool,
    received: usize,
    /// Bytes that completed sends have reported.
    sent: usize,
    send_queued: bool,
    /// A cancelled send has cut the stream short: no more is sent.
    send_cut: bool,
    peer_read: usize,
    in_flight: usize,
    receiving: bool,
    closing: bool,
    closed: bool,
}

struct Model {
    l: Loop,
    sockets: Vec<Modelled>,
    operations: HashMap<u64, Operation>,
}

impl Model {
    fn new(backend: Backend, sockets: usize) -> Self {
        let config = ferronet_reactor_config {
            backend: backend.number(),
            completion_capacity: 16,
            submission_capacity: 16,
            ..Default::default()
        };
        let mut l = Loop::with(config);
        (0..LENT).for_each(|identity| l.lend(identity, LENT_SIZE));
        let sockets = (0..sockets as u64)
            .map(|seed| {
                let (near, peer) = tcp_pair();
                small_send_buffer(&near);
                peer.set_nonblocking(true).unwrap();
                Modelled {
                    number: l.add(near),
                    peer,
                    seed,
                    peer_wrote: 0,
                    peer_shut: false,
                    received: 0,
                    sent: 0,
                    send_queued: false,
                    send_cut: false,
                    peer_read: 0,
                    in_flight: 0,
                    receiving: false,
                    closing: false,
                    closed: false,
                }
            })
            .collect();
        Self { l, sockets, operations: HashMap::new() }
    }

    fn start(&mut self, index: usize, user_data: u64, kind: Kind) {
        self.sockets[index].in_flight += 1;
        self.operations.insert(user_data, Operation { socket: index, kind });
    }

    fn step(&mut self, random: &mut Random) {
        let index = random.below(self.sockets.len() as u64) as usize;
        let choice = random.below(100);
        let s = &mut self.sockets[index];
        let (number, usable) = (s.number, !s.closing);
        match choice {
            0..20 if usable && !s.peer_shut => {
                let bytes = stream(s.seed, s.peer_wrote, 1 + random.below(3000) as usize);
                match s.peer.write(&bytes) {
                    Ok(count) => s.peer_wrote += count,
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                }
            }
            20..35 => {
                read_some(s);
            }
            35..36 if usable && !s.peer_shut => {
                s.peer.shutdown(Shutdown::Write).unwrap();
                s.peer_shut = true;
            }
            36..50 if usable && !s.receiving => {
                s.receiving = true;
                if random.below(2) == 0 {
                    let user_data = self.l.receive_lent(number, random.below(2) == 0);
                    self.start(index, user_data, Kind::Receive(None));
                } else {
                    let mut memory = vec![0; 1 + random.below(2000) as usize].into_boxed_slice();
                    let user_data = self.l.receive(number, &mut memory);
                    self.start(index, user_data, Kind::Receive(Some(memory)));
                }
            }
            50..60 if usable && !s.send_queued && !s.send_cut => {
                s.send_queued = true;
                let size = if random.below(4) == 0 { 500_000 } else { 2000 };
                let bytes = stream(s.seed, s.sent, random.below(size) as usize);
                let user_data = self.l.send(number, &bytes);
                self.start(index, user_data, Kind::Send(bytes));
            }
            60..62 if usable => {
                let user_data = self.l.watch(number, FERRONET_POLL_RDHUP);
                self.start(index, user_data, Kind::Watch);
            }
            62..68 if usable => {
                let any = |op: &&u64| self.operations[op].socket == index;
                let target = self.operations.keys().filter(any).min().copied();
                let user_data = self.l.cancel(number, target.unwrap_or(u64::MAX));
                self.start(index, user_data, Kind::Cancel);
            }
            68..69 if usable && random.below(4) == 0 => {
                s.closing = true;
                let user_data = self.l.op(FERRONET_OP_CLOSE, number);
                self.start(index, user_data, Kind::Close);
            }
            69..75 => self.l.submit(),
            75..78 => self.l.reactor.waker().wake(),
            _ => self.turn(),
        }
    }

    fn turn(&mut self) {
        let completions = self.l.turn(Some(Duration::from_micros(200)));
        self.l.seen.clear();
        completions.iter().for_each(|completion| self.complete(completion));
    }

    fn complete(&mut self, completion: &ferronet_completion) {
        let result = completion.result;
        let operation = self.operations.remove(&completion.user_data);
        let Operation { socket: index, kind } = operation.unwrap_or_else(|| panic!("nobody waits for {completion:?}"));
        let s = &mut self.sockets[index];
        assert_eq!(completion.socket, s.number);
        assert!(!s.closed, "{completion:?} after the close of its socket");
        if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
            assert!(result > 0, "{completion:?}");
            accept_bytes(s, &self.l.lent_bytes(completion));
            if completion.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
                self.l.lend(completion.buffer as usize, LENT_SIZE);
            }
        }
        if !is_final(completion) {
            self.operations.insert(completion.user_data, Operation { socket: index, kind });
            return;
        }
        s.in_flight -= 1;
        match kind {
            Kind::Receive(memory) => {
                s.receiving = false;
                match (result, memory) {
                    (0, _) => assert!(s.peer_shut && s.received == s.peer_wrote, "an early end of the stream"),
                    (1.., Some(memory)) => accept_bytes(s, &memory[..result as usize]),
                    (1.., None) => assert_ne!(completion.flags & FERRONET_COMPLETE_BUFFER, 0),
                    (CANCELLED, _) => {}
                    (status, None) => assert_eq!(status, FERRONET_ERR_NO_BUFFERS),
                    (status, Some(_)) => panic!("a receive failed with {status}"),
                }
            }
            Kind::Send(bytes) => {
                s.send_queued = false;
                s.send_cut |= result != bytes.len() as i32;
                match result {
                    0.. => s.sent += result as usize,
                    status => assert_eq!(status, CANCELLED),
                }
                assert!(result <= bytes.len() as i32);
            }
            Kind::Watch if result == CANCELLED => {}
            Kind::Watch => assert!(s.peer_shut && result as u32 & FERRONET_POLL_RDHUP != 0, "{completion:?}"),
            Kind::Cancel => assert!(result == 0 || result == 1, "{completion:?}"),
            Kind::Close => {
                assert_eq!((result, s.in_flight), (0, 0), "the close of a socket is its last completion");
                s.closed = true;
            }
        }
    }

    /// Closes everything, and sees what the peers got.
    fn finish(mut self) {
        for index in 0..self.sockets.len() {
            if !self.sockets[index].closing {
                self.sockets[index].closing = true;
                let user_data = self.l.op(FERRONET_OP_CLOSE, self.sockets[index].number);
                self.start(index, user_data, Kind::Close);
            }
        }
        let begin = std::time::Instant::now();
        while !self.operations.is_empty() {
            assert!(begin.elapsed() < PATIENCE, "{} operations do not end", self.operations.len());
            self.turn();
        }
        self.l.turn(Some(Duration::ZERO));
        let info = self.l.reactor.info();
        assert_eq!((info.in_flight, info.sockets, info.lent), (0, 0, LENT as u64));
        for s in &mut self.sockets {
            // Bytes that the peer wrote and nobody received make the close a reset, which may overtake what was sent.
            if s.received == s.peer_wrote {
                s.peer.set_nonblocking(false).unwrap();
                while read_some(s) {}
                assert_eq!(s.peer_read, s.sent, "the peer has other bytes than the completions say");
            }
        }
    }
}

/// Checks bytes that the reactor's side received.
fn accept_bytes(s: &mut Modelled, bytes: &[u8]) {
    assert!(bytes == stream(s.seed, s.received, bytes.len()), "bytes at {} differ", s.received);
    s.received += bytes.len();
    assert!(s.received <= s.peer_wrote);
}

/// Reads and checks what the peer's side has; false at the end.
fn read_some(s: &mut Modelled) -> bool {
    let mut memory = vec![0; 40_000];
    match s.peer.read(&mut memory) {
        Ok(count) => {
            assert!(memory[..count] == stream(s.seed, s.peer_read, count), "bytes at {} differ", s.peer_read);
            s.peer_read += count;
            count > 0
        }
        Err(error) => {
            let allowed = [ErrorKind::WouldBlock, ErrorKind::ConnectionReset];
            assert!(allowed.contains(&error.kind()), "{error}");
            false
        }
    }
}

fn random_operations_keep_every_promise(backend: Backend) {
    for seed in 1..=15 {
        println!("seed {seed}");
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
        let mut model = Model::new(backend, 4);
        (0..1500).for_each(|_| model.step(&mut random));
        model.finish();
    }
}
