//! Formats by their first bytes, gzip headers with everything, members and what follows them.

use ferronet::abi::status::FERRONET_ERR_DATA;
use ferronet::zlib::*;

use crate::support::*;

fn outcome(config: InflateConfig, packed: &[u8], piece: usize) -> (Vec<u8>, ferronet::Result<State>, u64, u32) {
    let mut stream = Inflate::new(config).unwrap();
    let (result, state) = inflate_in_pieces(&mut stream, packed, piece, 100);
    (result, state, stream.total_in(), stream.members())
}

#[test]
fn the_format_is_found_whatever_the_pieces_are() {
    for format in FORMATS {
        for level in levels() {
            let packed = compress(DeflateConfig { level, ..DeflateConfig::new(format) }, b"which format is this?");
            for piece in [1, 2, 3, usize::MAX] {
                let (result, state, ..) = outcome(InflateConfig::default(), &packed, piece);
                assert_eq!((result.as_slice(), state), (&b"which format is this?"[..], Ok(State::End)), "{format:?}");
            }
        }
    }
}

#[test]
fn an_expected_format_excludes_the_others() {
    for given in FORMATS {
        for expected in FORMATS.into_iter().filter(|format| *format != given) {
            let packed = compress(DeflateConfig::new(given), b"text text text");
            let (_, state, ..) = outcome(only(expected), &packed, usize::MAX);
            assert!(state.is_err(), "{given:?} was taken for {expected:?}");
        }
    }
}

/// A gzip member with the fields that the flags ask for.
fn member(flags: u8, text: &[u8]) -> Vec<u8> {
    let mut header = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 255];
    if flags & 4 != 0 {
        header.extend_from_slice(&[6, 0, b'A', b'p', 2, 0, 7, 7]);
    }
    if flags & 8 != 0 {
        header.extend_from_slice(b"a name\0");
    }
    if flags & 16 != 0 {
        header.extend_from_slice(b"a comment\0");
    }
    if flags & 2 != 0 {
        let crc = libz_rs_sys_crc(&header) as u16;
        header.extend_from_slice(&crc.to_le_bytes());
    }
    let packed = compress(DeflateConfig::new(Format::Gzip), text);
    header.extend_from_slice(&packed[10..]);
    header
}

/// CRC-32, bit by bit.
fn libz_rs_sys_crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[test]
fn every_optional_field_of_a_gzip_header_is_read() {
    for flags in 0..32 {
        let packed = member(flags, b"body");
        for piece in [1, 2, 5, usize::MAX] {
            let (result, state, ..) = outcome(InflateConfig::default(), &packed, piece);
            assert_eq!((result.as_slice(), state), (&b"body"[..], Ok(State::End)), "flags {flags:#x} in {piece}");
        }
    }
    let mut damaged = member(2 | 8, b"body");
    damaged[12] ^= 1;
    let (_, state, ..) = outcome(InflateConfig::default(), &damaged, usize::MAX);
    assert!(state.unwrap_err().text.ends_with("header crc mismatch"));
    let reserved = outcome(InflateConfig::default(), &member(0x20, b"body"), usize::MAX).1;
    assert!(reserved.unwrap_err().text.contains("header flags"));
}

#[test]
fn members_are_one_stream_when_that_is_asked_for() {
    let packed = [member(0, b"one "), member(31, b"two "), member(0, b""), member(8, b"three")].concat();
    let config = InflateConfig { concatenated: true, ..InflateConfig::default() };
    for piece in [1, 2, 11, usize::MAX] {
        let (result, state, consumed, members) = outcome(config, &packed, piece);
        assert_eq!((result.as_slice(), state), (&b"one two three"[..], Ok(State::End)), "{piece}");
        assert_eq!((consumed, members), (packed.len() as u64, 4));
    }
    let (result, state, consumed, members) = outcome(InflateConfig::default(), &packed, usize::MAX);
    assert_eq!((result.as_slice(), state), (&b"one "[..], Ok(State::End)));
    assert_eq!((consumed as usize, members), (member(0, b"one ").len(), 1));
}

#[test]
fn what_follows_the_last_member_is_padding_or_an_error() {
    let config = InflateConfig { concatenated: true, ..InflateConfig::default() };
    let mut packed = member(0, b"text");
    let length = packed.len();
    packed.extend_from_slice(&[0; 512]);
    let (result, state, consumed, _) = outcome(config, &packed, usize::MAX);
    assert_eq!((result.as_slice(), state, consumed), (&b"text"[..], Ok(State::End), packed.len() as u64));
    for garbage in [&b"x"[..], b"\0x", b"\x1fx", b"\0\x1f\x8b"] {
        packed.truncate(length);
        packed.extend_from_slice(garbage);
        for piece in [1, usize::MAX] {
            let (result, state, ..) = outcome(config, &packed, piece);
            assert_eq!(
                (result.as_slice(), state.unwrap_err().status),
                (&b"text"[..], FERRONET_ERR_DATA),
                "{garbage:?}"
            );
        }
        // Without concatenation it is not looked at.
        let (_, state, consumed, _) = outcome(InflateConfig::default(), &packed, usize::MAX);
        assert_eq!((state, consumed as usize), (Ok(State::End), length));
    }
    packed.truncate(length);
    packed.push(0x1f);
    let status = outcome(config, &packed, usize::MAX).1.unwrap_err().status;
    assert_eq!(status, ferronet::abi::status::FERRONET_ERR_TRUNCATED);
}
