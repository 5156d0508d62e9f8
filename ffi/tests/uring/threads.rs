//! Rings and threads: start on another thread, start again, and a ring for any thread.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::abi::status::{FERRONET_ERR_BUSY, FERRONET_ERR_WRONG_THREAD};
use ferronet::reactor::Reactor;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

fn turn(reactor: &mut Reactor, timeout: Duration) -> u32 {
    // SAFETY: no record is submitted.
    unsafe { reactor.turn(0, timeout.as_nanos() as i64) }.unwrap()
}

#[test]
fn a_ring_made_here_runs_there() {
    let mut reactor = Reactor::new(&ring(|_| {})).unwrap();
    let waker = reactor.waker();
    waker.wake();
    std::thread::spawn(move || {
        reactor.start().unwrap();
        let start = Instant::now();
        turn(&mut reactor, PATIENCE);
        assert!(start.elapsed() < PATIENCE, "the wake-up before start is kept");
    })
    .join()
    .unwrap();
}

#[test]
fn an_idle_reactor_moves_with_its_wake_ups_and_its_buffers() {
    for mask in [0, FERRONET_RING_BUFFER_RING, FERRONET_RING_DEFER_TASKRUN] {
        let mut driver = Loop::new(&ring(|config| config.disabled_ring_features = mask));
        let mut lent = vec![0u8; 32];
        driver.queue(lend(3, &mut lent));
        driver.turn(Duration::ZERO);
        let areas = driver.reactor.areas();
        for _ in 0..3 {
            driver.reactor.waker().wake();
            driver = std::thread::spawn(move || {
                driver.reactor.start().unwrap();
                let start = Instant::now();
                driver.turn(PATIENCE);
                assert!(start.elapsed() < PATIENCE, "the wake-up in between is kept");
                let (socket, mut peer) = driver.pair();
                driver.queue(recv_lent(socket, 1));
                driver.submit();
                write(&mut peer, b"moved");
                let got = driver.result(1);
                assert_eq!((got.result, got.buffer), (5, 3));
                driver.queue(op(FERRONET_OP_CLOSE, socket, 2));
                assert_eq!(driver.result(2).result, 0);
                driver.results.clear();
                driver
            })
            .join()
            .unwrap();
            driver.reactor.start().unwrap();
            driver.queue(lend(3, &mut lent));
            driver.turn(Duration::ZERO);
        }
        let now = driver.reactor.areas();
        assert_eq!((now.submissions, now.completions), (areas.submissions, areas.completions));
    }
}

#[test]
fn a_busy_reactor_stays_and_knows_its_thread() {
    let mut driver = Loop::new(&ring(|_| {}));
    let (socket, _peer) = driver.pair();
    let driver = std::thread::spawn(move || {
        assert_eq!(driver.reactor.start().unwrap_err().status, FERRONET_ERR_BUSY);
        // SAFETY: no record is submitted.
        let refused = unsafe { driver.reactor.turn(0, 0) }.unwrap_err();
        assert_eq!(refused.status, FERRONET_ERR_WRONG_THREAD);
        driver
    })
    .join()
    .unwrap();
    let mut driver = driver;
    driver.reactor.remove(socket).unwrap();
}

#[test]
fn operations_outlive_the_thread_that_submitted_them() {
    let mut driver = Loop::new(&ring(|config| config.flags = FERRONET_REACTOR_ANY_THREAD));
    let (socket, mut peer) = driver.pair();
    let mut buffer = vec![0u8; 16];
    for round in 0..5 {
        (driver, buffer) = std::thread::spawn(move || {
            driver.queue(recv(socket, round, &mut buffer));
            driver.submit();
            (driver, buffer)
        })
        .join()
        .unwrap();
        write(&mut peer, b"late");
        let got = driver.result(round);
        assert_eq!((got.result, &buffer[..4]), (4, &b"late"[..]));
    }
}

