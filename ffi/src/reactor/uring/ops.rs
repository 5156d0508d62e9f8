//! Operations in flight, in storage that stays where it is until the final completion.

use std::ptr;

/// Marks the end of a list of operations.
pub(super) const NONE: u32 = u32::MAX;

/// Completion entries with this key come from the poll of the wake-up descriptor.
pub(super) const KEY_WAKE: u64 = u64::MAX;
/// Set in the key of a request that cancels the operation with the rest of the key.
const KEY_CANCEL: u64 = 1 << 63;
const GENERATION_MASK: u32 = u32::MAX >> 1;

/// What an operation does, and how far a lent receive without kernel help has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Accept,
    Connect,
    /// A connection under way whose request was lost; it waits for the outcome.
    ConnectWait,
    Recv,
    /// A receive for which the kernel picks the lent buffer.
    LentByKernel,
    /// A receive that waits for readiness before it takes a lent buffer.
    LentWait,
    /// The same with its buffer taken.
    LentRead {
        buffer: u16,
        /// The socket is a datagram socket whose receiving direction was shut down.
        ended: bool,
    },
    Send,
    Poll,
    Close,
}

/// What SENDMSG and CONNECT need in memory. Its address never changes.
pub(super) struct Store {
    pub(super) message: libc::msghdr,
    pub(super) address: libc::sockaddr_storage,
    pub(super) address_length: libc::socklen_t,
    pub(super) regions: Vec<libc::iovec>,
    /// Regions before this one are sent.
    pub(super) first: usize,
}

// SAFETY: the pointers lead to the caller's memory, which its contract keeps valid; only the loop's thread uses them.
unsafe impl Send for Store {}

impl Store {
    fn new() -> Self {
        // SAFETY: all-zero bytes are a valid msghdr and a valid sockaddr_storage.
        let (message, address) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        Self { message, address, address_length: 0, regions: Vec::new(), first: 0 }
    }
}

/// One operation.
pub(super) struct Op {
    generation: u32,
    /// Neighbours in the list of the socket's operations.
    next: u32,
    previous: u32,
    pub(super) socket: u32,
    pub(super) user_data: u64,
    pub(super) kind: Kind,
    /// `FERRONET_SUBMIT_*`.
    pub(super) flags: u8,
    /// A cancel was asked for.
    pub(super) cancelled: bool,
    /// The kernel has it, or its entry is queued for the kernel.
    pub(super) submitted: bool,
    /// Bytes at `address` (what is left of a send of one region), or poll events.
    pub(super) length: u32,
    pub(super) address: u64,
    /// Bytes sent so far, and all bytes of the send. A receive into lent buffers counts in `sent` those it has filled.
    pub(super) sent: u64,
    pub(super) total: u64,
    store: Option<Box<Store>>,
}

