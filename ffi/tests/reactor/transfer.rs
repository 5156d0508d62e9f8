//! Bytes in both directions.

use std::io::{Read, Write};
use std::time::Duration;

use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(
    echoes_every_size,
    receives_what_is_there_without_waiting_for_more,
    a_slow_reader_gets_every_byte,
    several_sends_keep_their_order,
    two_regions_go_out_as_one,
    gathers_up_to_a_thousand_regions,
    gathers_many_large_regions_to_a_slow_reader,
    the_region_array_may_change_after_submit,
    an_empty_send_completes,
    a_send_to_a_closed_peer_fails_without_a_signal,
    a_failed_send_tells_what_was_sent,
    more_data_may_be_announced,
    both_directions_at_once,
    unix_sockets_carry_bytes_too,
    urgent_data_hides_nothing_behind_it,
);

fn echoes_every_size(backend: Backend) {
    for size in [1, 2, 100, 4096, 65_536, 1 << 20, 8 << 20] {
        let mut l = Loop::new(backend);
        let (socket, mut peer) = l.pair();
        let bytes = pattern(size);
        let sent = bytes.clone();
        let client = std::thread::spawn(move || {
            let mut writer = peer.try_clone().unwrap();
            let writing = std::thread::spawn(move || writer.write_all(&sent).unwrap());
            let echoed = read_exactly(&mut peer, size);
            writing.join().unwrap();
            echoed
        });
        let mut memory = vec![0; 65_536];
        let mut echoed = 0;
        while echoed < size {
            let receive = l.receive(socket, &mut memory);
            let received = l.result_of(receive);
            assert!(received > 0, "{received}");
            let send = l.send(socket, &memory[..received as usize]);
            assert_eq!(l.result_of(send), received);
            echoed += received as usize;
            l.seen.clear();
        }
        assert!(client.join().unwrap() == bytes, "the echo of {size} bytes differs");
        assert_eq!(l.reactor.info().in_flight, 0);
    }
}

fn receives_what_is_there_without_waiting_for_more(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 1024];
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.of(receive), []);
    write_all(&mut peer, b"ab");
    assert_eq!(l.result_of(receive), 2);
    write_all(&mut peer, b"cde");
    let mut one = [0; 1];
    for expected in *b"cde" {
        let receive = l.receive(socket, &mut one);
        assert_eq!(l.result_of(receive), 1);
        assert_eq!(one[0], expected);
    }
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(10));
    assert_eq!(l.of(receive), []);
    drop(peer);
    assert_eq!(l.result_of(receive), 0);
}

fn a_slow_reader_gets_every_byte(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let bytes = pattern(3_000_000);
    let send = l.send(socket, &bytes);
    l.idle(Duration::from_millis(30));
    assert_eq!(l.of(send), [], "a send completes when all is sent, and the buffers are small");
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        let mut chunk = [0; 50_000];
        while all.len() < 3_000_000 {
            let count = far.read(&mut chunk).unwrap();
            assert_ne!(count, 0);
            all.extend_from_slice(&chunk[..count]);
            std::thread::sleep(Duration::from_micros(200));
        }
        all
    });
    assert_eq!(l.result_of(send), bytes.len() as i32);
    assert!(reader.join().unwrap() == bytes);
}

fn several_sends_keep_their_order(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let parts: Vec<Vec<u8>> = (0..20).map(|part| vec![part as u8; 40_000 + part]).collect();
    let sends: Vec<_> = parts.iter().map(|part| l.send(socket, part)).collect();
    let total = parts.iter().map(Vec::len).sum();
    let reader = std::thread::spawn(move || read_exactly(&mut far, total));
    for (send, part) in sends.iter().zip(&parts) {
        assert_eq!(l.result_of(*send), part.len() as i32);
    }
    assert!(reader.join().unwrap() == parts.concat());
    let order: Vec<_> = l.seen.iter().map(|c| c.user_data).collect();
    assert_eq!(order, sends);
}

