//! Half-close, reset, close.

use std::io::{ErrorKind, Read};
use std::net::Shutdown;
use std::time::Duration;

use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(
    the_peer_half_closes_and_still_reads,
    we_half_close_and_still_read,
    a_half_close_leaves_with_submit,
    shutting_down_both_directions_ends_a_receive,
    shutting_down_reading_ends_a_receive,
    a_reset_by_the_peer_is_an_error,
    a_close_is_seen_while_the_loop_is_blocked,
    a_close_without_linger_is_a_reset_and_nothing_else,
    close_ends_every_operation_before_itself,
    close_after_sends_loses_no_byte,
    close_cuts_a_send_short,
    reactor_close_closes_the_descriptors,
    a_closed_number_is_unknown,
);

fn the_peer_half_closes_and_still_reads(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    write_all(&mut peer, b"last words");
    peer.shutdown(Shutdown::Write).unwrap();
    let mut memory = [0; 4];
    let mut all = Vec::new();
    loop {
        let receive = l.receive(socket, &mut memory);
        match l.result_of(receive) {
            0 => break,
            count => all.extend_from_slice(&memory[..count as usize]),
        }
    }
    assert_eq!(all, b"last words");
    let again = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(again), 0, "the end of the stream stays");
    let answer = pattern(100_000);
    let send = l.send(socket, &answer);
    l.submit();
    assert_eq!(read_exactly(&mut peer, answer.len()), answer);
    assert_eq!(l.result_of(send), answer.len() as i32);
}

fn we_half_close_and_still_read(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let send = l.send(socket, b"question");
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_WRITE);
    assert_eq!(l.result_of(send), 8);
    assert_eq!(l.result_of(shutdown), 0);
    let mut question = Vec::new();
    peer.read_to_end(&mut question).unwrap();
    assert_eq!(question, b"question");
    write_all(&mut peer, b"answer");
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(receive), 6);
    assert_eq!(&memory[..6], b"answer");
    let send = l.send(socket, b"too late");
    assert_eq!(l.result_of(send), -libc::EPIPE);
}

fn a_half_close_leaves_with_submit(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_WRITE);
    l.submit();
    // No turn runs before the peer has seen it.
    assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(l.result_of(shutdown), 0);
}

fn shutting_down_both_directions_ends_a_receive(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(5));
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_BOTH);
    assert_eq!(l.result_of(shutdown), 0);
    assert_eq!(l.result_of(receive), 0);
    assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
}

fn shutting_down_reading_ends_a_receive(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(5));
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_READ);
    assert_eq!(l.result_of(shutdown), 0);
    assert_eq!(l.result_of(receive), 0);
    let send = l.send(socket, b"still");
    assert_eq!(l.result_of(send), 5);
    assert_eq!(read_exactly(&mut peer, 5), b"still");
}

fn a_reset_by_the_peer_is_an_error(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(5));
    reset_on_close(&peer);
    drop(peer);
    assert_eq!(l.result_of(receive), -libc::ECONNRESET);
    assert_eq!(l.close(socket), 0);

    let (socket, peer) = l.pair();
    reset_on_close(&peer);
    drop(peer);
    l.lend(0, 1024);
    let receive = l.receive_lent(socket, true);
    assert_eq!(l.result_of(receive), -libc::ECONNRESET);
    assert_eq!(l.reactor.info().lent, 1, "a failed receive keeps no buffer");
}

fn a_close_is_seen_while_the_loop_is_blocked(backend: Backend) {
    for with_receive in [false, true] {
        let mut l = Loop::new(backend);
        let (socket, mut peer) = l.pair();
        let mut memory = [0; 16];
        let receive = with_receive.then(|| l.receive(socket, &mut memory));
        l.idle(Duration::from_millis(5));
        let close = l.op(FERRONET_OP_CLOSE, socket);
        l.submit();
        // The loop's thread does nothing else now.
        peer.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
        assert_eq!(l.result_of(close), 0);
        if let Some(receive) = receive {
            assert_eq!(l.result_of(receive), -libc::ECANCELED);
        }
    }
}

