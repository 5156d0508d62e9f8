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

/// Up to so many pairs are compared one by one, which costs no allocation; more are sorted by address first.
const FEW_PAIRS: u64 = 2 * (SHORT * SHORT) as u64;

/// A region with its place in its array.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    writable: bool,
    index: u32,
}

impl Span {
    /// `None` for an empty region, which overlaps nothing.
    fn new(region: ferronet_region, writable: bool, index: u32) -> Option<Self> {
        let span = Self { start: region.addr, end: region.addr.saturating_add(region.len), writable, index };
        (region.len > 0).then_some(span)
    }

    fn meets(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

#[cold]
fn overlap(one: &Span, other: &Span) -> Error {
    match (one.writable, other.writable) {
        (true, true) => {
            let (first, second) = (one.index.min(other.index), one.index.max(other.index));
            Error::invalid(format!("regions {first} and {second} that may be written overlap"))
        }
        (true, false) => Error::invalid(format!(
            "region {} of the output and region {} of the input overlap: provide memory of its own for the output",
            one.index, other.index
        )),
        (false, _) => overlap(other, one),
    }
}

/// Refuses regions of which two overlap: `writable` ones with each other, and with any that is read. The time grows no faster than
/// n log n with the number of regions.
///
/// # Safety
/// Pointers that are not NULL name that many regions.
pub(super) unsafe fn refuse_overlap(
    readable: (*const ferronet_region, u32),
    writable: (*const ferronet_region, u32),
) -> Result<()> {
    let count = |(regions, count): (*const ferronet_region, u32)| if regions.is_null() { 0 } else { count };
    let (inputs, outputs) = (count(readable), count(writable));
    // SAFETY: as promised.
    let input = |index| Span::new(unsafe { region(readable.0, index) }, false, index);
    // SAFETY: as promised.
    let output = |index| Span::new(unsafe { region(writable.0, index) }, true, index);
    if u64::from(outputs) * (u64::from(outputs) + u64::from(inputs)) > FEW_PAIRS && outputs > 1 {
        return refuse_overlap_of_many((0..inputs).filter_map(input).chain((0..outputs).filter_map(output)).collect());
    }
    for target in (0..outputs).filter_map(output) {
        let others = (0..target.index).filter_map(output).chain((0..inputs).filter_map(input));
        for other in others {
            if target.meets(&other) {
                return Err(overlap(&target, &other));
            }
        }
    }
    Ok(())
}

/// By address, a span meets an earlier one if and only if it begins before the furthest end of those.
fn refuse_overlap_of_many(mut spans: Vec<Span>) -> Result<()> {
    spans.sort_unstable_by_key(|span| span.start);
    let (mut furthest, mut furthest_writable): (Option<Span>, Option<Span>) = (None, None);
    for span in spans {
        let earlier = if span.writable { &furthest } else { &furthest_writable };
        if let Some(other) = earlier.filter(|other| other.meets(&span)) {
            return Err(overlap(&other, &span));
        }
        let reaches_on = |before: &Option<Span>| before.is_none_or(|before| span.end > before.end);
        if reaches_on(&furthest) {
            furthest = Some(span);
        }
        if span.writable && reaches_on(&furthest_writable) {
            furthest_writable = Some(span);
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

    fn check(readable: &[ferronet_region], writable: &[ferronet_region]) -> Result<()> {
        // SAFETY: the slices name their regions.
        unsafe {
            refuse_overlap((readable.as_ptr(), readable.len() as u32), (writable.as_ptr(), writable.len() as u32))
        }
    }

    #[test]
    fn overlaps_are_found() {
        let memory = [0u8; 30];
        let (left, middle, right) = (region_of(&memory[..10]), region_of(&memory[9..20]), region_of(&memory[20..]));
        assert!(check(&[left, middle], &[right]).is_ok());
        assert!(check(&[left], &[right, middle]).is_err());
        assert!(check(&[], &[left, right, middle]).is_err());
        assert!(check(&[middle, left], &[right]).is_ok());
        assert!(check(&[left], &[ferronet_region { addr: left.addr, len: 0 }]).is_ok());
    }

    /// Regions of `length` bytes, each `step` behind the one before, in an order that is not that of their addresses.
    fn scattered(first: u64, count: u64, step: u64, length: u64) -> Vec<ferronet_region> {
        (0..count).map(|index| ferronet_region { addr: first + index * 7919 % count * step, len: length }).collect()
    }

    #[test]
    fn overlaps_among_many_are_found_as_among_few() {
        const FAR: u64 = 1 << 40;
        for count in [2, 15, 16, 17, 100, 200] {
            let (inputs, outputs) = (scattered(8, count, 10, 10), scattered(FAR, count, 10, 10));
            check(&inputs, &outputs).unwrap();
            check(&[inputs.clone(), inputs.clone()].concat(), &outputs).unwrap();
            for place in 0..count as usize {
                let inside = [ferronet_region { addr: inputs[place].addr + 9, len: 1 }];
                let among = [&outputs[..place], &inside, &outputs[place..]].concat();
                let error = check(&inputs, &among).unwrap_err();
                let named = format!("region {place} of the output and region {place} of the input overlap");
                assert!(error.text.starts_with(&named), "{count}: {error}");

                let mut twice = outputs.clone();
                twice.push(ferronet_region { addr: outputs[place].addr, len: 1 });
                let error = check(&inputs, &twice).unwrap_err();
                assert_eq!(error.text, format!("regions {place} and {count} that may be written overlap"));

                twice.pop();
                twice.push(ferronet_region { addr: outputs[place].addr + 5, len: 0 });
                check(&inputs, &twice).unwrap();
            }
            let everything = ferronet_region { addr: 1, len: u64::MAX };
            assert!(
                check(&[everything], &outputs).is_err()
                    && check(&inputs, &[&outputs[..], &[everything]].concat()).is_err()
            );
        }
    }

    #[test]
    fn the_time_does_not_grow_with_the_square_of_the_regions() {
        let (inputs, outputs) = (scattered(8, 200_000, 10, 10), scattered(1 << 40, 200_000, 10, 10));
        let begun = std::time::Instant::now();
        check(&inputs, &outputs).unwrap();
        // 60,000,000,000 pairs would take minutes.
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
