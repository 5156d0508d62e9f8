//! Where the kernel answers a ring and a poll differently: the reactor does not.

use std::net::{TcpStream, UdpSocket};
use std::time::Duration;

use ferronet::abi::record::*;
use ferronet::reactor::socket;

use crate::harness::*;

both_backends!(
    a_datagram_receive_ends_when_reading_is_shut_down,
    a_datagram_receive_after_a_shutdown_takes_what_is_there_first,
    an_accept_does_not_wait_behind_a_receive,
    a_receive_does_not_wait_behind_an_accept,
    a_connected_stream_cannot_connect_again,
    a_connected_datagram_socket_can_connect_again,
);

/// A datagram socket that is connected to another one.
fn datagrams(l: &mut Loop) -> (u32, UdpSocket) {
    let near = UdpSocket::bind("127.0.0.1:0").unwrap();
    let far = UdpSocket::bind("127.0.0.1:0").unwrap();
    near.connect(far.local_addr().unwrap()).unwrap();
    far.connect(near.local_addr().unwrap()).unwrap();
    (l.add(near), far)
}

fn a_datagram_receive_ends_when_reading_is_shut_down(backend: Backend) {
    for before in [false, true] {
        let mut l = Loop::new(backend);
        let (socket, _far) = datagrams(&mut l);
        let mut memory = [0; 16];
        let waiting = l.receive(socket, &mut memory);
        if before {
            l.idle(Duration::from_millis(10));
        }
        let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_READ);
        assert_eq!(l.result_of(shutdown), 0);
        assert_eq!(l.result_of(waiting), 0);
        let late = l.receive(socket, &mut memory);
        assert_eq!(l.result_of(late), 0);
        l.lend(0, 64);
        let lent = l.receive_lent(socket, true);
        assert_eq!(l.result_of(lent), 0);
        assert_eq!(l.reactor.info().lent, 1, "the buffer is still lent");
    }
}

fn a_datagram_receive_after_a_shutdown_takes_what_is_there_first(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, far) = datagrams(&mut l);
    far.send(b"first").unwrap();
    far.send(b"second").unwrap();
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_READ);
    assert_eq!(l.result_of(shutdown), 0);
    let mut memory = [0; 16];
    for expected in [5, 6, 0] {
        let receive = l.receive(socket, &mut memory);
        assert_eq!(l.result_of(receive), expected);
    }
}

fn an_accept_does_not_wait_behind_a_receive(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 16];
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(10));
    let accept = l.op(FERRONET_OP_ACCEPT, socket);
    assert_eq!(l.result_of(accept), -libc::EINVAL, "no listener");
    write_all(&mut peer, b"bytes");
    assert_eq!(l.result_of(receive), 5);
}

fn a_receive_does_not_wait_behind_an_accept(backend: Backend) {
    let mut l = Loop::new(backend);
    let (listener, address) = l.listener("127.0.0.1:0");
    let accept = l.accept(listener);
    l.idle(Duration::from_millis(10));
    let mut memory = [0; 16];
    let receive = l.receive(listener, &mut memory);
    assert_eq!(l.result_of(receive), -libc::ENOTCONN, "a listener");
    let _client = TcpStream::connect(address).unwrap();
    l.until("an accept", |seen| seen.iter().any(|c| c.user_data == accept));
    drop(own(l.of(accept)[0].result));
}

fn a_connected_stream_cannot_connect_again(backend: Backend) {
    let mut l = Loop::new(backend);
    let (listener, address) = l.listener("127.0.0.1:0");
    let accept = l.accept(listener);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(client, &address.into());
    assert_eq!(l.result_of(connect), 0);
    for _ in 0..2 {
        let again = l.connect(client, &address.into());
        assert_eq!(l.result_of(again), -libc::EISCONN);
    }
    l.until("an accept", |seen| seen.iter().any(|c| c.user_data == accept));
    let mut accepted = TcpStream::from(own(l.of(accept)[0].result));
    let send = l.send(client, b"still there");
    assert_eq!(l.result_of(send), 11);
    assert_eq!(read_exactly(&mut accepted, 11), b"still there");
    drop(accepted);
    let mut memory = [0; 16];
    let receive = l.receive(client, &mut memory);
    assert_eq!(l.result_of(receive), 0);
    let again = l.connect(client, &address.into());
    assert_eq!(l.result_of(again), -libc::EISCONN, "the connection has ended, and is still this socket's");
}

fn a_connected_datagram_socket_can_connect_again(backend: Backend) {
    let mut l = Loop::new(backend);
    let descriptor = socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_DATAGRAM).unwrap();
    let client = l.reactor.add(descriptor).unwrap();
    for _ in 0..2 {
        let far = UdpSocket::bind("127.0.0.1:0").unwrap();
        let connect = l.connect(client, &far.local_addr().unwrap().into());
        assert_eq!(l.result_of(connect), 0);
        let send = l.send(client, b"datagram");
        assert_eq!(l.result_of(send), 8);
        let mut memory = [0; 16];
        assert_eq!(far.recv(&mut memory).unwrap(), 8);
        assert_eq!(socket::peer_address(descriptor).unwrap(), far.local_addr().unwrap().into());
    }
}
