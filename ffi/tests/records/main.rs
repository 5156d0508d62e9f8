//! Submission records with arbitrary contents: a share of what the fuzz target does for longer, always the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(unix)]

mod driver;
#[path = "../reactor/harness.rs"]
#[allow(dead_code, reason = "the other test crate uses the rest")]
#[macro_use]
mod harness;

use ferronet::abi::record::*;
use harness::Backend;

both_backends!(every_seed_keeps_the_promises, random_and_mutated_records_keep_the_promises);

/// Inputs of the second test.
const INPUTS: u64 = 1500;
/// Steps of each.
const STEPS: u64 = 24;

/// xorshift64: the same sequence for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }
}

fn run(backend: Backend, name: &str, input: &[u8]) {
    let outcome = std::panic::catch_unwind(|| driver::run(backend.number(), input));
    assert!(outcome.is_ok(), "{name} breaks a promise on {backend:?}: the panic is above");
}

/// What the fuzz target begins with, and inputs that once failed.
fn every_seed_keeps_the_promises(backend: Backend) {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/safety/seeds");
    let mut seeds: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    for seed in seeds {
        run(backend, &seed.display().to_string(), &std::fs::read(&seed).unwrap());
    }
}

fn random_and_mutated_records_keep_the_promises(backend: Backend) {
    for seed in 1..=INPUTS {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let input: Vec<u8> = (0..STEPS).flat_map(|_| step(&mut random)).collect();
        run(backend, &format!("the input with seed {seed}"), &input);
    }
}

fn step(random: &mut Random) -> Vec<u8> {
    let record = if random.below(8) == 0 { arbitrary(random) } else { plausible(random) };
    let mut bytes = vec![random.next() as u8];
    // SAFETY: a record is 64 bytes without padding.
    bytes.extend_from_slice(unsafe { &*(&raw const record).cast::<[u8; size_of::<ferronet_submission>()]>() });
    if random.below(4) == 0 {
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] ^= 1 << random.below(8);
        }
    }
    bytes
}

fn arbitrary(random: &mut Random) -> ferronet_submission {
    ferronet_submission {
        op: random.below(12) as u8,
        flags: random.next() as u8 & random.next() as u8 & random.next() as u8,
        socket: random.below(6) as u32,
        addr0: random.next(),
        len0: random.next() as u32 >> random.below(32),
        len1: random.next() as u32 >> random.below(32),
        addr1: random.next(),
        arg0: random.next() >> random.below(64),
        ..Default::default()
    }
}

/// A record with only the fields that its operation uses.
fn plausible(random: &mut Random) -> ferronet_submission {
    let (op, socket) = (1 + random.below(10) as u8, 1 + random.below(5) as u32);
    let (addr0, addr1) = (random.next() | 1 << 60, random.next() | 1 << 60);
    let (len0, len1) = (random.below(3000) as u32, random.below(300) as u32);
    let base = ferronet_submission { op, socket, ..Default::default() };
    match op {
        FERRONET_OP_ACCEPT => ferronet_submission { flags: random.below(2) as u8, ..base },
        FERRONET_OP_CONNECT => ferronet_submission { addr0, ..base },
        FERRONET_OP_RECV if random.below(2) == 0 => {
            ferronet_submission { flags: FERRONET_SUBMIT_LENT | random.below(2) as u8, ..base }
        }
        FERRONET_OP_RECV => ferronet_submission { addr0, len0, ..base },
        FERRONET_OP_SEND if random.below(2) == 0 => ferronet_submission { addr0, len0, ..base },
        FERRONET_OP_SEND => ferronet_submission { addr0, len0, addr1, len1, ..base },
        FERRONET_OP_SEND_GATHER => ferronet_submission { addr0, len0: len0 / 2, ..base },
        FERRONET_OP_POLL => ferronet_submission { len0: random.below(32) as u32, ..base },
        FERRONET_OP_SHUTDOWN => ferronet_submission { len0: random.below(3) as u32, ..base },
        FERRONET_OP_CANCEL if random.below(2) == 0 => ferronet_submission { flags: FERRONET_SUBMIT_ALL, ..base },
        FERRONET_OP_CANCEL => ferronet_submission { arg0: random.next(), ..base },
        FERRONET_OP_LEND => ferronet_submission { socket: 0, addr0, len0, arg0: random.below(24), ..base },
        // Closing in every tenth step would leave little to do.
        _ => ferronet_submission { op: FERRONET_OP_RECV, addr0, len0, ..base },
    }
}
