//! Lent receive buffers, and the ring through which the kernel picks one.

use std::collections::VecDeque;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::IoUring;
use io_uring::types::BufRingEntry;

use crate::abi::record::{FERRONET_OP_LEND, ferronet_submission};
use crate::abi::status::{FERRONET_ERR_INVALID_ARGUMENT, FERRONET_ERR_LIMIT, Status};

/// The one group of provided buffers of a ring.
pub(super) const GROUP: u16 = 0;

/// A buffer that the library holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Buffer {
    pub(super) address: u64,
    /// 0: not held.
    pub(super) length: u32,
}

/// All lent buffers by identity.
pub(super) struct Lent {
    buffers: Vec<Buffer>,
    held: u32,
    capacity: u32,
    /// Free buffers in the order in which they were lent; used without a buffer ring.
    queue: VecDeque<u16>,
    ring: Option<BufferRing>,
}

impl Lent {
    pub(super) fn new(capacity: u32) -> Self {
        Self { buffers: Vec::new(), held: 0, capacity, queue: VecDeque::new(), ring: None }
    }

    /// Lets the kernel pick from now on; what is held moves into its ring.
    pub(super) fn use_ring(&mut self, ring: BufferRing) {
        self.ring = Some(ring);
        for identity in std::mem::take(&mut self.queue) {
            self.offer(identity);
        }
        self.publish();
    }

    /// Gives the buffer ring back; what the kernel had not used is free again, oldest identity first.
    pub(super) fn take_ring(&mut self) -> Option<BufferRing> {
        let ring = self.ring.take()?;
        let held = self.buffers.iter().enumerate().filter(|(_, buffer)| buffer.length > 0);
        self.queue = held.map(|(identity, _)| identity as u16).collect();
        Some(ring)
    }

    /// Undoes `take_ring`.
    pub(super) fn restore_ring(&mut self, ring: BufferRing) {
        self.queue.clear();
        self.ring = Some(ring);
    }

    /// A LEND record for each buffer that is held.
    pub(super) fn records(&self) -> Vec<ferronet_submission> {
        let held = self.buffers.iter().zip(0u64..).filter(|(buffer, _)| buffer.length > 0);
        let record = |(buffer, identity): (&Buffer, u64)| ferronet_submission {
            op: FERRONET_OP_LEND,
            addr0: buffer.address,
            len0: buffer.length,
            arg0: identity,
            ..Default::default()
        };
        held.map(record).collect()
    }

    pub(super) fn held(&self) -> u32 {
        self.held
    }

    /// One more than the largest identity that was ever lent: how many buffers the caller has, if it numbers them from 0.
    pub(super) fn known(&self) -> usize {
        self.buffers.len()
    }

    /// Takes a buffer in; it reaches the kernel with `publish`.
    pub(super) fn lend(&mut self, identity: u64, address: u64, length: u32) -> Result<(), Status> {
        let identity = u16::try_from(identity).map_err(|_| FERRONET_ERR_INVALID_ARGUMENT)?;
        if address == 0 || length == 0 || i32::try_from(length).is_err() {
            return Err(FERRONET_ERR_INVALID_ARGUMENT);
        }
        if self.buffers.len() <= usize::from(identity) {
            self.buffers.resize(usize::from(identity) + 1, Buffer::default());
        }
        if self.buffers[usize::from(identity)].length > 0 {
            return Err(FERRONET_ERR_INVALID_ARGUMENT);
        }
        if self.held >= self.capacity {
            return Err(FERRONET_ERR_LIMIT);
        }
        self.buffers[usize::from(identity)] = Buffer { address, length };
        self.held += 1;
        self.offer(identity);
        Ok(())
    }

    fn offer(&mut self, identity: u16) {
        match &mut self.ring {
            Some(ring) => ring.add(self.buffers[usize::from(identity)], identity),
            None => self.queue.push_back(identity),
        }
    }

    /// Shows the kernel what was lent since the last time.
    pub(super) fn publish(&mut self) {
        if let Some(ring) = &mut self.ring {
            ring.publish();
        }
    }

    /// Picks the free buffer that was lent first; only without a buffer ring.
    pub(super) fn pick(&mut self) -> Option<(u16, Buffer)> {
        let identity = self.queue.pop_front()?;
        Some((identity, self.buffers[usize::from(identity)]))
    }

    /// Makes a picked buffer, which holds no bytes, the next to be picked.
    pub(super) fn put_back(&mut self, identity: u16) {
        match self.ring {
            Some(_) => {
                self.offer(identity);
                self.publish();
            }
            None => self.queue.push_front(identity),
        }
    }

    /// The buffer is the caller's again.
    pub(super) fn release(&mut self, identity: u16) {
        if let Some(buffer) = self.buffers.get_mut(usize::from(identity)).filter(|buffer| buffer.length > 0) {
            buffer.length = 0;
            self.held -= 1;
        }
    }
}

/// The ring of free buffers that kernel and library share: page-aligned entries of 16 bytes, whose first one holds the
/// tail in its last two bytes.
pub(super) struct BufferRing {
    entries: NonNull<BufRingEntry>,
    count: u32,
    tail: u16,
}

// SAFETY: the memory is owned by this value; only the loop's thread writes to it.
unsafe impl Send for BufferRing {}

