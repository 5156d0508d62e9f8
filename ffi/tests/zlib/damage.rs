//! Damaged streams give an error that names the place: never a hang, never less data than was sent.

use ferronet::abi::status::*;
use ferronet::zlib::*;

use crate::corpus::varied_json;
use crate::support::*;

#[test]
fn every_truncation_is_noticed() {
    let document = varied_json(1_500);
    for format in FORMATS {
        let packed = compress(DeflateConfig::new(format), &document);
        for length in 0..packed.len() {
            for config in [only(format), InflateConfig::default()] {
                let mut stream = Inflate::new(config).unwrap();
                let (result, state) = inflate_in_pieces(&mut stream, &packed[..length], usize::MAX, 4096);
                let error = state.unwrap_err();
                assert_eq!(error.status, FERRONET_ERR_TRUNCATED, "{format:?} cut to {length}: {error}");
                assert!(error.text.contains(&format!("ends after {length} bytes")), "{error}");
                assert!(document.starts_with(&result));
            }
        }
    }
}

#[test]
fn every_flipped_bit_of_a_checked_format_is_noticed() {
    let document = varied_json(600);
    for format in [Format::Gzip, Format::Zlib] {
        let packed = compress(DeflateConfig::new(format), &document);
        // Time, extra flags and system of a gzip header are not covered by any check.
        let unchecked = if format == Format::Gzip { 4..10 } else { 0..0 };
        for at in (0..packed.len()).filter(|at| !unchecked.contains(at)) {
            for bit in 0..8 {
                let mut damaged = packed.clone();
                damaged[at] ^= 1 << bit;
                let mut stream = Inflate::new(only(format)).unwrap();
                let (result, state) = inflate_in_pieces(&mut stream, &damaged, 50, 4096);
                // The text flag of a gzip header, and the bits that fill the last byte of the data, change nothing.
                let last = packed.len() - if format == Format::Gzip { 9 } else { 5 };
                if ((format, at, bit) == (Format::Gzip, 3, 0) || at == last) && state == Ok(State::End) {
                    assert_eq!(result, document);
                    continue;
                }
                let error = state.expect_err(&format!("{format:?}: bit {bit} of byte {at}"));
                let expected = [FERRONET_ERR_DATA, FERRONET_ERR_TRUNCATED, FERRONET_ERR_DICTIONARY];
                assert!(expected.contains(&error.status), "{error}");
                assert!(error.text.contains("byte"), "{error}");
            }
        }
    }
}

#[test]
fn noise_never_hangs_or_panics() {
    let mut random = Random(4711);
    for _ in 0..20_000 {
        let length = random.below(60);
        let data: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        for config in [InflateConfig::default(), only(Format::Raw), only(Format::Gzip)] {
            let mut stream = Inflate::new(config).unwrap();
            let (result, _) = inflate_in_pieces(&mut stream, &data, 7, 100);
            assert!(result.len() <= 60 * 1032);
        }
    }
}

#[test]
fn data_before_the_damage_is_delivered_first() {
    let mut packed = Vec::new();
    let mut deflate = Deflate::new(DeflateConfig::new(Format::Gzip)).unwrap();
    deflate_piece(&mut deflate, b"good", Flush::Sync, 100, &mut packed);
    packed.extend_from_slice(&[0xff; 20]);
    let mut stream = Inflate::new(InflateConfig::default()).unwrap();
    let (result, state) = inflate_in_pieces(&mut stream, &packed, usize::MAX, 100);
    assert_eq!(result, b"good");
    let error = state.unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_DATA);
    assert!(error.text.starts_with("invalid gzip data at byte "), "{error}");
}

#[test]
fn a_wrong_checksum_and_a_wrong_length_are_named() {
    let packed = compress(DeflateConfig::new(Format::Gzip), b"some text");
    for (back, reason) in [(8, "incorrect data check"), (4, "incorrect length check")] {
        let mut damaged = packed.clone();
        let at = damaged.len() - back;
        damaged[at] ^= 1;
        let mut stream = Inflate::new(InflateConfig::default()).unwrap();
        let (result, state) = inflate_in_pieces(&mut stream, &damaged, usize::MAX, 100);
        assert_eq!(result, b"some text");
        let error = state.unwrap_err();
        assert!(error.text.ends_with(reason), "{error}");
    }
}
