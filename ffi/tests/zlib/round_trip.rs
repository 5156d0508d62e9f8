//! What goes in comes out, for every level, format, strategy, window and chunking.

use ferronet::zlib::*;

use crate::corpus::{documents, noise, repetitive_json, varied_json};
use crate::support::*;

#[test]
fn every_document_survives_every_level_and_format() {
    for (name, document) in documents() {
        for level in levels() {
            for format in FORMATS {
                let packed = compress(DeflateConfig { level, ..DeflateConfig::new(format) }, &document);
                assert!(packed.len() as u64 <= bound(document.len() as u64), "{name} {level:?} {format:?}");
                assert_eq!(decompress(format, &packed), document, "{name} {level:?} {format:?}");
            }
        }
    }
}

#[test]
fn every_strategy_window_and_memory_level_survives() {
    let document = varied_json(40_000);
    for strategy in STRATEGIES {
        for (window_bits, memory_level) in [(9, 1), (12, 5), (15, 9), (0, 0), (10, 8)] {
            for level in [Level::Fastest, Level::Number(1), Level::Number(6), Level::Number(9)] {
                let config =
                    DeflateConfig { level, strategy, window_bits, memory_level, ..DeflateConfig::new(Format::Gzip) };
                assert_eq!(decompress(Format::Gzip, &compress(config, &document)), document, "{config:?}");
            }
        }
    }
}

#[test]
fn every_piece_size_gives_the_same_bytes() {
    let document = varied_json(5_000);
    for format in FORMATS {
        let packed = compress(DeflateConfig::new(format), &document);
        for piece in [1, 2, 3, 7, 100, 4096] {
            for room in [1, 2, 13, 8192] {
                let mut stream = Inflate::new(only(format)).unwrap();
                let (result, state) = inflate_in_pieces(&mut stream, &packed, piece, room);
                assert_eq!(state, Ok(State::End), "{format:?} in {piece}, {room}");
                assert_eq!(result, document);
            }
            let mut stream = Deflate::new(DeflateConfig::new(format)).unwrap();
            let mut again = Vec::new();
            for part in document.chunks(piece) {
                deflate_piece(&mut stream, part, Flush::None, 10, &mut again);
            }
            assert_eq!(deflate_piece(&mut stream, &[], Flush::Finish, 10, &mut again), State::End);
            assert_eq!(decompress(format, &again), document, "{format:?} of {piece}");
        }
    }
}

#[test]
fn a_sync_flush_delivers_everything_so_far() {
    for flush in [Flush::Sync, Flush::Full] {
        for level in levels() {
            let mut deflate = Deflate::new(DeflateConfig { level, ..DeflateConfig::new(Format::Gzip) }).unwrap();
            let mut inflate = Inflate::new(InflateConfig::default()).unwrap();
            let document = varied_json(3_000);
            let mut got = Vec::new();
            for part in document.chunks(37) {
                let mut packed = Vec::new();
                assert_eq!(deflate_piece(&mut deflate, part, flush, 64, &mut packed), State::NeedsInput);
                let progress = with_room(&mut got, 1000, |output| {
                    let progress = inflate.process(&packed, output, Flush::None)?;
                    Ok((progress.produced, progress))
                })
                .unwrap();
                assert_eq!((progress.consumed, progress.produced), (packed.len(), part.len()), "{level:?}");
            }
            assert_eq!(got, document);
        }
    }
}

#[test]
fn a_flush_ends_however_small_the_room_is() {
    for format in FORMATS {
        for level in [Level::Stored, Level::Fastest, Level::Number(1), Level::Number(6)] {
            for room in 1..40 {
                let mut deflate = Deflate::new(DeflateConfig { level, ..DeflateConfig::new(format) }).unwrap();
                let document = varied_json(300);
                let mut packed = Vec::new();
                for part in document.chunks(100) {
                    assert_eq!(deflate_piece(&mut deflate, part, Flush::None, room, &mut packed), State::NeedsInput);
                    for flush in [Flush::Sync, Flush::Full] {
                        assert_eq!(deflate_piece(&mut deflate, &[], flush, room, &mut packed), State::NeedsInput);
                    }
                }
                assert_eq!(deflate_piece(&mut deflate, &[], Flush::Finish, room, &mut packed), State::End);
                assert_eq!(deflate.total_out(), packed.len() as u64);
                assert!(packed.len() < 700, "{} bytes with room for {room}", packed.len());
                assert_eq!(decompress(format, &packed), document, "{format:?} {level:?} with room for {room}");
            }
        }
    }
}

#[test]
fn a_second_flush_without_input_adds_nothing_endless() {
    let mut deflate = Deflate::new(DeflateConfig::new(Format::Zlib)).unwrap();
    let mut packed = Vec::new();
    for _ in 0..10 {
        assert_eq!(deflate_piece(&mut deflate, b"", Flush::Sync, 100, &mut packed), State::NeedsInput);
    }
    assert_eq!(deflate_piece(&mut deflate, b"end", Flush::Finish, 100, &mut packed), State::End);
    assert!(packed.len() < 100);
    assert_eq!(decompress(Format::Zlib, &packed), b"end");
}

#[test]
fn an_empty_stream_is_valid_in_every_format() {
    for (format, length) in [(Format::Gzip, 20), (Format::Zlib, 8), (Format::Raw, 2)] {
        let packed = compress(DeflateConfig::new(format), b"");
        assert_eq!(packed.len(), length, "{format:?}");
        assert_eq!(decompress(format, &packed), b"");
    }
}

