//! The faults of hook builds: `cargo test -p ferronet --features test-hooks`. Each must do what its name says, and each
//! is what a test suite has to notice.
#![cfg(feature = "test-hooks")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../reactor/harness.rs"]
#[allow(dead_code, reason = "the other test crate uses the rest")]
#[macro_use]
mod harness;

use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ferronet::abi::option::FERRONET_OPTION_KEEPALIVE;
use ferronet::abi::record::*;
use ferronet::abi::status::{FERRONET_ERR_UNKNOWN_SOCKET, FERRONET_ERR_WRONG_THREAD};
use ferronet::fault;
use ferronet::reactor::{option, socket};
use harness::*;

/// Faults are the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    fault::disarm_all();
    guard
}

both_backends!(
    a_refused_accept_ends_the_operation_and_can_be_armed_again,
    sends_fall_short,
    cancels_are_lost,
    operations_are_ignored,
    receives_lose_their_last_byte,
    the_end_of_the_stream_is_not_told,
    completions_are_lost_and_doubled,
    statuses_collapse,
    completions_name_others,
    turns_do_not_wait,
    wake_ups_are_lost,
    foreign_threads_are_let_through,
    addresses_and_options_lie,
);

fn a_refused_accept_ends_the_operation_and_can_be_armed_again(backend: Backend) {
    let _alone = alone();
    for errno in [libc::EMFILE, libc::ENFILE, libc::ENOBUFS] {
        let mut l = Loop::new(backend);
        let (listener, address) = l.listener("127.0.0.1:0");
        fault::arm("accept", errno.into(), 1);
        let _client = TcpStream::connect(address).unwrap();
        let accept = l.accept(listener);
        assert_eq!(l.result_of(accept), -errno);
        let accept = l.accept(listener);
        l.until("an accept", |seen| seen.iter().any(|c| c.user_data == accept));
        drop(own(l.of(accept)[0].result));
    }
}

fn sends_fall_short(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    fault::arm("short-send", 0, 1);
    let send = l.send(socket, b"short");
    assert_eq!(l.result_of(send), 4);
    let send = l.send(socket, b"whole");
    assert_eq!(l.result_of(send), 5);
    assert_eq!(read_exactly(&mut peer, 9), b"shorwhole");
}

fn cancels_are_lost(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let mut memory = [0; 4];
    let receive = l.receive(socket, &mut memory);
    fault::arm("cancel-lost", 0, 1);
    let cancel = l.cancel(socket, receive);
    assert_eq!(l.result_of(cancel), 0);
    assert_eq!(l.of(receive), []);
    l.cancel(socket, receive);
    assert_eq!(l.result_of(receive), -libc::ECANCELED);
}

fn operations_are_ignored(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    fault::arm("op-ignored", FERRONET_OP_SHUTDOWN.into(), 1);
    let shutdown = l.shutdown(socket, FERRONET_SHUTDOWN_WRITE);
    assert_eq!(l.result_of(shutdown), 0);
    fault::arm("op-ignored", FERRONET_OP_CLOSE.into(), 1);
    assert_eq!(l.close(socket), 0);
    let send = l.send(socket, b"still here");
    assert_eq!(l.result_of(send), 10);
    assert_eq!(read_exactly(&mut peer, 10), b"still here");
}

fn receives_lose_their_last_byte(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    fault::arm("lose-last-byte", 0, 1);
    write_all(&mut peer, b"bytes");
    let mut memory = [0; 8];
    let receive = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(receive), 4);
}

fn the_end_of_the_stream_is_not_told(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    fault::arm("no-eof", 0, 1);
    drop(peer);
    let mut memory = [0; 8];
    let receive = l.receive(socket, &mut memory);
    l.idle(Duration::from_millis(30));
    assert_eq!(l.of(receive), []);
}

fn completions_are_lost_and_doubled(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    fault::arm("lost-completion", FERRONET_OP_SEND.into(), 1);
    let lost = l.send(socket, b"x");
    l.idle(Duration::from_millis(30));
    assert_eq!(l.of(lost), []);
    fault::arm("double-completion", 0, 1);
    let doubled = l.send(socket, b"x");
    l.idle(Duration::from_millis(30));
    assert_eq!(l.of(doubled).len(), 2);
}

fn statuses_collapse(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    fault::arm("status-collapsed", 0, 1);
    let unknown = l.op(FERRONET_OP_CLOSE, 99);
    assert_eq!(l.result_of(unknown), -libc::EPERM);
}

fn completions_name_others(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    fault::arm("wrong-user-data", 0, 1);
    let send = l.send(socket, b"x");
    l.until("a completion", |seen| !seen.is_empty());
    assert_eq!(l.seen[0].user_data, send ^ 1);
    l.seen.clear();
    fault::arm("wrong-socket", 0, 1);
    let send = l.send(socket, b"y");
    assert_eq!(l.end_of(send).socket, socket ^ 1);
    fault::arm("wrong-buffer", 0, 1);
    l.lend(0, 8);
    write_all(&mut peer, b"z");
    let receive = l.receive_lent(socket, false);
    assert_eq!(l.end_of(receive).buffer, 1);
}

fn turns_do_not_wait(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    fault::arm("no-wait", 0, 1);
    let begin = Instant::now();
    l.turn(Some(PATIENCE));
    assert!(begin.elapsed() < PATIENCE / 2);
}

fn wake_ups_are_lost(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    fault::arm("no-wake", 0, 1);
    l.reactor.waker().wake();
    let begin = Instant::now();
    l.turn(Some(Duration::from_millis(30)));
    assert!(begin.elapsed() >= Duration::from_millis(30));
}

fn foreign_threads_are_let_through(backend: Backend) {
    let _alone = alone();
    let mut l = Loop::new(backend);
    fault::arm("foreign-thread", 0, 1);
    let reactor = &mut l.reactor;
    let statuses =
        std::thread::scope(|scope| scope.spawn(|| [0; 2].map(|_| reactor.remove(7).unwrap_err().status)).join());
    assert_eq!(statuses.unwrap(), [FERRONET_ERR_UNKNOWN_SOCKET, FERRONET_ERR_WRONG_THREAD]);
}

fn addresses_and_options_lie(_backend: Backend) {
    let _alone = alone();
    let (near, _far) = tcp_pair();
    let truth = near.local_addr().unwrap();
    fault::arm("wrong-address", 0, 1);
    assert_eq!(socket::local_address(near.as_raw_fd()).unwrap().port, u32::from(truth.port() ^ 1));
    assert_eq!(socket::local_address(near.as_raw_fd()).unwrap(), truth.into());
    fault::arm("option-ignored", 0, 1);
    option::set(near.as_raw_fd(), FERRONET_OPTION_KEEPALIVE, 1).unwrap();
    assert_eq!(option::get(near.as_raw_fd(), FERRONET_OPTION_KEEPALIVE).unwrap(), 0);
}
