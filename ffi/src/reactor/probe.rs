//! What the running system allows, and why it refuses what it does not.

use crate::abi::config::*;
use crate::abi::features::{FERRONET_FEATURE_EPOLL, FERRONET_FEATURE_KQUEUE};

/// Why io_uring cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// `FERRONET_REASON_*`.
    pub(crate) reason: u32,
    /// A negated errno, or 0.
    pub(crate) status: i32,
    /// What was refused, by what, and the remedy.
    pub(crate) text: String,
}

/// What the running system allows; `size` is left 0. Tries io_uring each time, because a refusal need not last.
pub fn capabilities() -> ferronet_caps {
    let mut caps = ferronet_caps { kernel_version: kernel_version(), ..Default::default() };
    if cfg!(target_os = "linux") {
        caps.available |= FERRONET_FEATURE_EPOLL;
    } else if cfg!(any(target_os = "macos", target_os = "freebsd")) {
        caps.available |= FERRONET_FEATURE_KQUEUE;
    } else {
        caps.poll_reason = FERRONET_REASON_NOT_BUILT;
    }
    match ring_features() {
        Ok(features) => {
            caps.available |= crate::abi::features::FERRONET_FEATURE_IO_URING;
            caps.ring_features = features;
        }
        Err(refusal) => {
            caps.uring_reason = refusal.reason;
            caps.uring_status = refusal.status;
        }
    }
    caps
}

/// Kernel version: major << 16 | minor; 0 if unknown.
#[cfg(unix)]
pub(crate) fn kernel_version() -> u32 {
    // SAFETY: all-zero bytes are a valid utsname, and the call fills one.
    let mut name: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    if unsafe { libc::uname(&mut name) } < 0 {
        return 0;
    }
    let release: Vec<u8> = name.release.iter().take_while(|&&c| c != 0).map(|&c| c as u8).collect();
    parse_version(&String::from_utf8_lossy(&release))
}

/// Kernel version; unknown here.
#[cfg(not(unix))]
pub(crate) fn kernel_version() -> u32 {
    0
}

fn parse_version(release: &str) -> u32 {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u16>().unwrap_or(0));
    u32::from(numbers.next().unwrap_or(0)) << 16 | u32::from(numbers.next().unwrap_or(0))
}

#[cfg(not(all(target_os = "linux", feature = "io-uring")))]
pub(crate) fn ring_features() -> Result<u64, Refusal> {
    Err(Refusal {
        reason: FERRONET_REASON_NOT_BUILT,
        status: 0,
        text: "io_uring is not built into this library, or this platform has none; use AUTO or POLL".into(),
    })
}

#[cfg(all(target_os = "linux", feature = "io-uring"))]
pub(crate) use linux::{refusal, ring_features};

/// The refusal behind a failed start of a ring, which carries a negated errno.
pub(crate) fn refusal_of(error: &crate::error::Error) -> Option<Refusal> {
    #[cfg(all(target_os = "linux", feature = "io-uring"))]
    if (-4095..0).contains(&error.status) {
        return Some(refusal(&std::io::Error::from_raw_os_error(-error.status)));
    }
    let _ = error;
    None
}

#[cfg(all(target_os = "linux", feature = "io-uring"))]
mod linux {
    use std::io;
    use std::sync::OnceLock;

    use io_uring::{IoUring, Probe, opcode};

    use super::{Refusal, kernel_version};
    use crate::abi::config::*;
    use crate::reactor::uring::{Mode, set_up, takes_buffer_ring};

    const PROBE_ENTRIES: u32 = 8;

    /// The `FERRONET_RING_*` steps of this kernel. What was found once is kept; a refusal is not.
    pub(crate) fn ring_features() -> Result<u64, Refusal> {
        static FEATURES: OnceLock<u64> = OnceLock::new();
        let (ring, mode) = match FEATURES.get() {
            Some(&features) if crate::fault::peek("uring-setup").is_none() => return Ok(features),
            _ => set_up(PROBE_ENTRIES, Mode::Deferred).map_err(|error| refusal(&error))?,
        };
        let steps = steps(&ring, mode).map_err(|error| refusal(&error))?;
        Ok(*FEATURES.get_or_init(|| steps))
    }

    fn steps(ring: &IoUring, mode: Mode) -> io::Result<u64> {
        let mut steps = 0;
        if mode == Mode::Deferred {
            steps |= FERRONET_RING_DEFER_TASKRUN;
        }
        let mut probe = Probe::new();
        ring.submitter().register_probe(&mut probe)?;
        // The multishot flags cannot be asked for; they came with these operations.
        if probe.is_supported(opcode::Socket::CODE) {
            steps |= FERRONET_RING_MULTISHOT_ACCEPT;
        }
        if probe.is_supported(opcode::SendZc::CODE) {
            steps |= FERRONET_RING_MULTISHOT_RECV;
        }
        if takes_buffer_ring(ring, false)? {
            steps |= FERRONET_RING_BUFFER_RING;
            if takes_buffer_ring(ring, true)? {
                steps |= FERRONET_RING_INCREMENTAL;
            }
        }
        Ok(steps)
    }

