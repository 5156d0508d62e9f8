//! What no careful caller does, and records whose order matters: the same outcome on both backends.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::time::{Duration, Instant};

use ferronet::abi::record::*;
use ferronet::reactor::socket;

use crate::connecting::BlackHole;
use crate::harness::*;

both_backends!(
    a_second_connect_says_nothing_of_the_first,
    a_second_connect_hides_no_refusal_of_the_first,
    a_connect_after_a_shutdown_is_no_success,
    a_connect_of_a_connected_socket_hides_no_end_of_stream,
    a_poll_reports_the_peers_close_unasked,
    sends_before_a_half_close_arrive,
    sends_before_a_close_arrive,
    an_empty_send_fails_where_a_full_one_does,
    an_empty_datagram_is_sent,
    a_descriptor_cannot_be_added_twice,
    a_descriptor_can_be_added_again_after_its_end,
    what_is_no_socket_is_refused,
    a_socket_closed_elsewhere_can_be_removed,
    a_closed_socket_that_lives_on_in_a_copy_disturbs_nobody,
    receives_complete_in_their_order,
    a_close_of_many_queued_sends_takes_no_time,
    a_reactor_with_many_operations_closes_without_waiting,
);

fn a_second_connect_says_nothing_of_the_first(backend: Backend) {
    let hole = BlackHole::new();
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let first = l.connect(client, &hole.address());
    let second = l.connect(client, &hole.address());
    assert_eq!(l.result_of(second), -libc::EALREADY);
    l.idle(Duration::from_millis(50));
    assert_eq!(l.of(first), [], "nobody has answered");
    l.cancel(client, first);
    assert_eq!(l.result_of(first), -libc::ECANCELED);
}

fn a_second_connect_hides_no_refusal_of_the_first(backend: Backend) {
    let mut l = Loop::new(backend);
    let refusing = socket::local_address(TcpListener::bind("127.0.0.1:0").unwrap().as_raw_fd()).unwrap();
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connects = [l.connect(client, &refusing), l.connect(client, &refusing)];
    assert_eq!(l.result_of(connects[0]), -libc::ECONNREFUSED);
    assert!(l.result_of(connects[1]) < 0);
}

fn a_connect_after_a_shutdown_is_no_success(backend: Backend) {
    let hole = BlackHole::new();
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let shutdown = l.shutdown(client, FERRONET_SHUTDOWN_BOTH);
    assert_eq!(l.result_of(shutdown), -libc::ENOTCONN);
    let connect = l.connect(client, &hole.address());
    l.idle(Duration::from_millis(50));
    assert!(l.of(connect).iter().all(|c| c.result < 0), "{:?}", l.seen);
}

fn a_poll_reports_the_peers_close_unasked(backend: Backend) {
    for early in [true, false] {
        let mut l = Loop::new(backend);
        let (socket, peer) = l.pair();
        let close = |l: &mut Loop| {
            peer.shutdown(std::net::Shutdown::Write).unwrap();
            l.idle(Duration::from_millis(20));
        };
        if early {
            close(&mut l);
        }
        let watch = l.watch(socket, FERRONET_POLL_ERR);
        if !early {
            l.idle(Duration::from_millis(20));
            assert_eq!(l.of(watch), []);
            close(&mut l);
        }
        assert_eq!(l.result_of(watch), FERRONET_POLL_RDHUP as i32);
        let watch = l.watch(socket, FERRONET_POLL_OUT);
        assert_eq!(l.result_of(watch), (FERRONET_POLL_OUT | FERRONET_POLL_RDHUP) as i32);
    }
}

fn a_connect_of_a_connected_socket_hides_no_end_of_stream(backend: Backend) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().into();
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(client, &address);
    assert_eq!(l.result_of(connect), 0);
    let mut peer = listener.accept().unwrap().0;
    peer.write_all(b"bye").unwrap();
    drop(peer);
    l.idle(Duration::from_millis(20));
    let again = l.connect(client, &address);
    assert!([0, -libc::EISCONN].contains(&l.result_of(again)), "Linux says either");
    let mut memory = [0; 16];
    let receive = l.receive(client, &mut memory);
    assert_eq!(l.result_of(receive), 3);
    let receive = l.receive(client, &mut memory);
    assert_eq!(l.result_of(receive), 0);
}

