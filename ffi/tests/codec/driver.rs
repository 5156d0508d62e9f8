//! Feeds arbitrary bytes to the streams, and checks what must hold whatever they are. An input begins with [`SETTINGS`] bytes that
//! choose how the streams are set up and called; the rest is what they get.

use std::mem::MaybeUninit;

use ferronet::abi::status::FERRONET_ERR_LIMIT;
use ferronet::zlib::*;

/// Bytes of an input that are settings.
pub const SETTINGS: usize = 8;
/// Output of a stream after which it is left alone.
const ENOUGH: usize = 1 << 20;
/// Bytes of a document at most.
const LONGEST: usize = 300_000;
const FORMATS: [Format; 3] = [Format::Gzip, Format::Zlib, Format::Raw];

/// What a stream gave: its output, and how it ended; `None` if it was left alone.
type Outcome = (Vec<u8>, Option<ferronet::Result<()>>);

/// Decompresses the input in one call and in pieces.
///
/// # Panics
/// When a promise is broken.
pub fn inflate(input: &[u8]) {
    let Some((settings, data)) = input.split_first_chunk::<SETTINGS>() else { return };
    let format = match settings[0] % 4 {
        0 => InflateFormat::Auto,
        other => InflateFormat::Only(FORMATS[usize::from(other) - 1]),
    };
    let bounded = settings[0] & 0x80 != 0;
    let config = InflateConfig {
        format,
        concatenated: settings[0] & 0x40 != 0,
        window_bits: [0, 9, 12, 15][usize::from(settings[0] >> 4 & 3)],
        max_output: if bounded { u64::from(settings[1]) * 16 } else { 0 },
        ratio: (settings[2] > 0).then_some((u64::from(settings[2]) * 8, 1 + u32::from(settings[3]))),
    };
    let piece = 1 + usize::from(settings[4]);
    let room = 1 + usize::from(settings[5]) * 8;
    let dictionary = if settings[6] & 1 != 0 { &b"a dictionary that both sides know"[..] } else { b"" };
    let mut stream = Inflate::new(config).expect("the settings are in range");
    let whole = decompress(&mut stream, dictionary, data, usize::MAX, 70_000, &config);
    stream.reset(None).expect("a reset to the same settings");
    let parts = decompress(&mut stream, dictionary, data, piece, room, &config);
    // A ratio counts what was consumed so far, of which pieces may be too little where the whole is enough.
    let too_early =
        config.ratio.is_some() && matches!(&parts.1, Some(Err(error)) if error.status == FERRONET_ERR_LIMIT);
    if let (Some(one), Some(other)) = (&whole.1, &parts.1)
        && !(too_early && one.is_ok())
    {
        assert_eq!(one.is_ok(), other.is_ok(), "in one call {one:?}, in pieces {other:?}");
        if one.is_ok() {
            assert!(whole.0 == parts.0, "the pieces change the output");
        }
    }
}

fn decompress(
    stream: &mut Inflate,
    dictionary: &[u8],
    data: &[u8],
    piece: usize,
    room: usize,
    config: &InflateConfig,
) -> Outcome {
    stream.set_dictionary(dictionary).expect("the stream has not begun");
    let mut memory = vec![MaybeUninit::<u8>::uninit(); room];
    let mut output = Vec::new();
    let mut at = 0usize;
    let mut idle = 0u32;
    loop {
        let end = data.len().min(at.saturating_add(piece));
        let flush = if end == data.len() { Flush::Finish } else { Flush::None };
        let progress = match stream.process(&data[at..end], &mut memory, flush) {
            Ok(progress) => progress,
            Err(error) => {
                assert!(error.status < 0 && !error.text.is_empty(), "{error:?}");
                let again = stream.process(&data[at..end], &mut memory, flush).expect_err("an error stays");
                assert_eq!(again, error);
                return (output, Some(Err(error)));
            }
        };
        assert!(progress.consumed <= end - at && progress.produced <= room, "{progress:?}");
        append(&mut output, &memory, progress.produced);
        at += progress.consumed;
        assert_eq!((stream.total_in(), stream.total_out()), (at as u64, output.len() as u64));
        assert!(config.max_output == 0 || output.len() as u64 <= config.max_output, "more than max_output");
        if let Some((floor, ratio)) = config.ratio {
            let most = floor.max(at as u64 * u64::from(ratio));
            assert!(output.len() as u64 <= most, "{} bytes, but {most} are allowed", output.len());
        }
        if progress.state == State::End && (at == data.len() || progress.consumed == 0) {
            return (output, Some(Ok(())));
        }
        if output.len() > ENOUGH {
            return (output, None);
        }
        idle = if progress.consumed + progress.produced == 0 { idle + 1 } else { 0 };
        assert!(idle < 4, "the stream gets nowhere: {progress:?}");
    }
}

