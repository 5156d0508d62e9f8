//! One kernel ring: how it is set up on each step of the kernel ladder, and the one system call that drives it.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;
use std::thread::{self, ThreadId};
use std::time::Duration;

use io_uring::{IoUring, cqueue, squeue};

use crate::fault;

/// Fewest submission entries that a ring is halved to before ENOMEM is believed.
const LEAST_ENTRIES: u32 = 8;

/// The kernel adds a timeout to its clock, which must not overflow; the loop waits again until its own deadline.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

const ENTER_GETEVENTS: u32 = 1 << 0;
const ENTER_EXT_ARG: u32 = 1 << 3;
const ENTER_REGISTERED_RING: u32 = 1 << 4;
const REGISTER_RING_FDS: u32 = 20;
const UNREGISTER_RING_FDS: u32 = 21;

/// How the kernel runs the work that completes requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// SINGLE_ISSUER and DEFER_TASKRUN (Linux 6.1): only inside `enter`, on the thread that enabled the ring.
    Deferred,
    /// COOP_TASKRUN (Linux 5.19): when the submitting thread enters the kernel for any reason.
    Cooperative,
    /// Whenever the kernel likes, on the thread that submitted; the only mode for a ring that moves between threads.
    Plain,
}

/// A ring with its queues, and the count of system calls that were made for it.
pub(super) struct Ring {
    ring: IoUring,
    mode: Mode,
    /// Index of the ring in the descriptor table that the kernel keeps for each thread, and the thread.
    registered: Option<(u32, ThreadId)>,
    syscalls: u64,
}

/// The last argument of io_uring_enter with IORING_ENTER_EXT_ARG.
#[repr(C)]
struct GetEventsArg {
    sigmask: u64,
    sigmask_size: u32,
    min_wait_usec: u32,
    timespec: u64,
}

/// The argument of IORING_REGISTER_RING_FDS.
#[repr(C)]
struct RingUpdate {
    offset: u32,
    reserved: u32,
    data: u64,
}

/// The kernel's timespec, the same on every architecture.
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// Sets up a ring of up to `entries` submission entries and twice as many completion entries, disabled. It tries `mode`
/// and the flags of the newest kernel first, leaves out what the kernel does not know (EINVAL), and halves the size
/// when locked memory does not suffice (ENOMEM).
pub(crate) fn set_up(entries: u32, mode: Mode) -> io::Result<(IoUring, Mode)> {
    if let Some(errno) = fault::take("uring-setup") {
        return Err(io::Error::from_raw_os_error(errno as i32));
    }
    let mut refusal = io::Error::from_raw_os_error(libc::EINVAL);
    for (mode, newest) in rungs(mode) {
        match set_up_halving(entries, *mode, *newest) {
            Ok(ring) if !serves(&ring) => return Err(io::Error::from_raw_os_error(libc::ENOSYS)),
            Ok(ring) => return Ok((ring, *mode)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refusal = error,
            Err(error) => return Err(error),
        }
    }
    Err(refusal)
}

/// Whether the kernel does what this backend takes for granted (Linux 5.17).
fn serves(ring: &IoUring) -> bool {
    let known = ring.params();
    known.is_feature_ext_arg()
        && known.is_feature_nodrop()
        && known.is_feature_submit_stable()
        && known.is_feature_fast_poll()
        && known.is_feature_skip_cqe_on_success()
}

/// The set-ups to try, best first; true: with the flags that only newer kernels of that step know.
fn rungs(mode: Mode) -> &'static [(Mode, bool)] {
    const ALL: &[(Mode, bool)] = &[
        (Mode::Deferred, true),
        (Mode::Deferred, false),
        (Mode::Cooperative, false),
        (Mode::Plain, true),
        (Mode::Plain, false),
    ];
    match mode {
        Mode::Deferred => ALL,
        Mode::Cooperative => &ALL[2..],
        Mode::Plain => &ALL[3..],
    }
}

fn set_up_halving(entries: u32, mode: Mode, newest: bool) -> io::Result<IoUring> {
    let mut entries = entries;
    loop {
        let mut builder = IoUring::builder();
        builder.dontfork().setup_cqsize(entries * 2).setup_clamp().setup_r_disabled();
        match mode {
            Mode::Deferred => {
                builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag().setup_submit_all();
                if newest {
                    builder.setup_no_sqarray();
                }
            }
            Mode::Cooperative => {
                builder.setup_coop_taskrun().setup_taskrun_flag().setup_submit_all();
            }
            Mode::Plain if newest => {
                builder.setup_submit_all();
            }
            Mode::Plain => {}
        }
        match builder.build(entries) {
            Err(error) if error.raw_os_error() == Some(libc::ENOMEM) && entries > LEAST_ENTRIES => entries /= 2,
            result => return result,
        }
    }
}

