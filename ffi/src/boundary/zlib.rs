//! Compression and decompression streams, and whole buffers.

use std::ffi::c_void;

use super::codec::{self, Codec};
use super::guard::{on_any_handle, on_handle, without_handle};
use super::handle::{Body, Handle, Kind};
use super::pointer::{out, sized_out};
use crate::abi::record::ferronet_region;
use crate::abi::zlib::*;
use crate::fault;
use crate::zlib::{self, Deflate, Inflate};

/// A compression stream. It belongs to one thread at a time. Since revision 2.
pub struct ferronet_deflate {
    _opaque: [u8; 0],
}

/// A decompression stream. It belongs to one thread at a time. Since revision 2.
pub struct ferronet_inflate {
    _opaque: [u8; 0],
}

/// Makes a compression stream. Since revision 2.
///
/// `config` may be NULL: gzip, level 6. It costs about 10 us and 270 KiB: keep streams, and reset them. Streams belong to no
/// reactor: a pool is the caller's, and takes no lock when each thread has its own. For example a thread keeps idle streams in an array
/// of its own; a body takes one of them and resets it, or makes one when there is none, and puts it back behind its end, or frees it when
/// the array is full.
/// A body that is there as a whole needs none: ferronet_deflate_buffer keeps what it needs for the thread.
/// Owner: the caller, until ferronet_deflate_free. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range), FERRONET_ERR_TOO_BIG, -ENOMEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_deflate_new(
    config: *const ferronet_deflate_config,
    out: *mut *mut ferronet_deflate,
) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        // SAFETY: the header asks for a structure of the size that it states.
        let config = unsafe { codec::deflate_config(config) }?;
        let handle = Handle::make(Body::Deflate(Box::new(Codec::new(Deflate::new(config)?))));
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(handle).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

/// Compresses the input region into the output region. Since revision 2.
///
/// A NULL region is an empty one; the two must not overlap. `flush` is a FERRONET_FLUSH_* value. `out->size` is set by the caller.
/// FERRONET_CODEC_NEEDS_OUTPUT asks for another call with the rest of the input, the same flush and a new output region.
/// All input in one call with FERRONET_FLUSH_FINISH is the fastest way up to level 7.
/// After FERRONET_CODEC_END the stream takes no input until it is reset. A gzip header has neither time nor name, and system 0, so that
/// the same input gives the same bytes on every platform.
/// Owner: the regions stay the caller's, and are not used after the call. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (flush unknown, regions overlap, input behind the end), FERRONET_ERR_BUSY (another call
/// on the stream has not returned), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_deflate_process(
    deflate: *mut ferronet_deflate,
    input: *const ferronet_region,
    output: *const ferronet_region,
    flush: u32,
    out: *mut ferronet_codec_progress,
) -> i32 {
    on_handle(deflate.cast_const().cast(), Kind::Deflate, |handle| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        // SAFETY: the header asks for regions that the caller may read and write.
        let (input, output) = unsafe { codec::regions(input, output) }?;
        let flush = codec::flush(flush)?;
        let progress = codec::deflate_of(handle)?.enter(|stream| {
            let done = stream.process(input, output, flush)?;
            Ok(codec::progress(
                done,
                stream.total_in(),
                stream.total_out(),
                stream.checksum(),
                stream.has_ended().into(),
            ))
        })?;
        // SAFETY: as above.
        unsafe { target.write(&fault::lost("codec-progress-lost", progress)) };
        Ok(0)
    }) as i32
}

/// Begins a new compression stream in the same state. Since revision 2.
///
/// `config` NULL keeps the settings. With the same format, window, memory level and kind of expected length (up to 4,096, or not)
/// nothing is allocated. A dictionary stays. What was not delivered is dropped.
/// Owner: the stream stays the caller's. Threads: one at a time.
/// Errors: those of ferronet_deflate_new (the stream is as before then), FERRONET_ERR_BUSY, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_deflate_reset(
    deflate: *mut ferronet_deflate,
    config: *const ferronet_deflate_config,
) -> i32 {
    on_handle(deflate.cast_const().cast(), Kind::Deflate, |handle| {
        let config = if config.is_null() {
            None
        } else {
            // SAFETY: the header asks for a structure of the size that it states.
            Some(unsafe { codec::deflate_config(config) }?)
        };
        codec::deflate_of(handle)?.enter(|stream| stream.reset(config))?;
        Ok(0)
    }) as i32
}

