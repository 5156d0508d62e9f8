//! A reactor on the ring, driven as a loop drives it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::time::{Duration, Instant};

use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::reactor::Reactor;

/// Longest time that anything may take here.
pub const PATIENCE: Duration = Duration::from_secs(10);

pub struct Loop {
    pub reactor: Reactor,
    queued: u32,
    pub results: Vec<ferronet_completion>,
}

pub fn ring(change: impl FnOnce(&mut ferronet_reactor_config)) -> ferronet_reactor_config {
    let mut config = ferronet_reactor_config { backend: FERRONET_BACKEND_IO_URING, ..Default::default() };
    change(&mut config);
    config
}

impl Loop {
    pub fn new(config: &ferronet_reactor_config) -> Self {
        let mut reactor = Reactor::new(config).unwrap();
        reactor.start().unwrap();
        Self { reactor, queued: 0, results: Vec::new() }
    }

    pub fn queue(&mut self, submission: ferronet_submission) {
        let place = self.queued as usize;
        self.reactor.submissions()[place] = submission;
        self.queued += 1;
    }

    pub fn submit(&mut self) {
        // SAFETY: tests keep their buffers until the final completion or the end of the reactor.
        unsafe { self.reactor.submit(std::mem::take(&mut self.queued)) }.unwrap();
    }

    /// One turn; returns how many results it brought.
    pub fn turn(&mut self, timeout: Duration) -> usize {
        // SAFETY: as in `submit`.
        let count = unsafe { self.reactor.turn(std::mem::take(&mut self.queued), timeout.as_nanos() as i64) }.unwrap();
        self.results.extend_from_slice(self.reactor.completions(count));
        count as usize
    }

    /// Turns until a result with this `user_data` came, and takes it.
    pub fn result(&mut self, user_data: u64) -> ferronet_completion {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(place) = self.results.iter().position(|c| c.user_data == user_data) {
                return self.results.remove(place);
            }
            assert!(Instant::now() < end, "no result for {user_data}; there are {:?}", self.results);
            self.turn(Duration::from_millis(200));
        }
    }

    /// A connected pair: the number of ours, and the peer.
    pub fn pair(&mut self) -> (u32, TcpStream) {
        let (ours, peer) = tcp_pair();
        (self.reactor.add(ours.into_raw_fd()).unwrap(), peer)
    }

    pub fn info(&self) -> ferronet_reactor_info {
        self.reactor.info()
    }
}

/// A connected pair; all pairs of a thread come from one listener, which spares the system's free ports.
pub fn tcp_pair() -> (TcpStream, TcpStream) {
    thread_local! {
        static LISTENER: TcpListener = TcpListener::bind("127.0.0.1:0").unwrap();
    }
    let (ours, peer) = LISTENER.with(|listener| {
        let peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (listener.accept().unwrap().0, peer)
    });
    peer.set_read_timeout(Some(PATIENCE)).unwrap();
    peer.set_nodelay(true).unwrap();
    ours.set_nodelay(true).unwrap();
    (ours, peer)
}

pub fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

pub fn op(op: u8, socket: u32, user_data: u64) -> ferronet_submission {
    ferronet_submission { op, socket, user_data, ..Default::default() }
}

pub fn recv(socket: u32, user_data: u64, buffer: &mut [u8]) -> ferronet_submission {
    let (addr0, len0) = (buffer.as_mut_ptr() as u64, buffer.len() as u32);
    ferronet_submission { addr0, len0, ..op(FERRONET_OP_RECV, socket, user_data) }
}

pub fn recv_lent(socket: u32, user_data: u64) -> ferronet_submission {
    ferronet_submission {
        flags: FERRONET_SUBMIT_LENT | FERRONET_SUBMIT_MULTISHOT,
        ..op(FERRONET_OP_RECV, socket, user_data)
    }
}

pub fn send(socket: u32, user_data: u64, bytes: &[u8]) -> ferronet_submission {
    let (addr0, len0) = (bytes.as_ptr() as u64, bytes.len() as u32);
    ferronet_submission { addr0, len0, ..op(FERRONET_OP_SEND, socket, user_data) }
}

pub fn lend(identity: u16, buffer: &mut [u8]) -> ferronet_submission {
    let (addr0, len0) = (buffer.as_mut_ptr() as u64, buffer.len() as u32);
    ferronet_submission { addr0, len0, arg0: identity.into(), ..op(FERRONET_OP_LEND, 0, u64::MAX) }
}

/// Everything that the peer reads until the end of the stream, or the error that ends it.
pub fn read_all(peer: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    peer.read_to_end(&mut bytes).map(|_| bytes)
}

pub fn write(peer: &mut TcpStream, bytes: &[u8]) {
    peer.write_all(bytes).unwrap();
}

/// SO_LINGER 0: a close is a reset.
pub fn linger_zero(stream: &TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let size = size_of::<libc::linger>() as libc::socklen_t;
    // SAFETY: the option is a linger of this size.
    let result = unsafe {
        libc::setsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_LINGER, (&raw const linger).cast(), size)
    };
    assert_eq!(result, 0);
}

const CHILD: &str = "FERRONET_TEST_CHILD";

/// Runs the test of this name again in a child process, where `body` runs: for what changes the whole process.
pub fn in_child(test: &str, body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return body();
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads", "1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}
