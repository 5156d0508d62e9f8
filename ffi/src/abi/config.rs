//! Size-prefixed structures: reactor configuration, areas and information, and capabilities.
#![allow(non_camel_case_types)]

/// Let the library choose the backend, and fall back when one is refused. Since revision 1.
pub const FERRONET_BACKEND_AUTO: u32 = 0;
/// io_uring, or a failure that says why not. Since revision 1.
pub const FERRONET_BACKEND_IO_URING: u32 = 1;
/// epoll or kqueue. Since revision 1.
pub const FERRONET_BACKEND_POLL: u32 = 2;

/// `flags` of the configuration: any one thread at a time may drive the reactor (virtual threads, hand-over between
/// threads). Since revision 1.
pub const FERRONET_REACTOR_ANY_THREAD: u32 = 1;

/// A step of the kernel ladder: provided buffer rings (Linux 5.19). Since revision 1.
pub const FERRONET_RING_BUFFER_RING: u64 = 1 << 0;
/// Multishot accept (Linux 5.19). Since revision 1.
pub const FERRONET_RING_MULTISHOT_ACCEPT: u64 = 1 << 1;
/// Multishot receive (Linux 6.0). Since revision 1.
pub const FERRONET_RING_MULTISHOT_RECV: u64 = 1 << 2;
/// SINGLE_ISSUER and DEFER_TASKRUN (Linux 6.1). Since revision 1.
pub const FERRONET_RING_DEFER_TASKRUN: u64 = 1 << 3;
/// Incremental buffer rings (Linux 6.12). Since revision 1.
pub const FERRONET_RING_INCREMENTAL: u64 = 1 << 4;

/// Why something is not available; a `reason` field holds one of these. Since revision 1.
pub const FERRONET_REASON_NONE: u32 = 0;
/// It was not compiled in, or the platform has no such thing. Since revision 1.
pub const FERRONET_REASON_NOT_BUILT: u32 = 1;
/// The kernel is too old (ENOSYS, or a needed step is missing). Since revision 1.
pub const FERRONET_REASON_KERNEL_TOO_OLD: u32 = 2;
/// A seccomp filter or a security module refuses it (EPERM, EACCES). Since revision 1.
pub const FERRONET_REASON_DENIED: u32 = 3;
/// `kernel.io_uring_disabled` is set. Since revision 1.
pub const FERRONET_REASON_DISABLED_BY_SYSCTL: u32 = 4;
/// RLIMIT_MEMLOCK is too low (ENOMEM). Since revision 1.
pub const FERRONET_REASON_MEMLOCK: u32 = 5;
/// No descriptor is left (EMFILE, ENFILE). Since revision 1.
pub const FERRONET_REASON_DESCRIPTORS: u32 = 6;
/// The caller switched it off. Since revision 1.
pub const FERRONET_REASON_SWITCHED_OFF: u32 = 7;
/// It runs, but measured slower here than the other backend. Since revision 1.
pub const FERRONET_REASON_SLOWER: u32 = 8;
/// Another errno; the status field beside the reason holds it. Since revision 1.
pub const FERRONET_REASON_OTHER: u32 = 9;

/// Reactor configuration. Size-prefixed; zero means the default of each field. Since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_reactor_config {
    /// Bytes of this structure that the caller fills.
    pub size: u32,
    /// `FERRONET_BACKEND_*`.
    pub backend: u32,
    /// `FERRONET_REACTOR_*` bits.
    pub flags: u32,
    /// Records in the submission area; power of two, 16 to 65,536; default 1,024.
    pub submission_capacity: u32,
    /// Records in the completion area; power of two, 16 to 65,536; default 1,024.
    pub completion_capacity: u32,
    /// Submission entries of the ring; power of two, 8 to 32,768; default 256. Completion entries are the double.
    /// Halved on ENOMEM.
    pub ring_entries: u32,
    /// Entries of the buffer ring; power of two up to 32,768; default 256. At most as many buffers can be lent at once.
    pub lent_capacity: u32,
    /// Must be zero.
    pub reserved: u32,
    /// `FERRONET_RING_*` steps that must not be used.
    pub disabled_ring_features: u64,
}

/// Where the shared areas are. Size-prefixed, filled by the library; valid until the reactor is freed.
/// Since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_reactor_areas {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// Records in the submission area.
    pub submission_capacity: u32,
    /// Address of the first `ferronet_submission`.
    pub submissions: u64,
    /// Address of the first `ferronet_completion`.
    pub completions: u64,
    /// Records in the completion area.
    pub completion_capacity: u32,
    /// Buffers that can be lent at once.
    pub lent_capacity: u32,
}

/// What a reactor is and has done. Size-prefixed, filled by the library. Since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_reactor_info {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// The backend in use, `FERRONET_BACKEND_IO_URING` or `FERRONET_BACKEND_POLL`.
    pub backend: u32,
    /// The backend that was asked for.
    pub requested_backend: u32,
    /// Why AUTO did not take io_uring, `FERRONET_REASON_*`.
    pub fallback_reason: u32,
    /// The status behind the reason, or 0.
    pub fallback_status: i32,
    /// Must be ignored.
    pub reserved: u32,
    /// `FERRONET_RING_*` steps in use.
    pub ring_features: u64,
    /// Calls of `ferronet_reactor_turn`.
    pub turns: u64,
    /// Submissions taken.
    pub submissions: u64,
    /// Completions delivered.
    pub completions: u64,
    /// Wake-ups that had to write to the kernel.
    pub wakeups: u64,
    /// Sockets that were added and neither removed nor closed.
    pub sockets: u64,
    /// Operations without their final completion.
    pub in_flight: u64,
    /// Lent buffers that the library holds.
    pub lent: u64,
    /// System calls made by the reactor.
    pub syscalls: u64,
}

/// What the running system allows. Size-prefixed, filled by the library. Since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ferronet_caps {
    /// Bytes of this structure that the caller provides.
    pub size: u32,
    /// Why io_uring is not available, `FERRONET_REASON_*`.
    pub uring_reason: u32,
    /// `FERRONET_FEATURE_*` bits that run here.
    pub available: u64,
    /// `FERRONET_RING_*` steps of the kernel.
    pub ring_features: u64,
    /// The status behind `uring_reason`, or 0.
    pub uring_status: i32,
    /// Why the poll backend is not available, `FERRONET_REASON_*`.
    pub poll_reason: u32,
    /// The status behind `poll_reason`, or 0.
    pub poll_status: i32,
    /// Kernel version: major << 16 | minor.
    pub kernel_version: u32,
}
