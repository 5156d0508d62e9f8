//! Size-prefixed structures: how they are read from a caller and written back, whatever revision it was built for.
//!
//! Input follows the kernel's `copy_struct_from_user`: what the caller does not know is zero, and what the library does
//! not know must be zero. Output: as much as both sides know, and the size field says how much that was.

use super::status::{FERRONET_ERR_INVALID_ARGUMENT, FERRONET_ERR_TOO_BIG};

/// Bytes of the size field, and the least that a size-prefixed structure can be.
pub const MINIMUM: u32 = 4;
/// No structure is longer; a larger size is a field that was never set.
pub const MAXIMUM: u32 = 4096;

/// A structure whose first member is `uint32_t size`, and which any bytes are valid for.
///
/// # Safety
/// The type is `repr(C)`, holds only integers and nullable pointers without padding, and begins with the size field.
pub unsafe trait Sized32: Copy + Default {
    /// Name in C.
    const NAME: &'static str;
}

macro_rules! sized {
    ($($name:ident),*) => {
        $(
            // SAFETY: repr(C), integers and nullable pointers only (`layout::tests` proves that there is no padding), size first.
            unsafe impl Sized32 for $name {
                const NAME: &'static str = stringify!($name);
            }
            const _: () = assert!(std::mem::offset_of!($name, size) == 0);
        )*
    };
}

use super::config::{ferronet_caps, ferronet_reactor_areas, ferronet_reactor_config, ferronet_reactor_info};
use super::info::ferronet_attach_params;
use super::tls::{
    ferronet_tls_choice, ferronet_tls_config, ferronet_tls_context_info, ferronet_tls_credential_config,
    ferronet_tls_progress, ferronet_tls_session_config, ferronet_tls_session_info, ferronet_tls_verification,
};
use super::zlib::{ferronet_codec_progress, ferronet_deflate_config, ferronet_inflate_config};
sized!(ferronet_attach_params, ferronet_reactor_config, ferronet_reactor_areas, ferronet_reactor_info, ferronet_caps);
sized!(ferronet_deflate_config, ferronet_inflate_config, ferronet_codec_progress);
sized!(ferronet_tls_credential_config, ferronet_tls_config, ferronet_tls_session_config, ferronet_tls_progress);
sized!(ferronet_tls_session_info, ferronet_tls_context_info, ferronet_tls_verification, ferronet_tls_choice);

fn check<T: Sized32>(size: u32) -> Result<(), (i32, String)> {
    if size < MINIMUM {
        return Err((
            FERRONET_ERR_INVALID_ARGUMENT,
            format!(
                "{}.size is {size}, but the size field alone has {MINIMUM} bytes: set it to sizeof({})",
                T::NAME,
                T::NAME
            ),
        ));
    }
    if size > MAXIMUM {
        return Err((
            FERRONET_ERR_TOO_BIG,
            format!(
                "{}.size is {size}, but no structure has more than {MAXIMUM} bytes: set it to sizeof({})",
                T::NAME,
                T::NAME
            ),
        ));
    }
    Ok(())
}

/// Reads a structure of any revision.
///
/// # Safety
/// As many bytes as the size field of `source` says are readable.
pub unsafe fn read<T: Sized32>(source: *const T) -> Result<T, (i32, String)> {
    // SAFETY: the size field is the first member.
    let size = unsafe { source.cast::<u32>().read_unaligned() };
    check::<T>(size)?;
    let (size, known) = (size as usize, size_of::<T>());
    if size > known {
        // SAFETY: the caller vouches for `size` bytes.
        let tail = unsafe { std::slice::from_raw_parts(source.cast::<u8>().add(known), size - known) };
        if let Some(index) = tail.iter().position(|&byte| byte != 0) {
            return Err((
                FERRONET_ERR_TOO_BIG,
                format!(
                    "{}.size is {size}, but this library knows {known} bytes, and byte {} is not zero: leave members that it does not know at zero, or use a newer library",
                    T::NAME,
                    known + index
                ),
            ));
        }
    }
    let mut value = T::default();
    // SAFETY: both sides have at least that many bytes, and any bytes are a valid T.
    unsafe { std::ptr::copy_nonoverlapping(source.cast::<u8>(), (&raw mut value).cast::<u8>(), size.min(known)) };
    Ok(value)
}

/// The size that the caller set in a structure to be written, checked.
///
/// # Safety
/// The size field of `target` is readable.
pub unsafe fn capacity<T: Sized32>(target: *const T) -> Result<u32, (i32, String)> {
    // SAFETY: the size field is the first member.
    let size = unsafe { target.cast::<u32>().read_unaligned() };
    check::<T>(size)?;
    Ok(size)
}

/// Writes as much of the structure as the caller knows, and that size into its size field.
///
/// # Safety
/// `capacity` bytes are writable at `target`; `capacity` comes from [`capacity`].
pub unsafe fn write<T: Sized32>(target: *mut T, capacity: u32, value: &T) {
    let size = (capacity as usize).min(size_of::<T>());
    // SAFETY: the caller vouches for the target; the source is a whole T.
    unsafe {
        std::ptr::copy_nonoverlapping(std::ptr::from_ref(value).cast::<u8>(), target.cast::<u8>(), size);
        target.cast::<u32>().write_unaligned(size as u32);
    }
}
