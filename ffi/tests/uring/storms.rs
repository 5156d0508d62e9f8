//! Overflow of the kernel's queues, storms of small events, and the count of system calls.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::abi::record::*;
use std::net::TcpStream;
use std::os::fd::IntoRawFd;
use std::time::Duration;

#[test]
fn more_completions_than_the_ring_holds_are_all_delivered() {
    for mask in [0, FERRONET_RING_DEFER_TASKRUN, FERRONET_RING_BUFFER_RING] {
        let mut driver = Loop::new(&ring(|config| {
            (config.ring_entries, config.completion_capacity, config.disabled_ring_features) = (8, 16, mask);
        }));
        const SOCKETS: usize = 100;
        let mut buffers = vec![[0u8; 16]; SOCKETS];
        let mut peers: Vec<(u32, TcpStream)> = (0..SOCKETS).map(|_| driver.pair()).collect();
        for round in 0..5u64 {
            for (n, (socket, _)) in peers.iter().enumerate() {
                driver.queue(recv(*socket, round * 1000 + n as u64, &mut buffers[n]));
            }
            driver.submit();
            for (_, peer) in &mut peers {
                write(peer, b"x");
            }
            for n in 0..SOCKETS as u64 {
                assert_eq!(driver.result(round * 1000 + n).result, 1);
            }
        }
        assert!(driver.results.is_empty());
        assert_eq!(driver.info().in_flight, 0);
    }
}

#[test]
fn multishot_operations_survive_a_full_completion_queue() {
    let mut driver = Loop::new(&ring(|config| (config.ring_entries, config.completion_capacity) = (8, 16)));
    let (listener, address) = listener();
    let socket = driver.reactor.add(listener.into_raw_fd()).unwrap();
    driver.queue(ferronet_submission { flags: FERRONET_SUBMIT_MULTISHOT, ..op(FERRONET_OP_ACCEPT, socket, 1) });
    driver.submit();
    let peers: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(address).unwrap()).collect();
    for _ in &peers {
        let accepted = driver.result(1);
        assert!(accepted.result >= 0 && accepted.flags == FERRONET_COMPLETE_MORE, "{accepted:?}");
        // SAFETY: the descriptor is the test's.
        unsafe { libc::close(accepted.result) };
    }
}

#[test]
fn a_storm_of_single_bytes_arrives_in_order() {
    for mask in [0, FERRONET_RING_MULTISHOT_RECV, FERRONET_RING_BUFFER_RING, FERRONET_RING_DEFER_TASKRUN] {
        let mut driver = Loop::new(&ring(|config| (config.lent_capacity, config.disabled_ring_features) = (8, mask)));
        let (socket, mut peer) = driver.pair();
        let mut buffers = [[0u8; 4]; 8];
        for (identity, buffer) in buffers.iter_mut().enumerate() {
            driver.queue(lend(identity as u16, buffer));
        }
        driver.queue(recv_lent(socket, 1));
        driver.submit();
        let writer = std::thread::spawn(move || {
            for n in 0..3000u32 {
                write(&mut peer, &[n as u8]);
            }
        });
        let mut got = Vec::new();
        loop {
            let completion = driver.result(1);
            if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
                let buffer = &mut buffers[completion.buffer as usize];
                got.extend_from_slice(&buffer[..completion.result as usize]);
                driver.queue(lend(completion.buffer as u16, buffer));
            }
            if completion.flags & FERRONET_COMPLETE_MORE == 0 {
                if completion.result == 0 {
                    break;
                }
                driver.queue(recv_lent(socket, 1));
            }
        }
        writer.join().unwrap();
        let wanted: Vec<u8> = (0..3000u32).map(|n| n as u8).collect();
        assert!(got == wanted, "{} bytes, mask {mask:#x}", got.len());
    }
}

