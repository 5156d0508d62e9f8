//! Receiving into lent buffers.

use std::time::Duration;

use ferronet::abi::config::{FERRONET_RING_MULTISHOT_RECV, ferronet_reactor_config};
use ferronet::abi::record::*;
use ferronet::abi::status::*;

use crate::harness::*;

both_backends!(
    a_multishot_receive_delivers_until_the_end,
    a_one_shot_receive_takes_one_buffer,
    used_up_buffers_end_the_receive,
    buffers_go_round,
    sockets_share_the_buffers,
    without_buffers_only_a_socket_with_bytes_ends,
    a_receive_without_any_buffer_waits_for_bytes,
    bad_buffers_are_refused,
    more_buffers_than_the_capacity_are_refused,
    a_delivered_buffer_can_be_lent_again,
    a_fast_sender_starves_nobody,
    more_buffers_end_the_scarcity,
);

/// Takes in what was seen: the bytes of each socket, and the buffers lent again.
fn drain(l: &mut Loop, size: usize, mut bytes: impl FnMut(u32, Vec<u8>)) {
    for completion in std::mem::take(&mut l.seen) {
        if completion.flags & FERRONET_COMPLETE_BUFFER != 0 {
            bytes(completion.socket, l.lent_bytes(&completion));
            if completion.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
                l.lend(completion.buffer as usize, size);
            }
        }
    }
}

fn a_multishot_receive_delivers_until_the_end(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    (0..4).for_each(|identity| l.lend(identity, 1000));
    let receive = l.receive_lent(socket, true);
    for part in [&b"one"[..], b"two", b"three"] {
        write_all(&mut peer, part);
        l.until("a delivery", |seen| seen.iter().any(|c| c.result > 0));
        let completion = l.seen[0];
        assert_eq!((completion.user_data, completion.socket), (receive, socket));
        assert_ne!(completion.flags & FERRONET_COMPLETE_MORE, 0);
        drain(&mut l, 1000, |_, bytes| assert_eq!(bytes, part));
    }
    drop(peer);
    let end = l.end_of(receive);
    assert_eq!((end.result, end.flags), (0, 0));
}

fn a_one_shot_receive_takes_one_buffer(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    (0..4).for_each(|identity| l.lend(identity, 8));
    write_all(&mut peer, b"0123456789abcdef");
    std::thread::sleep(Duration::from_millis(5));
    let mut all = Vec::new();
    while all.len() < 16 {
        let receive = l.receive_lent(socket, false);
        let end = l.end_of(receive);
        assert_eq!(end.flags & FERRONET_COMPLETE_MORE, 0);
        all.extend(l.lent_bytes(&end));
        drain(&mut l, 8, |_, _| {});
    }
    assert_eq!(all, b"0123456789abcdef");
}

fn used_up_buffers_end_the_receive(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    l.lend(0, 10);
    l.lend(1, 10);
    let receive = l.receive_lent(socket, true);
    let bytes = pattern(50);
    write_all(&mut peer, &bytes);
    let end = l.end_of(receive);
    assert_eq!((end.result, end.flags), (FERRONET_ERR_NO_BUFFERS, 0));
    let mut all = Vec::new();
    assert_eq!(l.of(receive).len(), 3);
    drain(&mut l, 10, |_, bytes| all.extend(bytes));
    let mut memory = [0; 5];
    let own = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(own), 5, "what is left can be received otherwise");
    all.extend(memory);
    let receive = l.receive_lent(socket, true);
    assert_eq!(l.result_of(receive), FERRONET_ERR_NO_BUFFERS);
    drain(&mut l, 10, |_, bytes| all.extend(bytes));
    l.receive_lent(socket, true);
    l.until("the rest", |seen| seen.iter().any(|c| c.result == 5));
    drain(&mut l, 10, |_, bytes| all.extend(bytes));
    assert_eq!(all, bytes);
}