fn two_regions_go_out_as_one(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    for (first, second) in [(3, 4), (0, 5), (5, 0), (100_000, 300_000)] {
        let (head, body) = (pattern(first), pattern(second));
        let record = ferronet_submission {
            op: FERRONET_OP_SEND,
            socket,
            addr0: address_of(&head),
            len0: first as u32,
            addr1: address_of(&body),
            len1: second as u32,
            ..Default::default()
        };
        let send = l.queue(record);
        let mut reading = peer.try_clone().unwrap();
        let reader = std::thread::spawn(move || read_exactly(&mut reading, first + second));
        assert_eq!(l.result_of(send), (first + second) as i32);
        assert!(reader.join().unwrap() == [head, body].concat());
    }
    drop(l);
    assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
}

fn regions_of(parts: &[Vec<u8>]) -> Vec<ferronet_region> {
    parts.iter().map(|part| ferronet_region { addr: address_of(part), len: part.len() as u64 }).collect()
}

fn gather(l: &mut Loop, socket: u32, regions: &[ferronet_region]) -> u64 {
    let (addr0, len0) = (address_of(regions), regions.len() as u32);
    l.queue(ferronet_submission { op: FERRONET_OP_SEND_GATHER, socket, addr0, len0, ..Default::default() })
}

fn gathers_up_to_a_thousand_regions(backend: Backend) {
    for count in [1, 2, 3, 64, 1023, 1024] {
        let mut l = Loop::new(backend);
        let (socket, mut peer) = l.pair();
        let parts: Vec<Vec<u8>> = (0..count).map(|part| vec![part as u8; part % 7]).collect();
        let regions = regions_of(&parts);
        let send = gather(&mut l, socket, &regions);
        let all = parts.concat();
        assert_eq!(l.result_of(send), all.len() as i32);
        assert_eq!(read_exactly(&mut peer, all.len()), all);
    }
}

fn gathers_many_large_regions_to_a_slow_reader(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let parts: Vec<Vec<u8>> = (0..1000).map(|part| pattern(part * 7 % 9001)).collect();
    let regions = regions_of(&parts);
    let send = gather(&mut l, socket, &regions);
    let all = parts.concat();
    let total = all.len();
    let reader = std::thread::spawn(move || read_exactly(&mut far, total));
    assert_eq!(l.result_of(send), total as i32);
    assert!(reader.join().unwrap() == all);
}

fn the_region_array_may_change_after_submit(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let parts: Vec<Vec<u8>> = (0..50).map(|part| vec![part; 20_000]).collect();
    let mut regions = regions_of(&parts);
    let send = gather(&mut l, socket, &regions);
    l.submit();
    regions.fill(ferronet_region { addr: 8, len: 1 << 40 });
    let reader = std::thread::spawn(move || read_exactly(&mut far, 1_000_000));
    assert_eq!(l.result_of(send), 1_000_000);
    assert!(reader.join().unwrap() == parts.concat());
}

fn an_empty_send_completes(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let empty = l.op(FERRONET_OP_SEND, socket);
    assert_eq!(l.result_of(empty), 0);
    let empty = l.op(FERRONET_OP_SEND_GATHER, socket);
    assert_eq!(l.result_of(empty), 0);
}