#[test]
fn one_enter_serves_a_turn() {
    let mut driver = Loop::new(&ring(|_| {}));
    let (socket, mut peer) = driver.pair();
    let mut buffer = [0u8; 16];
    driver.queue(recv(socket, 0, &mut buffer));
    driver.turn(Duration::ZERO);
    let before = driver.info().syscalls;
    for round in 0..100u64 {
        write(&mut peer, b"ping");
        assert_eq!(driver.turn(PATIENCE), 1, "{:?}", driver.results);
        driver.queue(send(socket, 1000 + round, &buffer[..4]));
        driver.queue(recv(socket, round + 1, &mut buffer));
        assert_eq!(driver.turn(PATIENCE), 1, "{:?}", driver.results);
    }
    assert_eq!(driver.info().syscalls - before, 200);
    // Nothing to submit, nothing ready: a turn that must not wait asks the kernel nothing.
    let before = driver.info().syscalls;
    driver.turn(Duration::ZERO);
    assert_eq!(driver.info().syscalls, before);
}

#[test]
fn a_close_with_a_pending_receive_costs_one_call() {
    let mut driver = Loop::new(&ring(|_| {}));
    let mut lent = [0u8; 16];
    driver.queue(lend(0, &mut lent));
    let pairs: Vec<(u32, TcpStream)> = (0..20).map(|_| driver.pair()).collect();
    pairs.iter().for_each(|(socket, _)| driver.queue(recv_lent(*socket, 1)));
    driver.turn(Duration::ZERO);
    let before = driver.info().syscalls;
    for (socket, _) in &pairs {
        driver.queue(op(FERRONET_OP_CLOSE, *socket, 2));
        assert_eq!(driver.turn(PATIENCE), 2, "{:?}", driver.results);
    }
    assert_eq!(driver.info().syscalls - before, 20);
}

#[test]
fn a_timeout_ends_a_turn_and_a_wake_up_does_it_earlier() {
    let mut driver = Loop::new(&ring(|_| {}));
    let start = std::time::Instant::now();
    assert_eq!(driver.turn(Duration::from_millis(30)), 0);
    assert!(start.elapsed() >= Duration::from_millis(30));
    let waker = driver.reactor.waker();
    for round in 0..50u64 {
        let waker = waker.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1));
            waker.wake();
        });
        let start = std::time::Instant::now();
        assert_eq!(driver.turn(PATIENCE), 0);
        assert!(start.elapsed() < PATIENCE);
        thread.join().unwrap();
        assert!(driver.info().wakeups <= round + 1);
    }
    waker.wake();
    let before = driver.info();
    assert_eq!(driver.turn(PATIENCE), 0);
    assert_eq!(driver.info().wakeups, before.wakeups, "an awake loop needs no write");
}

#[test]
fn signals_neither_shorten_a_wait_nor_lose_a_result() {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: the handler does nothing; without SA_RESTART it interrupts what the thread waits for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()), 0);
    }
    // SAFETY: no pointer is passed.
    let waiting = unsafe { libc::pthread_self() } as usize;
    let ended = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let storm = std::thread::spawn({
        let ended = ended.clone();
        move || {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                // SAFETY: the thread lives until it has joined this one.
                unsafe { libc::pthread_kill(waiting as libc::pthread_t, libc::SIGUSR1) };
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    });
    for mask in [0, FERRONET_RING_DEFER_TASKRUN] {
        let mut driver = Loop::new(&ring(|config| config.disabled_ring_features = mask));
        let start = std::time::Instant::now();
        assert_eq!(driver.turn(Duration::from_millis(50)), 0);
        assert!(start.elapsed() >= Duration::from_millis(50));
        let (socket, mut peer) = driver.pair();
        let large = vec![5u8; 4 << 20];
        let mut buffer = [0u8; 16];
        driver.queue(send(socket, 1, &large));
        driver.queue(recv(socket, 2, &mut buffer));
        driver.submit();
        let reader = std::thread::spawn(move || {
            let mut bytes = vec![0u8; 4 << 20];
            std::io::Read::read_exact(&mut peer, &mut bytes).unwrap();
            write(&mut peer, b"thanks");
            peer
        });
        assert_eq!(driver.result(1).result, 4 << 20);
        assert_eq!(driver.result(2).result, 6);
        let peer = reader.join().unwrap();
        driver.queue(recv(socket, 3, &mut buffer));
        driver.turn(Duration::ZERO);
        driver.queue(op(FERRONET_OP_CLOSE, socket, 4));
        driver.submit();
        assert_eq!(driver.result(4).result, 0);
        assert_eq!(driver.result(3).result, -libc::ECANCELED);
        drop(peer);
    }
    ended.store(true, std::sync::atomic::Ordering::Relaxed);
    storm.join().unwrap();
}