fn a_close_without_linger_is_a_reset_and_nothing_else(backend: Backend) {
    for with_receive in [false, true] {
        let mut l = Loop::new(backend);
        let (near, mut peer) = tcp_pair();
        reset_on_close(&near);
        let socket = l.add(near);
        let mut memory = [0; 16];
        if with_receive {
            l.receive(socket, &mut memory);
        }
        l.idle(Duration::from_millis(5));
        l.op(FERRONET_OP_CLOSE, socket);
        l.submit();
        let error = peer.read(&mut [0; 1]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        l.until("the close", |seen| seen.len() == 1 + usize::from(with_receive));
    }
}

fn close_ends_every_operation_before_itself(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, _peer) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let bytes = pattern(8 << 20);
    let mut memory = [0; 16];
    let mut operations = vec![l.receive(socket, &mut memory), l.watch(socket, FERRONET_POLL_RDHUP)];
    operations.extend((0..3).map(|_| l.send(socket, &bytes)));
    l.lend(0, 64);
    operations.push(l.receive_lent(socket, true));
    l.idle(Duration::from_millis(20));
    assert_eq!(l.seen, []);
    assert_eq!(l.reactor.info().in_flight, operations.len() as u64);
    let close = l.op(FERRONET_OP_CLOSE, socket);
    assert_eq!(l.result_of(close), 0);
    let order: Vec<_> = l.seen.iter().map(|c| c.user_data).collect();
    assert_eq!(order.last(), Some(&close));
    assert_eq!(order.len(), operations.len() + 1);
    for operation in operations {
        let end = l.end_of(operation);
        assert!(end.result == -libc::ECANCELED || end.result > 0 && end.result < bytes.len() as i32, "{end:?}");
    }
    let info = l.reactor.info();
    assert_eq!((info.in_flight, info.sockets, info.lent), (0, 0, 1));
}

fn close_after_sends_loses_no_byte(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let bytes = pattern(50_000);
    let send = l.send(socket, &bytes);
    assert_eq!(l.result_of(send), bytes.len() as i32);
    assert_eq!(l.close(socket), 0);
    let mut all = Vec::new();
    peer.read_to_end(&mut all).unwrap();
    assert!(all == bytes);
}

fn close_cuts_a_send_short(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut peer) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let bytes = pattern(16 << 20);
    let send = l.send(socket, &bytes);
    l.idle(Duration::from_millis(20));
    assert_eq!(l.close(socket), 0);
    let sent = l.result_of(send);
    assert!(sent > 0 && sent < bytes.len() as i32, "{sent}");
    let mut all = Vec::new();
    peer.read_to_end(&mut all).unwrap();
    assert_eq!(all.len(), sent as usize, "the peer has what the completion says");
    assert!(all == bytes[..all.len()]);
}

fn reactor_close_closes_the_descriptors(backend: Backend) {
    let mut l = Loop::new(backend);
    let mut peers = Vec::new();
    let mut memory = [0; 16];
    for _ in 0..5 {
        let (socket, peer) = l.pair();
        l.receive(socket, &mut memory);
        peers.push(peer);
    }
    l.idle(Duration::from_millis(5));
    assert_eq!(l.reactor.close(Duration::from_secs(5)), 0);
    assert_eq!(l.reactor.close(Duration::from_secs(5)), 0);
    for mut peer in peers {
        assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
    }
    let closed = ferronet::abi::status::FERRONET_ERR_CLOSED;
    // SAFETY: no record is submitted.
    assert_eq!(unsafe { l.reactor.turn(0, 0) }.unwrap_err().status, closed);
    // SAFETY: no record is submitted.
    assert_eq!(unsafe { l.reactor.submit(0) }.unwrap_err().status, closed);
    assert_eq!(l.reactor.add(0).unwrap_err().status, closed);
    assert_eq!(l.reactor.remove(1).unwrap_err().status, closed);
    assert_eq!(l.reactor.start().unwrap_err().status, closed);
    l.reactor.waker().wake();
}

fn a_closed_number_is_unknown(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    assert_eq!(l.close(socket), 0);
    let (_other, _other_peer) = l.pair();
    let unknown = ferronet::abi::status::FERRONET_ERR_UNKNOWN_SOCKET;
    let again = l.op(FERRONET_OP_CLOSE, socket);
    assert_eq!(l.result_of(again), unknown);
    assert_eq!(l.reactor.remove(socket).unwrap_err().status, unknown);
}