fn buffers_go_round(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    (0..8).for_each(|identity| l.lend(identity, 4096));
    let bytes = pattern(2 << 20);
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || {
        write_all(&mut peer, &sent);
        peer
    });
    let mut receive = l.receive_lent(socket, true);
    let mut all = Vec::new();
    while all.len() < bytes.len() {
        l.turn(Some(PATIENCE));
        let ended = l.of(receive).last().copied().filter(is_final);
        drain(&mut l, 4096, |_, bytes| all.extend(bytes));
        if let Some(end) = ended {
            assert_eq!(end.result, FERRONET_ERR_NO_BUFFERS);
            receive = l.receive_lent(socket, true);
        }
    }
    assert!(all == bytes);
    drop(writer.join().unwrap());
    let mut end = l.result_of(receive);
    if end == FERRONET_ERR_NO_BUFFERS {
        // The last bytes took the last buffer, before this side lent the others again.
        receive = l.receive_lent(socket, true);
        end = l.result_of(receive);
    }
    assert_eq!(end, 0);
    assert_eq!(l.reactor.info().in_flight, 0);
}

fn sockets_share_the_buffers(backend: Backend) {
    let mut l = Loop::new(backend);
    (0..64).for_each(|identity| l.lend(identity, 512));
    let mut peers = Vec::new();
    for _ in 0..16 {
        let (socket, peer) = l.pair();
        l.receive_lent(socket, true);
        peers.push((socket, peer));
    }
    for round in 0..20u8 {
        for (socket, peer) in &mut peers {
            write_all(peer, &[*socket as u8, round]);
        }
        l.until("all deliveries", |seen| seen.iter().map(|c| c.result).sum::<i32>() == 32);
        drain(&mut l, 512, |socket, bytes| assert_eq!(bytes, [socket as u8, round]));
    }
}

fn without_buffers_only_a_socket_with_bytes_ends(backend: Backend) {
    let mut l = Loop::new(backend);
    let (quiet, mut quiet_peer) = l.pair();
    let (loud, mut loud_peer) = l.pair();
    write_all(&mut loud_peer, b"x");
    l.lend(0, 16);
    let (waiting, ended) = (l.receive_lent(quiet, true), l.receive_lent(loud, true));
    l.until("a delivery", |seen| !seen.is_empty());
    write_all(&mut loud_peer, b"y");
    assert_eq!(l.result_of(ended), FERRONET_ERR_NO_BUFFERS);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.of(waiting), []);
    l.lend(0, 16);
    l.turn(Some(Duration::ZERO));
    write_all(&mut quiet_peer, b"z");
    l.until("a delivery", |seen| seen.iter().any(|c| c.user_data == waiting));
    assert_eq!(l.of(waiting)[0].result, 1);
}

fn a_receive_without_any_buffer_waits_for_bytes(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let (other, mut other_peer) = l.pair();
    let receives = [l.receive_lent(socket, true), l.receive_lent(other, false)];
    l.idle(Duration::from_millis(10));
    assert_eq!(l.seen, [], "a quiet socket has no use for a buffer");
    write_all(&mut peer, b"x");
    assert_eq!(l.result_of(receives[0]), FERRONET_ERR_NO_BUFFERS);
    l.lend(0, 16);
    l.turn(Some(Duration::ZERO));
    write_all(&mut other_peer, b"yz");
    assert_eq!(l.result_of(receives[1]), 2);
    let receive = l.receive_lent(other, true);
    drop(other_peer);
    assert_eq!(l.result_of(receive), FERRONET_ERR_NO_BUFFERS, "the end of the stream comes with the next receive");
}

fn bad_buffers_are_refused(backend: Backend) {
    let mut l = Loop::new(backend);
    let memory = [0; 64];
    let lend = ferronet_submission {
        op: FERRONET_OP_LEND,
        addr0: address_of(&memory),
        len0: 64,
        arg0: 7,
        ..Default::default()
    };
    let good = l.queue(lend);
    let bad = [
        lend,
        ferronet_submission { addr0: 0, arg0: 8, ..lend },
        ferronet_submission { len0: 0, arg0: 8, ..lend },
        ferronet_submission { arg0: 65_536, ..lend },
    ];
    for record in bad {
        let refused = l.queue(record);
        assert_eq!(l.result_of(refused), FERRONET_ERR_INVALID_ARGUMENT, "{record:?}");
    }
    assert_eq!(l.of(good), [], "a lent buffer has no completion");
    assert_eq!(l.reactor.info().lent, 1);
}

