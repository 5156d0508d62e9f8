//! Compression: formats, levels, flush modes, and the size-prefixed structures.
#![allow(non_camel_case_types)]

/// Framing: gzip, RFC 1952. Since revision 2.
pub const FERRONET_CODEC_GZIP: u32 = 1;
/// Framing: zlib, RFC 1950 (HTTP's "deflate"). Since revision 2.
pub const FERRONET_CODEC_ZLIB: u32 = 2;
/// Framing: none, RFC 1951. Since revision 2.
pub const FERRONET_CODEC_RAW: u32 = 3;
/// Inflate only: gzip or zlib by their first two bytes, else raw. Since revision 2.
pub const FERRONET_CODEC_AUTO: u32 = 4;

/// Level 6. 1 (fast) to 9 (small) stand for themselves, and give about the size that zlib gives at that level.
/// Since revision 2.
pub const FERRONET_LEVEL_DEFAULT: i32 = 0;
/// No compression: stored blocks (zlib's level 0). Since revision 2.
pub const FERRONET_LEVEL_STORED: i32 = 10;
/// The fastest mode: fixed codes, up to 70 % larger than level 1 on JSON, and up to 6 % larger than the input on random
/// data. Since revision 2.
pub const FERRONET_LEVEL_FASTEST: i32 = 11;

/// Strategy: normal data. Since revision 2.
pub const FERRONET_STRATEGY_DEFAULT: u32 = 0;
/// Strategy: small values with a random distribution. Since revision 2.
pub const FERRONET_STRATEGY_FILTERED: u32 = 1;
/// Strategy: codes only, no matches. Since revision 2.
pub const FERRONET_STRATEGY_HUFFMAN: u32 = 2;
/// Strategy: matches of distance one only. Since revision 2.
pub const FERRONET_STRATEGY_RLE: u32 = 3;
/// Strategy: fixed codes only. Since revision 2.
pub const FERRONET_STRATEGY_FIXED: u32 = 4;

/// The library collects as much input as it likes before it gives output. Since revision 2.
pub const FERRONET_FLUSH_NONE: u32 = 0;
/// All input so far becomes output, up to a byte boundary. Since revision 2.
pub const FERRONET_FLUSH_SYNC: u32 = 2;
/// The same, and what follows does not refer to what came before. Since revision 2.
pub const FERRONET_FLUSH_FULL: u32 = 3;
/// Deflate: the stream ends behind this input. Inflate: no input follows, so that a stream which does not end is an error.
/// Since revision 2.
pub const FERRONET_FLUSH_FINISH: u32 = 4;

/// All input was taken, and the flush is complete; more input may follow. Since revision 2.
pub const FERRONET_CODEC_NEEDS_INPUT: u32 = 0;
/// The output region was too small: call again with the rest of the input and the same flush mode. Since revision 2.
pub const FERRONET_CODEC_NEEDS_OUTPUT: u32 = 1;
/// The stream is complete. Input behind it is not consumed. Since revision 2.
pub const FERRONET_CODEC_END: u32 = 2;

/// `flags`: gzip members that follow each other are one stream (RFC 1952, 2.2). Zero bytes behind the last one are
/// skipped; anything else there is an error. Since revision 2.
pub const FERRONET_INFLATE_CONCATENATED: u32 = 1;
/// `flags`: the output has no bound but `max_output`. For trusted input only. Since revision 2.
pub const FERRONET_INFLATE_UNBOUNDED: u32 = 2;

/// How to compress. Size-prefixed; zero means the default of each field. Since revision 2.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_deflate_config {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// FERRONET_CODEC_GZIP (default), ZLIB or RAW.
    pub format: u32,
    /// FERRONET_LEVEL_*, or 1 to 9.
    pub level: i32,
    /// Base-two logarithm of the window; 9 to 15, default 15.
    pub window_bits: u32,
    /// Memory for the matching and coding state, 1 to 9; default 8.
    pub memory_level: u32,
    /// FERRONET_STRATEGY_*.
    pub strategy: u32,
    /// Bytes that the whole stream will have, 0 when unknown. Only a hint: up to 4,096 of them are compressed faster with a
    /// smaller window and memory level, which take the place of the defaults.
    pub expected_length: u64,
}

/// How to decompress, and how far. Size-prefixed; zero means the default of each field. Since revision 2.
///
/// Without FERRONET_INFLATE_UNBOUNDED a stream may give `ratio_floor` bytes whatever its size, and `max_ratio` times the
/// bytes that were consumed after that. Beyond: FERRONET_ERR_LIMIT.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_inflate_config {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// FERRONET_CODEC_AUTO (default), GZIP, ZLIB or RAW.
    pub format: u32,
    /// FERRONET_INFLATE_* bits.
    pub flags: u32,
    /// Base-two logarithm of the largest window that is accepted; 9 to 15, default 15.
    pub window_bits: u32,
    /// Bytes that a stream may give in all; 0 for no such bound.
    pub max_output: u64,
    /// Bytes that a stream may give before its ratio counts; default 16 MiB.
    pub ratio_floor: u64,
    /// Bytes of output for each byte of input above the floor; default 200.
    pub max_ratio: u32,
    /// Must be zero.
    pub reserved: u32,
}

/// What a call has done. Size-prefixed, filled by the library. Since revision 2.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_codec_progress {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// FERRONET_CODEC_NEEDS_INPUT, NEEDS_OUTPUT or END.
    pub state: u32,
    /// Bytes of input that this call took.
    pub consumed: u64,
    /// Bytes of output that this call wrote.
    pub produced: u64,
    /// Bytes of input since the stream began.
    pub total_in: u64,
    /// Bytes of output since the stream began.
    pub total_out: u64,
    /// Checksum of the uncompressed bytes so far: CRC-32 (gzip, of the current member) or Adler-32 (zlib); 0 or 1 at the beginning, and
    /// without a meaning for raw streams.
    pub checksum: u32,
    /// Gzip members that are complete; 0 or 1 for other formats.
    pub members: u32,
}
