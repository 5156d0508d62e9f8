//! Feeds arbitrary submission records to a started reactor, and checks what must hold whatever they contain: no memory
//! but that which they name is written, every operation ends exactly once, and the reactor closes with nothing left.
//!
//! An input is a sequence of [`STEP`] bytes each: what to do, and a record. Whatever a record must not get wrong (its
//! caller promises that memory is valid, and that `user_data` is unique) is bent into shape, all else stays as it is.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use ferronet::abi::config::ferronet_reactor_config;
use ferronet::abi::option::FERRONET_OPTION_LINGER;
use ferronet::abi::record::*;
use ferronet::abi::status::*;
use ferronet::reactor::{Reactor, option, socket};

/// Bytes of an input that make one step.
pub const STEP: usize = 1 + size_of::<ferronet_submission>();

/// Steps of one input that are carried out.
const MOST_STEPS: usize = 64;
/// Longest time that anything may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes that operations may write to and read from.
const ARENA: usize = 16 * 1024;
/// Bytes before and behind the arena that nothing may write to.
const MARGIN: usize = 4096;
const MARGIN_BYTE: u8 = 0xa5;
/// Regions and addresses that records may name, never changed while the reactor lives.
const REGIONS: usize = 1100;
const ADDRESSES: usize = 16;
/// Highest identity of a lent buffer that stays as it is; the library refuses higher ones than 65,535.
const IDENTITIES: u64 = 24;

/// Turns bytes into numbers that look like nothing in particular.
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value ^ value >> 29
}

/// The memory that records may name.
struct Memory {
    bytes: Vec<u8>,
    regions: Vec<ferronet_region>,
    addresses: Vec<ferronet_address>,
}

impl Memory {
    fn new(seed: u64, port: u32) -> Self {
        let mut bytes = vec![MARGIN_BYTE; ARENA + 2 * MARGIN];
        bytes[MARGIN..MARGIN + ARENA].fill(b'a');
        let base = bytes.as_ptr() as u64 + MARGIN as u64;
        let regions = (0..REGIONS as u64).map(|index| {
            let random = mix(seed ^ index);
            // Most are small, so that gathered sends end; some are empty, and some of those name nothing.
            let len = if random & 7 == 0 { 0 } else { random >> 8 & 63 };
            let addr = if len == 0 && random & 8 != 0 { 0 } else { base + (random >> 16) % (ARENA as u64 - len) };
            ferronet_region { addr, len }
        });
        let addresses = (0..ADDRESSES as u64).map(|index| {
            let random = mix(!seed ^ index);
            let family = match random & 7 {
                0..=2 => FERRONET_FAMILY_IPV4,
                3 => FERRONET_FAMILY_IPV6,
                4 => FERRONET_FAMILY_UNIX,
                5 => FERRONET_FAMILY_VSOCK,
                _ => (random >> 8) as u32,
            };
            // Only the listener of this input, and ports that nothing can listen on.
            let port = if random & 0x300 != 0 { port } else { [0, 65_536, u32::MAX][index as usize % 3] };
            let length = match (family, random & 0xc00) {
                (_, 0) => (random >> 32) as u32 & 0xff,
                (FERRONET_FAMILY_IPV4, _) => 4,
                _ => 16,
            };
            let mut data = [0; 112];
            match family {
                FERRONET_FAMILY_IPV6 => data[15] = 1,
                FERRONET_FAMILY_UNIX => data[..16].copy_from_slice(b"/nowhere/nothing"),
                _ => data[..4].copy_from_slice(&[127, 0, 0, 1]),
            }
            ferronet_address { family, port, scope_id: 0, length, data }
        });
        let (regions, addresses) = (regions.collect(), addresses.collect());
        Self { bytes, regions, addresses }
    }

    /// `value` as an address in the arena with the bytes that follow there; null now and then.
    fn place(&self, value: u64) -> (u64, u32) {
        if value & 0xf == 0xf {
            return (0, ARENA as u32);
        }
        let offset = (value >> 4) as usize % ARENA;
        (self.bytes.as_ptr() as u64 + (MARGIN + offset) as u64, (ARENA - offset) as u32)
    }