fn sends_before_a_half_close_arrive(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let sends: Vec<_> = (0..5).map(|_| l.send(socket, b"abc")).collect();
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_WRITE);
    l.submit();
    let mut all = Vec::new();
    peer.read_to_end(&mut all).unwrap();
    assert_eq!(all, b"abcabcabcabcabc");
    assert_eq!(l.result_of(shutdown), 0);
    for send in sends {
        assert_eq!(l.result_of(send), 3);
    }
}

fn sends_before_a_close_arrive(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let sends: Vec<_> = (0..5).map(|_| l.send(socket, b"abc")).collect();
    let close = l.op(FERRONET_OP_CLOSE, socket);
    l.submit();
    let mut all = Vec::new();
    peer.read_to_end(&mut all).unwrap();
    assert_eq!(all, b"abcabcabcabcabc");
    assert_eq!(l.result_of(close), 0);
    for send in sends {
        assert_eq!(l.result_of(send), 3);
    }
}

fn an_empty_send_fails_where_a_full_one_does(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    l.shutdown(socket, FERRONET_SHUTDOWN_WRITE);
    for op in [FERRONET_OP_SEND, FERRONET_OP_SEND_GATHER] {
        let empty = l.op(op, socket);
        assert_eq!(l.result_of(empty), -libc::EPIPE);
        let unconnected = l.add(open(FERRONET_FAMILY_IPV4));
        let empty = l.op(op, unconnected);
        assert_eq!(l.result_of(empty), -libc::EPIPE);
    }
}

fn an_empty_datagram_is_sent(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, far) = std::os::unix::net::UnixDatagram::pair().unwrap();
    far.set_read_timeout(Some(PATIENCE)).unwrap();
    let socket = l.add(near);
    for op in [FERRONET_OP_SEND, FERRONET_OP_SEND_GATHER] {
        let empty = l.op(op, socket);
        assert_eq!(l.result_of(empty), 0);
        assert_eq!(far.recv(&mut [0; 8]).unwrap(), 0);
    }
}

fn a_descriptor_cannot_be_added_twice(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    let descriptor = near.into_raw_fd();
    let socket = l.reactor.add(descriptor).unwrap();
    let error = l.reactor.add(descriptor).unwrap_err();
    assert_eq!(error.status, -libc::EEXIST, "{error}");
    assert!(error.text.contains(&descriptor.to_string()), "{error}");
    assert_eq!(l.reactor.info().sockets, 1);
    let send = l.send(socket, b"x");
    assert_eq!(l.result_of(send), 1);
    assert_eq!(read_exactly(&mut far, 1), b"x");
}

fn a_descriptor_can_be_added_again_after_its_end(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, _far) = tcp_pair();
    let descriptor = near.into_raw_fd();
    for _ in 0..3 {
        let socket = l.reactor.add(descriptor).unwrap();
        l.reactor.remove(socket).unwrap();
    }
    let mut memory = [0; 8];
    let mut socket = l.reactor.add(descriptor).unwrap();
    for _ in 0..3 {
        l.receive(socket, &mut memory);
        l.turn(Some(Duration::ZERO));
        l.op(FERRONET_OP_CLOSE, socket);
        l.submit();
        let (near, _far) = tcp_pair();
        socket = l.add(near);
    }
    assert_eq!(l.close(socket), 0);
}