#[test]
fn a_reset_gives_the_same_bytes_as_a_new_stream() {
    let documents = [varied_json(50_000), repetitive_json(9_000), noise(1_000), vec![]];
    for format in FORMATS {
        let mut deflate = Deflate::new(DeflateConfig::new(format)).unwrap();
        let mut inflate = Inflate::new(only(format)).unwrap();
        for level in levels() {
            for document in &documents {
                let config = DeflateConfig { level, ..DeflateConfig::new(format) };
                // The stream before may have been left in the middle.
                let mut packed = Vec::new();
                deflate.reset(None).unwrap();
                deflate.process(b"left over", &mut [], Flush::None).unwrap();
                deflate.reset(Some(config)).unwrap();
                deflate_piece(&mut deflate, document, Flush::Finish, 5000, &mut packed);
                assert_eq!(packed, compress(config, document), "{level:?} {format:?}");
                inflate.reset(None).unwrap();
                let (result, state) = inflate_in_pieces(&mut inflate, &packed, 1000, 1000);
                assert_eq!((state, result == *document), (Ok(State::End), true));
            }
        }
    }
}

#[test]
fn a_reset_changes_format_and_window() {
    let document = varied_json(2_000);
    let mut deflate = Deflate::new(DeflateConfig::new(Format::Gzip)).unwrap();
    for format in FORMATS {
        for expected_length in [0, 2_000, 5_000] {
            let config = DeflateConfig { expected_length, ..DeflateConfig::new(format) };
            deflate.reset(Some(config)).unwrap();
            let mut packed = Vec::new();
            deflate_piece(&mut deflate, &document, Flush::Finish, 5000, &mut packed);
            assert_eq!(packed, compress(config, &document));
            assert_eq!(decompress(format, &packed), document);
        }
    }
}

#[test]
fn a_wrong_hint_of_the_length_still_gives_a_valid_stream() {
    let document = varied_json(100_000);
    let config = DeflateConfig { expected_length: 10, ..DeflateConfig::new(Format::Gzip) };
    assert_eq!(decompress(Format::Gzip, &compress(config, &document)), document);
}

#[test]
fn whole_buffers_round_trip_and_name_the_room_that_they_lack() {
    for (name, document) in documents() {
        for format in FORMATS {
            let mut packed = Vec::new();
            let room = bound(document.len() as u64) as usize;
            with_room(&mut packed, room, |output| {
                Ok((deflate_buffer(DeflateConfig::new(format), &document, output)?, ()))
            })
            .unwrap();
            let config = InflateConfig { ratio: None, ..InflateConfig::default() };
            let mut result = Vec::new();
            with_room(&mut result, document.len(), |output| Ok((inflate_buffer(config, &packed, output)?, ())))
                .unwrap();
            assert!(result == document, "{name}");
            if document.len() > 1 {
                let short = with_room(&mut Vec::new(), document.len() - 1, |output| {
                    Ok((inflate_buffer(config, &packed, output)?, ()))
                });
                assert_eq!(short.unwrap_err().status, ferronet::abi::status::FERRONET_ERR_TOO_SMALL);
            }
            let short = with_room(&mut Vec::new(), packed.len() - 1, |output| {
                Ok((deflate_buffer(DeflateConfig::new(format), &document, output)?, ()))
            });
            assert_eq!(short.unwrap_err().status, ferronet::abi::status::FERRONET_ERR_TOO_SMALL);
        }
    }
    let mut packed = compress(DeflateConfig::new(Format::Gzip), b"text");
    packed.push(1);
    let followed =
        with_room(&mut Vec::new(), 10, |output| Ok((inflate_buffer(InflateConfig::default(), &packed, output)?, ())));
    assert!(followed.unwrap_err().text.contains("the stream ends at byte 24, but the input has 25"));
}

#[test]
fn input_behind_the_end_is_refused_and_a_finish_cannot_be_taken_back() {
    let mut deflate = Deflate::new(DeflateConfig::new(Format::Gzip)).unwrap();
    let mut none = [];
    deflate.process(b"abc", &mut none, Flush::Finish).unwrap();
    let error = deflate.process(b"", &mut none, Flush::Sync).unwrap_err();
    assert!(error.text.contains("is being finished"), "{error}");
    let mut packed = Vec::new();
    assert_eq!(deflate_piece(&mut deflate, b"abc", Flush::Finish, 100, &mut packed), State::End);
    assert!(deflate.process(b"d", &mut none, Flush::Finish).unwrap_err().text.contains("has ended"));
    assert_eq!(deflate.process(b"", &mut none, Flush::None).unwrap().state, State::End);
    assert_eq!(decompress(Format::Gzip, &packed), b"abc");
}

#[test]
fn settings_out_of_range_are_named() {
    let new = |config| Deflate::new(config).err().map(|error| error.text).unwrap_or_default();
    let base = DeflateConfig::new(Format::Gzip);
    assert!(new(DeflateConfig { window_bits: 8, ..base }).starts_with("window_bits is 8, but it must be 9 to 15"));
    assert!(new(DeflateConfig { window_bits: 16, ..base }).starts_with("window_bits is 16"));
    assert!(new(DeflateConfig { memory_level: 10, ..base }).starts_with("memory_level is 10"));
    assert!(Inflate::new(InflateConfig { window_bits: 7, ..InflateConfig::default() }).is_err());
    assert!(Level::from_zlib(10).is_err() && Level::from_zlib(-2).is_err());
    assert_eq!(Level::from_zlib(0).unwrap(), Level::Stored);
    assert_eq!(Level::from_zlib(-1).unwrap(), Level::Default);
}