impl Ring {
    /// A new ring, disabled until `enable`.
    pub(super) fn new(entries: u32, mode: Mode) -> io::Result<Self> {
        let (ring, mode) = set_up(entries, mode)?;
        Ok(Self { ring, mode, registered: None, syscalls: 1 })
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// System calls made for this ring so far.
    pub(super) fn syscalls(&self) -> u64 {
        self.syscalls
    }

    /// Counts a system call that was made beside the ring.
    pub(super) fn count_syscall(&mut self) {
        self.syscalls += 1;
    }

    /// For registrations.
    pub(super) fn submitter(&self) -> io_uring::Submitter<'_> {
        self.ring.submitter()
    }

    /// Opens the ring for submissions. With SINGLE_ISSUER the calling thread becomes the only one that may submit.
    /// `fixed_thread`: the ring stays on this thread, so that its descriptor can be registered there.
    pub(super) fn enable(&mut self, fixed_thread: bool) -> io::Result<()> {
        self.syscalls += 1;
        self.ring.submitter().register_enable_rings()?;
        if fixed_thread {
            self.register_descriptor();
        }
        Ok(())
    }

    /// Saves the kernel the descriptor look-up of each `enter`. A refusal (an old kernel, 16 rings on this thread
    /// already) costs only that saving.
    fn register_descriptor(&mut self) {
        let mut update = RingUpdate { offset: u32::MAX, reserved: 0, data: self.descriptor() as u64 };
        if self.register(REGISTER_RING_FDS, ptr::from_mut(&mut update)) == 1 {
            self.registered = Some((update.offset, thread::current().id()));
        }
    }

    /// Undoes the registration, which would keep the ring alive as long as its thread. On another thread the index
    /// belongs to somebody else: there it is only forgotten, and the kernel undoes it when the thread ends.
    pub(super) fn unregister_descriptor(&mut self) {
        if let Some((offset, thread)) = self.registered.take()
            && thread == thread::current().id()
        {
            let mut update = RingUpdate { offset, reserved: 0, data: 0 };
            self.register(UNREGISTER_RING_FDS, ptr::from_mut(&mut update));
        }
    }

    fn register(&mut self, opcode: u32, update: *mut RingUpdate) -> i64 {
        self.syscalls += 1;
        // SAFETY: the kernel reads and writes one update, which the caller holds.
        unsafe { libc::syscall(libc::SYS_io_uring_register, self.descriptor(), opcode, update, 1u32) }
    }

    fn descriptor(&self) -> RawFd {
        self.ring.as_raw_fd()
    }

    /// Queues an entry; false if the queue is full.
    ///
    /// # Safety
    /// What the entry points to stays valid until its completion.
    pub(super) unsafe fn push(&mut self, entry: &squeue::Entry) -> bool {
        // SAFETY: the caller's promise is the one that the queue asks for.
        unsafe { self.ring.submission().push(entry) }.is_ok()
    }

    /// Entries that the kernel has not taken yet.
    pub(super) fn pending(&mut self) -> u32 {
        self.ring.submission().len() as u32
    }

    /// Whether a completion entry can be read without a system call.
    pub(super) fn ready(&mut self) -> bool {
        !self.ring.completion().is_empty()
    }

    /// Whether the kernel holds results that only an `enter` makes visible.
    pub(super) fn holds_results(&mut self) -> bool {
        let queue = self.ring.submission();
        queue.taskrun() || queue.cq_overflow()
    }

    /// Reads completion entries into `batch`, and gives their places back to the kernel.
    pub(super) fn take<'a>(&mut self, batch: &'a mut [MaybeUninit<cqueue::Entry>]) -> &'a [cqueue::Entry] {
        self.ring.completion().fill(batch)
    }

    /// Submits all queued entries, runs deferred work if `collect`, and waits for `wait` completions, up to the timeout.
    /// ETIME is no error.
    pub(super) fn enter(&mut self, wait: u32, collect: bool, timeout: Option<Duration>) -> io::Result<()> {
        self.syscalls += 1;
        if let Some(errno) = fault::take("uring-enter") {
            return Err(io::Error::from_raw_os_error(errno as i32));
        }
        let submit = self.pending();
        let timespec = timeout
            .map(|limit| limit.min(LONGEST_WAIT))
            .map(|limit| Timespec { seconds: limit.as_secs() as i64, nanoseconds: i64::from(limit.subsec_nanos()) });
        let argument = timespec.as_ref().map(|timespec| GetEventsArg {
            sigmask: 0,
            sigmask_size: 0,
            min_wait_usec: 0,
            timespec: ptr::from_ref(timespec) as u64,
        });
        let mut flags = if wait > 0 || collect { ENTER_GETEVENTS } else { 0 };
        let (pointer, size) = match &argument {
            Some(argument) => {
                flags |= ENTER_EXT_ARG;
                (ptr::from_ref(argument), size_of::<GetEventsArg>())
            }
            None => (ptr::null(), 0),
        };
        let descriptor = match self.registered {
            Some((index, _)) => {
                flags |= ENTER_REGISTERED_RING;
                index as RawFd
            }
            None => self.descriptor(),
        };
        // SAFETY: the argument and its timespec live until the call returns; the entries were vouched for by `push`.
        let result = unsafe { libc::syscall(libc::SYS_io_uring_enter, descriptor, submit, wait, flags, pointer, size) };
        if result >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() == Some(libc::ETIME) { Ok(()) } else { Err(error) }
    }
}
