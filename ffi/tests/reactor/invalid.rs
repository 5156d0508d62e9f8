//! Records and calls that must be refused.

use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::abi::status::*;
use ferronet::reactor::Reactor;

use crate::harness::*;

both_backends!(
    invalid_records_complete_with_their_status,
    an_invalid_record_stops_nobody_else,
    an_unknown_socket_is_named,
    foreign_threads_are_refused,
    any_thread_may_drive_when_configured,
    calls_before_start_are_refused,
    starting_again_elsewhere_needs_an_idle_reactor,
    too_many_records_are_refused,
    bad_timeouts_are_refused,
    bad_descriptors_are_refused,
    memory_out_of_reach_is_an_error_of_the_operation,
);

fn invalid_records_complete_with_their_status(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, _peer) = l.pair();
    let record = ferronet_submission { socket, ..Default::default() };
    let unaligned = 9;
    let cases = [
        (ferronet_submission { op: 0, ..record }, FERRONET_ERR_UNSUPPORTED_OP),
        (ferronet_submission { op: 99, ..record }, FERRONET_ERR_UNSUPPORTED_OP),
        (ferronet_submission { op: FERRONET_OP_SEND, flags: 0x40, ..record }, FERRONET_ERR_UNSUPPORTED_OP),
        (
            ferronet_submission { op: FERRONET_OP_RECV, flags: FERRONET_SUBMIT_MULTISHOT, ..record },
            FERRONET_ERR_UNSUPPORTED_OP,
        ),
        (ferronet_submission { op: FERRONET_OP_ACCEPT, reserved0: 1, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (ferronet_submission { op: FERRONET_OP_ACCEPT, reserved1: [1, 0], ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (ferronet_submission { op: FERRONET_OP_RECV, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (ferronet_submission { op: FERRONET_OP_SEND, len0: 5, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (ferronet_submission { op: FERRONET_OP_SEND_GATHER, len0: 1, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (
            ferronet_submission { op: FERRONET_OP_SEND_GATHER, len0: 1, addr0: unaligned, ..record },
            FERRONET_ERR_INVALID_ARGUMENT,
        ),
        (ferronet_submission { op: FERRONET_OP_CONNECT, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (ferronet_submission { op: FERRONET_OP_SHUTDOWN, len0: 3, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
        (ferronet_submission { op: FERRONET_OP_POLL, len0: 1 << 20, ..record }, FERRONET_ERR_INVALID_ARGUMENT),
    ];
    for (record, status) in cases {
        let refused = l.queue(record);
        let end = l.end_of(refused);
        assert_eq!((end.result, end.flags, end.socket), (status, 0, socket), "{record:?}");
    }
    let bad_address = ferronet_address { family: 77, ..Default::default() };
    let refused = l.connect(socket, &bad_address);
    assert_eq!(l.result_of(refused), FERRONET_ERR_INVALID_ARGUMENT);
    assert_eq!(l.reactor.info().in_flight, 0);
}

fn an_invalid_record_stops_nobody_else(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let before = l.send(socket, b"ab");
    let invalid = l.op(123, socket);
    let after = l.send(socket, b"cd");
    assert_eq!(l.result_of(before), 2);
    assert_eq!(l.result_of(invalid), FERRONET_ERR_UNSUPPORTED_OP);
    assert_eq!(l.result_of(after), 2);
    assert_eq!(read_exactly(&mut peer, 4), b"abcd");
}

fn an_unknown_socket_is_named(backend: Backend) {
    let mut l = Loop::new(backend);
    for socket in [0, 1, 12_345, u32::MAX] {
        for op in [FERRONET_OP_ACCEPT, FERRONET_OP_CLOSE, FERRONET_OP_CANCEL] {
            let refused = l.op(op, socket);
            let end = l.end_of(refused);
            assert_eq!((end.result, end.socket), (FERRONET_ERR_UNKNOWN_SOCKET, socket));
        }
        assert_eq!(l.reactor.remove(socket).unwrap_err().status, FERRONET_ERR_UNKNOWN_SOCKET);
    }
}

fn config(backend: Backend, flags: u32) -> ferronet_reactor_config {
    ferronet_reactor_config { backend: backend.number(), flags, ..Default::default() }
}

fn elsewhere<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

fn foreign_threads_are_refused(backend: Backend) {
    let mut reactor = Reactor::new(&config(backend, 0)).unwrap();
    reactor.start().unwrap();
    let statuses = elsewhere(|| {
        [
            // SAFETY: no record is submitted.
            unsafe { reactor.turn(0, 0) }.unwrap_err().status,
            // SAFETY: no record is submitted.
            unsafe { reactor.submit(0) }.unwrap_err().status,
            reactor.add(0).unwrap_err().status,
            reactor.remove(1).unwrap_err().status,
        ]
    });
    assert_eq!(statuses, [FERRONET_ERR_WRONG_THREAD; 4]);
    // SAFETY: no record is submitted.
    assert_eq!(unsafe { reactor.turn(0, 0) }.unwrap(), 0);
}

fn any_thread_may_drive_when_configured(backend: Backend) {
    let mut l = Loop::with(config(backend, FERRONET_REACTOR_ANY_THREAD));
    let (socket, mut peer) = l.pair();
    let mut memory = [0; 8];
    let receive = l.receive(socket, &mut memory);
    l.turn(Some(std::time::Duration::ZERO));
    elsewhere(|| {
        write_all(&mut peer, b"there");
        assert_eq!(l.result_of(receive), 5);
        let send = l.send(socket, b"back");
        assert_eq!(l.result_of(send), 4);
    });
    assert_eq!(read_exactly(&mut peer, 4), b"back");
    assert_eq!(l.close(socket), 0);
}

fn calls_before_start_are_refused(backend: Backend) {
    let mut reactor = Reactor::new(&config(backend, 0)).unwrap();
    // SAFETY: no record is submitted.
    assert_eq!(unsafe { reactor.turn(0, 0) }.unwrap_err().status, FERRONET_ERR_NOT_STARTED);
    // SAFETY: no record is submitted.
    assert_eq!(unsafe { reactor.submit(0) }.unwrap_err().status, FERRONET_ERR_NOT_STARTED);
    assert_eq!(reactor.add(0).unwrap_err().status, FERRONET_ERR_NOT_STARTED);
    assert_eq!(reactor.close(std::time::Duration::ZERO), 0);
}

fn starting_again_elsewhere_needs_an_idle_reactor(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, peer) = l.pair();
    assert_eq!(elsewhere(|| l.reactor.start().unwrap_err().status), FERRONET_ERR_BUSY);
    assert_eq!(l.close(socket), 0);
    drop(peer);
    let areas = l.reactor.areas();
    l.reactor.waker().wake();
    elsewhere(|| {
        l.reactor.start().unwrap();
        assert_eq!(l.reactor.areas().submissions, areas.submissions);
        assert_eq!(l.reactor.areas().completions, areas.completions);
        let begin = std::time::Instant::now();
        l.turn(Some(PATIENCE));
        assert!(begin.elapsed() < PATIENCE / 2, "the wake-up from before the move was lost");
        let (socket, mut peer) = l.pair();
        write_all(&mut peer, b"moved");
        let mut memory = [0; 8];
        let receive = l.receive(socket, &mut memory);
        assert_eq!(l.result_of(receive), 5);
        assert_eq!(l.close(socket), 0);
    });
    // SAFETY: no record is submitted.
    assert_eq!(unsafe { l.reactor.turn(0, 0) }.unwrap_err().status, FERRONET_ERR_WRONG_THREAD);
}

fn too_many_records_are_refused(backend: Backend) {
    let mut reactor = Reactor::new(&ferronet_reactor_config { submission_capacity: 16, ..config(backend, 0) }).unwrap();
    reactor.start().unwrap();
    // SAFETY: nothing is taken.
    let error = unsafe { reactor.submit(17) }.unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_INVALID_ARGUMENT);
    assert!(error.text.contains("17") && error.text.contains("16"), "{}", error.text);
    // SAFETY: nothing is taken.
    assert_eq!(unsafe { reactor.turn(u32::MAX, 0) }.unwrap_err().status, FERRONET_ERR_INVALID_ARGUMENT);
}

fn bad_timeouts_are_refused(backend: Backend) {
    let mut reactor = Reactor::new(&config(backend, 0)).unwrap();
    reactor.start().unwrap();
    for timeout in [-2, i64::MIN] {
        // SAFETY: no record is submitted.
        let error = unsafe { reactor.turn(0, timeout) }.unwrap_err();
        assert_eq!(error.status, FERRONET_ERR_INVALID_ARGUMENT);
        assert!(error.text.contains(&timeout.to_string()), "{}", error.text);
    }
}

fn bad_descriptors_are_refused(backend: Backend) {
    let mut l = Loop::new(backend);
    let error = l.reactor.add(-1).unwrap_err();
    assert!([-libc::EBADF, FERRONET_ERR_INVALID_ARGUMENT].contains(&error.status), "{error}");
    let error = l.reactor.add(1_000_000).unwrap_err();
    assert_eq!(error.status, -libc::EBADF, "{error}");
    assert_eq!(l.reactor.info().sockets, 0);
}

fn memory_out_of_reach_is_an_error_of_the_operation(backend: Backend) {
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    let send = l.queue(ferronet_submission { op: FERRONET_OP_SEND, socket, addr0: 8, len0: 8, ..Default::default() });
    assert_eq!(l.result_of(send), -libc::EFAULT);
    write_all(&mut peer, b"x");
    let receive =
        l.queue(ferronet_submission { op: FERRONET_OP_RECV, socket, addr0: 8, len0: 8, ..Default::default() });
    assert_eq!(l.result_of(receive), -libc::EFAULT);
    let mut memory = [0; 1];
    let receive = l.receive(socket, &mut memory);
    assert_eq!(l.result_of(receive), 1);
}