fn what_is_no_socket_is_refused(backend: Backend) {
    let mut l = Loop::new(backend);
    let (reader, writer) = std::io::pipe().unwrap();
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    let directory = std::fs::File::open("/").unwrap();
    for descriptor in [reader.as_raw_fd(), writer.as_raw_fd(), file.as_raw_fd(), directory.as_raw_fd()] {
        let before = flags(descriptor);
        let error = l.reactor.add(descriptor).unwrap_err();
        assert_eq!(error.status, -libc::ENOTSOCK, "{error}");
        assert_eq!(flags(descriptor), before, "it was left alone");
    }
    assert_eq!(l.reactor.info().sockets, 0);
}

fn flags(descriptor: i32) -> i32 {
    // SAFETY: no pointer is passed.
    unsafe { libc::fcntl(descriptor, libc::F_GETFL) }
}

fn a_socket_closed_elsewhere_can_be_removed(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, _far) = tcp_pair();
    let descriptor = near.into_raw_fd();
    let socket = l.reactor.add(descriptor).unwrap();
    socket::close(descriptor).unwrap();
    l.reactor.remove(socket).unwrap();
    assert_eq!(l.reactor.info().sockets, 0);
    let (near, _far) = tcp_pair();
    let descriptor = near.as_raw_fd();
    let socket = l.add(near);
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    // SAFETY: no pointer is passed; the socket is closed, and its descriptor is the file from now on.
    assert_eq!(unsafe { libc::dup2(file.as_raw_fd(), descriptor) }, descriptor);
    l.reactor.remove(socket).unwrap();
    socket::close(descriptor).unwrap();
}

fn a_closed_socket_that_lives_on_in_a_copy_disturbs_nobody(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, mut far) = tcp_pair();
    let copy = near.try_clone().unwrap();
    let socket = l.add(near);
    l.turn(Some(Duration::ZERO));
    assert_eq!(l.close(socket), 0);
    write_all(&mut far, b"for the copy");
    let begin = Instant::now();
    l.turn(Some(Duration::from_millis(100)));
    assert!(begin.elapsed() >= Duration::from_millis(100));
    drop(copy);
}

fn receives_complete_in_their_order(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [[0; 4]; 4];
    let receives: Vec<_> = memory.iter_mut().map(|memory| l.receive(socket, memory)).collect();
    l.idle(Duration::from_millis(20));
    write_all(&mut peer, b"0000111122223333");
    for receive in &receives {
        assert_eq!(l.result_of(*receive), 4);
    }
    assert_eq!(memory, [*b"0000", *b"1111", *b"2222", *b"3333"]);
    let order: Vec<_> = l.seen.iter().map(|c| c.user_data).collect();
    assert_eq!(order, receives);
}

fn a_close_of_many_queued_sends_takes_no_time(backend: Backend) {
    let mut l = Loop::new(backend);
    let (near, _far) = tcp_pair();
    small_send_buffer(&near);
    let socket = l.add(near);
    let bytes = pattern(16 << 20);
    l.send(socket, &bytes);
    let queued: Vec<_> = (0..60_000).map(|_| l.send(socket, b"x")).collect();
    l.submit();
    let begin = Instant::now();
    assert_eq!(l.close(socket), 0);
    assert!(begin.elapsed() < limit(Duration::from_secs(1)), "{:?}", begin.elapsed());
    assert_eq!(l.seen.len(), queued.len() + 2);
}

fn a_reactor_with_many_operations_closes_without_waiting(backend: Backend) {
    let mut l = Loop::new(backend);
    let mut memory = vec![[0; 4]; 6000];
    let mut peers = Vec::new();
    for memory in &mut memory {
        if peers.len() < 300 {
            let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
            peers.push((l.add(near), far));
        }
        let socket = peers[peers.len() - 1].0;
        l.receive(socket, memory);
        l.watch(socket, FERRONET_POLL_RDHUP);
    }
    l.turn(Some(Duration::ZERO));
    let begin = Instant::now();
    assert_eq!(l.reactor.close(Duration::ZERO), 0);
    assert!(begin.elapsed() < limit(Duration::from_millis(500)), "{:?}", begin.elapsed());
    for (_, far) in &mut peers {
        assert_eq!(far.read(&mut [0]).unwrap(), 0);
    }
}