    /// A length as it is where the library must refuse it, and otherwise one that fits.
    fn fitting(value: u32, room: u32) -> u32 {
        if value > i32::MAX as u32 { value } else { value % (room + 1) }
    }

    /// Makes the addresses in a record name this memory.
    fn bend(&self, record: &mut ferronet_submission) {
        match record.op {
            FERRONET_OP_CONNECT if record.addr0 != 0 => {
                let (index, misaligned) = (record.addr0 >> 4, record.addr0 & 0xf == 1);
                let address = &raw const self.addresses[index as usize % (ADDRESSES - 1)];
                record.addr0 = address as u64 + u64::from(misaligned);
            }
            FERRONET_OP_SEND_GATHER if record.addr0 != 0 => {
                let (index, misaligned) = ((record.addr0 >> 4) as usize, record.addr0 & 0xf == 1);
                let first = index % (REGIONS - 1);
                record.addr0 = &raw const self.regions[first] as u64 + u64::from(misaligned);
                // More than the system takes is refused before an entry is read.
                if record.len0 <= 1024 {
                    record.len0 %= (REGIONS - first) as u32;
                }
            }
            FERRONET_OP_LEND if record.addr0 != 0 => {
                let (address, room) = self.place(record.addr0);
                (record.addr0, record.len0) = (address, record.len0 % (room + 1));
            }
            FERRONET_OP_RECV | FERRONET_OP_SEND => {
                for (addr, len) in [(&mut record.addr0, &mut record.len0), (&mut record.addr1, &mut record.len1)] {
                    if *addr != 0 {
                        let (address, room) = self.place(*addr);
                        (*addr, *len) = (address, Self::fitting(*len, room));
                    }
                }
            }
            _ => {}
        }
    }

    fn check(&self, seed: u64, port: u32) {
        let margins = self.bytes[..MARGIN].iter().chain(&self.bytes[MARGIN + ARENA..]);
        assert!(margins.into_iter().all(|byte| *byte == MARGIN_BYTE), "bytes outside the arena were written");
        let base = self.bytes.as_ptr() as u64 + MARGIN as u64;
        let inside = |region: &ferronet_region| {
            region.addr == 0 || (base..=base + ARENA as u64).contains(&(region.addr + region.len))
        };
        assert!(self.regions.iter().all(inside), "the regions were written");
        let fresh = Self::new(seed, port);
        assert_eq!(self.addresses, fresh.addresses, "the addresses were written");
    }
}

struct Operation {
    record: ferronet_submission,
    ended: bool,
}

struct Driver {
    reactor: Reactor,
    memory: Memory,
    sockets: Vec<u32>,
    peers: Vec<UnixStream>,
    queued: u32,
    last_user_data: u64,
    operations: HashMap<u64, Operation>,
    /// By identity: the LEND operations not refused and not given back, the oldest first.
    lent: HashMap<u64, Vec<u64>>,
}

/// Feeds one input to a reactor with this backend (`FERRONET_BACKEND_*`). Panics when a promise is broken.
pub fn run(backend: u32, input: &[u8]) {
    let seed = input.iter().fold(0, |seed, byte| mix(seed ^ u64::from(*byte)));
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let port = u32::from(listener.local_addr().expect("bound").port());
    let mut driver = Driver::new(backend, seed, port, listener);
    for step in input.chunks_exact(STEP).take(MOST_STEPS) {
        driver.step(step[0], record(&step[1..]));
    }
    driver.finish();
    driver.memory.check(seed, port);
}

fn record(bytes: &[u8]) -> ferronet_submission {
    assert_eq!(bytes.len(), size_of::<ferronet_submission>());
    // SAFETY: as many bytes as a record has, each pattern of which is a record.
    unsafe { bytes.as_ptr().cast::<ferronet_submission>().read_unaligned() }
}

