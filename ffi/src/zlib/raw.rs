//! The calls into zlib-rs, through its C interface: the only one with `deflateParams`, `inflateReset2` and all framings.
//!
//! zlib-rs keeps no pointer into input or output between two calls.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;

use libz_rs_sys::{
    Z_DEFLATED, Z_MEM_ERROR, Z_OK, deflate, deflateEnd, deflateInit2_, deflateParams, deflateReset,
    deflateSetDictionary, deflateSetHeader, gz_header, inflate, inflateEnd, inflateInit2_, inflateReset2,
    inflateSetDictionary, uInt, z_stream, zlibVersion,
};

use super::Format;
use crate::error::{Error, Result};

/// What one call of zlib did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// `Z_OK`, `Z_STREAM_END`, `Z_BUF_ERROR` and so on.
    pub(super) code: c_int,
    pub(super) consumed: usize,
    pub(super) produced: usize,
}

type Run = unsafe extern "C" fn(*mut z_stream, c_int) -> c_int;

/// A stream of either direction. Boxed, because the state may refer to it.
struct Stream(Box<z_stream>);

// SAFETY: the state behind the pointers belongs to this stream alone, and zlib-rs ties nothing to a thread.
unsafe impl Send for Stream {}
// SAFETY: as above; the header has no pointers but NULL.
unsafe impl Send for RawDeflate {}

impl Stream {
    fn run(&mut self, call: Run, input: &[u8], output: &mut [MaybeUninit<u8>], flush: c_int) -> Step {
        let available_in = input.len().min(uInt::MAX as usize);
        let available_out = output.len().min(uInt::MAX as usize);
        self.0.next_in = input.as_ptr();
        self.0.avail_in = available_in as uInt;
        self.0.next_out = output.as_mut_ptr().cast();
        self.0.avail_out = available_out as uInt;
        // SAFETY: the stream was initialised for this direction; the regions are the slices', which live through the call.
        let code = unsafe { call(&mut *self.0, flush) };
        let step = Step {
            code,
            consumed: available_in - self.0.avail_in as usize,
            produced: available_out - self.0.avail_out as usize,
        };
        self.0.next_in = std::ptr::null();
        self.0.avail_in = 0;
        self.0.next_out = std::ptr::null_mut();
        self.0.avail_out = 0;
        step
    }

    /// zlib's own words about the last failure.
    fn message(&self) -> &'static str {
        if self.0.msg.is_null() {
            return "no reason given";
        }
        // SAFETY: messages of zlib are constant texts.
        unsafe { CStr::from_ptr(self.0.msg) }.to_str().unwrap_or("no reason given")
    }
}

/// CRC-32 of less than 4 GiB.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: the slice's bytes are readable.
    unsafe { libz_rs_sys::crc32(0, bytes.as_ptr(), bytes.len() as uInt) as u32 }
}

/// Adler-32 of less than 4 GiB.
pub(super) fn adler32(bytes: &[u8]) -> u32 {
    // SAFETY: the slice's bytes are readable.
    unsafe { libz_rs_sys::adler32(1, bytes.as_ptr(), bytes.len() as uInt) as u32 }
}

fn failed(what: &str, code: c_int) -> Error {
    if code == Z_MEM_ERROR {
        return Error { status: -libc::ENOMEM, text: format!("{what}: no memory for the state") };
    }
    Error::invalid(format!("{what} was refused with zlib's code {code}"))
}

/// The second field is what gzip headers say; the stream refers to it.
pub(super) struct RawDeflate(Stream, Box<gz_header>);

