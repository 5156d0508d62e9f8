//! Whether a library and a consumer fit together: the rule that the header, the Java binding and this crate share.
//! `verify/abi/cases.txt` runs all three.

use super::features;
use super::info::{
    FERRONET_ABI_FLOOR, FERRONET_ABI_MAGIC, FERRONET_ABI_REVISION, ferronet_abi_info, ferronet_attach_params,
};
use super::status::{FERRONET_ERR_ABI, FERRONET_ERR_FEATURE};

/// The part of `ferronet_abi_info` that the rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// First field of the block.
    pub magic: u32,
    /// Bytes of the block.
    pub struct_size: u32,
    /// Revision of the library.
    pub revision: u32,
    /// Oldest revision whose callers work with the library.
    pub floor: u32,
    /// `FERRONET_FEATURE_*` bits.
    pub features: u64,
    /// Hash of the layout table.
    pub fingerprint: u64,
}

impl From<&ferronet_abi_info> for Library {
    fn from(info: &ferronet_abi_info) -> Self {
        Self {
            magic: info.magic,
            struct_size: info.struct_size,
            revision: info.abi_revision,
            floor: info.abi_floor,
            features: info.features_built,
            fingerprint: info.layout_fingerprint,
        }
    }
}

/// What a consumer was built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// Revision of the header that it was built with.
    pub built_for: u32,
    /// Oldest library revision that it can work with.
    pub minimum: u32,
    /// `FERRONET_FEATURE_*` bits without which it cannot work.
    pub features: u64,
    /// Layout fingerprint of its header.
    pub fingerprint: u64,
}

/// Size of `ferronet_abi_info` in revision 1, and the least in every later one.
pub const MINIMUM_BLOCK: u32 = 128;

/// Checks that the library in `file` serves the consumer; the error is a status and its text.
pub fn verify(file: &str, library: &Library, consumer: &Consumer) -> Result<(), (i32, String)> {
    let Library { magic, struct_size, revision, floor, features, fingerprint } = *library;
    let Consumer { built_for, minimum, .. } = *consumer;
    let abi = |text: String| Err((FERRONET_ERR_ABI, format!("{file} {text}")));
    if magic != FERRONET_ABI_MAGIC {
        return abi(format!(
            "is not a Ferronet library: its ABI block begins with 0x{magic:08x} instead of 0x{FERRONET_ABI_MAGIC:08x}"
        ));
    }
    if struct_size < MINIMUM_BLOCK {
        return abi(format!(
            "has an ABI block of {struct_size} bytes, but at least {MINIMUM_BLOCK} are needed: replace the file"
        ));
    }
    if revision < minimum {
        return abi(format!("has ABI revision {revision}, but at least {minimum} is needed: use a newer library"));
    }
    if built_for < floor {
        return abi(format!(
            "serves callers from ABI revision {floor} on, but this one was built for {built_for}: rebuild the caller or use an older library"
        ));
    }
    if revision == built_for && fingerprint != consumer.fingerprint {
        return abi(format!(
            "has layout fingerprint 0x{fingerprint:016x} for ABI revision {revision}, but 0x{:016x} is expected: take library and header from one release",
            consumer.fingerprint
        ));
    }
    missing_feature(file, features, consumer.features)
}

/// The reverse check, made by the library: its caller's revision and features.
pub fn admit(params: &ferronet_attach_params) -> Result<(), (i32, String)> {
    let revision = params.built_for_revision;
    if revision < FERRONET_ABI_FLOOR {
        return Err((
            FERRONET_ERR_ABI,
            format!(
                "built_for_revision is {revision}, but this library (ABI revision {FERRONET_ABI_REVISION}) serves callers from {FERRONET_ABI_FLOOR} on: set it to FERRONET_ABI_REVISION, or use an older library"
            ),
        ));
    }
    missing_feature("this library", features::BUILT, params.required_features)
}

fn missing_feature(file: &str, built: u64, required: u64) -> Result<(), (i32, String)> {
    let missing = required & !built;
    if missing == 0 {
        return Ok(());
    }
    let bit = missing.trailing_zeros();
    let name = features::name(1 << bit).unwrap_or("unknown");
    Err((
        FERRONET_ERR_FEATURE,
        format!("{file} was built without the required feature {name} (bit {bit}): use a library that has it"),
    ))
}
