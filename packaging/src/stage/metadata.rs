//! What a library says of itself through `ferronet_abi`.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::Result;

const MAGIC: u32 = u32::from_le_bytes(*b"FNAB");

/// First 128 bytes of what `ferronet_abi` returns, as `headers/ferronet.h` lays them out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Block {
    magic: u32,
    struct_size: u32,
    abi_revision: u32,
    abi_floor: u32,
    lib_version: u32,
    flags: u32,
    features_built: u64,
    layout_fingerprint: u64,
    version: [u8; 24],
    target: [u8; 40],
    build_id: [u8; 24],
}

/// The facts that packages carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Revision of the C surface.
    pub revision: u32,
    /// Oldest revision whose callers work unchanged.
    pub floor: u32,
    /// Hash of the layout table.
    pub fingerprint: u64,
    /// Library version.
    pub version: String,
    /// Rust's target triple.
    pub target: String,
}

impl Metadata {
    /// Loads `library` and asks it.
    ///
    /// # Errors
    /// When it cannot be loaded, has no `ferronet_abi`, or returns no block that begins with the magic number.
    pub fn of_library(library: &Path) -> Result<Self> {
        let path = CString::new(library.as_os_str().as_bytes())?;
        // SAFETY: the path is NUL-terminated; the library's initialisers are ours.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(last_error().into());
        }
        // SAFETY: the handle is open (and never closed, the library is linked with nodelete).
        let function = unsafe { libc::dlsym(handle, c"ferronet_abi".as_ptr()) };
        if function.is_null() {
            return Err(last_error().into());
        }
        // SAFETY: `ferronet_abi` has this type in every revision.
        let function: extern "C" fn() -> *const Block = unsafe { std::mem::transmute(function) };
        let block = function();
        if block.is_null() {
            return Err(format!("{}: ferronet_abi returned NULL", library.display()).into());
        }
        // SAFETY: it points at a static block of at least 128 bytes, which is the size of `Block`.
        Self::of_block(&unsafe { *block }).map_err(|error| format!("{}: {error}", library.display()).into())
    }

    fn of_block(block: &Block) -> Result<Self> {
        if block.magic != MAGIC || (block.struct_size as usize) < size_of::<Block>() {
            return Err(format!("the metadata block begins {:#x}, {}", block.magic, block.struct_size).into());
        }
        if block.abi_floor > block.abi_revision {
            return Err(format!("floor {} is above revision {}", block.abi_floor, block.abi_revision).into());
        }
        Ok(Self {
            revision: block.abi_revision,
            floor: block.abi_floor,
            fingerprint: block.layout_fingerprint,
            version: text(&block.version),
            target: text(&block.target),
        })
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

fn last_error() -> String {
    // SAFETY: dlerror returns NULL or a NUL-terminated text that lives until the next call on this thread.
    let error = unsafe { libc::dlerror() };
    if error.is_null() {
        return "the dynamic linker gave no reason".to_owned();
    }
    // SAFETY: not NULL, so it is such a text.
    unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        let mut version = [0; 24];
        version[..5].copy_from_slice(b"0.1.0");
        Block {
            magic: MAGIC,
            struct_size: 128,
            abi_revision: 3,
            abi_floor: 2,
            lib_version: 0,
            flags: 0,
            features_built: 0,
            layout_fingerprint: 7,
            version,
            target: [0; 40],
            build_id: [0; 24],
        }
    }

    #[test]
    fn a_block_is_read() {
        let metadata = Metadata::of_block(&block()).expect("valid");
        assert_eq!((metadata.revision, metadata.floor, metadata.fingerprint), (3, 2, 7));
        assert_eq!(metadata.version, "0.1.0");
    }

    #[test]
    fn a_wrong_magic_size_or_floor_is_refused() {
        let breaks: [fn(&mut Block); 3] =
            [|block| block.magic = 0, |block| block.struct_size = 64, |block| block.abi_floor = 9];
        for break_it in breaks {
            let mut wrong = block();
            break_it(&mut wrong);
            assert!(Metadata::of_block(&wrong).is_err());
        }
    }

    #[test]
    fn a_file_that_is_no_library_is_named() {
        let error = Metadata::of_library(Path::new("/dev/null")).expect_err("no library");
        assert!(error.to_string().contains("/dev/null"), "{error}");
    }
}
