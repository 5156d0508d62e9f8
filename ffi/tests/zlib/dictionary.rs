//! Preset dictionaries.

use ferronet::abi::status::FERRONET_ERR_DICTIONARY;
use ferronet::zlib::*;

use crate::support::*;

const DICTIONARY: &[u8] = b"{\"id\":,\"name\":\"\",\"price\":}";
const TEXT: &[u8] = b"{\"id\":17,\"name\":\"bolt\",\"price\":4}";

fn packed(format: Format, dictionary: &[u8]) -> Vec<u8> {
    let mut stream = Deflate::new(DeflateConfig::new(format)).unwrap();
    stream.set_dictionary(dictionary).unwrap();
    let mut first = Vec::new();
    deflate_piece(&mut stream, TEXT, Flush::Finish, 100, &mut first);
    stream.reset(None).unwrap();
    let mut second = Vec::new();
    deflate_piece(&mut stream, TEXT, Flush::Finish, 100, &mut second);
    assert_eq!(first, second, "a dictionary stays after a reset");
    first
}

#[test]
fn a_dictionary_saves_bytes_and_is_asked_for() {
    for format in [Format::Zlib, Format::Raw] {
        let packed = packed(format, DICTIONARY);
        assert!(packed.len() < compress(DeflateConfig::new(format), TEXT).len());
        let mut stream = Inflate::new(only(format)).unwrap();
        stream.set_dictionary(DICTIONARY).unwrap();
        for _ in 0..2 {
            let (result, state) = inflate_in_pieces(&mut stream, &packed, 5, 100);
            assert_eq!((result.as_slice(), state), (TEXT, Ok(State::End)), "{format:?}");
            stream.reset(None).unwrap();
        }
        stream.set_dictionary(b"").unwrap();
        assert!(inflate_in_pieces(&mut stream, &packed, 5, 100).1.is_err(), "{format:?}");
    }
}

#[test]
fn a_missing_or_wrong_dictionary_is_named_by_its_checksum() {
    let packed = packed(Format::Zlib, DICTIONARY);
    let mut stream = Inflate::new(InflateConfig::default()).unwrap();
    let missing = inflate_in_pieces(&mut stream, &packed, 3, 100).1.unwrap_err();
    assert_eq!(missing.status, FERRONET_ERR_DICTIONARY);
    assert!(missing.text.contains("needs the dictionary with the Adler-32 "), "{missing}");
    stream.reset(None).unwrap();
    stream.set_dictionary(b"another one").unwrap();
    let wrong = inflate_in_pieces(&mut stream, &packed, 3, 100).1.unwrap_err();
    assert_eq!(wrong.status, FERRONET_ERR_DICTIONARY);
    assert!(wrong.text.ends_with("but another one was set"), "{wrong}");
}

#[test]
fn a_dictionary_comes_first_and_never_with_gzip() {
    let mut gzip = Deflate::new(DeflateConfig::new(Format::Gzip)).unwrap();
    assert!(gzip.set_dictionary(DICTIONARY).unwrap_err().text.contains("gzip has no dictionaries"));
    let mut stream = Deflate::new(DeflateConfig::new(Format::Raw)).unwrap();
    deflate_piece(&mut stream, b"x", Flush::None, 100, &mut Vec::new());
    assert!(stream.set_dictionary(DICTIONARY).unwrap_err().text.contains("has begun"));
    let mut inflate = Inflate::new(only(Format::Raw)).unwrap();
    inflate.process(&[3], &mut [], Flush::None).unwrap();
    assert!(inflate.set_dictionary(DICTIONARY).unwrap_err().text.contains("has begun"));
}
