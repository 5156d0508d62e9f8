//! A loop to drive, and peers for it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::reactor::{Reactor, socket};

/// Longer than anything here takes; a test that reaches it has hung.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How many times longer everything takes under what checks this program.
const SLOWER_VARIABLE: &str = "FERRONET_TEST_SLOWER";

/// A limit of time, as wide as what checks this program needs it.
pub fn limit(time: Duration) -> Duration {
    time * std::env::var(SLOWER_VARIABLE).map_or(1, |times| times.parse().unwrap())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Poll,
    IoUring,
}

impl Backend {
    pub fn number(self) -> u32 {
        match self {
            Self::Poll => FERRONET_BACKEND_POLL,
            Self::IoUring => FERRONET_BACKEND_IO_URING,
        }
    }

    /// The module of `both_backends!`.
    pub fn module(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::IoUring => "io_uring",
        }
    }
}

/// Makes one test per backend of each function.
macro_rules! both_backends {
    ($($name:ident),* $(,)?) => {
        mod poll {
            $(#[test] fn $name() { super::$name($crate::harness::Backend::Poll) })*
        }
        mod io_uring {
            $(#[test] fn $name() {
                if $crate::harness::has_io_uring() {
                    super::$name($crate::harness::Backend::IoUring)
                }
            })*
        }
    };
}

/// Set to 1, it lets the tests that need io_uring pass unrun where the system refuses io_uring.
pub const ALLOWANCE: &str = "FERRONET_ALLOW_NO_IO_URING";

/// Whether tests can run on io_uring. Where it is built and refused they must not pass unnoticed: that is a failure,
/// unless `ALLOWANCE` is set.
pub fn has_io_uring() -> bool {
    let config = ferronet_reactor_config { backend: FERRONET_BACKEND_IO_URING, ..Default::default() };
    let Err(error) = Reactor::new(&config) else { return true };
    let expected = cfg!(all(target_os = "linux", feature = "io-uring"));
    if expected && std::env::var_os(ALLOWANCE).is_none_or(|value| value != "1") {
        panic!("io_uring is refused here, and its tests count as failed unless {ALLOWANCE}=1: {error}");
    }
    println!("not run on io_uring: {error}");
    false
}

/// `FERRONET_RING_*` steps that every ring of this process leaves out, and `FERRONET_REACTOR_*` bits that it adds.
pub const MASK_VARIABLE: &str = "FERRONET_TEST_RING_MASK";
pub const FLAGS_VARIABLE: &str = "FERRONET_TEST_REACTOR_FLAGS";

fn ladder_step(variable: &str) -> u64 {
    std::env::var(variable).ok().map_or(0, |bits| bits.parse().unwrap())
}

/// A started reactor with everything that it has completed so far.
pub struct Loop {
    pub reactor: Reactor,
    queued: u32,
    last_user_data: u64,
    pub seen: Vec<ferronet_completion>,
    pub buffers: Vec<Box<[u8]>>,
}

impl Loop {
    pub fn new(backend: Backend) -> Self {
        Self::with(ferronet_reactor_config { backend: backend.number(), ..Default::default() })
    }

    pub fn with(mut config: ferronet_reactor_config) -> Self {
        if config.backend == FERRONET_BACKEND_IO_URING {
            config.disabled_ring_features |= ladder_step(MASK_VARIABLE);
            config.flags |= ladder_step(FLAGS_VARIABLE) as u32;
        }
        let mut reactor = Reactor::new(&config).unwrap();
        reactor.start().unwrap();
        Self { reactor, queued: 0, last_user_data: 0, seen: Vec::new(), buffers: Vec::new() }
    }

    /// Queues a record under a new `user_data`, which it returns.
    pub fn queue(&mut self, mut record: ferronet_submission) -> u64 {
        self.last_user_data += 1;
        record.user_data = self.last_user_data;
        self.queue_as_is(record);
        self.last_user_data
    }

    pub fn queue_as_is(&mut self, record: ferronet_submission) {
        if self.queued as usize == self.reactor.submissions().len() {
            self.submit();
        }
        let index = self.queued as usize;
        self.reactor.submissions()[index] = record;
        self.queued += 1;
    }

    pub fn op(&mut self, op: u8, socket: u32) -> u64 {
        self.queue(ferronet_submission { op, socket, ..Default::default() })
    }

