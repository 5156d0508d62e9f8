//! Refusals that this machine does not make, and operations that cannot be cancelled; each in a child process.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::fault;
use ferronet::reactor::Reactor;
use std::time::{Duration, Instant};

#[test]
fn every_errno_of_a_refused_set_up_has_its_reason() {
    in_child("faults::every_errno_of_a_refused_set_up_has_its_reason", || {
        let cases = [
            (libc::ENOSYS, FERRONET_REASON_KERNEL_TOO_OLD, "Linux 6.1"),
            (libc::EPERM, FERRONET_REASON_DENIED, "seccomp"),
            (libc::ENOMEM, FERRONET_REASON_MEMLOCK, "ulimit -l"),
            (libc::EMFILE, FERRONET_REASON_DESCRIPTORS, "ulimit -n"),
            (libc::EIO, FERRONET_REASON_OTHER, "poll backend"),
        ];
        for (errno, reason, remedy) in cases {
            fault::arm("uring-setup", errno.into(), -1);
            let caps = ferronet::reactor::probe::capabilities();
            assert_eq!((caps.uring_reason, caps.uring_status), (reason, -errno));
            let reactor = Reactor::new(&ferronet_reactor_config::default()).unwrap();
            assert_eq!(reactor.info().backend, FERRONET_BACKEND_POLL);
            assert_eq!((reactor.info().fallback_reason, reactor.info().fallback_status), (reason, -errno));
            let error = Reactor::new(&ring(|_| {})).err().unwrap();
            assert_eq!(error.status, -errno);
            assert!(error.text.contains(remedy), "{}", error.text);
            fault::disarm_all();
            let reactor = Reactor::new(&ferronet_reactor_config::default()).unwrap();
            assert_eq!(reactor.info().backend, FERRONET_BACKEND_IO_URING, "a refusal is not remembered");
        }
    });
}

#[test]
fn a_ring_refused_at_start_becomes_poll_or_an_error() {
    in_child("faults::a_ring_refused_at_start_becomes_poll_or_an_error", || {
        for (config, falls_back) in [(ferronet_reactor_config::default(), true), (ring(|_| {}), false)] {
            let mut driver = Loop::new(&config);
            let mut lent = vec![0u8; 64];
            driver.queue(lend(5, &mut lent));
            driver.turn(Duration::ZERO);
            let waker = driver.reactor.waker();
            waker.wake();
            fault::arm("uring-setup", libc::ENOMEM.into(), -1);
            std::thread::spawn(move || {
                let outcome = driver.reactor.start();
                fault::disarm_all();
                if falls_back {
                    outcome.unwrap();
                    assert_eq!(driver.info().backend, FERRONET_BACKEND_POLL);
                    assert_eq!(driver.info().fallback_reason, FERRONET_REASON_MEMLOCK);
                } else {
                    assert_eq!(outcome.unwrap_err().status, -libc::ENOMEM);
                    driver.reactor.start().unwrap();
                    assert_eq!(driver.info().backend, FERRONET_BACKEND_IO_URING);
                }
                let start = Instant::now();
                driver.turn(PATIENCE);
                assert!(start.elapsed() < PATIENCE, "the wake-up before the change is kept");
                assert_eq!(driver.info().lent, 1, "so is the lent buffer");
                let (socket, mut peer) = driver.pair();
                driver.queue(recv_lent(socket, 1));
                driver.submit();
                write(&mut peer, b"here");
                let got = driver.result(1);
                assert_eq!((got.result, got.buffer, &lent[..4]), (4, 5, &b"here"[..]));
            })
            .join()
            .unwrap();
        }
    });
}

#[test]
fn what_cannot_be_cancelled_is_counted_and_never_freed() {
    in_child("faults::what_cannot_be_cancelled_is_counted_and_never_freed", || {
        let mut driver = Loop::new(&ring(|_| {}));
        // The kernel may write for as long as the process lives.
        static MEMORY: std::sync::Mutex<[[u8; 64]; 2]> = std::sync::Mutex::new([[0; 64]; 2]);
        let mut memory = MEMORY.lock().unwrap();
        let [lent, buffer] = &mut *memory;
        driver.queue(lend(0, lent));
        let (one, mut first) = driver.pair();
        let (two, mut second) = driver.pair();
        driver.queue(recv_lent(one, 1));
        driver.queue(recv(two, 2, buffer));
        driver.turn(Duration::ZERO);
        fault::arm("uring-cancel", 0, -1);
        let start = Instant::now();
        assert_eq!(driver.reactor.close(Duration::from_millis(50)), 2);
        assert!(start.elapsed() < Duration::from_millis(500));
        assert_eq!(driver.info().in_flight, 2);
        // The peers know all the same, and the kernel may still write where it was allowed to.
        assert_eq!(read_all(&mut first).unwrap(), b"");
        assert_eq!(read_all(&mut second).unwrap(), b"");
        assert_eq!(driver.reactor.close(Duration::ZERO), 2);
    });
}

#[test]
fn a_refused_enter_is_tried_again() {
    in_child("faults::a_refused_enter_is_tried_again", || {
        for errno in [libc::EINTR, libc::EAGAIN, libc::EBUSY] {
            for times in [1, 3, 40] {
                let mut driver = Loop::new(&ring(|_| {}));
                let (socket, mut peer) = driver.pair();
                let mut buffer = [0u8; 8];
                driver.queue(recv(socket, 1, &mut buffer));
                driver.queue(send(socket, 2, b"through"));
                fault::arm("uring-enter", errno.into(), times);
                driver.submit();
                assert_eq!(driver.result(2).result, 7);
                write(&mut peer, b"back");
                fault::arm("uring-enter", errno.into(), times);
                assert_eq!(driver.result(1).result, 4);
                fault::arm("uring-enter", errno.into(), times);
                driver.queue(op(ferronet::abi::record::FERRONET_OP_CLOSE, socket, 3));
                assert_eq!(driver.result(3).result, 0);
                fault::disarm_all();
            }
        }
    });
}

#[test]
fn an_enter_that_fails_for_good_is_an_error_of_the_turn() {
    in_child("faults::an_enter_that_fails_for_good_is_an_error_of_the_turn", || {
        let mut driver = Loop::new(&ring(|_| {}));
        fault::arm("uring-enter", libc::EIO.into(), 1);
        // SAFETY: no record is submitted.
        let error = unsafe { driver.reactor.turn(0, 1_000_000) }.unwrap_err();
        assert_eq!(error.status, -libc::EIO);
        assert!(error.text.contains("io_uring_enter"), "{}", error.text);
        assert_eq!(driver.turn(Duration::from_millis(1)), 0);
    });
}