#[test]
fn a_connect_outlives_the_thread_that_submitted_it() {
    let mut driver = Loop::new(&ring(|config| config.flags = FERRONET_REACTOR_ANY_THREAD));
    let (listener, address) = listener();
    // A full backlog keeps the connection under way until somebody accepts.
    // SAFETY: no pointer is passed.
    assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), 0) }, 0);
    let fill: Vec<TcpStream> =
        std::iter::from_fn(|| TcpStream::connect_timeout(&address, Duration::from_millis(50)).ok()).take(100).collect();
    let descriptor = ferronet::reactor::socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM).unwrap();
    let socket = driver.reactor.add(descriptor).unwrap();
    let target = Box::new(ferronet_address::from(address));
    driver = std::thread::spawn(move || {
        driver.queue(ferronet_submission {
            addr0: std::ptr::from_ref(&*target) as u64,
            ..op(FERRONET_OP_CONNECT, socket, 1)
        });
        driver.submit();
        driver
    })
    .join()
    .unwrap();
    assert_eq!(driver.turn(Duration::from_millis(20)), 0, "{:?}", driver.results);
    let accepting = std::thread::spawn(move || (0..=fill.len()).for_each(|_| drop(listener.accept().unwrap())));
    assert_eq!(driver.result(1).result, 0);
    accepting.join().unwrap();
}

#[test]
fn reactors_come_and_go_without_a_trace() {
    in_child("threads::reactors_come_and_go_without_a_trace", || {
        let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        let mappings = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
        let live = |round: u64| {
            let mut driver = Loop::new(&ring(|_| {}));
            let (socket, peer) = driver.pair();
            let mut buffer = [0u8; 8];
            driver.queue(recv(socket, round, &mut buffer));
            driver.turn(Duration::ZERO);
            driver.reactor.waker().wake();
            drop(driver);
            drop(peer);
        };
        live(0);
        let before = (descriptors(), mappings());
        // More than 16 in a row: that many ring descriptors fit into a thread's table.
        (1..200).for_each(live);
        for round in 200..300 {
            std::thread::spawn(move || live(round)).join().unwrap();
        }
        assert_eq!(descriptors(), before.0);
        assert!(mappings() < before.1 + 20, "{} mappings, {} before", mappings(), before.1);
    });
}

#[test]
fn more_rings_than_a_thread_can_register_work_side_by_side() {
    let mut drivers: Vec<Loop> = (0..40).map(|_| Loop::new(&ring(|_| {}))).collect();
    for (round, driver) in drivers.iter_mut().enumerate() {
        let (socket, mut peer) = driver.pair();
        let mut buffer = [0u8; 8];
        driver.queue(recv(socket, round as u64, &mut buffer));
        driver.submit();
        write(&mut peer, b"ring");
        assert_eq!(driver.result(round as u64).result, 4);
    }
}

#[test]
fn a_reactor_dropped_on_another_thread_ends_its_connections_and_no_other_ring() {
    let mut doomed = Loop::new(&ring(|_| {}));
    let (socket, mut peer) = doomed.pair();
    static MEMORY: std::sync::Mutex<[u8; 8]> = std::sync::Mutex::new([0; 8]);
    doomed.queue(recv(socket, 1, &mut *MEMORY.lock().unwrap()));
    doomed.turn(Duration::ZERO);
    std::thread::spawn(move || {
        // Its ring has the same index in this thread's table as the doomed one has in the other's.
        let mut driver = Loop::new(&ring(|_| {}));
        drop(doomed);
        let (socket, mut peer) = driver.pair();
        let mut buffer = [0u8; 8];
        driver.queue(recv(socket, 1, &mut buffer));
        driver.submit();
        write(&mut peer, b"lives");
        assert_eq!(driver.result(1).result, 5);
        driver.reactor.close(PATIENCE);
    })
    .join()
    .unwrap();
    assert_eq!(read_all(&mut peer).unwrap(), b"");
}
