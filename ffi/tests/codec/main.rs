//! Arbitrary input of the compression streams: a share of what the fuzz targets do for longer, always the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod driver;
#[path = "../zlib/support.rs"]
#[allow(dead_code, reason = "the other test crate uses the rest")]
mod support;

use ferronet::zlib::*;
use support::{Random, compress};

/// Inputs of each random test.
const INPUTS: u64 = 4_000;

fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let directory = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/safety/codec-seeds/{}"), target);
    let mut seeds: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    seeds
}

fn run(name: &str, drive: fn(&[u8]), input: &[u8]) {
    let outcome = std::panic::catch_unwind(|| drive(input));
    assert!(outcome.is_ok(), "{name} breaks a promise: the panic is above; the input is {input:02x?}");
}

#[test]
fn every_seed_of_inflate_keeps_the_promises() {
    seeds("inflate").iter().for_each(|(name, seed)| run(name, driver::inflate, seed));
}

#[test]
fn every_seed_of_the_round_trip_keeps_the_promises() {
    seeds("round-trip").iter().for_each(|(name, seed)| run(name, driver::round_trip, seed));
}

#[test]
fn damaged_streams_keep_the_promises() {
    let seeds = seeds("inflate");
    for number in 1..=INPUTS {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut input = match random.below(4) {
            0 => seeds[random.below(seeds.len())].1.clone(),
            _ => packed(&mut random),
        };
        for _ in 0..random.below(6) {
            let place = random.below(input.len());
            match random.below(4) {
                0 => input.truncate(place.max(1)),
                1 => input.insert(place, random.next() as u8),
                2 => drop(input.remove(place.min(input.len() - 2))),
                _ => input[place] ^= 1 << random.below(8),
            }
            if input.len() < 3 {
                break;
            }
        }
        run(&format!("damaged input {number}"), driver::inflate, &input);
    }
}

/// Random settings, and a stream that may be whole.
fn packed(random: &mut Random) -> Vec<u8> {
    let mut input: Vec<u8> = (0..driver::SETTINGS).map(|_| random.next() as u8 & random.next() as u8).collect();
    let formats = [Format::Gzip, Format::Zlib, Format::Raw];
    for _ in 0..=random.below(2) {
        let script: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8 & 0x5f).collect();
        let level = [Level::Number(1), Level::Number(6), Level::Stored, Level::Fastest][random.below(4)];
        let config = DeflateConfig { level, ..DeflateConfig::new(formats[random.below(3)]) };
        input.extend(compress(config, &script.repeat(1 + random.below(9))));
    }
    input
}

#[test]
fn random_documents_survive_the_round_trip() {
    for number in 1..=INPUTS / 4 {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let length = driver::SETTINGS + random.below(400);
        let input: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        run(&format!("document {number}"), driver::round_trip, &input);
    }
}