fn a_send_to_a_closed_peer_fails_without_a_signal(backend: Backend) {
    // SAFETY: the default action of SIGPIPE would end this process if a send raised it.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    drop(peer);
    let bytes = [1; 100];
    for _ in 0..100 {
        let send = l.send(socket, &bytes);
        let end = l.end_of(send);
        if end.result < 0 {
            assert!([-libc::EPIPE, -libc::ECONNRESET].contains(&end.result), "{end:?}");
            assert_eq!(end.extra, 0);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("sends to a closed peer go on");
}

fn a_failed_send_tells_what_was_sent(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let bytes = pattern(4_000_000);
    let send = l.send(socket, &bytes);
    l.idle(Duration::from_millis(20));
    assert_eq!(l.of(send), []);
    reset_on_close(&far);
    drop(far);
    let end = l.end_of(send);
    assert!([-libc::EPIPE, -libc::ECONNRESET].contains(&end.result), "{end:?}");
    assert!(end.extra > 0 && end.extra < bytes.len() as u64, "{end:?}");
}

fn more_data_may_be_announced(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let (head, body) = (b"head ".to_vec(), b"body".to_vec());
    let record =
        ferronet_submission { op: FERRONET_OP_SEND, flags: FERRONET_SUBMIT_MORE, socket, ..Default::default() };
    let first = l.queue(ferronet_submission { addr0: address_of(&head), len0: 5, ..record });
    let second = l.queue(ferronet_submission { flags: 0, addr0: address_of(&body), len0: 4, ..record });
    assert_eq!(l.result_of(first), 5);
    assert_eq!(l.result_of(second), 4);
    assert_eq!(read_exactly(&mut peer, 9), b"head body");
}

fn both_directions_at_once(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    let size = 4 << 20;
    let bytes = pattern(size);
    let sent = bytes.clone();
    let (mut reading, mut writing) = (peer.try_clone().unwrap(), peer);
    let writer = std::thread::spawn(move || writing.write_all(&sent).unwrap());
    let reader = std::thread::spawn(move || read_exactly(&mut reading, size));
    let send = l.send(socket, &bytes);
    let mut all = Vec::new();
    let mut memory = vec![0; 30_000];
    while all.len() < size {
        let receive = l.receive(socket, &mut memory);
        let received = l.result_of(receive);
        assert!(received > 0, "{received}");
        all.extend_from_slice(&memory[..received as usize]);
    }
    assert!(all == bytes);
    assert_eq!(l.result_of(send), size as i32);
    assert!(reader.join().unwrap() == bytes);
    writer.join().unwrap();
}

fn unix_sockets_carry_bytes_too(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = std::os::unix::net::UnixStream::pair().unwrap();
    let socket = l.add(near);
    (0..4).for_each(|identity| l.lend(identity, 5000));
    let bytes = pattern(2 << 20);
    let expected = bytes.clone();
    let echo = std::thread::spawn(move || {
        let mut all = vec![0; expected.len()];
        far.read_exact(&mut all).unwrap();
        assert!(all == expected);
        far.write_all(&all).unwrap();
    });
    let send = l.send(socket, &bytes);
    assert_eq!(l.result_of(send), bytes.len() as i32);
    let mut all = Vec::new();
    while all.len() < bytes.len() {
        let receive = l.receive_lent(socket, false);
        let end = l.end_of(receive);
        all.extend(l.lent_bytes(&end));
        if end.flags & FERRONET_COMPLETE_BUFFER_MORE == 0 {
            l.lend(end.buffer as usize, 5000);
        }
        l.seen.clear();
    }
    assert!(all == bytes);
    echo.join().unwrap();
    let receive = l.receive_lent(socket, true);
    assert_eq!(l.result_of(receive), 0);
}

fn urgent_data_hides_nothing_behind_it(backend: Backend) {
    for armed_before in [true, false] {
        let mut l = Loop::new(backend);
        let (socket, mut peer) = l.pair();
        (0..16).for_each(|identity| l.lend(identity, 1000));
        let mut receive = None;
        if armed_before {
            receive = Some(l.receive_lent(socket, true));
        }
        l.idle(Duration::from_millis(5));
        write_all(&mut peer, b"before");
        // SAFETY: the buffer holds one byte.
        let sent =
            unsafe { libc::send(std::os::fd::AsRawFd::as_raw_fd(&peer), b"!".as_ptr().cast(), 1, libc::MSG_OOB) };
        assert_eq!(sent, 1);
        write_all(&mut peer, b"behind");
        std::thread::sleep(Duration::from_millis(5));
        let receive = receive.unwrap_or_else(|| l.receive_lent(socket, true));
        l.until("all bytes", |seen| seen.iter().map(|c| c.result).sum::<i32>() == 12);
        let all: Vec<_> = l.of(receive).iter().flat_map(|completion| l.lent_bytes(completion)).collect();
        assert_eq!(all, b"beforebehind", "a read stops at the mark, and goes on behind it");
        drop(peer);
        assert_eq!(l.result_of(receive), 0);
    }
}