/// Sets what a stream may refer to from its first byte on, for it and those after a reset. Since revision 2.
///
/// Length 0 removes it; `dictionary` may be NULL then. Owner: copied. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, format gzip, the stream has begun), FERRONET_ERR_BUSY, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_deflate_set_dictionary(
    deflate: *mut ferronet_deflate,
    dictionary: *const c_void,
    length: u64,
) -> i32 {
    on_handle(deflate.cast_const().cast(), Kind::Deflate, |handle| {
        // SAFETY: the header asks for that many readable bytes.
        let dictionary = unsafe { codec::bytes(dictionary, length, "dictionary") }?;
        codec::deflate_of(handle)?.enter(|stream| stream.set_dictionary(dictionary))?;
        Ok(0)
    }) as i32
}

/// Ends a compression stream, in whatever state it is. Since revision 2.
///
/// Owner: the handle is gone. Threads: any, but no other call on the stream at the same time.
/// Errors: FERRONET_ERR_BUSY (another call on it has not returned; the stream stays), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_deflate_free(deflate: *mut ferronet_deflate) -> i32 {
    on_any_handle(deflate.cast_const().cast(), Kind::Deflate, |handle| codec::free(handle, Kind::Deflate)) as i32
}

/// The most bytes that `length` bytes can become as one stream without flushes in between, whatever the settings.
/// Since revision 2.
///
/// Returns the number, at most INT64_MAX. Owner: none. Threads: any. It has no errors.
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_deflate_bound(length: u64) -> i64 {
    i64::try_from(zlib::bound(length)).unwrap_or(i64::MAX)
}

/// Compresses `length` bytes as one stream. Since revision 2.
///
/// `config` may be NULL: gzip, level 6; its `expected_length` is not used. The calling thread keeps the state for its next call.
/// Returns the bytes written to `output`. Owner: the memory stays the caller's; the two must not overlap. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL with a length, overlap, a member out of range), FERRONET_ERR_TOO_BIG,
/// FERRONET_ERR_TOO_SMALL (more than `capacity` bytes; ferronet_deflate_bound always suffices), -ENOMEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_deflate_buffer(
    config: *const ferronet_deflate_config,
    input: *const c_void,
    length: u64,
    output: *mut c_void,
    capacity: u64,
) -> i64 {
    without_handle(|| {
        // SAFETY: the header asks for a structure of the size that it states.
        let config = unsafe { codec::deflate_config(config) }?;
        // SAFETY: the header asks for memory that the caller may read and write.
        let (input, output) = unsafe { codec::memory(input, length, output, capacity) }?;
        Ok(fault::lost("codec-buffer-lost", zlib::deflate_buffer(config, input, output)? as i64))
    })
}

/// Makes a decompression stream. Since revision 2.
///
/// `config` may be NULL: the format is detected, and the output bounded by the defaults.
/// Owner: the caller, until ferronet_inflate_free. Threads: any.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (a member out of range), FERRONET_ERR_TOO_BIG, -ENOMEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_inflate_new(
    config: *const ferronet_inflate_config,
    out: *mut *mut ferronet_inflate,
) -> i32 {
    without_handle(|| {
        let target = self::out(out, "out")?;
        // SAFETY: the header asks for a structure of the size that it states.
        let config = unsafe { codec::inflate_config(config) }?;
        let handle = Handle::make(Body::Inflate(Box::new(Codec::new(Inflate::new(config)?))));
        // SAFETY: the header asks for memory for a pointer.
        unsafe { target.write(std::ptr::from_ref(handle).cast_mut().cast()) };
        Ok(0)
    }) as i32
}