    /// Why io_uring was refused with this error, and what to do about it.
    pub(crate) fn refusal(error: &io::Error) -> Refusal {
        let errno = error.raw_os_error().unwrap_or(0);
        let sysctl = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
        // SAFETY: no pointer is passed.
        let root = unsafe { libc::geteuid() } == 0;
        explain(errno, sysctl.trim(), root, kernel_version())
    }

    fn explain(errno: i32, sysctl: &str, root: bool, kernel: u32) -> Refusal {
        let disabled = sysctl == "2" || sysctl == "1" && !root;
        let (reason, text) = match errno {
            libc::ENOSYS => (
                FERRONET_REASON_KERNEL_TOO_OLD,
                format!(
                    "the kernel ({}.{}) has no io_uring that serves here; run Linux 6.1 or newer with CONFIG_IO_URING, or use the poll backend",
                    kernel >> 16,
                    kernel & 0xffff
                ),
            ),
            libc::EPERM | libc::EACCES if disabled => (
                FERRONET_REASON_DISABLED_BY_SYSCTL,
                format!(
                    "kernel.io_uring_disabled is {sysctl}; allow it with: sysctl kernel.io_uring_disabled=0{}",
                    if sysctl == "1" { " (or put this process into the group kernel.io_uring_group)" } else { "" }
                ),
            ),
            libc::EPERM | libc::EACCES => (
                FERRONET_REASON_DENIED,
                "a seccomp filter or a security module denies it; allow io_uring_setup, io_uring_enter and io_uring_register in the seccomp profile".into(),
            ),
            libc::ENOMEM => (
                FERRONET_REASON_MEMLOCK,
                format!(
                    "the limit of locked memory (RLIMIT_MEMLOCK, {}) is used up; raise RLIMIT_MEMLOCK (ulimit -l), or lower ring_entries, lent_capacity or the number of reactors",
                    memlock_limit()
                ),
            ),
            libc::EMFILE => (
                FERRONET_REASON_DESCRIPTORS,
                "the process has no descriptor left; raise RLIMIT_NOFILE (ulimit -n), or close descriptors".into(),
            ),
            libc::ENFILE => (
                FERRONET_REASON_DESCRIPTORS,
                "the system has no descriptor left; raise it with: sysctl fs.file-max".into(),
            ),
            _ => (FERRONET_REASON_OTHER, "use the poll backend".into()),
        };
        let status = -errno;
        let words = io::Error::from_raw_os_error(errno);
        Refusal { reason, status, text: format!("io_uring was refused: {text} ({words})") }
    }

    fn memlock_limit() -> String {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call fills one rlimit.
        match unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) } {
            0 if limit.rlim_cur == libc::RLIM_INFINITY => "unlimited".into(),
            0 => format!("{} bytes", limit.rlim_cur),
            _ => "unknown".into(),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_refusal_has_its_reason_and_its_remedy() {
            let cases = [
                (libc::ENOSYS, "", true, FERRONET_REASON_KERNEL_TOO_OLD, "kernel (5.4)"),
                (libc::EPERM, "0", true, FERRONET_REASON_DENIED, "seccomp profile"),
                (libc::EPERM, "1", true, FERRONET_REASON_DENIED, "seccomp profile"),
                (libc::EPERM, "1", false, FERRONET_REASON_DISABLED_BY_SYSCTL, "io_uring_group"),
                (libc::EPERM, "2", true, FERRONET_REASON_DISABLED_BY_SYSCTL, "sysctl kernel.io_uring_disabled=0"),
                (libc::EACCES, "", false, FERRONET_REASON_DENIED, "io_uring_setup"),
                (libc::ENOMEM, "", false, FERRONET_REASON_MEMLOCK, "ulimit -l"),
                (libc::EMFILE, "", false, FERRONET_REASON_DESCRIPTORS, "ulimit -n"),
                (libc::ENFILE, "", false, FERRONET_REASON_DESCRIPTORS, "fs.file-max"),
                (libc::EIO, "", false, FERRONET_REASON_OTHER, "poll backend"),
            ];
            for (errno, sysctl, root, reason, words) in cases {
                let refusal = explain(errno, sysctl, root, 5 << 16 | 4);
                assert_eq!((refusal.reason, refusal.status), (reason, -errno));
                assert!(refusal.text.contains(words), "{}", refusal.text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_versions_are_read_from_the_release() {
        assert_eq!(parse_version("6.18.44-generic"), 6 << 16 | 18);
        assert_eq!(parse_version("5.15-rc1"), 5 << 16 | 15);
        assert_eq!(parse_version("next"), 0);
        assert_eq!(parse_version(""), 0);
    }

    #[test]
    fn capabilities_agree_with_themselves() {
        let caps = capabilities();
        let uring = caps.available & crate::abi::features::FERRONET_FEATURE_IO_URING != 0;
        assert_eq!(uring, caps.uring_reason == FERRONET_REASON_NONE);
        assert_eq!(caps.poll_reason, FERRONET_REASON_NONE);
        if cfg!(target_os = "linux") {
            assert!(caps.kernel_version >= 3 << 16);
        }
    }
}
