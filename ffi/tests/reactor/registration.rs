//! Adding, removing, moving and reusing sockets.

use std::os::fd::{AsRawFd, IntoRawFd};
use std::time::Duration;

use ferronet::abi::record::*;
use ferronet::abi::status::*;

use crate::harness::*;

both_backends!(
    numbers_are_never_zero_and_fit_31_bits,
    a_removed_socket_is_the_callers_again,
    removing_needs_an_idle_socket,
    moving_to_another_reactor_loses_no_byte,
    moving_between_backends_loses_no_byte,
    reused_descriptors_are_strangers,
    a_thousand_connections,
);

fn numbers_are_never_zero_and_fit_31_bits(backend: Backend) {
    let mut l = Loop::new(backend);
    let mut peers = Vec::new();
    let mut numbers = std::collections::HashSet::new();
    for _ in 0..50 {
        let (socket, peer) = l.pair();
        assert!(socket > 0 && socket <= i32::MAX as u32);
        assert!(numbers.insert(socket));
        peers.push(peer);
    }
    assert_eq!(l.reactor.info().sockets, 50);
}

fn a_removed_socket_is_the_callers_again(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    let descriptor = near.into_raw_fd();
    let socket = l.reactor.add(descriptor).unwrap();
    l.turn(Some(Duration::ZERO));
    l.reactor.remove(socket).unwrap();
    assert_eq!(l.reactor.info().sockets, 0);
    drop(l);
    // SAFETY: the descriptor came from this stream, and is open.
    let mut near = unsafe { <std::net::TcpStream as std::os::fd::FromRawFd>::from_raw_fd(descriptor) };
    near.set_nonblocking(false).unwrap();
    write_all(&mut near, b"still open");
    assert_eq!(read_exactly(&mut far, 10), b"still open");
}

fn removing_needs_an_idle_socket(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let mut memory = [0; 8];
    let receive = l.receive(socket, &mut memory);
    l.turn(Some(Duration::ZERO));
    assert_eq!(l.reactor.remove(socket).unwrap_err().status, FERRONET_ERR_BUSY);
    l.cancel(socket, receive);
    assert_eq!(l.result_of(receive), -libc::ECANCELED);
    let descriptor_is_free = l.reactor.remove(socket);
    assert_eq!(descriptor_is_free, Ok(()));
}

fn moves_without_loss(mut loops: [Loop; 2]) {
    let (near, mut far) = tcp_pair();
    let descriptor = near.as_raw_fd();
    let bytes = pattern(1 << 20);
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || {
        for (index, chunk) in sent.chunks(3000).enumerate() {
            write_all(&mut far, chunk);
            if index % 10 == 0 {
                std::thread::yield_now();
            }
        }
        let mut echoed = vec![0; 1000];
        std::io::Read::read_exact(&mut far, &mut echoed).unwrap();
        echoed
    });
    (0..4).for_each(|identity| loops.iter_mut().for_each(|l| l.lend(identity, 700)));
    let mut all = Vec::new();
    let mut here = 0;
    while all.len() < bytes.len() {
        let l = &mut loops[here];
        let socket = l.reactor.add(descriptor).unwrap();
        let receive = l.receive_lent(socket, true);
        l.until("some bytes", |seen| !seen.is_empty());
        l.cancel(socket, receive);
        l.end_of(receive);
        l.turn(Some(Duration::ZERO));
        for completion in std::mem::take(&mut l.seen) {
            if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
                all.extend(l.lent_bytes(&completion));
                if completion.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
                    l.lend(completion.buffer as usize, 700);
                }
            }
        }
        l.reactor.remove(socket).unwrap();
        here = 1 - here;
    }
    assert!(all == bytes);
    let l = &mut loops[0];
    let socket = l.reactor.add(near.into_raw_fd()).unwrap();
    let send = l.send(socket, &bytes[..1000]);
    assert_eq!(l.result_of(send), 1000);
    assert_eq!(writer.join().unwrap(), bytes[..1000]);
}

fn moving_to_another_reactor_loses_no_byte(backend: Backend) {
    moves_without_loss([Loop::new(backend), Loop::new(backend)]);
}

