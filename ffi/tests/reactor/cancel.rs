//! Cancelling.

use std::time::Duration;

use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(
    every_waiting_operation_can_be_cancelled,
    all_operations_of_a_socket_can_be_cancelled,
    cancelling_nothing_finds_nothing,
    cancelling_what_has_ended_finds_nothing,
    a_partly_sent_send_ends_with_a_short_count,
    other_operations_go_on,
    a_cancelled_receive_takes_no_byte,
    cancel_and_rearm_many_times,
    cancel_in_the_same_batch,
);

fn every_waiting_operation_can_be_cancelled(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let (listener, _) = l.listener("127.0.0.1:0");
    let mut memory = [0; 16];
    l.lend(0, 64);
    let targets = [
        (listener, l.accept(listener)),
        (listener, l.op(FERRONET_OP_ACCEPT, listener)),
        (socket, l.receive(socket, &mut memory)),
        (socket, l.receive_lent(socket, false)),
        (socket, l.receive_lent(socket, true)),
        (socket, l.watch(socket, FERRONET_POLL_RDHUP)),
        (socket, l.watch(socket, FERRONET_POLL_IN)),
    ];
    l.idle(Duration::from_millis(10));
    assert_eq!(l.seen, []);
    for (socket, target) in targets {
        let cancel = l.cancel(socket, target);
        assert_eq!(l.result_of(cancel), 1);
        assert_eq!(l.result_of(target), -libc::ECANCELED);
    }
    let info = l.reactor.info();
    assert_eq!((info.in_flight, info.lent), (0, 1));
}

fn all_operations_of_a_socket_can_be_cancelled(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let (other, _other_peer) = l.pair();
    let mut memory = [0; 16];
    let kept = l.receive(other, &mut memory);
    let mut memory = [0; 16];
    let targets =
        [l.receive(socket, &mut memory), l.watch(socket, FERRONET_POLL_RDHUP), l.watch(socket, FERRONET_POLL_IN)];
    l.idle(Duration::from_millis(10));
    let cancel = l.cancel_all(socket);
    assert_eq!(l.result_of(cancel), 3);
    for target in targets {
        assert_eq!(l.result_of(target), -libc::ECANCELED);
    }
    l.idle(Duration::from_millis(10));
    assert_eq!(l.of(kept), []);
    let nothing = l.cancel_all(socket);
    assert_eq!(l.result_of(nothing), 0);
}

fn cancelling_nothing_finds_nothing(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let (other, _other_peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    let unknown = l.cancel(socket, 1 << 60);
    assert_eq!(l.result_of(unknown), 0);
    let elsewhere = l.cancel(other, receive);
    assert_eq!(l.result_of(elsewhere), 0);
    assert_eq!(l.of(receive), []);
}

fn cancelling_what_has_ended_finds_nothing(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    write_all(&mut peer, b"x");
    assert_eq!(l.result_of(receive), 1);
    let cancel = l.cancel(socket, receive);
    assert_eq!(l.result_of(cancel), 0);
    assert_eq!(l.of(receive).len(), 1);
}

fn a_partly_sent_send_ends_with_a_short_count(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut peer) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let bytes = pattern(16 << 20);
    let (first, second) = (l.send(socket, &bytes), l.send(socket, b"after"));
    l.idle(Duration::from_millis(20));
    assert_eq!(l.seen, []);
    let cancel = l.cancel(socket, first);
    assert_eq!(l.result_of(cancel), 1);
    let sent = l.result_of(first);
    assert!(sent > 0 && sent < bytes.len() as i32, "{sent}");
    let reader = std::thread::spawn(move || read_exactly(&mut peer, sent as usize + 5));
    assert_eq!(l.result_of(second), 5);
    let all = reader.join().unwrap();
    assert!(all[..sent as usize] == bytes[..sent as usize]);
    assert_eq!(&all[sent as usize..], b"after");
}

fn other_operations_go_on(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let (mut first, mut second) = ([0; 4], [0; 4]);
    let cancelled = l.receive(socket, &mut first);
    let kept = l.receive(socket, &mut second);
    l.idle(Duration::from_millis(5));
    let cancel = l.cancel(socket, cancelled);
    assert_eq!(l.result_of(cancel), 1);
    assert_eq!(l.result_of(cancelled), -libc::ECANCELED);
    write_all(&mut peer, b"abcd");
    assert_eq!(l.result_of(kept), 4);
    assert_eq!((first, &second), ([0; 4], b"abcd"));
}

fn a_cancelled_receive_takes_no_byte(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 64];
    for round in 0..200u8 {
        let receive = l.receive(socket, &mut memory);
        if round % 2 == 0 {
            l.turn(Some(Duration::ZERO));
        }
        write_all(&mut peer, &[round]);
        l.cancel(socket, receive);
        let received = l.result_of(receive);
        if received == -libc::ECANCELED {
            let receive = l.receive(socket, &mut memory);
            assert_eq!(l.result_of(receive), 1);
        } else {
            assert_eq!(received, 1);
        }
        assert_eq!(memory[0], round);
        l.seen.clear();
    }
}

fn cancel_and_rearm_many_times(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    (0..8).for_each(|identity| l.lend(identity, 256));
    let mut received = Vec::new();
    for round in 0..300 {
        let receive = l.receive_lent(socket, true);
        if round % 3 == 0 {
            write_all(&mut peer, &[round as u8]);
        }
        l.turn(Some(Duration::ZERO));
        l.cancel(socket, receive);
        l.end_of(receive);
        for completion in std::mem::take(&mut l.seen) {
            if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
                received.extend(l.lent_bytes(&completion));
                if completion.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
                    l.lend(completion.buffer as usize, 256);
                }
            }
        }
    }
    let receive = l.receive_lent(socket, true);
    drop(peer);
    l.end_of(receive);
    for completion in l.seen.clone() {
        if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
            received.extend(l.lent_bytes(&completion));
        }
    }
    let expected: Vec<_> = (0..300).step_by(3).map(|round| round as u8).collect();
    assert_eq!(received, expected);
}

fn cancel_in_the_same_batch(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    let cancel = l.cancel(socket, receive);
    assert_eq!(l.result_of(cancel), 1);
    assert_eq!(l.result_of(receive), -libc::ECANCELED);
}