fn more_buffers_than_the_capacity_are_refused(backend: Backend) {
    let mut l =
        Loop::with(ferronet_reactor_config { backend: backend.number(), lent_capacity: 4, ..Default::default() });
    (0..4).for_each(|identity| l.lend(identity, 64));
    l.turn(Some(Duration::ZERO));
    assert_eq!(l.seen, []);
    l.lend(4, 64);
    l.until("a refusal", |seen| !seen.is_empty());
    assert_eq!(l.seen[0].result, FERRONET_ERR_LIMIT);
    assert_eq!(l.reactor.info().lent, 4);
}

fn a_delivered_buffer_can_be_lent_again(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    l.lend(0, 100);
    for round in 0..50u8 {
        write_all(&mut peer, &[round; 100]);
        let receive = l.receive_lent(socket, false);
        let mut got = 0;
        let end = l.end_of(receive);
        assert_eq!(end.buffer, 0);
        drain(&mut l, 100, |_, bytes| {
            assert!(bytes.iter().all(|byte| *byte == round));
            got = bytes.len();
        });
        assert_eq!(got, 100);
    }
}

fn a_fast_sender_starves_nobody(backend: Backend) {
    let mut l = Loop::new(backend);
    (0..256).for_each(|identity| l.lend(identity, 1024));
    let (fast, mut flood) = l.pair();
    let (slow, mut drip) = l.pair();
    let flooding = std::thread::spawn(move || {
        use std::io::Write;
        let block = [1; 65_536];
        while flood.write(&block).is_ok_and(|count| count > 0) {}
    });
    let mut receives = [fast, slow].map(|socket| (socket, l.receive_lent(socket, true)));
    l.idle(Duration::from_millis(20));
    for _ in 0..20 {
        write_all(&mut drip, &[9]);
        let mut seen = false;
        for _ in 0..200 {
            l.turn(Some(PATIENCE));
            let ended = receives.map(|(_, receive)| l.of(receive).last().is_some_and(is_final));
            drain(&mut l, 1024, |socket, _| seen |= socket == slow);
            for ((socket, receive), _) in receives.iter_mut().zip(ended).filter(|(_, ended)| *ended) {
                *receive = l.receive_lent(*socket, true);
            }
            if seen {
                break;
            }
        }
        assert!(seen, "200 passes served the fast socket alone");
    }
    drop(l);
    flooding.join().unwrap();
}

/// Buffers that are delivered by a turn which finds bytes for all of them. They are lent again, and a receive that ended is
/// started again.
fn deliveries(l: &mut Loop, size: usize) -> usize {
    let completions = l.turn(Some(PATIENCE));
    drain(l, size, |_, _| {});
    completions.iter().filter(|c| is_final(c)).for_each(|c| _ = l.receive_lent(c.socket, true));
    completions.iter().filter(|c| c.flags & FERRONET_COMPLETE_BUFFER != 0).count()
}

fn more_buffers_end_the_scarcity(backend: Backend) {
    const SIZE: usize = 64;
    if backend == Backend::IoUring
        && Loop::new(backend).reactor.info().ring_features & FERRONET_RING_MULTISHOT_RECV == 0
    {
        // Below Linux 6.0 a receive fills one buffer in each turn anyway.
        return;
    }
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    write_all(&mut peer, &pattern(1000 * SIZE));
    std::thread::sleep(Duration::from_millis(5));
    (0..2).for_each(|identity| l.lend(identity, SIZE));
    let receive = l.receive_lent(socket, true);
    assert_eq!(l.result_of(receive), FERRONET_ERR_NO_BUFFERS);
    drain(&mut l, SIZE, |_, _| {});
    l.receive_lent(socket, true);
    let few: Vec<_> = (0..5).map(|_| deliveries(&mut l, SIZE)).collect();
    assert!(few.iter().all(|count| *count <= 2), "{few:?}");
    (2..64).for_each(|identity| l.lend(identity, SIZE));
    let many: Vec<_> = (0..5).map(|_| deliveries(&mut l, SIZE)).collect();
    assert!(many.iter().any(|count| *count > 2), "with one buffer a turn, though there are enough: {many:?}");
}
