//! Decompression bombs, and the bounds around them.

use ferronet::abi::status::FERRONET_ERR_LIMIT;
use ferronet::zlib::*;

use crate::corpus::repetitive_json;
use crate::support::*;

fn outcome(config: InflateConfig, packed: &[u8], room: usize) -> (usize, ferronet::Result<State>) {
    let mut stream = Inflate::new(config).unwrap();
    let (result, state) = inflate_in_pieces(&mut stream, packed, usize::MAX, room);
    (result.len(), state)
}

#[test]
fn a_bomb_is_stopped_near_its_bound() {
    let bomb =
        compress(DeflateConfig { level: Level::Number(9), ..DeflateConfig::new(Format::Gzip) }, &vec![0; 64 << 20]);
    assert!(bomb.len() < 100_000);
    let (length, state) = outcome(InflateConfig::default(), &bomb, 65_536);
    let error = state.unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_LIMIT);
    assert!(error.text.contains("max_ratio is 200 above 16777216 bytes"), "{error}");
    assert!(length as u64 <= DEFAULT_RATIO_FLOOR + 65_536, "{length}");
    let lifted = InflateConfig { ratio: None, ..InflateConfig::default() };
    assert_eq!(outcome(lifted, &bomb, 1 << 20), (64 << 20, Ok(State::End)));
}

#[test]
fn the_largest_output_is_exact() {
    let document = repetitive_json(10_000);
    let packed = compress(DeflateConfig::new(Format::Gzip), &document);
    for room in [1, 7, 9_999, 10_000, 10_001, 100_000] {
        for max_output in [1, 2, 5_000, 9_999] {
            let config = InflateConfig { max_output, ..InflateConfig::default() };
            let (length, state) = outcome(config, &packed, room);
            assert_eq!(state.unwrap_err().status, FERRONET_ERR_LIMIT, "{max_output} in {room}");
            assert!(length as u64 <= max_output);
        }
        for max_output in [10_000, 10_001] {
            let config = InflateConfig { max_output, ..InflateConfig::default() };
            assert_eq!(outcome(config, &packed, room), (10_000, Ok(State::End)), "{max_output} in {room}");
        }
    }
}

#[test]
fn the_bound_counts_all_members_together() {
    let member = compress(DeflateConfig::new(Format::Gzip), &[b'x'; 1000]);
    let packed = member.repeat(5);
    let config = InflateConfig { concatenated: true, max_output: 4_999, ..InflateConfig::default() };
    assert_eq!(outcome(config, &packed, 100_000).1.unwrap_err().status, FERRONET_ERR_LIMIT);
    let config = InflateConfig { max_output: 5_000, ..config };
    assert_eq!(outcome(config, &packed, 100_000), (5_000, Ok(State::End)));
}

#[test]
fn an_error_stays_until_a_reset() {
    let packed = compress(DeflateConfig::new(Format::Gzip), &[b'x'; 1000]);
    let mut stream = Inflate::new(InflateConfig { max_output: 10, ..InflateConfig::default() }).unwrap();
    let (_, state) = inflate_in_pieces(&mut stream, &packed, usize::MAX, 100);
    let error = state.unwrap_err();
    assert_eq!(stream.process(&[], &mut [], Flush::None), Err(error));
    stream.reset(Some(InflateConfig::default())).unwrap();
    let (result, state) = inflate_in_pieces(&mut stream, &packed, usize::MAX, 100);
    assert_eq!((result.len(), state), (1000, Ok(State::End)));
}
