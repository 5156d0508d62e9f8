//! Random operations and peers: every operation ends exactly once, no buffer is lost, no byte is out of order.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::abi::record::*;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const BUFFERS: usize = 32;
const BUFFER_SIZE: usize = 700;
const STEPS: usize = 3000;

/// xorshift64: the same sequence for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// What the test knows of one socket.
struct Side {
    socket: u32,
    peer: Option<TcpStream>,
    /// Next byte that the peer writes, and that the receiver must see: the stream is 0, 1, 2, ...
    written: u8,
    received: u8,
    receiving: bool,
    closing: bool,
}

struct World {
    driver: Loop,
    random: Random,
    memory: Box<[[u8; BUFFER_SIZE]]>,
    own: HashMap<u64, Box<[u8]>>,
    /// Operations without their final completion, by `user_data`, with their kind.
    open: HashMap<u64, (u8, u32)>,
    sides: HashMap<u32, Side>,
    last: u64,
    bytes: Vec<u8>,
}

impl World {
    fn queue(&mut self, record: ferronet_submission) -> u64 {
        self.last += 1;
        self.open.insert(self.last, (record.op, record.socket));
        self.driver.queue(ferronet_submission { user_data: self.last, ..record });
        self.last
    }

    fn lend(&mut self, identity: usize) {
        let record = lend(identity as u16, &mut self.memory[identity]);
        self.driver.queue(record);
    }

    fn step(&mut self) {
        if self.sides.len() < 12 {
            let (socket, peer) = self.driver.pair();
            peer.set_nonblocking(true).unwrap();
            let side = Side { socket, peer: Some(peer), written: 0, received: 0, receiving: false, closing: false };
            self.sides.insert(socket, side);
        }
        let mut sockets: Vec<u32> = self.sides.values().filter(|side| !side.closing).map(|side| side.socket).collect();
        sockets.sort_unstable();
        if sockets.is_empty() {
            return;
        }
        let socket = sockets[self.random.below(sockets.len() as u64) as usize];
        match self.random.below(20) {
            0..=3 => self.receive(socket),
            4..=6 => {
                let length = [1, 100, 60_000, 900_000][self.random.below(4) as usize];
                let record = send(socket, 0, &self.bytes[..length]);
                self.queue(record);
            }
            7 => {
                let half = self.bytes.len() / 2;
                let second = self.bytes[half..].as_ptr() as u64;
                let record = ferronet_submission { addr1: second, len1: 5000, ..send(socket, 0, &self.bytes[..10]) };
                self.queue(record);
            }
            8 => {
                self.queue(ferronet_submission { len0: FERRONET_POLL_RDHUP, ..op(FERRONET_OP_POLL, socket, 0) });
            }
            9 => {
                self.queue(ferronet_submission { flags: FERRONET_SUBMIT_ALL, ..op(FERRONET_OP_CANCEL, socket, 0) });
            }
            10 => {
                let mut targets: Vec<u64> =
                    self.open.iter().filter(|(_, (_, s))| *s == socket).map(|(u, _)| *u).collect();
                targets.sort_unstable();
                let arg0 = targets.first().copied().unwrap_or(999_999_999);
                self.queue(ferronet_submission { arg0, ..op(FERRONET_OP_CANCEL, socket, 0) });
            }
            11 => {
                self.queue(ferronet_submission {
                    len0: FERRONET_SHUTDOWN_WRITE,
                    ..op(FERRONET_OP_SHUTDOWN, socket, 0)
                });
            }
            12 => {
                self.queue(op(FERRONET_OP_CLOSE, socket, 0));
                if let Some(side) = self.sides.get_mut(&socket) {
                    side.closing = true;
                }
            }
            13..=16 => self.peer_writes(socket),
            17..=18 => self.peer_reads(socket),
            _ => {
                let reset = self.random.below(2) == 0;
                let peer = self.sides.get_mut(&socket).and_then(|side| side.peer.take());
                if let Some(peer) = peer.filter(|_| reset) {
                    linger_zero(&peer);
                }
            }
        }
        if self.random.below(3) == 0 {
            self.driver.submit();
        }
        if self.random.below(2) == 0 {
            self.turn(Duration::ZERO);
        }
    }

    fn receive(&mut self, socket: u32) {
        let lent = self.random.below(2) == 0;
        let length = 1 + self.random.below(1000) as usize;
        let Some(side) = self.sides.get_mut(&socket).filter(|side| !side.receiving) else { return };
        side.receiving = true;
        if lent {
            self.queue(recv_lent(socket, 0));
        } else {
            let mut buffer = vec![0u8; length].into_boxed_slice();
            let record = recv(socket, 0, &mut buffer);
            let user_data = self.queue(record);
            self.own.insert(user_data, buffer);
        }
    }

