//! The io_uring backend.
//!
//! `ring` is the kernel's side, `ops` the operations in flight, `buffers` the lent buffers. `start` turns submission
//! records into requests, `finish` turns completion entries into completion records, `closing` ends sockets and the
//! reactor. One `io_uring_enter` serves one turn.

mod buffers;
mod closing;
mod finish;
mod ops;
mod ring;
mod start;

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use io_uring::{opcode, squeue, types};

use super::backend::Backend;
use super::completions::Completions;
use super::descriptors::Descriptors;
use super::probe;
use super::settings::Settings;
use super::slots::Slots;
use super::waker::Waker;
use crate::abi::config::*;
use crate::abi::record::{ferronet_completion, ferronet_submission};
use crate::abi::status::{FERRONET_ERR_BUSY, FERRONET_ERR_LIMIT, FERRONET_ERR_UNKNOWN_SOCKET};
use crate::error::{Error, Result};

pub(super) use buffers::takes_buffer_ring;
use buffers::{BufferRing, Lent};
use ops::{KEY_WAKE, Kind, NONE, Ops};
use ring::Ring;
pub(super) use ring::{Mode, set_up};

/// How often a submission that the kernel refuses for want of memory or completion space is tried again at once.
const SUBMIT_ATTEMPTS: u32 = 64;

/// A socket of this reactor.
struct Socket {
    descriptor: RawFd,
    datagram: bool,
    /// First of its operations, or `NONE`.
    first: u32,
    sends: Line,
    receives: Line,
    /// A CLOSE was taken; its operation.
    closing: Option<u32>,
    /// Result of the close, once it is done.
    closed: Option<i32>,
    /// The last receive took all that was there.
    drained: bool,
    /// A receive found no lent buffer left, and the socket has had bytes ever since: until there are so many buffers, one
    /// more than there were, it takes one at a time. Otherwise 0.
    scarce: usize,
    /// It has had some since, or before: it lets others go first.
    greedy: bool,
}

/// The operations of one direction of a socket, which run one after the other: the kernel would not keep their order.
struct Line {
    /// The operation that the kernel has, or `NONE`.
    current: u32,
    waiting: VecDeque<u32>,
}

impl Default for Line {
    fn default() -> Self {
        Self { current: NONE, waiting: VecDeque::new() }
    }
}

impl Socket {
    /// The line in which operations of that kind stand, if they stand in one.
    fn line(&mut self, kind: Kind) -> Option<&mut Line> {
        match kind {
            Kind::Send => Some(&mut self.sends),
            Kind::Recv | Kind::LentByKernel | Kind::LentWait | Kind::LentRead { .. } => Some(&mut self.receives),
            Kind::Accept | Kind::Connect | Kind::ConnectWait | Kind::Poll | Kind::Close => None,
        }
    }

    /// Takes out everything that waits, in the order in which it came.
    fn take_waiting(&mut self) -> impl Iterator<Item = u32> + use<> {
        std::mem::take(&mut self.sends.waiting).into_iter().chain(std::mem::take(&mut self.receives.waiting))
    }
}

/// A reactor's ring with everything that it knows.
pub(crate) struct UringBackend {
    // The order matters on drop: the ring goes before the memory that the kernel was told of.
    ring: Ring,
    lent: Lent,
    ops: Ops,
    sockets: Slots<Socket>,
    descriptors: Descriptors,
    waker: Arc<Waker>,
    settings: Settings,
    /// `FERRONET_RING_*` steps in use.
    features: u64,
    /// The kernel knows IORING_RECVSEND_POLL_FIRST.
    poll_first: bool,
    started: bool,
    wake_armed: bool,
    /// Sockets whose CLOSE was taken in this call and is not finished.
    closings: Vec<u32>,
    /// `close` is under way or done: nobody reads completion records any more.
    shutting_down: bool,
    /// Operations that were left behind on purpose.
    leaked: u64,
    /// System calls of rings that were replaced.
    earlier_syscalls: u64,
}

impl UringBackend {
    /// A backend on a new ring, disabled until `start`. `available`: the `FERRONET_RING_*` steps of this kernel.
    pub(crate) fn new(settings: &Settings, available: u64) -> io::Result<Self> {
        let waker = Waker::new().map_err(|error| io::Error::from_raw_os_error(-error.status))?;
        let features = available & !settings.disabled_ring_features & !FERRONET_RING_INCREMENTAL;
        let mut lent = Lent::new(settings.lent_capacity);
        let (ring, features) = new_ring(settings, features, &mut lent)?;
        Ok(Self {
            ring,
            lent,
            ops: Ops::default(),
            sockets: Slots::default(),
            descriptors: Descriptors::default(),
            waker: Arc::new(waker),
            settings: *settings,
            features,
            poll_first: available & FERRONET_RING_MULTISHOT_ACCEPT != 0,
            started: false,
            wake_armed: false,
            closings: Vec::new(),
            shutting_down: false,
            leaked: 0,
            earlier_syscalls: 0,
        })
    }