impl RawDeflate {
    pub(super) fn new(level: c_int, window_bits: c_int, memory_level: c_int, strategy: c_int) -> Result<Self> {
        let mut stream = Box::new(z_stream::default());
        // SAFETY: the stream has an allocator, and version and size are those of the interface itself.
        let code = unsafe {
            deflateInit2_(
                &mut *stream,
                level,
                Z_DEFLATED,
                window_bits,
                memory_level,
                strategy,
                zlibVersion(),
                size_of::<z_stream>() as c_int,
            )
        };
        if code != Z_OK {
            return Err(failed("a new deflate stream", code));
        }
        let mut this = Self(Stream(stream), Box::default());
        if window_bits > 15 {
            // SAFETY: the stream was initialised for gzip, and its header lives as long as it does.
            unsafe { deflateSetHeader(&mut *this.0.0, &mut *this.1) };
        }
        Ok(this)
    }

    pub(super) fn run(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], flush: c_int) -> Step {
        self.0.run(deflate, input, output, flush)
    }

    pub(super) fn reset(&mut self, level: c_int, strategy: c_int) -> Result<()> {
        // SAFETY: the stream was initialised for deflate.
        let mut code = unsafe { deflateReset(&mut *self.0.0) };
        if code == Z_OK {
            // SAFETY: as above; directly after a reset nothing is flushed.
            code = unsafe { deflateParams(&mut *self.0.0, level, strategy) };
        }
        if code == Z_OK { Ok(()) } else { Err(failed("a reset of a deflate stream", code)) }
    }

    pub(super) fn set_dictionary(&mut self, dictionary: &[u8]) -> Result<()> {
        let length = dictionary.len().min(uInt::MAX as usize) as uInt;
        // SAFETY: the stream was initialised for deflate; the dictionary is copied.
        let code = unsafe { deflateSetDictionary(&mut *self.0.0, dictionary.as_ptr(), length) };
        if code == Z_OK { Ok(()) } else { Err(failed("the dictionary", code)) }
    }

    pub(super) fn checksum(&self) -> u32 {
        self.0.0.adler as u32
    }

    /// The checksum of no input.
    pub(super) fn first_checksum(format: Format) -> u32 {
        u32::from(format != Format::Gzip)
    }
}

impl Drop for RawDeflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised for deflate, and is used no more.
        unsafe { deflateEnd(&mut *self.0.0) };
    }
}

pub(super) struct RawInflate(Stream);

impl RawInflate {
    pub(super) fn new(window_bits: c_int) -> Result<Self> {
        let mut stream = Box::new(z_stream::default());
        // SAFETY: the stream has an allocator, and version and size are those of the interface itself.
        let code = unsafe { inflateInit2_(&mut *stream, window_bits, zlibVersion(), size_of::<z_stream>() as c_int) };
        if code == Z_OK { Ok(Self(Stream(stream))) } else { Err(failed("a new inflate stream", code)) }
    }

    pub(super) fn run(&mut self, input: &[u8], output: &mut [MaybeUninit<u8>], flush: c_int) -> Step {
        self.0.run(inflate, input, output, flush)
    }

    pub(super) fn reset(&mut self, window_bits: c_int) -> Result<()> {
        // SAFETY: the stream was initialised for inflate.
        let code = unsafe { inflateReset2(&mut *self.0.0, window_bits) };
        if code == Z_OK { Ok(()) } else { Err(failed("a reset of an inflate stream", code)) }
    }

    /// Whether the dictionary is the one that the stream asks for.
    pub(super) fn set_dictionary(&mut self, dictionary: &[u8]) -> bool {
        let length = dictionary.len().min(uInt::MAX as usize) as uInt;
        // SAFETY: the stream was initialised for inflate; the dictionary is copied.
        let code = unsafe { inflateSetDictionary(&mut *self.0.0, dictionary.as_ptr(), length) };
        code == Z_OK
    }

    /// Adler-32 of the dictionary that is needed, or the checksum so far.
    pub(super) fn checksum(&self) -> u32 {
        self.0.0.adler as u32
    }

    pub(super) fn message(&self) -> &'static str {
        self.0.message()
    }
}

impl Drop for RawInflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised for inflate, and is used no more.
        unsafe { inflateEnd(&mut *self.0.0) };
    }
}