impl Driver {
    fn new(backend: u32, seed: u64, port: u32, listener: TcpListener) -> Self {
        let config = ferronet_reactor_config {
            backend,
            submission_capacity: 16,
            completion_capacity: 16,
            lent_capacity: 16,
            ..Default::default()
        };
        let mut reactor = Reactor::new(&config).expect("the backend is there");
        reactor.start().expect("started");
        let mut sockets = Vec::new();
        let mut peers = Vec::new();
        for _ in 0..2 {
            let (near, far) = UnixStream::pair().expect("a pair");
            far.set_nonblocking(true).expect("set");
            sockets.push(reactor.add(near.into_raw_fd()).expect("added"));
            peers.push(far);
        }
        let client = socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM).expect("opened");
        // A close that resets leaves no port waiting.
        option::set(client, FERRONET_OPTION_LINGER, 0).expect("set");
        sockets.push(reactor.add(client).expect("added"));
        sockets.push(reactor.add(listener.into_raw_fd()).expect("added"));
        Self {
            reactor,
            memory: Memory::new(seed, port),
            sockets,
            peers,
            queued: 0,
            last_user_data: 0,
            operations: HashMap::new(),
            lent: HashMap::new(),
        }
    }

    fn step(&mut self, what: u8, mut record: ferronet_submission) {
        self.memory.bend(&mut record);
        // Small numbers are the input's sockets; all others are as they are, and mostly unknown.
        if record.socket != 0 && record.socket < 256 {
            record.socket = self.sockets[record.socket as usize % self.sockets.len()];
        }
        if record.op == FERRONET_OP_CANCEL && record.arg0 != 0 {
            record.arg0 %= self.last_user_data + 2;
        }
        if record.op == FERRONET_OP_LEND && record.arg0 & 1 << 40 == 0 {
            record.arg0 %= IDENTITIES;
        }
        self.queue(record);
        let peer = usize::from(what >> 7);
        match what >> 4 & 7 {
            1 => _ = self.peers[peer].write(&[what; 100]),
            2 => _ = self.peers[peer].write(&[what; 1]),
            3 => _ = self.peers[peer].read(&mut [0; 4096]),
            4 => _ = self.peers[peer].shutdown(std::net::Shutdown::Write),
            5 => self.reactor.waker().wake(),
            _ => {}
        }
        match what & 3 {
            0 => {}
            1 => self.submit(),
            _ => self.turn(0),
        }
    }

    fn queue(&mut self, mut record: ferronet_submission) -> u64 {
        if self.queued as usize == self.reactor.submissions().len() {
            self.submit();
        }
        self.last_user_data += 1;
        record.user_data = self.last_user_data;
        if record.op == FERRONET_OP_LEND {
            self.lent.entry(record.arg0).or_default().push(record.user_data);
        }
        self.operations.insert(record.user_data, Operation { record, ended: false });
        self.reactor.submissions()[self.queued as usize] = record;
        self.queued += 1;
        record.user_data
    }

    fn submit(&mut self) {
        let count = std::mem::take(&mut self.queued);
        // SAFETY: records name the driver's memory, which outlives the reactor's operations, or none.
        unsafe { self.reactor.submit(count) }.expect("submitted");
    }

    fn turn(&mut self, timeout: i64) {
        let count = std::mem::take(&mut self.queued);
        // SAFETY: as in `submit`.
        let completed = unsafe { self.reactor.turn(count, timeout) }.expect("turned");
        for completion in self.reactor.completions(completed).to_vec() {
            self.take(completion);
        }
    }

    fn take(&mut self, completion: ferronet_completion) {
        let operation = self.operations.get_mut(&completion.user_data);
        let operation = operation.unwrap_or_else(|| panic!("nobody asked for {completion:?}"));
        let record = operation.record;
        assert!(!operation.ended, "{record:?} had ended before {completion:?}");
        assert_eq!(completion.socket, record.socket, "{record:?}: {completion:?}");
        operation.ended = completion.flags & FERRONET_COMPLETE_MORE == 0;
        if let Some(status) = refusal(&record) {
            assert_eq!((completion.result, completion.flags), (status, 0), "{record:?}");
        }
        if record.op == FERRONET_OP_LEND {
            assert!(completion.result < 0, "{record:?}: {completion:?}");
            self.lent.entry(record.arg0).or_default().retain(|lend| *lend != record.user_data);
        }
        if record.op == FERRONET_OP_ACCEPT && completion.result >= 0 {
            // SAFETY: an accepted descriptor is the caller's, who keeps it nowhere else.
            let accepted = unsafe { OwnedFd::from_raw_fd(completion.result) };
            option::set(accepted.as_raw_fd(), FERRONET_OPTION_LINGER, 0).expect("set");
        }
        let lent = completion.flags & FERRONET_COMPLETE_BUFFER != 0;
        assert!(record.flags & FERRONET_SUBMIT_LENT != 0 || !lent, "{record:?}: {completion:?}");
        if lent {
            let lends = self.lent.get_mut(&completion.buffer.into()).filter(|lends| !lends.is_empty());
            let lends = lends.unwrap_or_else(|| panic!("{completion:?} names a buffer that was not lent"));
            let size = self.operations[&lends[0]].record.len0;
            let end = completion.extra.saturating_add(u64::try_from(completion.result).expect("bytes came"));
            assert!(end <= size.into(), "{completion:?} is outside of its {size} bytes");
            if completion.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
                lends.remove(0);
            }
        }
        if record.op == FERRONET_OP_RECV && !lent && completion.result > 0 {
            assert!(completion.result as u32 <= record.len0, "{record:?}: {completion:?}");
        }
    }

    /// Closes every socket and waits for the end of every operation.
    fn finish(&mut self) {
        let closes: Vec<u64> = (0..self.sockets.len())
            .map(|index| {
                let socket = self.sockets[index];
                self.queue(ferronet_submission { op: FERRONET_OP_CLOSE, socket, ..Default::default() })
            })
            .collect();
        let begin = Instant::now();
        let open = |driver: &Self| {
            let unended = |operation: &&Operation| !operation.ended && operation.record.op != FERRONET_OP_LEND;
            driver.operations.values().find(unended).map(|operation| operation.record)
        };
        while let Some(record) = open(self) {
            assert!(begin.elapsed() < PATIENCE, "{record:?} does not end");
            self.turn(100_000_000);
        }
        self.turn(0);
        assert!(closes.iter().all(|close| self.operations[close].ended));
        assert_eq!(self.reactor.close(PATIENCE), 0, "operations are left");
    }
}