    fn has(&self, feature: u64) -> bool {
        self.features & feature != 0
    }

    /// Replaces the ring by one of the calling thread. Nothing but the wake-up poll is in flight.
    fn rebuild(&mut self) -> io::Result<()> {
        let old = self.lent.take_ring();
        let (ring, features) = match new_ring(&self.settings, self.features, &mut self.lent) {
            Ok(made) => made,
            Err(error) => {
                old.into_iter().for_each(|ring| self.lent.restore_ring(ring));
                return Err(error);
            }
        };
        self.earlier_syscalls += self.ring.syscalls();
        self.ring = ring;
        self.features = features;
        self.wake_armed = false;
        Ok(())
    }

    fn arm_wake(&mut self) -> io::Result<()> {
        let poll = opcode::PollAdd::new(types::Fd(self.waker.descriptor()), libc::POLLIN as u32).multi(true);
        // SAFETY: the entry points to no memory.
        unsafe { self.push(poll.build().user_data(KEY_WAKE)) }?;
        self.wake_armed = true;
        Ok(())
    }

    /// Queues an entry, making room by a submission if need be.
    ///
    /// # Safety
    /// What the entry points to stays valid until its completion.
    unsafe fn push(&mut self, entry: squeue::Entry) -> io::Result<()> {
        // SAFETY: as above.
        while !unsafe { self.ring.push(&entry) } {
            self.submit_queued()?;
        }
        Ok(())
    }

    /// Hands all queued entries to the kernel.
    fn submit_queued(&mut self) -> io::Result<()> {
        let mut attempts = 0;
        while self.ring.pending() > 0 {
            let pending = self.ring.pending();
            // A refusal for want of completion space ends when the kernel can move its overflow into the queue.
            let outcome = self.enter(0, attempts > 0, None);
            if self.ring.pending() < pending {
                attempts = 0;
                continue;
            }
            match outcome {
                Err(error) if !retried(&error) || attempts >= SUBMIT_ATTEMPTS => return Err(error),
                _ => attempts += 1,
            }
        }
        Ok(())
    }

    fn enter(&mut self, wait: u32, collect: bool, timeout: Option<Duration>) -> io::Result<()> {
        self.lent.publish();
        self.ring.enter(wait, collect, timeout)
    }

    /// One pass of the loop after the records were taken.
    fn wait(&mut self, timeout: Option<Duration>, out: &mut Completions) -> io::Result<()> {
        // Read only if a wait ends without a result.
        let mut deadline = None;
        let mut left = timeout;
        loop {
            if !self.wake_armed {
                self.arm_wake()?;
            }
            let ready = self.ring.ready();
            let may_wait = left != Some(Duration::ZERO) && out.is_empty() && !ready;
            let waits = may_wait && self.waker.sleep();
            if waits && deadline.is_none() {
                deadline = left.map(|left| Instant::now() + left);
            }
            let mut outcome = Ok(());
            if waits || self.ring.pending() > 0 || self.ring.holds_results() {
                outcome = self.enter(u32::from(waits), true, if waits { left } else { None });
            }
            // A pass that does not wait takes a wake-up too: its caller looks for work after it.
            let notified = self.waker.awake() || may_wait && !waits;
            self.collect(out);
            match outcome {
                Err(error) if !retried(&error) => return Err(error),
                // The kernel wants memory or completion space, and says so without waiting.
                Err(error) if error.raw_os_error() != Some(libc::EINTR) => std::thread::yield_now(),
                _ => {}
            }
            if !out.is_empty() || notified || !may_wait {
                return Ok(());
            }
            left = match deadline {
                Some(deadline) => Some(deadline.saturating_duration_since(Instant::now())),
                None => left,
            };
            if left == Some(Duration::ZERO) && self.ring.pending() == 0 {
                return Ok(());
            }
        }
    }

    fn push_completion(out: &mut Completions, socket: u32, user_data: u64, result: i32) {
        out.push(ferronet_completion { user_data, result, socket, ..Default::default() });
    }
}

/// Whether a failed `enter` is simply tried again.
fn retried(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY))
}

