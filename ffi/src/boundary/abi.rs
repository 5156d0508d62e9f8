//! The metadata block: the one function that is promised for ever.

use crate::abi::features::BUILT;
use crate::abi::info::{
    FERRONET_ABI_DEBUG, FERRONET_ABI_FLOOR, FERRONET_ABI_MAGIC, FERRONET_ABI_REVISION, FERRONET_ABI_STATIC,
    FERRONET_ABI_TEST_HOOKS, ferronet_abi_info,
};
use crate::abi::layout::FINGERPRINT;

static INFO: ferronet_abi_info = ferronet_abi_info {
    magic: FERRONET_ABI_MAGIC,
    struct_size: size_of::<ferronet_abi_info>() as u32,
    abi_revision: FERRONET_ABI_REVISION,
    abi_floor: FERRONET_ABI_FLOOR,
    lib_version: packed_version(
        number(env!("CARGO_PKG_VERSION_MAJOR")),
        number(env!("CARGO_PKG_VERSION_MINOR")),
        number(env!("CARGO_PKG_VERSION_PATCH")),
    ),
    flags: flag(cfg!(target_feature = "crt-static"), FERRONET_ABI_STATIC)
        | flag(cfg!(debug_assertions), FERRONET_ABI_DEBUG)
        | flag(cfg!(feature = "test-hooks"), FERRONET_ABI_TEST_HOOKS),
    features_built: BUILT,
    layout_fingerprint: FINGERPRINT,
    version: padded(env!("CARGO_PKG_VERSION")),
    target: padded(env!("FERRONET_TARGET")),
    build_id: padded(match option_env!("FERRONET_BUILD_ID") {
        Some(id) if !id.is_empty() => id,
        _ => "unreleased",
    }),
};

/// What the library is: revision, floor, features, version. Since revision 1.
///
/// Callable before anything else, from any thread; never fails, allocates or changes anything.
/// Owner: the library; the block is constant and stays valid while the library is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn ferronet_abi() -> *const ferronet_abi_info {
    #[cfg(feature = "test-hooks")]
    if crate::fault::peek("abi-version").is_some() {
        static OTHER: ferronet_abi_info = ferronet_abi_info { version: padded("255.0.0"), ..INFO };
        return &raw const OTHER;
    }
    &raw const INFO
}

const fn flag(set: bool, bit: u32) -> u32 {
    if set { bit } else { 0 }
}

const fn packed_version(major: u32, minor: u32, patch: u32) -> u32 {
    major << 24 | minor << 16 | patch << 8
}

const fn number(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let mut value = 0;
    let mut i = 0;
    while i < bytes.len() {
        value = value * 10 + (bytes[i] - b'0') as u32;
        i += 1;
    }
    value
}

/// The text, cut so that at least one zero byte follows it.
const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [0; N];
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() && i < N - 1 {
        field[i] = bytes[i];
        i += 1;
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packed_version_is_cargos() {
        let text =
            format!("{}.{}.{}", INFO.lib_version >> 24, INFO.lib_version >> 16 & 0xff, INFO.lib_version >> 8 & 0xff);
        assert!(env!("CARGO_PKG_VERSION").starts_with(&text));
        assert!(INFO.version.starts_with(env!("CARGO_PKG_VERSION").as_bytes()));
        assert_eq!(packed_version(number("1"), number("22"), number("203")), 0x0116_cb00);
    }

    #[test]
    fn texts_are_padded_and_cut() {
        assert_eq!(&padded::<8>("abc"), b"abc\0\0\0\0\0");
        assert_eq!(&padded::<4>("abcdef"), b"abc\0");
    }
}