/// How a record must be refused that is wrong whatever the state of its socket: the plainest rules, stated once more.
fn refusal(record: &ferronet_submission) -> Option<Status> {
    let known = match record.op {
        FERRONET_OP_ACCEPT => FERRONET_SUBMIT_MULTISHOT,
        FERRONET_OP_RECV if record.flags & FERRONET_SUBMIT_LENT == 0 => 0,
        FERRONET_OP_RECV => FERRONET_SUBMIT_MULTISHOT | FERRONET_SUBMIT_LENT,
        FERRONET_OP_SEND | FERRONET_OP_SEND_GATHER => FERRONET_SUBMIT_MORE,
        FERRONET_OP_CANCEL => FERRONET_SUBMIT_ALL,
        FERRONET_OP_CONNECT..=FERRONET_OP_LEND => 0,
        _ => return Some(FERRONET_ERR_UNSUPPORTED_OP),
    };
    if record.flags & !known != 0 {
        return Some(FERRONET_ERR_UNSUPPORTED_OP);
    }
    let huge = |len: u32| len > i32::MAX as u32;
    let wrong = record.reserved0 != 0
        || record.reserved1 != [0, 0]
        || match record.op {
            FERRONET_OP_RECV if record.flags == 0 => record.addr0 == 0 || record.len0 == 0 || huge(record.len0),
            FERRONET_OP_SEND => huge(record.len0) || huge(record.len1),
            FERRONET_OP_SEND_GATHER => record.len0 > 1024 || (record.len0 > 0 && record.addr0 & 7 != 0),
            FERRONET_OP_CONNECT => record.addr0 & 3 != 0 || record.addr0 == 0,
            FERRONET_OP_LEND => record.socket != 0 || record.arg0 > 65_535,
            FERRONET_OP_SHUTDOWN => record.len0 > 2,
            FERRONET_OP_POLL => record.len0 == 0 || record.len0 > 31,
            _ => false,
        };
    wrong.then_some(FERRONET_ERR_INVALID_ARGUMENT)
}
