//! CLOSE: last of its socket's completions, and known to the peer when the call returns.

use super::support::*;
use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::abi::status::FERRONET_ERR_UNKNOWN_SOCKET;
use std::io::{ErrorKind, Read};
use std::os::fd::IntoRawFd;

fn configurations() -> [ferronet_reactor_config; 3] {
    [
        ring(|_| {}),
        ring(|config| config.disabled_ring_features = FERRONET_RING_DEFER_TASKRUN),
        ring(|config| config.flags = FERRONET_REACTOR_ANY_THREAD),
    ]
}

/// What a non-blocking read finds right now.
fn seen(peer: &mut std::net::TcpStream) -> Result<usize, ErrorKind> {
    peer.set_nonblocking(true).unwrap();
    let seen = peer.read(&mut [0; 16]).map_err(|error| error.kind());
    peer.set_nonblocking(false).unwrap();
    seen
}

#[test]
fn the_peer_sees_the_end_when_submit_returns() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let mut lent = [0u8; 64];
        driver.queue(lend(0, &mut lent));
        for pending in 0..4u64 {
            let (socket, mut peer) = driver.pair();
            let mut buffer = [0u8; 8];
            let end = 100 + pending;
            match pending {
                1 => driver.queue(recv_lent(socket, 1)),
                2 => driver.queue(recv(socket, 1, &mut buffer)),
                3 => {
                    driver.queue(recv_lent(socket, 1));
                    driver.queue(ferronet_submission { len0: FERRONET_POLL_RDHUP, ..op(FERRONET_OP_POLL, socket, 2) });
                }
                _ => {}
            }
            driver.turn(std::time::Duration::ZERO);
            driver.queue(op(FERRONET_OP_CLOSE, socket, end));
            driver.submit();
            assert_eq!(seen(&mut peer), Ok(0), "{pending} pending");
            let closed = driver.result(end);
            assert_eq!(closed.result, 0);
            let others: Vec<i32> = driver.results.drain(..).map(|c| c.result).collect();
            assert_eq!(others, vec![-libc::ECANCELED; [0, 1, 1, 2][pending as usize]]);
        }
        assert_eq!((driver.info().in_flight, driver.info().sockets), (0, 0));
    }
}

#[test]
fn a_close_in_the_same_call_as_its_operations_ends_them() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let (socket, mut peer) = driver.pair();
        let mut buffer = [0u8; 8];
        driver.queue(recv(socket, 1, &mut buffer));
        driver.queue(send(socket, 2, b"bye"));
        driver.queue(op(FERRONET_OP_CLOSE, socket, 3));
        driver.queue(op(FERRONET_OP_CANCEL, socket, 4));
        driver.submit();
        assert_eq!(seen(&mut peer), Ok(3));
        assert_eq!(seen(&mut peer), Ok(0));
        driver.turn(PATIENCE);
        let order: Vec<(u64, i32)> = driver.results.iter().map(|c| (c.user_data, c.result)).collect();
        assert!(order.contains(&(1, -libc::ECANCELED)) && order.contains(&(2, 3)), "{order:?}");
        assert!(order.contains(&(4, FERRONET_ERR_UNKNOWN_SOCKET)), "{order:?}");
        let place = |user_data| order.iter().position(|(u, _)| *u == user_data).unwrap();
        assert!(place(3) > place(1) && place(3) > place(2), "{order:?}");
    }
}

#[test]
fn linger_zero_resets_without_an_end_of_stream() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let (ours, mut peer) = tcp_pair();
        linger_zero(&ours);
        let socket = driver.reactor.add(ours.into_raw_fd()).unwrap();
        let mut buffer = [0u8; 8];
        driver.queue(recv(socket, 1, &mut buffer));
        driver.turn(std::time::Duration::ZERO);
        driver.queue(op(FERRONET_OP_CLOSE, socket, 2));
        driver.submit();
        assert_eq!(seen(&mut peer), Err(ErrorKind::ConnectionReset));
        assert_eq!(driver.result(2).result, 0);
    }
}

