//! Pointers from C to plain memory, checked as far as they can be.

use crate::abi::sized::{self, Sized32};
use crate::reactor::{Error, Result};

/// An output that is written only on success.
pub(super) fn out<T>(pointer: *mut T, name: &str) -> Result<Out<T>> {
    if pointer.is_null() { Err(is_null(name)) } else { Ok(Out(pointer)) }
}

pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// The caller of C provides memory for a T.
    pub(super) unsafe fn write(self, value: T) {
        // SAFETY: as promised; C gives no alignment.
        unsafe { self.0.write_unaligned(value) };
    }
}

/// An input record that is frozen.
///
/// # Safety
/// A pointer that is not NULL names a readable T, for which any bytes are valid.
pub(super) unsafe fn input<T: Copy>(pointer: *const T, name: &str) -> Result<T> {
    if pointer.is_null() {
        return Err(is_null(name));
    }
    // SAFETY: as promised; C gives no alignment.
    Ok(unsafe { pointer.read_unaligned() })
}

/// A size-prefixed input.
///
/// # Safety
/// A pointer that is not NULL names as many readable bytes as its size field says.
pub(super) unsafe fn sized_input<T: Sized32>(pointer: *const T, name: &str) -> Result<T> {
    if pointer.is_null() {
        return Err(is_null(name));
    }
    // SAFETY: as promised.
    unsafe { sized::read(pointer) }.map_err(Error::from)
}

/// A size-prefixed output.
///
/// # Safety
/// A pointer that is not NULL names as many writable bytes as its size field says.
pub(super) unsafe fn sized_out<T: Sized32>(pointer: *mut T, name: &str) -> Result<SizedOut<T>> {
    if pointer.is_null() {
        return Err(is_null(name));
    }
    // SAFETY: as promised.
    let capacity = unsafe { sized::capacity(pointer) }?;
    Ok(SizedOut { pointer, capacity })
}

pub(super) struct SizedOut<T> {
    pointer: *mut T,
    capacity: u32,
}

impl<T: Sized32> SizedOut<T> {
    /// # Safety
    /// As for [`sized_out`].
    pub(super) unsafe fn write(self, value: &T) {
        // SAFETY: as promised; the capacity was checked.
        unsafe { sized::write(self.pointer, self.capacity, value) };
    }
}

pub(super) fn is_null(name: &str) -> Error {
    Error::invalid(format!("{name} is NULL; pass the address of the memory that the function reads or writes"))
}

impl From<(i32, String)> for Error {
    fn from((status, text): (i32, String)) -> Self {
        Self { status, text }
    }
}