impl Op {
    /// The operation's storage with a fixed address; made once for each place in the table.
    pub(super) fn store(&mut self) -> &mut Store {
        self.store.get_or_insert_with(|| Box::new(Store::new()))
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// All operations without their final completion, under keys of an index and a generation.
#[derive(Default)]
pub(super) struct Ops {
    ops: Vec<Op>,
    free: Vec<u32>,
}

impl Ops {
    /// Operations in flight.
    pub(super) fn len(&self) -> usize {
        self.ops.len() - self.free.len()
    }

    /// Puts in an operation of `socket` and makes it the first of the socket's list.
    pub(super) fn insert(&mut self, kind: Kind, socket: u32, user_data: u64, flags: u8, first: &mut u32) -> u32 {
        let index = self.free.pop().unwrap_or(self.ops.len() as u32);
        let (generation, store) = match self.ops.get_mut(index as usize) {
            Some(old) => (old.generation, old.store.take()),
            None => (1, None),
        };
        let op = Op {
            generation,
            next: *first,
            previous: NONE,
            socket,
            user_data,
            kind,
            flags,
            cancelled: false,
            submitted: false,
            length: 0,
            address: 0,
            sent: 0,
            total: 0,
            store,
        };
        if *first != NONE {
            self.ops[*first as usize].previous = index;
        }
        *first = index;
        match self.ops.get_mut(index as usize) {
            Some(place) => *place = op,
            None => self.ops.push(op),
        }
        index
    }

    /// Takes an operation out after its final completion; its key is unknown from now on.
    pub(super) fn remove(&mut self, index: u32, first: &mut u32) {
        let (next, previous) = {
            let op = &mut self.ops[index as usize];
            op.generation = (op.generation + 1) & GENERATION_MASK;
            if let Some(store) = &mut op.store {
                store.regions.clear();
            }
            (op.next, op.previous)
        };
        match previous {
            NONE => *first = next,
            previous => self.ops[previous as usize].next = next,
        }
        if next != NONE {
            self.ops[next as usize].previous = previous;
        }
        self.free.push(index);
    }

    pub(super) fn get(&mut self, index: u32) -> &mut Op {
        &mut self.ops[index as usize]
    }

    /// The operation behind `index` in its socket's list, or `NONE`.
    pub(super) fn next(&self, index: u32) -> u32 {
        self.ops[index as usize].next
    }

    /// What the kernel echoes for this operation.
    pub(super) fn key(&self, index: u32) -> u64 {
        u64::from(self.ops[index as usize].generation) << 32 | u64::from(index)
    }

    /// The operation of a key, unless it has had its final completion.
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let index = key as u32;
        let live = self.ops.get(index as usize).is_some_and(|op| u64::from(op.generation) == key >> 32);
        live.then_some(index)
    }
}

/// The key of a request that cancels the operation of `key`.
pub(super) fn cancel_key(key: u64) -> u64 {
    key | KEY_CANCEL
}

/// The key of the operation that the request with this key cancels.
pub(super) fn cancelled_key(key: u64) -> Option<u64> {
    (key & KEY_CANCEL != 0).then_some(key & !KEY_CANCEL)
}

/// Points the message at the regions that are left.
pub(super) fn point_message(store: &mut Store) {
    let left = &mut store.regions[store.first..];
    store.message.msg_iov = if left.is_empty() { ptr::null_mut() } else { left.as_mut_ptr() };
    store.message.msg_iovlen = left.len() as _;
}

/// Moves the start of the regions on by `sent` bytes.
pub(super) fn advance(store: &mut Store, sent: u64) {
    let mut rest = sent as usize;
    while let Some(region) = store.regions.get_mut(store.first) {
        if rest < region.iov_len {
            region.iov_base = region.iov_base.wrapping_byte_add(rest);
            region.iov_len -= rest;
            return;
        }
        rest -= region.iov_len;
        store.first += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ops: &Ops, first: u32) -> Vec<u32> {
        std::iter::successors((first != NONE).then_some(first), |&i| Some(ops.next(i)).filter(|&n| n != NONE)).collect()
    }

    #[test]
    fn a_key_dies_with_its_operation() {
        let (mut ops, mut first) = (Ops::default(), NONE);
        let index = ops.insert(Kind::Recv, 7, 70, 0, &mut first);
        let key = ops.key(index);
        assert_eq!(ops.find(key), Some(index));
        assert_eq!(ops.len(), 1);
        ops.remove(index, &mut first);
        assert_eq!((ops.find(key), ops.len(), first), (None, 0, NONE));
        let again = ops.insert(Kind::Recv, 7, 71, 0, &mut first);
        assert_eq!(again, index);
        assert_ne!(ops.key(again), key);
        assert_eq!(ops.find(key), None);
    }

    #[test]
    fn keys_of_cancels_lead_back_and_never_meet_the_wake_key() {
        let (mut ops, mut first) = (Ops::default(), NONE);
        let index = ops.insert(Kind::Send, 1, 1, 0, &mut first);
        for _ in 0..3 {
            let key = ops.key(index);
            assert_eq!(cancelled_key(key), None);
            assert_eq!(cancelled_key(cancel_key(key)), Some(key));
            assert_ne!(cancel_key(key), KEY_WAKE);
            ops.remove(index, &mut first);
            ops.insert(Kind::Send, 1, 1, 0, &mut first);
        }
    }

    #[test]
    fn generations_wrap_below_the_cancel_bit() {
        let (mut ops, mut first) = (Ops::default(), NONE);
        let index = ops.insert(Kind::Send, 1, 1, 0, &mut first);
        ops.ops[index as usize].generation = GENERATION_MASK;
        assert_eq!(cancelled_key(ops.key(index)), None);
        ops.remove(index, &mut first);
        assert_eq!(ops.key(index) >> 32, 0);
    }

    #[test]
    fn the_list_of_a_socket_survives_removal_anywhere() {
        for removed in 0..3 {
            let (mut ops, mut first) = (Ops::default(), NONE);
            let all: Vec<u32> = (0..3).map(|n| ops.insert(Kind::Recv, 1, n, 0, &mut first)).collect();
            assert_eq!(list(&ops, first), [all[2], all[1], all[0]]);
            ops.remove(all[removed], &mut first);
            let left: Vec<u32> = all.iter().rev().copied().filter(|&i| i != all[removed]).collect();
            assert_eq!(list(&ops, first), left);
        }
    }

    #[test]
    fn a_store_keeps_its_address_while_the_table_grows() {
        let (mut ops, mut first) = (Ops::default(), NONE);
        let index = ops.insert(Kind::Send, 1, 0, 0, &mut first);
        let address = ptr::from_ref(ops.get(index).store());
        (1..1000).for_each(|n| {
            ops.insert(Kind::Send, 1, n, 0, &mut first);
        });
        assert_eq!(ptr::from_ref(ops.get(index).store()), address);
    }

    #[test]
    fn progress_moves_across_regions() {
        let bytes = [0u8; 30];
        let region =
            |from: usize, len: usize| libc::iovec { iov_base: bytes[from..].as_ptr().cast_mut().cast(), iov_len: len };
        let mut store = Store::new();
        store.regions = vec![region(0, 10), region(10, 0), region(10, 20)];
        advance(&mut store, 4);
        assert_eq!((store.first, store.regions[0].iov_len), (0, 6));
        advance(&mut store, 6);
        assert_eq!(store.first, 2);
        advance(&mut store, 5);
        assert_eq!((store.first, store.regions[2].iov_len), (2, 15));
        assert_eq!(store.regions[2].iov_base.cast_const().cast(), bytes[15..].as_ptr());
        point_message(&mut store);
        assert_eq!(store.message.msg_iovlen, 1);
        advance(&mut store, 15);
        assert_eq!(store.first, 3);
    }
}