#[test]
fn many_connections_close_in_one_turn_while_a_flood_waits() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let mut buffers = vec![[0u8; 32]; 200];
        let mut peers = Vec::new();
        for (n, buffer) in buffers.iter_mut().enumerate() {
            let (socket, peer) = driver.pair();
            driver.queue(recv(socket, n as u64, buffer));
            peers.push((socket, peer));
        }
        driver.turn(std::time::Duration::ZERO);
        for (_, peer) in &mut peers[..100] {
            write(peer, b"flood");
        }
        for (n, (socket, _)) in peers.iter().enumerate() {
            driver.queue(op(FERRONET_OP_CLOSE, *socket, 1000 + n as u64));
        }
        driver.submit();
        for (n, (_, peer)) in peers.iter_mut().enumerate() {
            let found = seen(peer);
            assert!(matches!(found, Ok(0) | Err(ErrorKind::ConnectionReset)), "peer {n}: {found:?}");
        }
        for n in 0..200 {
            assert_eq!(driver.result(1000 + n).result, 0);
        }
        assert_eq!(driver.info().in_flight, 0);
    }
}

#[test]
fn close_of_the_reactor_ends_everything_in_time() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let mut buffers = vec![[0u8; 32]; 50];
        let large = vec![0u8; 16 << 20];
        let mut peers = Vec::new();
        for (n, buffer) in buffers.iter_mut().enumerate() {
            let (socket, peer) = driver.pair();
            driver.queue(recv(socket, n as u64, buffer));
            driver.queue(send(socket, 100 + n as u64, &large));
            driver.queue(send(socket, 200 + n as u64, &large));
            peers.push(peer);
        }
        driver.submit();
        assert_eq!(driver.info().in_flight, 150);
        assert_eq!(driver.reactor.close(PATIENCE), 0);
        for mut peer in peers {
            assert!(read_all(&mut peer).is_ok_and(|bytes| bytes.len() < large.len()));
        }
    }
}

/// Two receives that find bytes at once, of which one gets them: while they are between two states, no cancel finds them.
fn two_receives_between_states(driver: &mut Loop, buffers: &mut [[u8; 8]; 2]) -> (u32, std::net::TcpStream) {
    let (socket, mut peer) = driver.pair();
    // A receive that takes all there is makes the next ones wait for readiness first.
    write(&mut peer, b"first");
    driver.queue(recv(socket, 1, &mut buffers[0]));
    assert_eq!(driver.result(1).result, 5);
    write(&mut peer, b"x");
    driver.queue(recv(socket, 2, &mut buffers[0]));
    driver.queue(recv(socket, 3, &mut buffers[1]));
    (socket, peer)
}

#[test]
fn a_cancel_that_finds_nothing_is_repeated() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let mut buffers = [[0u8; 8]; 2];
        let (socket, _peer) = two_receives_between_states(&mut driver, &mut buffers);
        driver.queue(ferronet_submission { flags: FERRONET_SUBMIT_ALL, ..op(FERRONET_OP_CANCEL, socket, 4) });
        let mut results = [driver.result(2).result, driver.result(3).result];
        results.sort_unstable();
        assert!(results[0] == -libc::ECANCELED && [1, -libc::ECANCELED].contains(&results[1]), "{results:?}");
        assert_eq!(driver.info().in_flight, 0);
    }
}

#[test]
fn a_close_ends_what_its_cancels_did_not_find() {
    for config in configurations() {
        let mut driver = Loop::new(&config);
        let mut buffers = [[0u8; 8]; 2];
        let (socket, mut peer) = two_receives_between_states(&mut driver, &mut buffers);
        driver.queue(op(FERRONET_OP_CLOSE, socket, 4));
        driver.submit();
        assert!(matches!(seen(&mut peer), Ok(0) | Err(ErrorKind::ConnectionReset)));
        assert_eq!(driver.result(4).result, 0);
        assert_eq!(driver.info().in_flight, 0);
    }
}