/// A ring with the lent buffers registered, and the steps that it really uses.
fn new_ring(settings: &Settings, features: u64, lent: &mut Lent) -> io::Result<(Ring, u64)> {
    let mode = match (settings.any_thread, features & FERRONET_RING_DEFER_TASKRUN != 0) {
        (true, _) => Mode::Plain,
        (false, true) => Mode::Deferred,
        (false, false) => Mode::Cooperative,
    };
    let mut ring = Ring::new(settings.ring_entries, mode)?;
    let mut features = features;
    if ring.mode() != Mode::Deferred {
        features &= !FERRONET_RING_DEFER_TASKRUN;
    }
    if features & FERRONET_RING_BUFFER_RING != 0 {
        let buffers = BufferRing::new(settings.lent_capacity)?;
        ring.count_syscall();
        buffers.register(&ring.submitter(), 0)?;
        lent.use_ring(buffers);
    } else {
        features &= !FERRONET_RING_MULTISHOT_RECV;
    }
    Ok((ring, features))
}

impl Backend for UringBackend {
    fn start(&mut self) -> Result<()> {
        let refused = |error: io::Error| {
            let refusal = probe::refusal(&error);
            Error::new(refusal.status, format!("reactor start: {}", refusal.text))
        };
        if self.started {
            // A ring for any thread serves the new thread as it is.
            if self.settings.any_thread {
                return Ok(());
            }
            self.rebuild().map_err(refused)?;
        }
        self.ring.enable(!self.settings.any_thread).map_err(refused)?;
        self.started = true;
        // At once, so that a refused `enter` is a refused start.
        self.arm_wake().and_then(|()| self.submit_queued()).map_err(refused)
    }

    unsafe fn submit(&mut self, records: &[ferronet_submission], out: &mut Completions) {
        // SAFETY: the caller's promise is the one that `start_all` asks for.
        unsafe { self.start_all(records, out) };
        // What stays queued after a lasting refusal is tried again by the next call.
        let _ = self.submit_queued();
    }

    unsafe fn poll(
        &mut self,
        records: &[ferronet_submission],
        timeout: Option<Duration>,
        out: &mut Completions,
    ) -> Result<()> {
        // SAFETY: the caller's promise is the one that `start_all` asks for.
        unsafe { self.start_all(records, out) };
        self.wait(timeout, out).map_err(|error| Error::os(&error, "io_uring_enter"))
    }

    fn add(&mut self, descriptor: RawFd) -> Result<u32> {
        // On a non-blocking socket MSG_WAITALL is cut short, and nothing waits for readiness.
        self.ring.count_syscall();
        let datagram = self.descriptors.take(descriptor, false)?;
        let socket = Socket {
            descriptor,
            datagram,
            first: NONE,
            sends: Line::default(),
            receives: Line::default(),
            closing: None,
            closed: None,
            drained: false,
            scarce: 0,
            greedy: false,
        };
        self.sockets.insert(socket).map_err(|_| {
            self.descriptors.release(descriptor);
            Error::new(
                FERRONET_ERR_LIMIT,
                format!("reactor add: {} sockets are added, no more fit", Slots::<Socket>::LIMIT),
            )
        })
    }

    fn remove(&mut self, number: u32) -> Result<()> {
        match self.sockets.get(number) {
            Some(socket) if socket.first != NONE => Err(Error::new(
                FERRONET_ERR_BUSY,
                format!(
                    "reactor remove: socket {number} has operations in flight; cancel them and await their completions"
                ),
            )),
            Some(&Socket { descriptor, .. }) => {
                self.descriptors.release(descriptor);
                self.sockets.remove(number);
                Ok(())
            }
            None => {
                Err(Error::new(FERRONET_ERR_UNKNOWN_SOCKET, format!("reactor remove: socket {number} is unknown here")))
            }
        }
    }

    fn close(&mut self, bound: Duration, out: &mut Completions) -> u64 {
        self.close_all(bound, out)
    }

    fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    fn idle(&self) -> bool {
        self.sockets.is_empty() && self.ops.len() == 0
    }

    fn lent(&self) -> Vec<ferronet_submission> {
        self.lent.records()
    }

    fn describe(&self, info: &mut ferronet_reactor_info) {
        info.backend = FERRONET_BACKEND_IO_URING;
        info.ring_features = self.features;
        info.sockets = self.sockets.len() as u64;
        info.in_flight = self.leaked.max(self.ops.len() as u64);
        info.lent = u64::from(self.lent.held());
        info.syscalls = self.earlier_syscalls + self.ring.syscalls();
    }
}
