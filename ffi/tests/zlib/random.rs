//! Random documents, settings, chunks and flushes.

use ferronet::zlib::*;

use crate::corpus::{noise, repetitive_json, varied_json};
use crate::support::*;

fn document(random: &mut Random) -> Vec<u8> {
    let sources = [varied_json(30_000), repetitive_json(30_000), noise(30_000), vec![0; 30_000]];
    let mut document = Vec::new();
    for _ in 0..random.below(6) {
        let source = &sources[random.below(sources.len())];
        let from = random.below(source.len());
        document.extend_from_slice(&source[from..source.len().min(from + random.below(20_000))]);
    }
    document
}

#[test]
fn random_chunks_flushes_and_settings_round_trip() {
    let seed = std::env::var("FERRONET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_240_229);
    let mut random = Random(seed);
    let mut deflate = Deflate::new(DeflateConfig::new(Format::Gzip)).unwrap();
    for round in 0..150 {
        let levels: Vec<Level> = levels().collect();
        let format = FORMATS[random.below(3)];
        let config = DeflateConfig {
            level: levels[random.below(levels.len())],
            window_bits: [0, 9, 10, 12, 15][random.below(5)],
            memory_level: [0, 1, 5, 9][random.below(4)],
            strategy: STRATEGIES[random.below(5)],
            expected_length: random.below(10_000) as u64,
            format,
        };
        deflate.reset(Some(config)).unwrap();
        let document = document(&mut random);
        let mut packed = Vec::new();
        let mut at = 0;
        while at < document.len() {
            let end = document.len().min(at + 1 + random.below(9_000));
            let flush = [Flush::None, Flush::None, Flush::Sync, Flush::Full][random.below(4)];
            deflate_piece(&mut deflate, &document[at..end], flush, 1 + random.below(3_000), &mut packed);
            at = end;
        }
        assert_eq!(deflate_piece(&mut deflate, &[], Flush::Finish, 1 + random.below(30), &mut packed), State::End);
        let ratio = None;
        let config_in = if random.below(2) == 0 {
            InflateConfig { ratio, ..only(format) }
        } else {
            InflateConfig { ratio, ..InflateConfig::default() }
        };
        let mut inflate = Inflate::new(config_in).unwrap();
        let (result, state) =
            inflate_in_pieces(&mut inflate, &packed, 1 + random.below(2_000), 1 + random.below(2_000));
        assert_eq!(state, Ok(State::End), "seed {seed}, round {round}, {config:?}");
        assert!(result == document, "seed {seed}, round {round}, {config:?}");
    }
}
