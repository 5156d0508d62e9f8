//! Accept and connect.

use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

use ferronet::abi::record::*;
use ferronet::reactor::socket;

use crate::harness::*;

both_backends!(
    accepts_and_connects_on_both_ip_families,
    accepts_one_connection_without_multishot,
    accepted_descriptors_are_closed_on_exec,
    a_refused_connect_says_so,
    a_connect_that_gets_no_answer_can_be_cancelled,
    a_socket_can_connect_after_a_refusal,
    connects_without_a_turn_after_submit,
    a_connected_socket_tells_its_first_bytes,
    accepts_a_burst,
);

fn accepts_and_connects_on_both_ip_families(backend: Backend) {
    for (family, host) in [(FERRONET_FAMILY_IPV4, "127.0.0.1:0"), (FERRONET_FAMILY_IPV6, "[::1]:0")] {
        let mut l = Loop::new(backend);
        let (listener, address) = l.listener(host);
        let accept = l.accept(listener);
        for round in 1..=3 {
            let client = l.add(open(family));
            let connect = l.connect(client, &address.into());
            assert_eq!(l.result_of(connect), 0);
            l.until("an accept", |seen| seen.iter().filter(|c| c.user_data == accept).count() == round);
        }
        for completion in l.of(accept) {
            assert_eq!(completion.flags, FERRONET_COMPLETE_MORE);
            drop(own(completion.result));
        }
    }
}

fn accepts_one_connection_without_multishot(backend: Backend) {
    let mut l = Loop::new(backend);
    let (listener, address) = l.listener("127.0.0.1:0");
    let first = l.op(FERRONET_OP_ACCEPT, listener);
    let clients: Vec<_> = (0..2).map(|_| TcpStream::connect(address).unwrap()).collect();
    let accepted = own(l.result_of(first));
    assert_eq!(socket::peer_address(accepted.as_raw_fd()).unwrap(), clients[0].local_addr().unwrap().into());
    l.idle(Duration::from_millis(20));
    assert_eq!(l.seen.len(), 1, "the second connection waits for a second accept");
    let second = l.op(FERRONET_OP_ACCEPT, listener);
    let accepted = own(l.result_of(second));
    assert_eq!(socket::peer_address(accepted.as_raw_fd()).unwrap(), clients[1].local_addr().unwrap().into());
}

fn accepted_descriptors_are_closed_on_exec(backend: Backend) {
    let mut l = Loop::new(backend);
    let (listener, address) = l.listener("127.0.0.1:0");
    let accept = l.op(FERRONET_OP_ACCEPT, listener);
    let _client = TcpStream::connect(address).unwrap();
    let accepted = own(l.result_of(accept));
    // SAFETY: no pointer is passed.
    let flags = unsafe { libc::fcntl(accepted.as_raw_fd(), libc::F_GETFD) };
    assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
}

fn refusing_address() -> ferronet_address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().into()
}

fn a_refused_connect_says_so(backend: Backend) {
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(client, &refusing_address());
    assert_eq!(l.result_of(connect), -libc::ECONNREFUSED);
    assert_eq!(l.close(client), 0);
}

fn a_socket_can_connect_after_a_refusal(backend: Backend) {
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let refused = l.connect(client, &refusing_address());
    assert_eq!(l.result_of(refused), -libc::ECONNREFUSED);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = l.connect(client, &listener.local_addr().unwrap().into());
    assert_eq!(l.result_of(connect), 0);
    write_all(&mut listener.accept().unwrap().0, b"hello");
    let mut memory = [0; 8];
    let receive = l.receive(client, &mut memory);
    assert_eq!(l.result_of(receive), 5);
}

/// A listener whose queue is full: further connections get no answer.
pub struct BlackHole {
    listener: std::os::fd::OwnedFd,
    _queued: Vec<std::os::fd::OwnedFd>,
}

impl BlackHole {
    pub fn new() -> Self {
        let listener = open(FERRONET_FAMILY_IPV4);
        socket::bind(listener.as_raw_fd(), &"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
        socket::listen(listener.as_raw_fd(), 0).unwrap();
        let address = socket::local_address(listener.as_raw_fd()).unwrap().ip().unwrap();
        let mut queued = Vec::new();
        for _ in 0..4 {
            match TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
                Ok(stream) => queued.push(stream.into()),
                Err(_) => break,
            }
        }
        Self { listener, _queued: queued }
    }

    pub fn address(&self) -> ferronet_address {
        socket::local_address(self.listener.as_raw_fd()).unwrap()
    }
}

fn a_connect_that_gets_no_answer_can_be_cancelled(backend: Backend) {
    let hole = BlackHole::new();
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(client, &hole.address());
    l.idle(Duration::from_millis(50));
    assert_eq!(l.of(connect), [], "nobody answers");
    let cancel = l.cancel(client, connect);
    assert_eq!(l.result_of(cancel), 1);
    assert_eq!(l.result_of(connect), -libc::ECANCELED);
    let other = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(other, &hole.address());
    assert_eq!(l.close(other), 0);
    assert_eq!(l.result_of(connect), -libc::ECANCELED);
    assert_eq!(l.close(client), 0);
}

fn connects_without_a_turn_after_submit(backend: Backend) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(client, &listener.local_addr().unwrap().into());
    // Nothing but the `submit` of `connect` has run.
    listener.accept().unwrap();
    assert_eq!(l.result_of(connect), 0);
}

fn a_connected_socket_tells_its_first_bytes(backend: Backend) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut l = Loop::new(backend);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    l.idle(Duration::from_millis(5));
    let connect = l.connect(client, &listener.local_addr().unwrap().into());
    let mut peer = listener.accept().unwrap().0;
    write_all(&mut peer, b"greeting");
    assert_eq!(l.result_of(connect), 0);
    let mut memory = [0; 64];
    let receive = l.receive(client, &mut memory);
    assert_eq!(l.result_of(receive), 8);
    assert_eq!(&memory[..8], b"greeting");
    drop(peer);
    let end = l.receive(client, &mut memory);
    assert_eq!(l.result_of(end), 0);
}

fn accepts_a_burst(backend: Backend) {
    let mut l = Loop::new(backend);
    let listener = open(FERRONET_FAMILY_IPV4);
    socket::bind(listener.as_raw_fd(), &"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
    socket::listen(listener.as_raw_fd(), 256).unwrap();
    let address = socket::local_address(listener.as_raw_fd()).unwrap().ip().unwrap();
    let listener = l.add(listener);
    let clients: Vec<_> = (0..100).map(|_| TcpStream::connect(address).unwrap()).collect();
    let accept = l.accept(listener);
    l.until("all accepts", |seen| seen.iter().filter(|c| c.user_data == accept).count() == clients.len());
    l.of(accept).iter().for_each(|completion| drop(own(completion.result)));
}
