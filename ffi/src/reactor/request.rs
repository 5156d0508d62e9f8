//! Submission records, checked: both backends refuse the same records with the same status.

use socket2::SockAddr;

use super::address;
use super::socket::shutdown_how;
use crate::abi::record::*;
use crate::abi::status::{FERRONET_ERR_INVALID_ARGUMENT, FERRONET_ERR_UNSUPPORTED_OP, Status};

/// A record's operation with its arguments in range; flags stay in the record.
#[derive(Clone, Debug)]
pub(crate) enum Request<'a> {
    Accept,
    Connect(Box<SockAddr>),
    Recv {
        address: u64,
        length: u32,
    },
    RecvLent,
    Send(Regions<'a>),
    /// `FERRONET_POLL_*`
    Poll {
        events: u32,
    },
    /// `libc::SHUT_*`
    Shutdown {
        how: libc::c_int,
    },
    Close,
    /// No target means all operations of the socket.
    Cancel {
        target: Option<u64>,
    },
    /// What is wrong with identity, address or length is found out by who holds the lent buffers.
    Lend {
        identity: u64,
        address: u64,
        length: u32,
    },
}

/// Most regions of one gathered send (the system's IOV_MAX).
const MOST_REGIONS: u32 = 1024;

/// Most bytes of one send: what its result can tell.
const MOST_BYTES: u64 = i32::MAX as u64;

/// What a send sends, in order; at most 2^31 - 1 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Regions<'a> {
    Inline([ferronet_region; 2]),
    Many(&'a [ferronet_region]),
}

impl Regions<'_> {
    /// The regions that hold bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ferronet_region> + '_ {
        let all: &[ferronet_region] = match self {
            Self::Inline(two) => two,
            Self::Many(many) => many,
        };
        all.iter().copied().filter(|region| region.len > 0)
    }

    fn valid(&self) -> bool {
        let mut total = 0u64;
        self.iter().all(|region| {
            total = total.saturating_add(region.len);
            region.addr != 0 && total <= MOST_BYTES
        })
    }
}

const ADDR0: u32 = 1 << 0;
const LEN0: u32 = 1 << 1;
const ADDR1: u32 = 1 << 2;
const LEN1: u32 = 1 << 3;
const ARG0: u32 = 1 << 4;
const SOCKET: u32 = 1 << 5;

/// What a record of one kind must not hold: all ones where a flag or a field has to be zero.
#[derive(Clone, Copy)]
struct Unused {
    flags: u8,
    addr0: u64,
    len0: u32,
    addr1: u64,
    len1: u32,
    arg0: u64,
    socket: u32,
}

impl Unused {
    /// All but these flags and fields.
    const fn but(flags: u8, fields: u32) -> Self {
        const fn mask(fields: u32, field: u32) -> u64 {
            if fields & field == 0 { u64::MAX } else { 0 }
        }
        Self {
            flags: !flags,
            addr0: mask(fields, ADDR0),
            len0: mask(fields, LEN0) as u32,
            addr1: mask(fields, ADDR1),
            len1: mask(fields, LEN1) as u32,
            arg0: mask(fields, ARG0),
            socket: mask(fields, SOCKET) as u32,
        }
    }

    /// Everything that is not zero and should be. Without a branch: every record goes through here.
    fn found(&self, record: &ferronet_submission) -> u64 {
        record.addr0 & self.addr0
            | u64::from(record.len0 & self.len0)
            | record.addr1 & self.addr1
            | u64::from(record.len1 & self.len1)
            | record.arg0 & self.arg0
            | u64::from(record.socket & self.socket)
            | u64::from(record.reserved0)
            | record.reserved1[0]
            | record.reserved1[1]
    }
}

