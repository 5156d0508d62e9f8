//! Arrays of regions from C as slices, checked against each other.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::codec::bytes;
use super::pointer::is_null;
use crate::abi::record::ferronet_region;
use crate::{Error, Result};

/// Arrays up to this length cost no allocation.
const SHORT: usize = 16;

/// A list that lies on the stack while it is short.
pub(super) struct List<T> {
    short: [MaybeUninit<T>; SHORT],
    length: usize,
    long: Vec<T>,
}

impl<T> List<T> {
    fn new() -> Self {
        Self { short: [const { MaybeUninit::uninit() }; SHORT], length: 0, long: Vec::new() }
    }

    fn push(&mut self, item: T) {
        if !self.long.is_empty() {
            self.long.push(item);
        } else if self.length < SHORT {
            self.short[self.length] = MaybeUninit::new(item);
            self.length += 1;
        } else {
            self.long.reserve(2 * SHORT);
            for slot in &self.short {
                // SAFETY: all of them are filled; `length` is set to 0, so that none is read again.
                self.long.push(unsafe { slot.assume_init_read() });
            }
            self.length = 0;
            self.long.push(item);
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        if self.long.is_empty() {
            // SAFETY: so many are filled.
            unsafe { std::slice::from_raw_parts_mut(self.short.as_mut_ptr().cast::<T>(), self.length) }
        } else {
            &mut self.long
        }
    }
}

/// # Safety
/// A pointer that is not NULL names that many regions.
unsafe fn region(regions: *const ferronet_region, index: u32) -> ferronet_region {
    // SAFETY: as promised; C gives no alignment.
    unsafe { regions.add(index as usize).read_unaligned() }
}

/// Regions that are read only.
///
/// # Safety
/// A pointer that is not NULL names that many regions, whose bytes are readable during the call that asked.
pub(super) unsafe fn inputs<'a>(regions: *const ferronet_region, count: u32, name: &str) -> Result<List<&'a [u8]>> {
    let mut list = List::new();
    if count > 0 && regions.is_null() {
        return Err(is_null(name));
    }
    for index in 0..count {
        // SAFETY: as promised.
        list.push(unsafe {
            let region = region(regions, index);
            bytes(region.addr as *const c_void, region.len, name)?
        });
    }
    Ok(list)
}

/// Regions that are written to.
///
/// # Safety
/// A pointer that is not NULL names that many regions, whose bytes are writable during the call that asked, and that no other
/// reference names: `refuse_overlap` comes first.
pub(super) unsafe fn outputs<'a>(
    regions: *const ferronet_region,
    count: u32,
    name: &str,
) -> Result<List<&'a mut [u8]>> {
    let mut list = List::new();
    if count > 0 && regions.is_null() {
        return Err(is_null(name));
    }
    for index in 0..count {
        // SAFETY: as promised.
        list.push(unsafe { output(region(regions, index), name)? });
    }
    Ok(list)
}

/// # Safety
/// The bytes of the region are writable during the call that asked, and no other reference names them.
pub(super) unsafe fn output<'a>(region: ferronet_region, name: &str) -> Result<&'a mut [u8]> {
    // SAFETY: as promised.
    let checked = unsafe { bytes(region.addr as *const c_void, region.len, name) }?;
    if checked.is_empty() {
        return Ok(&mut []);
    }
    // SAFETY: as promised; the length was checked.
    Ok(unsafe { std::slice::from_raw_parts_mut(region.addr as *mut u8, region.len as usize) })
}

/// Refuses regions of which two overlap: `writable` ones with each other, and with any that is read.
///
/// # Safety
/// Pointers that are not NULL name that many regions.
pub(super) unsafe fn refuse_overlap(
    readable: (*const ferronet_region, u32),
    writable: (*const ferronet_region, u32),
) -> Result<()> {
    let meets = |one: ferronet_region, other: ferronet_region| {
        one.len > 0
            && other.len > 0
            && one.addr < other.addr.saturating_add(other.len)
            && other.addr < one.addr.saturating_add(one.len)
    };
    let count = |(regions, count): (*const ferronet_region, u32)| if regions.is_null() { 0 } else { count };
    for index in 0..count(writable) {
        // SAFETY: as promised.
        let target = unsafe { region(writable.0, index) };
        for other in 0..index {
            // SAFETY: as promised.
            if meets(target, unsafe { region(writable.0, other) }) {
                return Err(Error::invalid(format!("regions {other} and {index} that may be written overlap")));
            }
        }
        for other in 0..count(readable) {
            // SAFETY: as promised.
            if meets(target, unsafe { region(readable.0, other) }) {
                return Err(Error::invalid(format!(
                    "region {index} of the output and region {other} of the input overlap: provide memory of its own for the output"
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn region_of(bytes: &[u8]) -> ferronet_region {
        ferronet_region { addr: bytes.as_ptr() as u64, len: bytes.len() as u64 }
    }

    #[test]
    fn lists_of_every_length_keep_their_order() {
        let memory: Vec<u8> = (0..100).collect();
        for count in 0..100 {
            let regions: Vec<_> = memory[..count].chunks(1).map(region_of).collect();
            // SAFETY: the regions name the memory.
            let mut list = unsafe { inputs(regions.as_ptr(), count as u32, "inputs") }.unwrap();
            assert_eq!(list.as_mut_slice().concat(), memory[..count]);
        }
    }

    #[test]
    fn overlaps_are_found() {
        let memory = [0u8; 30];
        let (left, middle, right) = (region_of(&memory[..10]), region_of(&memory[9..20]), region_of(&memory[20..]));
        let check = |readable: &[ferronet_region], writable: &[ferronet_region]| {
            // SAFETY: the slices name their regions.
            unsafe {
                refuse_overlap((readable.as_ptr(), readable.len() as u32), (writable.as_ptr(), writable.len() as u32))
            }
        };
        assert!(check(&[left, middle], &[right]).is_ok());
        assert!(check(&[left], &[right, middle]).is_err());
        assert!(check(&[], &[left, right, middle]).is_err());
        assert!(check(&[middle, left], &[right]).is_ok());
        assert!(check(&[left], &[ferronet_region { addr: left.addr, len: 0 }]).is_ok());
    }
}
