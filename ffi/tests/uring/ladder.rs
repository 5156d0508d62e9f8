//! Each step of the kernel ladder masked in turn: the same operations with the same results.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::abi::status::FERRONET_ERR_NO_BUFFERS;
use std::net::TcpStream;
use std::os::fd::IntoRawFd;

const STEPS: [u64; 4] = [
    FERRONET_RING_BUFFER_RING,
    FERRONET_RING_MULTISHOT_ACCEPT,
    FERRONET_RING_MULTISHOT_RECV,
    FERRONET_RING_DEFER_TASKRUN,
];

/// Every mask worth running: nothing, each step, and all.
fn masks() -> Vec<u64> {
    let all = STEPS.iter().fold(0, |bits, step| bits | step);
    std::iter::once(0).chain(STEPS).chain([all]).collect()
}

fn on_every_step(test: impl Fn(&mut Loop)) {
    for mask in masks() {
        for flags in [0, FERRONET_REACTOR_ANY_THREAD] {
            let mut driver = Loop::new(&ring(|config| (config.disabled_ring_features, config.flags) = (mask, flags)));
            assert_eq!(driver.info().ring_features & mask, 0);
            test(&mut driver);
            assert_eq!(driver.reactor.close(PATIENCE), 0, "mask {mask:#x}");
        }
    }
}

#[test]
fn the_steps_in_use_are_those_of_the_kernel() {
    let caps = ferronet::reactor::probe::capabilities();
    let driver = Loop::new(&ring(|_| {}));
    assert_eq!(driver.info().ring_features, caps.ring_features & !FERRONET_RING_INCREMENTAL);
    assert_eq!(driver.info().backend, FERRONET_BACKEND_IO_URING);
    let driver = Loop::new(&ring(|config| config.flags = FERRONET_REACTOR_ANY_THREAD));
    assert_eq!(driver.info().ring_features & FERRONET_RING_DEFER_TASKRUN, 0);
}

#[test]
fn multishot_accept_goes_on_until_it_is_cancelled() {
    on_every_step(|driver| {
        let (listener, address) = listener();
        let socket = driver.reactor.add(listener.into_raw_fd()).unwrap();
        driver.queue(ferronet_submission { flags: FERRONET_SUBMIT_MULTISHOT, ..op(FERRONET_OP_ACCEPT, socket, 1) });
        driver.submit();
        for _ in 0..5 {
            let peer = TcpStream::connect(address).unwrap();
            let accepted = driver.result(1);
            assert!(accepted.result >= 0, "{accepted:?}");
            assert_eq!((accepted.flags, accepted.socket), (FERRONET_COMPLETE_MORE, socket));
            // SAFETY: the descriptor is the test's.
            unsafe { libc::close(accepted.result) };
            drop(peer);
        }
        driver.queue(ferronet_submission { arg0: 1, ..op(FERRONET_OP_CANCEL, socket, 2) });
        assert_eq!(driver.result(2).result, 1);
        let last = driver.result(1);
        assert_eq!((last.result, last.flags), (-libc::ECANCELED, 0));
        driver.queue(op(FERRONET_OP_CLOSE, socket, 3));
        assert_eq!(driver.result(3).result, 0);
        assert_eq!((driver.info().sockets, driver.info().in_flight), (0, 0));
    });
}

#[test]
fn lent_receive_delivers_ends_and_runs_dry() {
    on_every_step(|driver| {
        let mut buffers = [[0u8; 64]; 3];
        let (socket, mut peer) = driver.pair();
        for (identity, buffer) in buffers.iter_mut().enumerate() {
            driver.queue(lend(identity as u16, buffer));
        }
        driver.queue(recv_lent(socket, 1));
        driver.submit();
        assert_eq!(driver.info().lent, 3);
        for round in 0..3u8 {
            write(&mut peer, &[round; 10]);
            let got = driver.result(1);
            assert_eq!((got.result, got.extra), (10, 0));
            assert_eq!(got.flags & !FERRONET_COMPLETE_NONEMPTY, FERRONET_COMPLETE_MORE | FERRONET_COMPLETE_BUFFER);
            assert_eq!(buffers[got.buffer as usize][..10], [round; 10]);
        }
        assert_eq!(driver.info().lent, 0);
        write(&mut peer, b"dry");
        assert_eq!(driver.result(1).result, FERRONET_ERR_NO_BUFFERS);
        driver.queue(lend(7, &mut buffers[0]));
        driver.queue(recv_lent(socket, 2));
        let got = driver.result(2);
        assert_eq!((got.result, got.buffer), (3, 7));
        drop(peer);
        // No buffer is left: the end of the stream is seen by the next receive.
        assert_eq!(driver.result(2).result, FERRONET_ERR_NO_BUFFERS);
        driver.queue(lend(8, &mut buffers[1]));
        driver.queue(recv_lent(socket, 3));
        assert_eq!(driver.result(3).result, 0);
    });
}