    pub fn submit(&mut self) {
        let count = std::mem::take(&mut self.queued);
        // SAFETY: the tests keep their memory until the final completion.
        unsafe { self.reactor.submit(count) }.unwrap();
    }

    /// One turn; returns its completions, and keeps them in `seen`.
    pub fn turn(&mut self, timeout: Option<Duration>) -> Vec<ferronet_completion> {
        let count = std::mem::take(&mut self.queued);
        let timeout = timeout.map_or(-1, |timeout| timeout.as_nanos() as i64);
        // SAFETY: the tests keep their memory until the final completion.
        let completed = unsafe { self.reactor.turn(count, timeout) }.unwrap();
        let completions = self.reactor.completions(completed).to_vec();
        self.seen.extend_from_slice(&completions);
        completions
    }

    /// Turns until the condition holds for what was seen.
    pub fn until(&mut self, what: &str, condition: impl Fn(&[ferronet_completion]) -> bool) {
        let begin = Instant::now();
        while !condition(&self.seen) {
            assert!(begin.elapsed() < PATIENCE, "{what} did not happen; seen: {:?}", self.seen);
            self.turn(Some(Duration::from_millis(100)));
        }
    }

    /// Turns until the operation has its final completion, and returns that.
    pub fn end_of(&mut self, user_data: u64) -> ferronet_completion {
        self.until("a final completion", |seen| seen.iter().any(|c| c.user_data == user_data && is_final(c)));
        let ends: Vec<_> = self.of(user_data).into_iter().filter(is_final).collect();
        assert_eq!(ends.len(), 1, "an operation has one final completion");
        ends[0]
    }

    pub fn result_of(&mut self, user_data: u64) -> i32 {
        self.end_of(user_data).result
    }

    /// What has been seen of an operation.
    pub fn of(&self, user_data: u64) -> Vec<ferronet_completion> {
        self.seen.iter().filter(|c| c.user_data == user_data).copied().collect()
    }

    /// Turns for a while without expecting anything.
    pub fn idle(&mut self, duration: Duration) {
        let begin = Instant::now();
        while let Some(left) = duration.checked_sub(begin.elapsed()).filter(|left| !left.is_zero()) {
            self.turn(Some(left));
        }
    }

    pub fn add(&mut self, descriptor: impl IntoRawFd) -> u32 {
        self.reactor.add(descriptor.into_raw_fd()).unwrap()
    }

    /// A connected socket of the reactor and its peer.
    pub fn pair(&mut self) -> (u32, TcpStream) {
        let (near, far) = tcp_pair();
        (self.add(near), far)
    }

    /// A listener of the reactor and its address.
    pub fn listener(&mut self, host: &str) -> (u32, SocketAddr) {
        let listener = TcpListener::bind(host).unwrap();
        let address = listener.local_addr().unwrap();
        (self.add(listener), address)
    }

    pub fn accept(&mut self, socket: u32) -> u64 {
        self.queue(ferronet_submission {
            op: FERRONET_OP_ACCEPT,
            flags: FERRONET_SUBMIT_MULTISHOT,
            socket,
            ..Default::default()
        })
    }

    pub fn connect(&mut self, socket: u32, address: &ferronet_address) -> u64 {
        let record = ferronet_submission {
            op: FERRONET_OP_CONNECT,
            socket,
            addr0: address_of(std::slice::from_ref(address)),
            ..Default::default()
        };
        let user_data = self.queue(record);
        self.submit();
        user_data
    }

    pub fn receive(&mut self, socket: u32, memory: &mut [u8]) -> u64 {
        let (addr0, len0) = (memory.as_mut_ptr() as u64, memory.len() as u32);
        self.queue(ferronet_submission { op: FERRONET_OP_RECV, socket, addr0, len0, ..Default::default() })
    }

    pub fn receive_lent(&mut self, socket: u32, multishot: bool) -> u64 {
        let flags = FERRONET_SUBMIT_LENT | if multishot { FERRONET_SUBMIT_MULTISHOT } else { 0 };
        self.queue(ferronet_submission { op: FERRONET_OP_RECV, flags, socket, ..Default::default() })
    }

    pub fn send(&mut self, socket: u32, bytes: &[u8]) -> u64 {
        let (addr0, len0) = (address_of(bytes), bytes.len() as u32);
        self.queue(ferronet_submission { op: FERRONET_OP_SEND, socket, addr0, len0, ..Default::default() })
    }