fn moving_between_backends_loses_no_byte(backend: Backend) {
    let other = if backend == Backend::IoUring || !has_io_uring() { Backend::Poll } else { Backend::IoUring };
    moves_without_loss([Loop::new(backend), Loop::new(other)]);
}

fn reused_descriptors_are_strangers(backend: Backend) {
    let mut l = Loop::new(backend);
    let mut seen_descriptors = std::collections::HashMap::new();
    let mut reused = 0;
    for round in 0..600u32 {
        let (near, mut far) = tcp_pair();
        *seen_descriptors.entry(near.as_raw_fd()).or_insert(0) += 1;
        reused += u32::from(seen_descriptors[&near.as_raw_fd()] > 1);
        let socket = l.add(near);
        let mut memory = [0; 16];
        // Bytes and operations are left behind in turn: none of them may show up in the next socket.
        let receive = l.receive(socket, &mut memory);
        let watch = l.watch(socket, FERRONET_POLL_RDHUP);
        if round % 2 == 0 {
            write_all(&mut far, &round.to_ne_bytes());
        }
        let far = (round % 3 != 0).then_some(far);
        if round % 4 < 2 {
            l.turn(Some(Duration::ZERO));
        }
        let close = l.op(FERRONET_OP_CLOSE, socket);
        assert_eq!(l.result_of(close), 0);
        far.iter().for_each(reset_on_close);
        for completion in std::mem::take(&mut l.seen) {
            assert_eq!(completion.socket, socket);
            assert!([receive, watch, close].contains(&completion.user_data), "{completion:?}");
            if completion.user_data == receive && completion.result == 4 {
                assert_eq!(memory[..4], round.to_ne_bytes());
            }
        }
    }
    assert!(reused > 100, "{reused} descriptors came back: too few for this test to mean anything");
    let info = l.reactor.info();
    assert_eq!((info.sockets, info.in_flight), (0, 0));
}

fn a_thousand_connections(backend: Backend) {
    raise_descriptor_limit();
    let mut l = Loop::new(backend);
    let mut pairs: Vec<_> = (0..1000).map(|_| l.pair()).collect();
    (0..256).for_each(|identity| l.lend(identity, 64));
    let mut receives: std::collections::HashMap<u32, u64> = std::collections::HashMap::new();
    for (socket, _) in &pairs {
        receives.insert(*socket, l.receive_lent(*socket, true));
    }
    for round in 0..5u8 {
        for (_, peer) in &mut pairs {
            write_all(peer, &[round; 8]);
        }
        let mut received = 0;
        let begin = std::time::Instant::now();
        while received < 8000 {
            assert!(begin.elapsed() < PATIENCE, "{received} bytes of round {round}");
            l.turn(Some(Duration::from_millis(100)));
            for completion in std::mem::take(&mut l.seen) {
                if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
                    assert!(l.lent_bytes(&completion).iter().all(|byte| *byte == round));
                    received += completion.result;
                    if completion.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
                        l.lend(completion.buffer as usize, 64);
                    }
                }
                if is_final(&completion) {
                    assert_eq!(completion.result, FERRONET_ERR_NO_BUFFERS);
                    receives.insert(completion.socket, l.receive_lent(completion.socket, true));
                }
            }
        }
        assert_eq!(received, 8000);
    }
    // Closed by resets: nothing stays in TIME_WAIT.
    pairs.iter().for_each(|(_, peer)| reset_on_close(peer));
    let sockets: Vec<_> = pairs.into_iter().map(|(socket, _)| socket).collect();
    let closes: Vec<_> = sockets.iter().map(|socket| l.op(FERRONET_OP_CLOSE, *socket)).collect();
    l.end_of(closes[999]);
    for close in closes {
        assert_eq!(l.result_of(close), 0);
    }
    let info = l.reactor.info();
    assert_eq!((info.sockets, info.in_flight), (0, 0));
}

/// 1,000 connections with both ends in this process need more than the usual 1,024 descriptors.
fn raise_descriptor_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is valid for the call.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    limit.rlim_cur = limit.rlim_max.min(65_536);
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}