impl BufferRing {
    /// Maps a ring of `count` entries (a power of two, at most 32,768). The kernel does not know it yet.
    pub(super) fn new(count: u32) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping touches no memory in use.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), Self::bytes(count), protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fork must not share pages that the kernel reads on behalf of this process; failing is harmless.
        unsafe { libc::madvise(address, Self::bytes(count), libc::MADV_DONTFORK) };
        match NonNull::new(address.cast()) {
            Some(entries) => Ok(Self { entries, count, tail: 0 }),
            None => Err(io::Error::from_raw_os_error(libc::ENOMEM)),
        }
    }

    fn bytes(count: u32) -> usize {
        count as usize * size_of::<BufRingEntry>()
    }

    /// Makes the ring known to the kernel as the buffers of `GROUP`.
    pub(super) fn register(&self, submitter: &io_uring::Submitter<'_>, flags: u16) -> io::Result<()> {
        let address = self.entries.as_ptr() as u64;
        // SAFETY: the mapping outlives the registration: it is unmapped on drop only, after `unregister` or with the ring.
        unsafe { submitter.register_buf_ring_with_flags(address, self.count as u16, GROUP, flags) }
    }

    fn add(&mut self, buffer: Buffer, identity: u16) {
        let slot = usize::from(self.tail) & (self.count as usize - 1);
        // SAFETY: the slot is inside the mapping. Field by field: the last two bytes of the first entry are the tail.
        let entry = unsafe { &mut *self.entries.as_ptr().add(slot) };
        entry.set_addr(buffer.address);
        entry.set_len(buffer.length);
        entry.set_bid(identity);
        self.tail = self.tail.wrapping_add(1);
    }

    fn publish(&mut self) {
        // SAFETY: the first entry is inside the mapping, and its tail is two bytes, aligned to two.
        let tail = unsafe { AtomicU16::from_ptr(BufRingEntry::tail(self.entries.as_ptr()).cast_mut()) };
        tail.store(self.tail, Ordering::Release);
    }
}

impl Drop for BufferRing {
    fn drop(&mut self) {
        // SAFETY: this is the mapping of `new`.
        unsafe { libc::munmap(self.entries.as_ptr().cast(), Self::bytes(self.count)) };
    }
}

/// Whether the kernel takes a buffer ring, or one whose buffers it fills in steps. What has another reason is an error.
pub(crate) fn takes_buffer_ring(ring: &IoUring, incremental: bool) -> io::Result<bool> {
    const IOU_PBUF_RING_INC: u16 = 2;
    let buffers = BufferRing::new(8)?;
    match buffers.register(&ring.submitter(), if incremental { IOU_PBUF_RING_INC } else { 0 }) {
        Ok(()) => ring.submitter().unregister_buf_ring(GROUP).map(|()| true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP)) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_lent() {
        let mut lent = Lent::new(2);
        assert_eq!(lent.lend(65_536, 1, 1), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(0, 0, 1), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(0, 1, 0), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(0, 1, u32::MAX), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(65_535, 1, 1), Ok(()));
        assert_eq!(lent.lend(65_535, 1, 1), Err(FERRONET_ERR_INVALID_ARGUMENT));
        assert_eq!(lent.lend(3, 1, 1), Ok(()));
        assert_eq!(lent.lend(4, 1, 1), Err(FERRONET_ERR_LIMIT));
        lent.release(3);
        assert_eq!(lent.held(), 1);
        assert_eq!(lent.lend(4, 1, 1), Ok(()));
    }

    #[test]
    fn the_first_lent_is_the_first_picked() {
        let mut lent = Lent::new(4);
        assert!(lent.pick().is_none());
        lent.lend(5, 50, 1).unwrap();
        lent.lend(6, 60, 1).unwrap();
        let (identity, buffer) = lent.pick().unwrap();
        assert_eq!((identity, buffer.address), (5, 50));
        lent.put_back(identity);
        assert_eq!(lent.pick().unwrap().0, 5);
        lent.release(5);
        assert_eq!(lent.held(), 1);
    }

    #[test]
    fn entries_leave_the_tail_alone() {
        let mut lent = Lent::new(2);
        lent.use_ring(BufferRing::new(2).unwrap());
        let tail = |lent: &Lent| {
            let ring = lent.ring.as_ref().unwrap();
            // SAFETY: the mapping holds two entries.
            unsafe { *BufRingEntry::tail(ring.entries.as_ptr()) }
        };
        for round in 0..5u16 {
            lent.lend(u64::from(round), 4096, 16).unwrap();
            assert_eq!(tail(&lent), round, "published too early");
            lent.publish();
            assert_eq!(tail(&lent), round + 1);
            lent.release(round);
        }
    }

    #[test]
    fn buffers_move_to_another_ring() {
        let mut lent = Lent::new(4);
        lent.use_ring(BufferRing::new(4).unwrap());
        lent.lend(9, 90, 1).unwrap();
        lent.lend(2, 20, 1).unwrap();
        drop(lent.take_ring());
        assert_eq!(lent.queue, [2, 9]);
        let ring = BufferRing::new(4).unwrap();
        lent.use_ring(ring);
        assert_eq!(lent.held(), 2);
        assert_eq!(lent.ring.as_ref().unwrap().tail, 2);
    }
}