    pub fn watch(&mut self, socket: u32, events: u32) -> u64 {
        self.queue(ferronet_submission { op: FERRONET_OP_POLL, socket, len0: events, ..Default::default() })
    }

    pub fn shutdown(&mut self, socket: u32, direction: u32) -> u64 {
        self.queue(ferronet_submission { op: FERRONET_OP_SHUTDOWN, socket, len0: direction, ..Default::default() })
    }

    pub fn cancel(&mut self, socket: u32, target: u64) -> u64 {
        self.queue(ferronet_submission { op: FERRONET_OP_CANCEL, socket, arg0: target, ..Default::default() })
    }

    pub fn cancel_all(&mut self, socket: u32) -> u64 {
        self.queue(ferronet_submission {
            op: FERRONET_OP_CANCEL,
            flags: FERRONET_SUBMIT_ALL,
            socket,
            ..Default::default()
        })
    }

    /// Closes and waits for it; everything else on the socket must have ended before.
    pub fn close(&mut self, socket: u32) -> i32 {
        let close = self.op(FERRONET_OP_CLOSE, socket);
        self.result_of(close)
    }

    /// Lends the buffer with this identity; it is made at first use.
    pub fn lend(&mut self, identity: usize, size: usize) {
        while self.buffers.len() <= identity {
            self.buffers.push(Box::default());
        }
        if self.buffers[identity].len() != size {
            self.buffers[identity] = vec![0; size].into_boxed_slice();
        }
        let addr0 = self.buffers[identity].as_mut_ptr() as u64;
        self.queue(ferronet_submission {
            op: FERRONET_OP_LEND,
            addr0,
            len0: size as u32,
            arg0: identity as u64,
            ..Default::default()
        });
    }

    /// The bytes of a completion that names a lent buffer.
    pub fn lent_bytes(&self, completion: &ferronet_completion) -> Vec<u8> {
        assert_ne!(completion.flags & FERRONET_COMPLETE_BUFFER, 0, "{completion:?}");
        let begin = completion.extra as usize;
        self.buffers[completion.buffer as usize][begin..begin + completion.result as usize].to_vec()
    }
}

pub fn is_final(completion: &ferronet_completion) -> bool {
    completion.flags & FERRONET_COMPLETE_MORE == 0
}

pub fn address_of<T>(values: &[T]) -> u64 {
    values.as_ptr() as u64
}

pub fn open(family: u32) -> OwnedFd {
    own(socket::open(family, FERRONET_SOCKET_STREAM).unwrap())
}

pub fn own(descriptor: RawFd) -> OwnedFd {
    assert!(descriptor >= 0, "{descriptor} is no descriptor");
    // SAFETY: the callers pass a descriptor that nothing else owns.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

/// A connected pair. All pairs of a thread come from one listener: a new one for each would use up the system's free
/// ports, because the ports of connections that have ended stay taken for a minute.
pub fn tcp_pair() -> (TcpStream, TcpStream) {
    thread_local! {
        static LISTENER: TcpListener = TcpListener::bind("127.0.0.1:0").unwrap();
    }
    let (near, far) = LISTENER.with(|listener| {
        let far = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (listener.accept().unwrap().0, far)
    });
    far.set_read_timeout(Some(PATIENCE)).unwrap();
    far.set_write_timeout(Some(PATIENCE)).unwrap();
    far.set_nodelay(true).unwrap();
    (near, far)
}

/// Bytes that differ at every place of a short window.
pub fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index ^ index >> 8 ^ index >> 16) as u8).collect()
}

pub fn read_exactly(stream: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

pub fn write_all(stream: &mut TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).unwrap();
}

/// Makes the next close of the socket a reset.
pub fn reset_on_close(descriptor: &impl AsRawFd) {
    ferronet::reactor::option::set(descriptor.as_raw_fd(), ferronet::abi::option::FERRONET_OPTION_LINGER, 0).unwrap();
}

/// Makes sends of some hundred kilobytes wait for their reader. (A small receive buffer would do so too, but with the
/// long segments of the loopback interface it makes every byte wait for a timer.)
pub fn small_send_buffer(descriptor: &impl AsRawFd) {
    ferronet::reactor::option::set(descriptor.as_raw_fd(), ferronet::abi::option::FERRONET_OPTION_SNDBUF, 4096)
        .unwrap();
}