    fn peer_writes(&mut self, socket: u32) {
        let length = 1 + self.random.below(3000) as usize;
        let Some(side) = self.sides.get_mut(&socket) else { return };
        let bytes: Vec<u8> = (0..length).map(|n| side.written.wrapping_add(n as u8)).collect();
        let Some(peer) = &mut side.peer else { return };
        if let Ok(count) = peer.write(&bytes) {
            side.written = side.written.wrapping_add(count as u8);
        }
    }

    fn peer_reads(&mut self, socket: u32) {
        let Some(peer) = self.sides.get_mut(&socket).and_then(|side| side.peer.as_mut()) else { return };
        while matches!(peer.read(&mut [0; 65_536]), Ok(1..)) {}
    }

    fn turn(&mut self, timeout: Duration) {
        self.driver.turn(timeout);
        for completion in std::mem::take(&mut self.driver.results) {
            self.take(completion);
        }
    }

    fn take(&mut self, completion: ferronet_completion) {
        let last = completion.flags & FERRONET_COMPLETE_MORE == 0;
        let Some(&(kind, socket)) = self.open.get(&completion.user_data) else {
            panic!("an operation that has ended, or never was: {completion:?}");
        };
        assert_eq!(completion.socket, socket);
        if kind == FERRONET_OP_RECV {
            if completion.result > 0 {
                let length = completion.result as usize;
                let bytes = if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
                    self.memory[completion.buffer as usize][..length].to_vec()
                } else {
                    self.own[&completion.user_data][..length].to_vec()
                };
                let side = self.sides.get_mut(&socket).unwrap();
                for byte in bytes {
                    assert_eq!(byte, side.received, "a byte out of order");
                    side.received = side.received.wrapping_add(1);
                }
            }
            if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
                self.lend(completion.buffer as usize);
            }
            if last {
                self.sides.get_mut(&socket).unwrap().receiving = false;
                self.own.remove(&completion.user_data);
            }
        }
        if last {
            self.open.remove(&completion.user_data);
        }
        if kind == FERRONET_OP_CLOSE {
            assert_eq!(completion.result, 0);
            let left: Vec<_> =
                self.open.values().filter(|(kind, s)| *s == socket && *kind != FERRONET_OP_CANCEL).collect();
            assert!(left.is_empty(), "a close before {left:?}");
            self.sides.remove(&socket);
        }
    }
}

fn run(seed: u64, config: &ferronet_reactor_config) {
    let mut world = World {
        driver: Loop::new(config),
        random: Random(seed),
        memory: vec![[0; BUFFER_SIZE]; BUFFERS].into_boxed_slice(),
        own: HashMap::new(),
        open: HashMap::new(),
        sides: HashMap::new(),
        last: 0,
        bytes: vec![7; 1 << 20],
    };
    (0..BUFFERS).for_each(|identity| world.lend(identity));
    for _ in 0..STEPS {
        world.step();
    }
    let sockets: Vec<u32> = world.sides.values().filter(|side| !side.closing).map(|side| side.socket).collect();
    for socket in sockets {
        world.queue(op(FERRONET_OP_CLOSE, socket, 0));
    }
    let begin = Instant::now();
    while !world.open.is_empty() {
        assert!(begin.elapsed() < PATIENCE, "seed {seed}: {:?}", world.open);
        world.turn(Duration::from_millis(50));
    }
    world.turn(Duration::ZERO);
    let info = world.driver.info();
    assert_eq!((info.in_flight, info.sockets, info.lent), (0, 0, BUFFERS as u64), "seed {seed}");
}

#[test]
fn every_operation_ends_once_on_every_step() {
    let rings =
        [(0, 0), (FERRONET_RING_BUFFER_RING, 0), (FERRONET_RING_MULTISHOT_RECV, 0), (FERRONET_RING_DEFER_TASKRUN, 0)];
    for (mask, flags) in rings.into_iter().chain([(0, FERRONET_REACTOR_ANY_THREAD)]) {
        for (seed, entries) in [(0x9E37_79B9, 8), (0x2545_F491, 64), (0x1234_5678, 0)] {
            run(
                seed,
                &ring(|config| {
                    (config.disabled_ring_features, config.flags, config.ring_entries) = (mask, flags, entries);
                    (config.lent_capacity, config.completion_capacity) = (BUFFERS as u32, 16);
                }),
            );
        }
    }
}

#[test]
fn the_poll_backend_keeps_the_same_promises() {
    for seed in [0x9E37_79B9, 0x2545_F491, 0x1234_5678] {
        let backend = FERRONET_BACKEND_POLL;
        run(seed, &ferronet_reactor_config { backend, lent_capacity: BUFFERS as u32, ..Default::default() });
    }
}
