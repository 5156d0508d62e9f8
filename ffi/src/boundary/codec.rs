//! What the exported functions of compression and TLS share: the handle's content, and C's regions and structures in Rust's terms.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

use super::handle::{Body, Handle, Kind};
use super::pointer::{is_null, sized_input};
use crate::abi::record::ferronet_region;
use crate::abi::status::{FERRONET_ERR_BUSY, FERRONET_ERR_CLOSED};
use crate::abi::zlib::*;
use crate::fault;
use crate::zlib::{
    DEFAULT_MAX_RATIO, DEFAULT_RATIO_FLOOR, Deflate, DeflateConfig, Flush, Format, Inflate, InflateConfig,
    InflateFormat, Level, Progress, State, Strategy,
};
use crate::{Error, Result};

/// A stream with what is needed to hand it to one call at a time.
pub(super) struct Codec<T> {
    stream: UnsafeCell<T>,
    /// A call is using the stream. Stays set after a panic.
    entered: AtomicBool,
}

impl<T> Codec<T> {
    pub(super) fn new(stream: T) -> Self {
        Self { stream: UnsafeCell::new(stream), entered: AtomicBool::new(false) }
    }

    pub(super) fn is_entered(&self) -> bool {
        self.entered.load(Ordering::Acquire)
    }

    /// Lends the stream to one call at a time.
    #[inline]
    pub(super) fn enter<R>(&self, body: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        if self.entered.swap(true, Ordering::Acquire) {
            return Err(busy());
        }
        // SAFETY: the flag was clear, so no other reference is alive; it is cleared only after this one has ended, and
        // stays set when the body panics.
        let outcome = body(unsafe { &mut *self.stream.get() });
        self.entered.store(false, Ordering::Release);
        outcome
    }
}

#[cold]
fn busy() -> Error {
    Error::new(
        FERRONET_ERR_BUSY,
        "another call on this handle has not returned yet: it belongs to one thread at a time",
    )
}

#[cold]
fn freed() -> Error {
    Error::new(FERRONET_ERR_CLOSED, "the stream was freed by another thread during the call")
}