/// By operation; a receive into lent buffers and a cancel of everything stand behind.
static KINDS: [Unused; 13] = {
    let nothing = Unused::but(0, 0);
    let mut kinds = [nothing; 13];
    kinds[FERRONET_OP_ACCEPT as usize] = Unused::but(FERRONET_SUBMIT_MULTISHOT, SOCKET);
    kinds[FERRONET_OP_CONNECT as usize] = Unused::but(0, SOCKET | ADDR0);
    kinds[FERRONET_OP_RECV as usize] = Unused::but(0, SOCKET | ADDR0 | LEN0);
    kinds[FERRONET_OP_SEND as usize] = Unused::but(FERRONET_SUBMIT_MORE, SOCKET | ADDR0 | LEN0 | ADDR1 | LEN1);
    kinds[FERRONET_OP_SEND_GATHER as usize] = Unused::but(FERRONET_SUBMIT_MORE, SOCKET | ADDR0 | LEN0);
    kinds[FERRONET_OP_POLL as usize] = Unused::but(0, SOCKET | LEN0);
    kinds[FERRONET_OP_SHUTDOWN as usize] = Unused::but(0, SOCKET | LEN0);
    kinds[FERRONET_OP_CLOSE as usize] = Unused::but(0, SOCKET);
    kinds[FERRONET_OP_CANCEL as usize] = Unused::but(0, SOCKET | ARG0);
    kinds[FERRONET_OP_LEND as usize] = Unused::but(0, ADDR0 | LEN0 | ARG0);
    kinds[RECV_LENT] = Unused::but(FERRONET_SUBMIT_LENT | FERRONET_SUBMIT_MULTISHOT, SOCKET);
    kinds[CANCEL_ALL] = Unused::but(FERRONET_SUBMIT_ALL, SOCKET);
    kinds
};
const RECV_LENT: usize = FERRONET_OP_LEND as usize + 1;
const CANCEL_ALL: usize = FERRONET_OP_LEND as usize + 2;

/// What records of this kind must not hold; `None` for an operation that does not exist.
fn unused(op: u8, flags: u8) -> Option<&'static Unused> {
    let kind = match op {
        FERRONET_OP_RECV if flags & FERRONET_SUBMIT_LENT != 0 => RECV_LENT,
        FERRONET_OP_CANCEL if flags & FERRONET_SUBMIT_ALL != 0 => CANCEL_ALL,
        FERRONET_OP_ACCEPT..=FERRONET_OP_LEND => usize::from(op),
        _ => return None,
    };
    KINDS.get(kind)
}

impl<'a> Request<'a> {
    /// Checks a record. Whether its socket exists is the caller's question.
    ///
    /// # Safety
    /// An address record or a region array that the record names can be read for `'a`.
    pub(crate) unsafe fn decode(record: &ferronet_submission) -> Result<Request<'a>, Status> {
        let unused = unused(record.op, record.flags).ok_or(FERRONET_ERR_UNSUPPORTED_OP)?;
        if record.flags & unused.flags != 0 {
            return Err(FERRONET_ERR_UNSUPPORTED_OP);
        }
        if unused.found(record) != 0 {
            return Err(FERRONET_ERR_INVALID_ARGUMENT);
        }
        let request = match record.op {
            FERRONET_OP_ACCEPT => Request::Accept,
            FERRONET_OP_CONNECT => {
                // SAFETY: the caller's promise.
                let address = unsafe { named::<ferronet_address>(record.addr0, 1) }?;
                let address = address::to_system(&address[0]).map_err(|error| error.status)?;
                Request::Connect(Box::new(address))
            }
            FERRONET_OP_RECV if record.flags & FERRONET_SUBMIT_LENT != 0 => Request::RecvLent,
            FERRONET_OP_RECV => {
                if record.addr0 == 0 || record.len0 == 0 || record.len0 > i32::MAX as u32 {
                    return Err(FERRONET_ERR_INVALID_ARGUMENT);
                }
                Request::Recv { address: record.addr0, length: record.len0 }
            }
            FERRONET_OP_SEND => {
                let region = |addr, len: u32| ferronet_region { addr, len: len.into() };
                let regions = [region(record.addr0, record.len0), region(record.addr1, record.len1)];
                let nowhere = |region: &ferronet_region| region.addr == 0 && region.len > 0;
                let total = regions[0].len + regions[1].len;
                if nowhere(&regions[0]) || nowhere(&regions[1]) || total > MOST_BYTES {
                    return Err(FERRONET_ERR_INVALID_ARGUMENT);
                }
                Request::Send(Regions::Inline(regions))
            }
            FERRONET_OP_SEND_GATHER => {
                let regions = if record.len0 > MOST_REGIONS {
                    return Err(FERRONET_ERR_INVALID_ARGUMENT);
                } else if record.len0 == 0 {
                    Regions::Many(&[])
                } else {
                    // SAFETY: the caller's promise.
                    Regions::Many(unsafe { named(record.addr0, record.len0 as usize) }?)
                };
                if !regions.valid() {
                    return Err(FERRONET_ERR_INVALID_ARGUMENT);
                }
                Request::Send(regions)
            }
            FERRONET_OP_POLL => {
                const KNOWN: u32 =
                    FERRONET_POLL_IN | FERRONET_POLL_OUT | FERRONET_POLL_RDHUP | FERRONET_POLL_ERR | FERRONET_POLL_HUP;
                if record.len0 == 0 || record.len0 & !KNOWN != 0 {
                    return Err(FERRONET_ERR_INVALID_ARGUMENT);
                }
                Request::Poll { events: record.len0 }
            }
            FERRONET_OP_SHUTDOWN => {
                Request::Shutdown { how: shutdown_how(record.len0).ok_or(FERRONET_ERR_INVALID_ARGUMENT)? }
            }
            FERRONET_OP_CLOSE => Request::Close,
            FERRONET_OP_CANCEL => {
                let all = record.flags & FERRONET_SUBMIT_ALL != 0;
                Request::Cancel { target: (!all).then_some(record.arg0) }
            }
            _ => Request::Lend { identity: record.arg0, address: record.addr0, length: record.len0 },
        };
        Ok(request)
    }
}

