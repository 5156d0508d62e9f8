//! POLL operations.

use std::net::Shutdown;
use std::time::Duration;

use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(
    reports_the_peers_close,
    a_close_before_arming_is_not_lost,
    a_close_between_add_and_arming_is_not_lost,
    a_close_behind_unread_bytes_is_seen,
    reports_a_reset,
    reports_room_to_write,
    reports_bytes_to_read,
    waits_while_nothing_happens,
    several_watches_end_together,
);

const RDHUP: u32 = FERRONET_POLL_RDHUP;

fn assert_has(result: i32, events: u32) {
    assert!(result > 0 && result as u32 & events == events, "{result:#x} lacks some of {events:#x}");
}

fn reports_the_peers_close(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    let watch = l.watch(socket, RDHUP);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.seen, []);
    peer.shutdown(Shutdown::Write).unwrap();
    assert_has(l.result_of(watch), RDHUP);
}

fn a_close_before_arming_is_not_lost(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    drop(peer);
    l.idle(Duration::from_millis(10));
    for _ in 0..3 {
        let watch = l.watch(socket, RDHUP);
        assert_has(l.result_of(watch), RDHUP);
    }
}

fn a_close_between_add_and_arming_is_not_lost(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, far) = tcp_pair();
    drop(far);
    let socket = l.add(near);
    let watch = l.watch(socket, RDHUP);
    assert_has(l.result_of(watch), RDHUP);
    let (socket, far) = l.pair();
    drop(far);
    let watch = l.watch(socket, RDHUP);
    assert_has(l.result_of(watch), RDHUP);
}

fn a_close_behind_unread_bytes_is_seen(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    write_all(&mut peer, &[1; 1000]);
    drop(peer);
    let watch = l.watch(socket, RDHUP);
    assert_has(l.result_of(watch), RDHUP);
    let mut memory = [0; 2000];
    let receive = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(receive), 1000);
    let receive = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(receive), 0);
}

fn reports_a_reset(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    let watch = l.watch(socket, RDHUP);
    l.idle(Duration::from_millis(5));
    reset_on_close(&peer);
    drop(peer);
    assert_has(l.result_of(watch), RDHUP);
}

fn reports_room_to_write(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let watch = l.watch(socket, FERRONET_POLL_OUT);
    assert_has(l.result_of(watch), FERRONET_POLL_OUT);
    let bytes = pattern(8 << 20);
    let mut sent = 0;
    loop {
        let send = l.send(socket, &bytes);
        l.idle(Duration::from_millis(50));
        l.cancel(socket, send);
        match l.result_of(send) {
            count if count > 0 => sent += count,
            // Nothing went out for a while: the peer's buffer is full as well.
            cancelled => break assert_eq!(cancelled, -libc::ECANCELED),
        }
    }
    let watch = l.watch(socket, FERRONET_POLL_OUT);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.of(watch), [], "the buffer is full");
    let reader = std::thread::spawn(move || {
        read_exactly(&mut far, sent as usize);
        far
    });
    assert_has(l.result_of(watch), FERRONET_POLL_OUT);
    reader.join().unwrap();
}

fn reports_bytes_to_read(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let watch = l.watch(socket, FERRONET_POLL_IN);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.seen, []);
    write_all(&mut peer, b"x");
    assert_has(l.result_of(watch), FERRONET_POLL_IN);
    let watch = l.watch(socket, FERRONET_POLL_IN);
    assert_has(l.result_of(watch), FERRONET_POLL_IN);
    let mut memory = [0; 8];
    let receive = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(receive), 1);
    let watch = l.watch(socket, FERRONET_POLL_IN);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.of(watch), [], "the byte was read");
}

fn waits_while_nothing_happens(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let watch = l.watch(socket, RDHUP);
    for _ in 0..10 {
        write_all(&mut peer, b"data");
        let mut memory = [0; 16];
        let receive = l.receive(socket, &mut memory);
        assert_eq!(l.result_of(receive), 4);
    }
    assert_eq!(l.of(watch), []);
}

fn several_watches_end_together(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    let watches: Vec<_> = (0..5).map(|_| l.watch(socket, RDHUP)).collect();
    l.idle(Duration::from_millis(5));
    drop(peer);
    for watch in watches {
        assert_has(l.result_of(watch), RDHUP);
    }
}