pub(super) fn deflate_of(handle: &'static Handle) -> Result<&'static Codec<Deflate>> {
    match handle.body() {
        Body::Deflate(codec) => Ok(codec),
        _ => Err(freed()),
    }
}

pub(super) fn inflate_of(handle: &'static Handle) -> Result<&'static Codec<Inflate>> {
    match handle.body() {
        Body::Inflate(codec) => Ok(codec),
        _ => Err(freed()),
    }
}

/// Ends the handle of a stream, unless a call is using it.
pub(super) fn free(handle: &'static Handle, kind: Kind) -> Result<i64> {
    let ending = handle.claim(kind)?;
    let poisoned = handle.is_poisoned();
    let entered = match handle.body() {
        Body::Deflate(codec) => codec.is_entered(),
        Body::Inflate(codec) => codec.is_entered(),
        #[cfg(feature = "tls")]
        Body::TlsSession(codec) => codec.is_entered(),
        _ => false,
    };
    if entered && !poisoned {
        return Err(busy());
    }
    let body = ending.finish();
    if poisoned {
        // The state after a panic is unknown.
        std::mem::forget(body);
    }
    Ok(0)
}

/// # Safety
/// A pointer that is not NULL names as many readable bytes as its size field says.
pub(super) unsafe fn deflate_config(pointer: *const ferronet_deflate_config) -> Result<DeflateConfig> {
    if pointer.is_null() {
        return Ok(DeflateConfig::new(Format::Gzip));
    }
    // SAFETY: as promised.
    let given = unsafe { sized_input(pointer, "config") }?;
    let format = match given.format {
        0 | FERRONET_CODEC_GZIP => Format::Gzip,
        FERRONET_CODEC_ZLIB => Format::Zlib,
        FERRONET_CODEC_RAW => Format::Raw,
        other => return Err(unknown("format", other, "FERRONET_CODEC_GZIP, ZLIB or RAW")),
    };
    let level = match given.level {
        FERRONET_LEVEL_DEFAULT => Level::Default,
        FERRONET_LEVEL_STORED => Level::Stored,
        FERRONET_LEVEL_FASTEST => Level::Fastest,
        number @ 1..=9 => Level::Number(number as u8),
        other => {
            return Err(Error::invalid(format!("level is {other}, but it must be 1 to 9 or a FERRONET_LEVEL_* value")));
        }
    };
    let strategy = match given.strategy {
        FERRONET_STRATEGY_DEFAULT => Strategy::Default,
        FERRONET_STRATEGY_FILTERED => Strategy::Filtered,
        FERRONET_STRATEGY_HUFFMAN => Strategy::Huffman,
        FERRONET_STRATEGY_RLE => Strategy::Rle,
        FERRONET_STRATEGY_FIXED => Strategy::Fixed,
        other => return Err(unknown("strategy", other, "a FERRONET_STRATEGY_* value")),
    };
    Ok(DeflateConfig {
        format,
        level,
        window_bits: given.window_bits,
        memory_level: given.memory_level,
        strategy,
        expected_length: given.expected_length,
    })
}

/// # Safety
/// A pointer that is not NULL names as many readable bytes as its size field says.
pub(super) unsafe fn inflate_config(pointer: *const ferronet_inflate_config) -> Result<InflateConfig> {
    if pointer.is_null() {
        return Ok(InflateConfig::default());
    }
    // SAFETY: as promised.
    let given = unsafe { sized_input(pointer, "config") }?;
    let format = match given.format {
        0 | FERRONET_CODEC_AUTO => InflateFormat::Auto,
        FERRONET_CODEC_GZIP => InflateFormat::Only(Format::Gzip),
        FERRONET_CODEC_ZLIB => InflateFormat::Only(Format::Zlib),
        FERRONET_CODEC_RAW => InflateFormat::Only(Format::Raw),
        other => return Err(unknown("format", other, "a FERRONET_CODEC_* format")),
    };
    if given.flags & !(FERRONET_INFLATE_CONCATENATED | FERRONET_INFLATE_UNBOUNDED) != 0 {
        return Err(unknown("flags", given.flags, "FERRONET_INFLATE_* bits"));
    }
    if given.reserved != 0 {
        return Err(unknown("reserved", given.reserved, "zero"));
    }
    let floor = if given.ratio_floor == 0 { DEFAULT_RATIO_FLOOR } else { given.ratio_floor };
    let ratio = if given.max_ratio == 0 { DEFAULT_MAX_RATIO } else { given.max_ratio };
    Ok(InflateConfig {
        format,
        concatenated: given.flags & FERRONET_INFLATE_CONCATENATED != 0,
        window_bits: given.window_bits,
        max_output: fault::lost("codec-bounds-ignored", given.max_output),
        ratio: fault::lost(
            "codec-bounds-ignored",
            (given.flags & FERRONET_INFLATE_UNBOUNDED == 0).then_some((floor, ratio)),
        ),
    })
}

#[cold]
fn unknown(name: &str, value: u32, allowed: &str) -> Error {
    Error::invalid(format!("{name} is {value}, but it must be {allowed}"))
}

pub(super) fn flush(value: u32) -> Result<Flush> {
    match value {
        FERRONET_FLUSH_NONE => Ok(Flush::None),
        FERRONET_FLUSH_SYNC => Ok(Flush::Sync),
        FERRONET_FLUSH_FULL => Ok(Flush::Full),
        FERRONET_FLUSH_FINISH => Ok(Flush::Finish),
        other => Err(unknown("flush", other, "a FERRONET_FLUSH_* value")),
    }
}

pub(super) fn progress(
    done: Progress,
    total_in: u64,
    total_out: u64,
    checksum: u32,
    members: u32,
) -> ferronet_codec_progress {
    ferronet_codec_progress {
        size: 0,
        state: match done.state {
            State::NeedsInput => FERRONET_CODEC_NEEDS_INPUT,
            State::NeedsOutput => FERRONET_CODEC_NEEDS_OUTPUT,
            State::End => FERRONET_CODEC_END,
        },
        consumed: done.consumed as u64,
        produced: done.produced as u64,
        total_in,
        total_out,
        checksum,
        members,
    }
}

/// # Safety
/// `length` bytes are readable at `pointer` during the call that asked.
pub(super) unsafe fn bytes<'a>(pointer: *const c_void, length: u64, name: &str) -> Result<&'a [u8]> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(is_null(name));
    }
    // SAFETY: as promised; `check_length` keeps what a slice asks for.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), check_length(length, name)?) })
}

fn check_length(length: u64, name: &str) -> Result<usize> {
    match usize::try_from(length) {
        Ok(length) if length <= isize::MAX as usize => Ok(length),
        _ => Err(Error::invalid(format!("the length of {name} is {length}, which no memory has"))),
    }
}

/// Two regions, input and output.
///
/// # Safety
/// The bytes of the input are readable, those of the output writable, during the call that asked.
pub(super) unsafe fn memory<'a>(
    input: *const c_void,
    length: u64,
    output: *mut c_void,
    capacity: u64,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>])> {
    // SAFETY: as promised.
    let input = unsafe { bytes(input, length, "input") }?;
    if capacity == 0 {
        return Ok((input, &mut []));
    }
    if output.is_null() {
        return Err(is_null("output"));
    }
    let capacity = check_length(capacity, "output")?;
    let (first, start) = (input.as_ptr() as usize, output as usize);
    if !input.is_empty() && first < start.saturating_add(capacity) && start < first.saturating_add(input.len()) {
        return Err(Error::invalid("input and output overlap: provide memory of its own for the output"));
    }
    // SAFETY: as promised; the length was checked, and the input lies elsewhere.
    Ok((input, unsafe { std::slice::from_raw_parts_mut(output.cast::<MaybeUninit<u8>>(), capacity) }))
}

/// The same for region records, of which either may be NULL.
///
/// # Safety
/// A pointer that is not NULL names a region, whose bytes are readable (input) or writable (output) during the call that asked.
pub(super) unsafe fn regions<'a>(
    input: *const ferronet_region,
    output: *const ferronet_region,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>])> {
    let read = |pointer: *const ferronet_region| {
        if pointer.is_null() {
            return ferronet_region { addr: 0, len: 0 };
        }
        // SAFETY: as promised; C gives no alignment.
        unsafe { pointer.read_unaligned() }
    };
    let (input, output) = (read(input), read(output));
    // SAFETY: as promised.
    unsafe { memory(input.addr as *const c_void, input.len, output.addr as *mut c_void, output.len) }
}
