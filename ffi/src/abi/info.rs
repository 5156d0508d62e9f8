//! The metadata block and the attach parameters.
#![allow(non_camel_case_types)]

/// First field of `ferronet_abi_info`: the bytes `FNAB` read as a little-endian number. Since revision 1.
pub const FERRONET_ABI_MAGIC: u32 = 0x4241_4E46;
/// Revision of the C surface; grows by one with every change to it. Since revision 1.
pub const FERRONET_ABI_REVISION: u32 = 4;
/// Oldest revision whose callers work unchanged. Since revision 1.
pub const FERRONET_ABI_FLOOR: u32 = 1;

/// `flags`: the library was compiled for fully static executables (`crt-static`). The same object code serves the
/// shared library and the archive otherwise, so that the bit does not tell these two apart. Since revision 1.
pub const FERRONET_ABI_STATIC: u32 = 1;
/// `flags`: debug assertions are compiled in. Since revision 1.
pub const FERRONET_ABI_DEBUG: u32 = 2;
/// `flags`: test hooks are compiled in; never true of a shipped library. Since revision 1.
pub const FERRONET_ABI_TEST_HOOKS: u32 = 4;

/// What the library is, readable before anything else is trusted. 128 bytes, append-only. Since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ferronet_abi_info {
    /// `FERRONET_ABI_MAGIC`.
    pub magic: u32,
    /// Bytes of this block that the library knows; at least 128.
    pub struct_size: u32,
    /// Revision of the C surface.
    pub abi_revision: u32,
    /// Oldest revision whose callers work unchanged.
    pub abi_floor: u32,
    /// Library version: major << 24 | minor << 16 | patch << 8.
    pub lib_version: u32,
    /// `FERRONET_ABI_*` bits.
    pub flags: u32,
    /// `FERRONET_FEATURE_*` bits that were compiled in.
    pub features_built: u64,
    /// Hash of the layout table of this revision (`layout.json`).
    pub layout_fingerprint: u64,
    /// Library version as text, padded with zero bytes.
    pub version: [u8; 24],
    /// Target triple, padded with zero bytes.
    pub target: [u8; 40],
    /// Commit or `unreleased`, padded with zero bytes.
    pub build_id: [u8; 24],
}

/// What a caller states of itself. Size-prefixed. Since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_attach_params {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// `FERRONET_ABI_REVISION` of the header that the caller was built with.
    pub built_for_revision: u32,
    /// Features without which the caller cannot work.
    pub required_features: u64,
}

const _: () = {
    assert!(size_of::<ferronet_abi_info>() == 128);
    assert!(FERRONET_ABI_MAGIC == u32::from_le_bytes(*b"FNAB"));
};
