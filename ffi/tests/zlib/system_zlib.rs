//! Both ways with the zlib of the system, in this process: every level, format and chunking, and the bytes of streams in pieces.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};

use ferronet::zlib::*;

use crate::corpus::documents;
use crate::support::*;

const NO_FLUSH: c_int = 0;
const FINISH: c_int = 4;
const OK: c_int = 0;
const STREAM_END: c_int = 1;
/// Less room than a block has, so that calls end for want of it.
const ROOM: usize = 4096;
const WHOLE: usize = usize::MAX;

/// `z_stream` of zlib.h.
#[repr(C)]
struct Stream {
    next_in: *const u8,
    avail_in: u32,
    total_in: c_ulong,
    next_out: *mut u8,
    avail_out: u32,
    total_out: c_ulong,
    msg: *const c_char,
    state: *mut c_void,
    zalloc: *mut c_void,
    zfree: *mut c_void,
    opaque: *mut c_void,
    data_type: c_int,
    adler: c_ulong,
    reserved: c_ulong,
}

type Process = unsafe extern "C" fn(*mut Stream, c_int) -> c_int;
type End = unsafe extern "C" fn(*mut Stream) -> c_int;
type DeflateInit = unsafe extern "C" fn(*mut Stream, c_int, c_int, c_int, c_int, c_int, *const c_char, c_int) -> c_int;
type InflateInit = unsafe extern "C" fn(*mut Stream, c_int, *const c_char, c_int) -> c_int;

struct Zlib {
    deflate_init: DeflateInit,
    deflate: Process,
    deflate_end: End,
    inflate_init: InflateInit,
    inflate: Process,
    inflate_end: End,
}

fn window_bits(format: Format) -> c_int {
    match format {
        Format::Gzip => 15 + 16,
        Format::Zlib => 15,
        Format::Raw => -15,
    }
}

impl Zlib {
    /// `None`, and a line that says so, when the system has no zlib.
    fn load(test: &str) -> Option<Self> {
        let name = if cfg!(target_os = "macos") { c"libz.1.dylib" } else { c"libz.so.1" };
        // SAFETY: a name of C; zlib does nothing when it is loaded.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            skipped(&format!("system_zlib::{test}"), "the system has no zlib");
            return None;
        }
        let find = |name: &CStr| {
            // SAFETY: a library that stays loaded, and a name of C.
            let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
            assert!(!address.is_null(), "{name:?}");
            address
        };
        // SAFETY: the functions of zlib.h by these names, which have these signatures.
        unsafe {
            Some(Self {
                deflate_init: std::mem::transmute::<*mut c_void, DeflateInit>(find(c"deflateInit2_")),
                deflate: std::mem::transmute::<*mut c_void, Process>(find(c"deflate")),
                deflate_end: std::mem::transmute::<*mut c_void, End>(find(c"deflateEnd")),
                inflate_init: std::mem::transmute::<*mut c_void, InflateInit>(find(c"inflateInit2_")),
                inflate: std::mem::transmute::<*mut c_void, Process>(find(c"inflate")),
                inflate_end: std::mem::transmute::<*mut c_void, End>(find(c"inflateEnd")),
            })
        }
    }

    /// The input as one stream, given in pieces.
    fn compress(&self, level: u8, format: Format, input: &[u8], piece: usize) -> Vec<u8> {
        let mut stream = Stream::new();
        let bits = window_bits(format);
        // SAFETY: a stream without allocators of its own, and its size.
        let status = unsafe { (self.deflate_init)(&mut stream, level.into(), 8, bits, 8, 0, c"1".as_ptr(), SIZE) };
        assert_eq!(status, OK);
        let output = stream.run(self.deflate, input, piece);
        // SAFETY: the stream is initialised, and not used again.
        assert_eq!(unsafe { (self.deflate_end)(&mut stream) }, OK);
        output
    }

    /// What the input holds, which must be one whole stream.
    fn decompress(&self, format: Format, input: &[u8], piece: usize) -> Vec<u8> {
        let mut stream = Stream::new();
        // SAFETY: as above.
        let status = unsafe { (self.inflate_init)(&mut stream, window_bits(format), c"1".as_ptr(), SIZE) };
        assert_eq!(status, OK);
        let output = stream.run(self.inflate, input, piece);
        // SAFETY: as above.
        assert_eq!(unsafe { (self.inflate_end)(&mut stream) }, OK);
        output
    }
}

const SIZE: c_int = size_of::<Stream>() as c_int;

