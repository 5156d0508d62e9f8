//! Streams that are compressed in one call, which have a compressor of their own up to level 7.

use ferronet::zlib::*;

use crate::corpus::*;
use crate::gzip_tool::{gzip, report_skipped};
use crate::support::*;

const LEVELS: [Level; 8] = [
    Level::Number(1),
    Level::Number(2),
    Level::Number(3),
    Level::Number(4),
    Level::Number(5),
    Level::Number(6),
    Level::Number(7),
    Level::Default,
];
/// The two ways to look for matches, with the least and the most effort.
const WAYS: [Level; 3] = [Level::Number(1), Level::Number(2), Level::Number(7)];

fn settings(level: Level, format: Format) -> DeflateConfig {
    DeflateConfig { level, ..DeflateConfig::new(format) }
}

fn survives(level: Level, document: &[u8], name: &str) {
    for format in FORMATS {
        let packed = compress(settings(level, format), document);
        assert!(packed.len() as u64 <= bound(document.len() as u64), "{name} {level:?} {format:?}");
        assert!(decompress(format, &packed) == document, "{name} {level:?} {format:?}");
    }
}

#[test]
fn every_length_up_to_a_few_words_and_around_the_limits_survives() {
    for length in (0..80).chain(4090..4100).chain([65_535, 65_536, 131_071, 131_072, 131_073, 262_144, 300_000]) {
        for (name, make) in
            [("varied", varied_json as fn(usize) -> Vec<u8>), ("noise", noise), ("zeros", |length| vec![0; length])]
        {
            for level in LEVELS {
                survives(level, &make(length), &format!("{name} of {length}"));
            }
        }
    }
}

#[test]
fn documents_of_few_symbols_runs_and_far_repeats_survive() {
    let mut random = Random(42);
    for round in 0..400 {
        let symbols = 1 + random.below(if round % 2 == 0 { 4 } else { 256 });
        let mut document = Vec::new();
        let length = random.below(if round % 20 == 0 { 200_000 } else { 5_000 });
        while document.len() < length {
            match random.below(3) {
                0 => (0..random.below(30)).for_each(|_| document.push(random.below(symbols) as u8)),
                1 => document.extend(std::iter::repeat_n(random.below(symbols) as u8, random.below(600))),
                _ if document.is_empty() => {}
                _ => {
                    let from = random.below(document.len());
                    let end = document.len().min(from + random.below(700));
                    document.extend_from_within(from..end);
                }
            }
        }
        for level in LEVELS {
            survives(level, &document, &format!("round {round}"));
        }
    }
}

/// Each symbol as often as the two before it together, in random order: the deepest tree that so many bytes can have.
fn fibonacci(length: usize) -> Vec<u8> {
    let mut document = Vec::with_capacity(length);
    let (mut count, mut next) = (1usize, 1usize);
    for symbol in 0u8.. {
        document.extend(std::iter::repeat_n(symbol, count.min(length - document.len())));
        if document.len() == length {
            break;
        }
        (count, next) = (next, count + next);
    }
    let mut random = Random(5);
    for at in (1..length).rev() {
        document.swap(at, random.below(at + 1));
    }
    document
}

/// Runs of few symbols and many lengths.
fn runs(length: usize) -> Vec<u8> {
    let mut random = Random(length as u64 + 1);
    let mut document = Vec::new();
    while document.len() < length {
        let longest = 2 << random.below(15);
        let run = (1 + random.below(longest)).min(length - document.len());
        document.extend(std::iter::repeat_n(random.below(3) as u8, run));
    }
    document
}

/// Every symbol equally often, and few repeats.
fn all_symbols(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at.wrapping_mul(167) ^ (at >> 8).wrapping_mul(13)) as u8).collect()
}

type Maker = fn(usize) -> Vec<u8>;

const HOSTILE: [(&str, Maker); 5] = [
    ("Fibonacci's frequencies", fibonacci),
    ("runs", runs),
    ("all symbols", all_symbols),
    ("noise", noise),
    ("zeros", |length| vec![0; length]),
];

#[test]
fn hostile_documents_of_every_length_survive_and_grow_by_stored_blocks_at_most() {
    let mut random = Random(70_000);
    let mut lengths: Vec<usize> = (0..70_000).step_by(1_777).collect();
    lengths.extend((6..17).flat_map(|bits| (1usize << bits) - 2..(1 << bits) + 3));
    lengths.extend((0..40).map(|_| random.below(70_000)));
    for (name, make) in HOSTILE {
        for &length in &lengths {
            let document = make(length);
            for level in WAYS {
                let packed = compress(settings(level, Format::Raw), &document);
                assert!(decompress(Format::Raw, &packed) == document, "{name} of {length} at {level:?}");
                let limit = length + 5 * (length / 65_535 + 1) + 1;
                assert!(packed.len() <= limit, "{name} of {length} at {level:?} became {}", packed.len());
            }
        }
    }
}

#[test]
fn gzip_reads_whole_streams_of_hostile_documents() {
    let mut random = Random(11);
    let (mut members, mut documents) = (Vec::new(), Vec::new());
    for (_, make) in HOSTILE.into_iter().chain([("varied", varied_json as Maker)]) {
        for round in 0..60 {
            let document = make(if round % 2 == 0 { random.below(70_000) } else { random.below(4_200) });
            let level = LEVELS[round % LEVELS.len()];
            members.extend(compress(settings(level, Format::Gzip), &document));
            documents.extend(document);
        }
    }
    let Some(result) = gzip(&["-d", "-c"], &members) else {
        return report_skipped("whole::gzip_reads_whole_streams_of_hostile_documents");
    };
    assert!(result == documents);
}