/// Compresses a document that the input describes, with flushes that it chooses, and decompresses it again.
///
/// # Panics
/// When a promise is broken.
pub fn round_trip(input: &[u8]) {
    let Some((settings, script)) = input.split_first_chunk::<SETTINGS>() else { return };
    let document = document(script);
    let format = FORMATS[usize::from(settings[0]) % FORMATS.len()];
    let level = match settings[1] % 12 {
        0 => Level::Stored,
        10 => Level::Fastest,
        11 => Level::Default,
        number => Level::Number(number),
    };
    let strategies = [Strategy::Default, Strategy::Filtered, Strategy::Huffman, Strategy::Rle, Strategy::Fixed];
    let config = DeflateConfig {
        format,
        level,
        strategy: strategies[usize::from(settings[2] & 0x0f) % strategies.len()],
        window_bits: [0, 9, 11, 15][usize::from(settings[2] >> 4 & 3)],
        memory_level: [0, 1, 5, 9][usize::from(settings[2] >> 6)],
        expected_length: if settings[3] & 1 != 0 { document.len() as u64 } else { 0 },
    };
    let dictionary =
        if settings[3] & 2 != 0 && format != Format::Gzip { &b"a dictionary that both sides know"[..] } else { b"" };
    let piece = if settings[4] == 0 { usize::MAX } else { usize::from(settings[4]) * 37 };
    let room = 1 + usize::from(settings[5]) * 5;
    let mut stream = Deflate::new(config).expect("the settings are in range");
    stream.set_dictionary(dictionary).expect("the stream has not begun");
    let packed = compress(&mut stream, &document, piece, room, settings[6]);
    if piece == usize::MAX {
        assert!(packed.len() as u64 <= bound(document.len() as u64), "{} bytes of {}", packed.len(), document.len());
    }
    let back = InflateConfig { format: InflateFormat::Only(format), ratio: None, ..InflateConfig::default() };
    let mut inflate = Inflate::new(back).expect("the settings are in range");
    let (output, end) =
        decompress(&mut inflate, dictionary, &packed, 1 + usize::from(settings[7]) * 64, room * 64, &back);
    assert!(matches!(end, Some(Ok(()))), "{end:?} for {config:?}");
    assert!(output == document, "{config:?}: what comes out is not what went in");
    assert_eq!(inflate.checksum(), stream.checksum());

    stream.reset(None).expect("a reset to the same settings");
    assert!(
        compress(&mut stream, &document, piece, room, settings[6]) == packed,
        "{config:?}: a reset changes the bytes"
    );
}

/// Each step of a script is bytes of its own, a run, or a repetition of what came before.
fn document(script: &[u8]) -> Vec<u8> {
    let mut document = Vec::new();
    let mut rest = script;
    while let Some((&[step, length], behind)) = rest.split_first_chunk::<2>() {
        rest = behind;
        let count = usize::from(length) << (step >> 4 & 7);
        if document.len() + count > LONGEST {
            break;
        }
        match step & 3 {
            0 => {
                let (own, behind) = rest.split_at(rest.len().min(usize::from(length)));
                document.extend_from_slice(own);
                rest = behind;
            }
            1 => document.extend(std::iter::repeat_n(length, count)),
            _ if document.is_empty() => {}
            _ => {
                let distance = 1 + usize::from(step >> 2) * 523 % document.len();
                for _ in 0..count {
                    document.push(document[document.len() - distance]);
                }
            }
        }
    }
    document
}

fn compress(stream: &mut Deflate, document: &[u8], piece: usize, room: usize, flushes: u8) -> Vec<u8> {
    let mut memory = vec![MaybeUninit::<u8>::uninit(); room];
    let mut packed = Vec::new();
    let mut at = 0usize;
    let mut count = 0u32;
    loop {
        let end = document.len().min(at.saturating_add(piece));
        let flush = match flushes >> (count % 4 * 2) & 3 {
            _ if end == document.len() => Flush::Finish,
            1 => Flush::Sync,
            2 => Flush::Full,
            _ => Flush::None,
        };
        count += 1;
        loop {
            let progress = stream.process(&document[at..end], &mut memory, flush).expect("a call in order");
            assert!(progress.consumed <= end - at && progress.produced <= room, "{progress:?}");
            append(&mut packed, &memory, progress.produced);
            assert!(packed.len() < 8 * document.len() + 200 * (count as usize + 1), "the stream does not end");
            at += progress.consumed;
            assert_eq!((stream.total_in(), stream.total_out()), (at as u64, packed.len() as u64));
            match progress.state {
                State::End => {
                    assert!(flush == Flush::Finish && at == document.len() && stream.has_ended());
                    return packed;
                }
                State::NeedsInput => break,
                State::NeedsOutput => assert!(progress.produced == room, "room is asked for, but there is some"),
            }
        }
        assert_eq!(at, end);
    }
}

fn append(output: &mut Vec<u8>, memory: &[MaybeUninit<u8>], count: usize) {
    // SAFETY: the stream says that it has written so many bytes.
    output.extend(memory[..count].iter().map(|byte| unsafe { byte.assume_init() }));
}