impl Stream {
    fn new() -> Self {
        // SAFETY: zero and null are what zlib.h asks for before an initialisation.
        unsafe { std::mem::zeroed() }
    }

    /// Gives the pieces of the input to the function until the stream ends, with the last of its bytes.
    fn run(&mut self, process: Process, input: &[u8], piece: usize) -> Vec<u8> {
        let mut output = Vec::new();
        let mut room = [0u8; ROOM];
        let mut rest = input;
        loop {
            let (part, more) = rest.split_at(piece.min(rest.len()));
            rest = more;
            let flush = if rest.is_empty() { FINISH } else { NO_FLUSH };
            self.next_in = part.as_ptr();
            self.avail_in = part.len().try_into().unwrap();
            loop {
                self.next_out = room.as_mut_ptr();
                self.avail_out = ROOM as u32;
                // SAFETY: an initialised stream over the input, which stays, and the room.
                let status = unsafe { process(self, flush) };
                output.extend_from_slice(&room[..ROOM - self.avail_out as usize]);
                if status == STREAM_END {
                    assert_eq!((self.avail_in, rest.len()), (0, 0), "bytes behind the end");
                    return output;
                }
                // Z_BUF_ERROR only says that there was nothing to do.
                assert!(status == OK || status == -5, "status {status}");
                if self.avail_out > 0 {
                    assert_eq!(self.avail_in, 0);
                    break;
                }
            }
            assert_ne!(flush, FINISH, "the stream does not end with its input");
        }
    }
}

/// The input as one stream, given in pieces.
fn compress_in_pieces(config: DeflateConfig, input: &[u8], piece: usize) -> Vec<u8> {
    let mut stream = Deflate::new(config).unwrap();
    let mut output = Vec::new();
    for part in input.chunks(piece) {
        assert_eq!(deflate_piece(&mut stream, part, Flush::None, ROOM, &mut output), State::NeedsInput);
    }
    assert_eq!(deflate_piece(&mut stream, &[], Flush::Finish, ROOM, &mut output), State::End);
    output
}

#[test]
fn zlib_reads_what_we_write() {
    let Some(zlib) = Zlib::load("zlib_reads_what_we_write") else { return };
    for (name, document) in documents() {
        for level in levels() {
            for format in FORMATS {
                let config = DeflateConfig { level, ..DeflateConfig::new(format) };
                let whole = compress(config, &document);
                assert!(zlib.decompress(format, &whole, WHOLE) == document, "{name} {level:?} {format:?}");
                let pieces = compress_in_pieces(config, &document, 1_000);
                assert!(zlib.decompress(format, &pieces, 77) == document, "{name} {level:?} {format:?} in pieces");
            }
        }
    }
}

#[test]
fn we_read_what_zlib_writes() {
    let Some(zlib) = Zlib::load("we_read_what_zlib_writes") else { return };
    for (name, document) in documents() {
        for level in 0..=9 {
            for format in FORMATS {
                for (theirs, ours) in [(WHOLE, 500), (1_000, WHOLE)] {
                    let packed = zlib.compress(level, format, &document, theirs);
                    let mut stream = Inflate::new(InflateConfig { ratio: None, ..only(format) }).unwrap();
                    let (result, state) = inflate_in_pieces(&mut stream, &packed, ours, ROOM);
                    assert_eq!(state, Ok(State::End), "{name} {level} {format:?}");
                    assert!(result == document, "{name} {level} {format:?}");
                }
            }
        }
    }
}

/// `gzip_tool.rs` has whole streams, and documents that repeat themselves: LEVELS.md says what those become in pieces.
#[test]
fn a_stream_in_pieces_is_no_larger_than_zlibs_by_more_than_5_percent() {
    let test = "a_stream_in_pieces_is_no_larger_than_zlibs_by_more_than_5_percent";
    let Some(zlib) = Zlib::load(test) else { return };
    for (name, document) in documents() {
        for level in 1..=9 {
            let config = DeflateConfig { level: Level::Number(level), ..DeflateConfig::new(Format::Gzip) };
            let theirs = zlib.compress(level, Format::Gzip, &document, 10_000).len();
            let ours = compress_in_pieces(config, &document, 10_000).len();
            // Five bytes: what a document of a few bytes differs in.
            let limit = theirs * 105 / 100 + 5;
            assert!(ours <= limit, "{name} at level {level}: {ours} bytes, zlib has {theirs}");
        }
    }
}