#[test]
fn sends_of_every_form_arrive_whole_and_in_order() {
    on_every_step(|driver| {
        let (socket, mut peer) = driver.pair();
        let parts: Vec<Vec<u8>> = (0..40u8).map(|n| vec![n; 100_000]).collect();
        let regions: Vec<ferronet_region> = parts[3..]
            .iter()
            .map(|part| ferronet_region { addr: part.as_ptr() as u64, len: part.len() as u64 })
            .collect();
        driver.queue(send(socket, 1, &parts[0]));
        driver.queue(ferronet_submission {
            addr1: parts[2].as_ptr() as u64,
            len1: parts[2].len() as u32,
            ..send(socket, 2, &parts[1])
        });
        driver.queue(ferronet_submission {
            addr0: regions.as_ptr() as u64,
            len0: regions.len() as u32,
            ..op(FERRONET_OP_SEND_GATHER, socket, 3)
        });
        driver.queue(op(FERRONET_OP_SEND, socket, 4));
        driver.submit();
        let reader = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            read_all(&mut peer).unwrap()
        });
        let results: Vec<i32> = (1..=4).map(|n| driver.result(n).result).collect();
        assert_eq!(results, [100_000, 200_000, 3_700_000, 0]);
        driver.queue(ferronet_submission { len0: FERRONET_SHUTDOWN_WRITE, ..op(FERRONET_OP_SHUTDOWN, socket, 5) });
        assert_eq!(driver.result(5).result, 0);
        assert!(reader.join().unwrap() == parts.concat());
    });
}

#[test]
fn a_cancelled_send_says_how_much_went_out() {
    on_every_step(|driver| {
        let (socket, mut peer) = driver.pair();
        let large = vec![1u8; 32 << 20];
        driver.queue(send(socket, 1, &large));
        driver.queue(send(socket, 2, b"never"));
        driver.submit();
        assert_eq!(driver.turn(std::time::Duration::from_millis(20)), 0);
        driver.queue(ferronet_submission { flags: FERRONET_SUBMIT_ALL, ..op(FERRONET_OP_CANCEL, socket, 3) });
        assert_eq!(driver.result(3).result, 2);
        assert_eq!(driver.result(2).result, -libc::ECANCELED);
        let sent = driver.result(1).result;
        assert!(sent > 0 && sent < large.len() as i32, "{sent}");
        driver.queue(op(FERRONET_OP_CLOSE, socket, 4));
        driver.submit();
        assert_eq!(read_all(&mut peer).unwrap().len(), sent as usize);
        assert_eq!(driver.result(4).result, 0);
    });
}

#[test]
fn plain_receive_and_poll_complete_with_what_is_there() {
    on_every_step(|driver| {
        let (socket, mut peer) = driver.pair();
        let mut buffer = [0u8; 8];
        driver.queue(ferronet_submission { len0: FERRONET_POLL_RDHUP, ..op(FERRONET_OP_POLL, socket, 9) });
        for round in 1..=3 {
            driver.queue(recv(socket, round, &mut buffer));
            driver.submit();
            write(&mut peer, b"abc");
            let got = driver.result(round);
            assert_eq!((got.result, &buffer[..3]), (3, &b"abc"[..]));
        }
        write(&mut peer, b"0123456789");
        driver.queue(recv(socket, 4, &mut buffer));
        let got = driver.result(4);
        assert_eq!(got.result, 8);
        assert_eq!(got.flags, FERRONET_COMPLETE_NONEMPTY);
        drop(peer);
        let polled = driver.result(9).result as u32;
        assert!(polled & FERRONET_POLL_RDHUP != 0, "{polled}");
        driver.queue(recv(socket, 5, &mut buffer));
        assert_eq!(driver.result(5).result, 2);
        driver.queue(recv(socket, 6, &mut buffer));
        assert_eq!((driver.result(6).result, driver.info().in_flight), (0, 0));
        driver.reactor.remove(socket).unwrap();
    });
}

#[test]
fn connect_is_on_its_way_when_submit_returns() {
    on_every_step(|driver| {
        let (listener, address) = listener();
        let descriptor = ferronet::reactor::socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM).unwrap();
        let socket = driver.reactor.add(descriptor).unwrap();
        let target = ferronet_address::from(address);
        driver.queue(ferronet_submission { addr0: (&raw const target) as u64, ..op(FERRONET_OP_CONNECT, socket, 1) });
        driver.submit();
        // The loop does nothing while the peer accepts.
        drop(listener.accept().unwrap());
        assert_eq!(driver.result(1).result, 0);
        drop(listener);
        let descriptor = ferronet::reactor::socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM).unwrap();
        let socket = driver.reactor.add(descriptor).unwrap();
        driver.queue(ferronet_submission { addr0: (&raw const target) as u64, ..op(FERRONET_OP_CONNECT, socket, 2) });
        assert_eq!(driver.result(2).result, -libc::ECONNREFUSED);
    });
}