#[test]
fn matches_reach_as_far_as_the_window_and_no_farther() {
    let part = noise(100);
    for gap in [32_668, 32_667, 32_669, 32_768, 40_000] {
        let mut document = part.clone();
        document.extend(vec![b' '; gap - 100]);
        document.extend_from_slice(&part);
        document.extend_from_slice(b"the end of the document");
        for level in WAYS {
            survives(level, &document, &format!("a gap of {gap}"));
        }
    }
}

#[test]
fn a_match_at_the_window_s_far_end_is_found_and_beyond_it_none() {
    let part = noise(200);
    let size = |gap: usize, level: Level| {
        let document = [&part[..], &vec![b' '; gap - part.len()], &part, b"the end of the document"].concat();
        compress(settings(level, Format::Raw), &document).len()
    };
    for level in LEVELS {
        let far = size(32_768, level);
        assert!(far + 150 < size(32_769, level), "{level:?}: {far} and {} bytes", size(32_769, level));
    }
}

#[test]
fn a_document_of_different_parts_has_little_more_than_the_parts() {
    let parts = [varied_json(40_000), noise(30_000), vec![b'='; 9_000], html(40_000), base64(30_000)];
    let document = parts.concat();
    for level in LEVELS {
        let alone: usize = parts.iter().map(|part| compress(settings(level, Format::Raw), part).len()).sum();
        let together = compress(settings(level, Format::Raw), &document).len();
        assert!(together < alone + alone / 20, "{level:?}: {together} bytes, and {alone} in parts");
    }
}

/// Noise in 64 symbols.
fn base64(length: usize) -> Vec<u8> {
    noise(length).iter().map(|byte| b'0' + byte % 64).collect()
}

#[test]
fn the_room_for_output_changes_nothing_but_the_calls() {
    let document = varied_json(20_000);
    for (format, level) in FORMATS.into_iter().zip(WAYS) {
        let whole = compress(settings(level, format), &document);
        for room in [1, 7, 100, whole.len() - 1, whole.len(), whole.len() + 1] {
            let mut stream = Deflate::new(settings(level, format)).unwrap();
            let mut packed = Vec::new();
            assert_eq!(deflate_piece(&mut stream, &document, Flush::Finish, room, &mut packed), State::End);
            assert!(packed == whole, "{format:?} with room for {room}");
            assert_eq!(stream.total_out(), whole.len() as u64);
        }
    }
}

#[test]
fn the_checksum_is_that_of_the_input_in_both_ways() {
    let document = varied_json(3_000);
    for format in [Format::Gzip, Format::Zlib] {
        let mut whole = Deflate::new(settings(Level::Number(1), format)).unwrap();
        let mut parts = Deflate::new(settings(Level::Number(1), format)).unwrap();
        assert_eq!(whole.checksum(), parts.checksum());
        deflate_piece(&mut whole, &document, Flush::Finish, 100, &mut Vec::new());
        deflate_piece(&mut parts, &document[..10], Flush::None, 100, &mut Vec::new());
        deflate_piece(&mut parts, &document[10..], Flush::Finish, 100, &mut Vec::new());
        assert_eq!(whole.checksum(), parts.checksum(), "{format:?}");
        let new = Deflate::new(settings(Level::Number(1), format)).unwrap().checksum();
        whole.reset(None).unwrap();
        parts.reset(None).unwrap();
        assert_eq!((whole.checksum(), parts.checksum()), (new, new), "{format:?}");
    }
}

#[test]
fn input_behind_a_taken_whole_is_refused_and_a_reset_drops_the_rest() {
    let document = varied_json(5_000);
    let mut stream = Deflate::new(settings(Level::Number(1), Format::Gzip)).unwrap();
    let first = with_room(&mut Vec::new(), 10, |output| {
        let progress = stream.process(&document, output, Flush::Finish)?;
        Ok((progress.produced, progress))
    });
    assert_eq!(first.unwrap().state, State::NeedsOutput);
    let error = stream.process(b"more", &mut [std::mem::MaybeUninit::uninit()], Flush::Finish).unwrap_err();
    assert!(error.text.contains("its input was taken"), "{error}");
    assert!(stream.process(b"", &mut [], Flush::Sync).unwrap_err().text.contains("is being finished"));
    stream.reset(None).unwrap();
    let mut packed = Vec::new();
    deflate_piece(&mut stream, b"next", Flush::Finish, 100, &mut packed);
    assert_eq!(decompress(Format::Gzip, &packed), b"next");
}

#[test]
fn what_is_too_long_to_be_held_is_streamed() {
    let document = vec![0; (64 << 20) + 1];
    let mut room = [std::mem::MaybeUninit::uninit(); 16];
    let mut consumed = |document: &[u8]| {
        let mut stream = Deflate::new(settings(Level::Number(1), Format::Gzip)).expect("the settings are in range");
        stream.process(document, &mut room, Flush::Finish).expect("room for a beginning").consumed
    };
    assert_eq!(consumed(&document[1..]), 64 << 20);
    assert!(consumed(&document) < document.len());
}