/// The `count` records at an address, unless it is null or not aligned.
///
/// # Safety
/// They can be read for `'a`.
unsafe fn named<'a, T: Copy>(address: u64, count: usize) -> Result<&'a [T], Status> {
    let pointer = address as *const T;
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(FERRONET_ERR_INVALID_ARGUMENT);
    }
    // SAFETY: not null, aligned, and readable by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Request<'_> {
        /// Whether a record holds something in a field that its operation does not use.
        fn unused_fields(record: &ferronet_submission) -> bool {
            unused(record.op, record.flags).unwrap().found(record) != 0
        }
    }

    fn status(record: ferronet_submission) -> Option<Status> {
        // SAFETY: the records of these tests name memory of the tests, or none.
        unsafe { Request::decode(&record) }.err()
    }

    fn record(op: u8, flags: u8) -> ferronet_submission {
        let socket = if op == FERRONET_OP_LEND { 0 } else { 1 };
        ferronet_submission { op, flags, socket, ..Default::default() }
    }

    #[test]
    fn unknown_operations_and_flags_are_unsupported() {
        for op in [0, 11, 200, 255] {
            assert_eq!(status(record(op, 0)), Some(FERRONET_ERR_UNSUPPORTED_OP), "{op}");
        }
        for op in 1..=10 {
            assert_eq!(status(record(op, 0x80)), Some(FERRONET_ERR_UNSUPPORTED_OP), "{op}");
        }
        assert_eq!(status(record(FERRONET_OP_SEND, FERRONET_SUBMIT_LENT)), Some(FERRONET_ERR_UNSUPPORTED_OP));
        assert_eq!(status(record(FERRONET_OP_RECV, FERRONET_SUBMIT_MULTISHOT)), Some(FERRONET_ERR_UNSUPPORTED_OP));
    }

    #[test]
    fn reserved_and_unused_fields_must_be_zero() {
        let good = record(FERRONET_OP_CLOSE, 0);
        assert_eq!(status(good), None);
        let bad = [
            ferronet_submission { reserved0: 1, ..good },
            ferronet_submission { reserved1: [0, 1], ..good },
            ferronet_submission { addr0: 1, ..good },
            ferronet_submission { len0: 1, ..good },
            ferronet_submission { addr1: 1, ..good },
            ferronet_submission { len1: 1, ..good },
            ferronet_submission { arg0: 1, ..good },
            ferronet_submission { op: FERRONET_OP_LEND, addr0: 8, len0: 8, ..good },
        ];
        for record in bad {
            assert_eq!(status(record), Some(FERRONET_ERR_INVALID_ARGUMENT), "{record:?}");
        }
    }

    /// Each flag and field, set alone: only those of the operation are taken.
    #[test]
    fn every_operation_takes_its_own_flags_and_fields_only() {
        const LENT: u8 = FERRONET_SUBMIT_LENT;
        const ALL: u8 = FERRONET_SUBMIT_ALL;
        let kinds: [(u8, u8, u8, &[&str]); 12] = [
            (FERRONET_OP_ACCEPT, 0, FERRONET_SUBMIT_MULTISHOT, &["socket"]),
            (FERRONET_OP_CONNECT, 0, 0, &["socket", "addr0"]),
            (FERRONET_OP_RECV, 0, 0, &["socket", "addr0", "len0"]),
            (FERRONET_OP_RECV, LENT, LENT | FERRONET_SUBMIT_MULTISHOT, &["socket"]),
            (FERRONET_OP_SEND, 0, FERRONET_SUBMIT_MORE, &["socket", "addr0", "len0", "addr1", "len1"]),
            (FERRONET_OP_SEND_GATHER, 0, FERRONET_SUBMIT_MORE, &["socket", "addr0", "len0"]),
            (FERRONET_OP_POLL, 0, 0, &["socket", "len0"]),
            (FERRONET_OP_SHUTDOWN, 0, 0, &["socket", "len0"]),
            (FERRONET_OP_CLOSE, 0, 0, &["socket"]),
            (FERRONET_OP_CANCEL, 0, 0, &["socket", "arg0"]),
            (FERRONET_OP_CANCEL, ALL, ALL, &["socket"]),
            (FERRONET_OP_LEND, 0, 0, &["addr0", "len0", "arg0"]),
        ];
        let high = 1 << 63;
        for (op, flags, allowed, fields) in kinds {
            let base = ferronet_submission { op, flags, ..Default::default() };
            for bit in (0..8).map(|bit| 1 << bit) {
                let other_kind = (op == FERRONET_OP_RECV && bit == LENT) || (op == FERRONET_OP_CANCEL && bit == ALL);
                let refused = status(ferronet_submission { flags: flags | bit, ..base });
                let expected = allowed & bit == 0 && !other_kind;
                assert_eq!(refused == Some(FERRONET_ERR_UNSUPPORTED_OP), expected, "{op} {flags} {bit}: {refused:?}");
            }
            let unused = |record| Request::unused_fields(&record);
            let set = [
                ("addr0", unused(ferronet_submission { addr0: high, ..base })),
                ("len0", unused(ferronet_submission { len0: 1 << 31, ..base })),
                ("addr1", unused(ferronet_submission { addr1: high, ..base })),
                ("len1", unused(ferronet_submission { len1: 1 << 31, ..base })),
                ("arg0", unused(ferronet_submission { arg0: high, ..base })),
                ("socket", unused(ferronet_submission { socket: 1 << 31, ..base })),
                ("reserved0", unused(ferronet_submission { reserved0: 1 << 15, ..base })),
                ("reserved1", unused(ferronet_submission { reserved1: [high, 0], ..base })),
                ("reserved1", unused(ferronet_submission { reserved1: [0, high], ..base })),
            ];
            for (field, found) in set {
                assert_eq!(found, !fields.contains(&field), "{op} {flags} {field}");
            }
        }
    }

    #[test]
    fn arguments_are_checked() {
        let recv = record(FERRONET_OP_RECV, 0);
        let send = record(FERRONET_OP_SEND, 0);
        let bad = [
            recv,
            ferronet_submission { addr0: 8, ..recv },
            ferronet_submission { len0: 8, ..recv },
            ferronet_submission { addr0: 8, len0: u32::MAX, ..recv },
            ferronet_submission { len0: 8, ..send },
            ferronet_submission { addr0: 8, len0: 8, len1: 8, ..send },
            ferronet_submission { addr0: 8, len0: i32::MAX as u32, addr1: 8, len1: 1, ..send },
            ferronet_submission { len0: 2, ..record(FERRONET_OP_SEND_GATHER, 0) },
            ferronet_submission { addr0: 3, len0: 2, ..record(FERRONET_OP_SEND_GATHER, 0) },
            record(FERRONET_OP_CONNECT, 0),
            ferronet_submission { len0: 3, ..record(FERRONET_OP_SHUTDOWN, 0) },
            record(FERRONET_OP_POLL, 0),
            ferronet_submission { len0: 32, ..record(FERRONET_OP_POLL, 0) },
            ferronet_submission { addr0: 8, len0: 1025, ..record(FERRONET_OP_SEND_GATHER, 0) },
            ferronet_submission { arg0: 1, ..record(FERRONET_OP_CANCEL, FERRONET_SUBMIT_ALL) },
        ];
        for record in bad {
            assert_eq!(status(record), Some(FERRONET_ERR_INVALID_ARGUMENT), "{record:?}");
        }
        assert_eq!(status(send), None, "an empty send");
        assert_eq!(status(ferronet_submission { addr0: 8, len0: 8, ..recv }), None);
    }

    #[test]
    fn empty_regions_are_left_out() {
        let regions = [(8, 1), (0, 0), (9, 2)].map(|(addr, len)| ferronet_region { addr, len });
        let record = ferronet_submission {
            addr0: regions.as_ptr() as u64,
            len0: regions.len() as u32,
            ..record(FERRONET_OP_SEND_GATHER, 0)
        };
        // SAFETY: the array lives as long as the request.
        let Ok(Request::Send(regions)) = (unsafe { Request::decode(&record) }) else {
            unreachable!();
        };
        assert_eq!(regions.iter().map(|region| region.addr).collect::<Vec<_>>(), [8, 9]);
    }
}
