//! io_uring refused, each time in a child process: what AUTO does, and what an explicit choice says.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::reactor::Reactor;

fn auto() -> ferronet_reactor_config {
    ferronet_reactor_config::default()
}

/// Makes a system call fail with EPERM for this process, as container profiles do.
fn deny(call: libc::c_long) {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUALS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let mut filter = [
        step(LOAD, 0, 0, 0),
        step(EQUALS, 0, 1, call as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program and its filter live during the calls.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

#[test]
fn a_seccomp_filter_is_named() {
    in_child("refusals::a_seccomp_filter_is_named", || {
        let mut first = Reactor::new(&auto()).unwrap();
        assert_eq!(first.info().backend, FERRONET_BACKEND_IO_URING);
        deny(libc::SYS_io_uring_setup);
        // The filter came after the first ring: a fall-back at a later reactor is like one at the first.
        let mut reactor = Reactor::new(&auto()).unwrap();
        reactor.start().unwrap();
        let info = reactor.info();
        assert_eq!((info.backend, info.requested_backend), (FERRONET_BACKEND_POLL, FERRONET_BACKEND_AUTO));
        assert_eq!((info.fallback_reason, info.fallback_status), (FERRONET_REASON_DENIED, -libc::EPERM));
        assert!(reactor.fallback_text().contains("seccomp profile"), "{}", reactor.fallback_text());
        let error = Reactor::new(&ring(|_| {})).err().unwrap();
        assert_eq!(error.status, -libc::EPERM);
        assert!(error.text.contains("io_uring_setup"), "{}", error.text);
        // A ring that was made before works, until it would have to be made anew on another thread.
        first.start().unwrap();
        let first = std::thread::spawn(move || {
            first.start().unwrap();
            first
        })
        .join()
        .unwrap();
        assert_eq!(
            (first.info().backend, first.info().fallback_reason),
            (FERRONET_BACKEND_POLL, FERRONET_REASON_DENIED)
        );
    });
}

#[test]
fn a_filter_of_registrations_is_named() {
    in_child("refusals::a_filter_of_registrations_is_named", || {
        deny(libc::SYS_io_uring_register);
        let reactor = Reactor::new(&auto()).unwrap();
        assert_eq!(
            (reactor.info().backend, reactor.info().fallback_reason),
            (FERRONET_BACKEND_POLL, FERRONET_REASON_DENIED)
        );
        let caps = ferronet::reactor::probe::capabilities();
        assert_eq!((caps.uring_reason, caps.uring_status), (FERRONET_REASON_DENIED, -libc::EPERM));
        assert_eq!(Reactor::new(&ring(|_| {})).err().unwrap().status, -libc::EPERM);
    });
}

#[test]
fn a_filter_of_enter_is_found_at_the_start() {
    in_child("refusals::a_filter_of_enter_is_found_at_the_start", || {
        deny(libc::SYS_io_uring_enter);
        let mut reactor = Reactor::new(&auto()).unwrap();
        reactor.start().unwrap();
        assert_eq!(
            (reactor.info().backend, reactor.info().fallback_reason),
            (FERRONET_BACKEND_POLL, FERRONET_REASON_DENIED)
        );
        let mut reactor = Reactor::new(&ring(|_| {})).unwrap();
        let error = reactor.start().unwrap_err();
        assert_eq!(error.status, -libc::EPERM);
        assert!(error.text.contains("seccomp profile"), "{}", error.text);
    });
}

#[test]
fn a_low_limit_of_locked_memory_is_named() {
    in_child("refusals::a_low_limit_of_locked_memory_is_named", || {
        const NOBODY: libc::uid_t = 65_534;
        let limit = libc::rlimit { rlim_cur: 64 << 10, rlim_max: 64 << 10 };
        // SAFETY: the limit lives during the call; the others pass no pointer. Root is not charged: become another user.
        unsafe {
            assert_eq!(libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit), 0);
            if libc::geteuid() == 0 {
                assert_eq!(libc::setresuid(NOBODY, NOBODY, NOBODY), 0);
            }
        }
        let mut rings = Vec::new();
        let refused = loop {
            let reactor = Reactor::new(&auto()).unwrap();
            if reactor.info().backend == FERRONET_BACKEND_POLL {
                break reactor;
            }
            rings.push(reactor);
            assert!(rings.len() < 100, "64 KiB hold no hundred rings");
        };
        assert_eq!(refused.info().fallback_reason, FERRONET_REASON_MEMLOCK);
        assert_eq!(refused.info().fallback_status, -libc::ENOMEM);
        let error = Reactor::new(&ring(|_| {})).err().unwrap();
        assert!(error.text.contains("ulimit -l") && error.text.contains("65536 bytes"), "{}", error.text);
        // What a closed reactor held is free again.
        drop(rings);
    });
}

#[test]
fn no_descriptor_left_is_named() {
    in_child("refusals::no_descriptor_left_is_named", || {
        ferronet::reactor::probe::capabilities();
        let kept: Vec<std::fs::File> =
            std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).take(100_000).collect();
        let caps = ferronet::reactor::probe::capabilities();
        assert_eq!(caps.uring_reason, FERRONET_REASON_NONE, "what was found once is kept");
        let error = Reactor::new(&ring(|_| {})).err().unwrap();
        assert_eq!(error.status, -libc::EMFILE);
        assert!(error.text.contains("ulimit -n"), "{}", error.text);
        drop(kept);
        Reactor::new(&ring(|_| {})).unwrap();
    });
}

#[test]
fn auto_takes_poll_below_the_steps_that_it_needs() {
    for step in [FERRONET_RING_BUFFER_RING, FERRONET_RING_MULTISHOT_RECV, FERRONET_RING_DEFER_TASKRUN] {
        let reactor = Reactor::new(&ferronet_reactor_config { disabled_ring_features: step, ..auto() }).unwrap();
        assert_eq!(reactor.info().backend, FERRONET_BACKEND_POLL);
        assert_eq!(reactor.info().fallback_reason, FERRONET_REASON_KERNEL_TOO_OLD);
        assert!(reactor.fallback_text().contains("Linux 6.1"), "{}", reactor.fallback_text());
    }
    let reactor =
        Reactor::new(&ferronet_reactor_config { disabled_ring_features: FERRONET_RING_MULTISHOT_ACCEPT, ..auto() })
            .unwrap();
    assert_eq!(
        (reactor.info().backend, reactor.info().fallback_reason),
        (FERRONET_BACKEND_IO_URING, FERRONET_REASON_NONE)
    );
    let reactor = Reactor::new(&ferronet_reactor_config { flags: FERRONET_REACTOR_ANY_THREAD, ..auto() }).unwrap();
    assert_eq!(reactor.info().fallback_reason, FERRONET_REASON_SWITCHED_OFF);
}