/// Decompresses the input region into the output region. Since revision 2.
///
/// A NULL region is an empty one; the two must not overlap. `flush` is FERRONET_FLUSH_NONE, or FERRONET_FLUSH_FINISH when no input follows.
/// `out->size` is set by the caller. FERRONET_CODEC_NEEDS_OUTPUT asks for another call with the rest of the input and a new
/// output region. Behind FERRONET_CODEC_END no input is consumed, except that of further gzip members when they were asked for;
/// the output of each member then ends with a call of its own.
/// What was decompressed before an error is delivered first, with FERRONET_CODEC_NEEDS_OUTPUT; after an error every call
/// fails with it until a reset. The text names the byte of the input.
/// Owner: the regions stay the caller's, and are not used after the call. Threads: one at a time.
/// Errors: FERRONET_ERR_DATA, FERRONET_ERR_TRUNCATED (with FINISH), FERRONET_ERR_DICTIONARY, FERRONET_ERR_LIMIT (more output than
/// the bounds allow), FERRONET_ERR_INVALID_ARGUMENT (flush unknown, regions overlap), FERRONET_ERR_BUSY (another call on the
/// stream has not returned), -ENOMEM, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_inflate_process(
    inflate: *mut ferronet_inflate,
    input: *const ferronet_region,
    output: *const ferronet_region,
    flush: u32,
    out: *mut ferronet_codec_progress,
) -> i32 {
    on_handle(inflate.cast_const().cast(), Kind::Inflate, |handle| {
        // SAFETY: the header asks for a structure of the size that it states.
        let target = unsafe { sized_out(out, "out") }?;
        // SAFETY: the header asks for regions that the caller may read and write.
        let (input, output) = unsafe { codec::regions(input, output) }?;
        let flush = codec::flush(flush)?;
        let progress = codec::inflate_of(handle)?.enter(|stream| {
            let done = stream.process(input, output, flush)?;
            Ok(codec::progress(done, stream.total_in(), stream.total_out(), stream.checksum(), stream.members()))
        })?;
        // SAFETY: as above.
        unsafe { target.write(&fault::lost("codec-progress-lost", progress)) };
        Ok(0)
    }) as i32
}

/// Begins a new decompression stream in the same state. Since revision 2.
///
/// `config` NULL keeps the settings. A dictionary stays, an error does not.
/// Owner: the stream stays the caller's. Threads: one at a time.
/// Errors: those of ferronet_inflate_new (the stream is as before then), FERRONET_ERR_BUSY, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_inflate_reset(
    inflate: *mut ferronet_inflate,
    config: *const ferronet_inflate_config,
) -> i32 {
    on_handle(inflate.cast_const().cast(), Kind::Inflate, |handle| {
        let config = if config.is_null() {
            None
        } else {
            // SAFETY: the header asks for a structure of the size that it states.
            Some(unsafe { codec::inflate_config(config) }?)
        };
        codec::inflate_of(handle)?.enter(|stream| stream.reset(config))?;
        Ok(0)
    }) as i32
}

/// Sets what a stream may refer to from its first byte on, for it and those after a reset. Since revision 2.
///
/// A zlib stream takes it when it asks for it by its checksum; a raw one from the beginning. Length 0 removes it;
/// `dictionary` may be NULL then. Owner: copied. Threads: one at a time.
/// Errors: FERRONET_ERR_INVALID_ARGUMENT (NULL, the stream has begun), FERRONET_ERR_BUSY, and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_inflate_set_dictionary(
    inflate: *mut ferronet_inflate,
    dictionary: *const c_void,
    length: u64,
) -> i32 {
    on_handle(inflate.cast_const().cast(), Kind::Inflate, |handle| {
        // SAFETY: the header asks for that many readable bytes.
        let dictionary = unsafe { codec::bytes(dictionary, length, "dictionary") }?;
        codec::inflate_of(handle)?.enter(|stream| stream.set_dictionary(dictionary))?;
        Ok(0)
    }) as i32
}

/// Ends a decompression stream, in whatever state it is. Since revision 2.
///
/// Owner: the handle is gone. Threads: any, but no other call on the stream at the same time.
/// Errors: FERRONET_ERR_BUSY (another call on it has not returned; the stream stays), and those of every handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_inflate_free(inflate: *mut ferronet_inflate) -> i32 {
    on_any_handle(inflate.cast_const().cast(), Kind::Inflate, |handle| codec::free(handle, Kind::Inflate)) as i32
}

/// Decompresses `length` bytes that are one whole stream. Since revision 2.
///
/// `config` may be NULL: the format is detected, and the output bounded by the defaults. The calling thread keeps the state for its next call.
/// Returns the bytes written to `output`. Owner: the memory stays the caller's; the two must not overlap. Threads: any.
/// Errors: those of ferronet_inflate_process, FERRONET_ERR_DATA also when bytes follow the stream, FERRONET_ERR_TOO_SMALL (more than
/// `capacity` bytes), FERRONET_ERR_TOO_BIG.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ferronet_inflate_buffer(
    config: *const ferronet_inflate_config,
    input: *const c_void,
    length: u64,
    output: *mut c_void,
    capacity: u64,
) -> i64 {
    without_handle(|| {
        // SAFETY: the header asks for a structure of the size that it states.
        let config = unsafe { codec::inflate_config(config) }?;
        // SAFETY: the header asks for memory that the caller may read and write.
        let (input, output) = unsafe { codec::memory(input, length, output, capacity) }?;
        Ok(fault::lost("codec-buffer-lost", zlib::inflate_buffer(config, input, output)? as i64))
    })
}
