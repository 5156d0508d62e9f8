//! Every status that is documented can be had.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ferronet::abi::config::ferronet_reactor_areas;
use ferronet::abi::record::*;
use ferronet::abi::status::*;
use ferronet::boundary::reactor::*;
use ferronet::boundary::runtime::*;
use ferronet::boundary::socket::*;
use ferronet::boundary::zlib::*;

use crate::functions::*;

/// Statuses that this test cannot ask for: panics are injected (`tests/hooks`), and what this system has it does not refuse.
const ELSEWHERE: [i32; 3] = [FERRONET_ERR_PANIC, FERRONET_ERR_POISONED, FERRONET_ERR_UNAVAILABLE];

/// The result of one record on a reactor.
fn completed(handle: *mut c_void, record: ferronet_submission) -> i64 {
    let mut areas = ferronet_reactor_areas { size: size_of::<ferronet_reactor_areas>() as u32, ..Default::default() };
    // SAFETY: the areas are those of a reactor that lives through the call, and no record names memory.
    unsafe {
        assert_eq!(ferronet_reactor_get_areas(handle.cast(), &mut areas), 0);
        (areas.submissions as *mut ferronet_submission).write(record);
        assert_eq!(ferronet_reactor_turn(handle.cast(), 1, 0), 1);
        i64::from((*(areas.completions as *const ferronet_completion)).result)
    }
}

/// A started reactor with a socket whose peer has sent something.
fn readable() -> (*mut c_void, u32, [i32; 2]) {
    let reactor = started();
    let mut pair = [0; 2];
    // SAFETY: the array has two places, and the byte is readable.
    let number = unsafe {
        assert_eq!(libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM, 0, pair.as_mut_ptr()), 0);
        assert_eq!(libc::write(pair[1], [7u8].as_ptr().cast(), 1), 1);
        ferronet_reactor_add(reactor.cast(), pair[0])
    };
    (reactor, u32::try_from(number).unwrap(), pair)
}

fn on_a_readable_socket(call: impl FnOnce(*mut c_void, u32) -> i64) -> i64 {
    let (reactor, socket, pair) = readable();
    let status = call(reactor, socket);
    // SAFETY: the other end is this test's.
    unsafe { libc::close(pair[1]) };
    free(reactor);
    status
}

fn inflated(input: &[u8]) -> i64 {
    let mut output = [0u8; 64];
    let (address, length) = (input.as_ptr().cast(), input.len() as u64);
    // SAFETY: both regions live through the call.
    unsafe { ferronet_inflate_buffer(null(), address, length, output.as_mut_ptr().cast(), output.len() as u64) }
}

fn all() -> Vec<(i32, i64)> {
    let freed = inflate();
    free(freed);
    let fresh = reactor();
    let running = started();
    let attached = |change: fn(&mut ferronet::abi::info::ferronet_attach_params)| {
        let (mut params, mut out) = (params(), null_mut());
        change(&mut params);
        // SAFETY: both pointers name locals.
        i64::from(unsafe { ferronet_attach(&params, &mut out) })
    };
    let mut value = 0i64;
    let socket = ferronet_socket_open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM);
    let unsupported = ferronet_submission { op: 200, socket: 1, ..Default::default() };
    let unknown = ferronet_submission { op: FERRONET_OP_CLOSE, socket: 99, ..Default::default() };
    let lent = |socket| ferronet_submission {
        op: FERRONET_OP_RECV,
        flags: FERRONET_SUBMIT_LENT,
        socket,
        ..Default::default()
    };
    // SAFETY: every pointer is a handle or refused as one, or names memory that lives through the call.
    let statuses = unsafe {
        vec![
            (FERRONET_ERR_INVALID_ARGUMENT, i64::from(ferronet_socket_open(99, 1))),
            (FERRONET_ERR_INVALID_HANDLE, ferronet_reactor_turn((&raw mut value).cast(), 0, 0)),
            (FERRONET_ERR_CLOSED, i64::from(ferronet_inflate_free(freed.cast()))),
            (
                FERRONET_ERR_WRONG_THREAD,
                on_another_thread(running, |handle| i64::from(ferronet_reactor_submit(handle.cast(), 0))),
            ),
            (
                FERRONET_ERR_BUSY,
                on_a_readable_socket(|reactor, socket| {
                    let poll = ferronet_submission {
                        op: FERRONET_OP_POLL,
                        len0: FERRONET_POLL_ERR,
                        socket,
                        ..Default::default()
                    };
                    let mut areas = ferronet_reactor_areas {
                        size: size_of::<ferronet_reactor_areas>() as u32,
                        ..Default::default()
                    };
                    ferronet_reactor_get_areas(reactor.cast(), &mut areas);
                    (areas.submissions as *mut ferronet_submission).write(poll);
                    ferronet_reactor_submit(reactor.cast(), 1);
                    i64::from(ferronet_reactor_remove(reactor.cast(), socket))
                }),
            ),
            (FERRONET_ERR_TOO_BIG, attached(|params| params.size = 5000)),
            (FERRONET_ERR_ABI, attached(|params| params.built_for_revision = 0)),
            (FERRONET_ERR_FEATURE, attached(|params| params.required_features = 1 << 63)),
            (FERRONET_ERR_UNSUPPORTED_OP, completed(running, unsupported)),
            (FERRONET_ERR_UNKNOWN_SOCKET, completed(running, unknown)),
            (FERRONET_ERR_UNSUPPORTED_OPTION, i64::from(ferronet_socket_get_option(socket, 9999, &mut value))),
            (FERRONET_ERR_NO_BUFFERS, on_a_readable_socket(|reactor, socket| completed(reactor, lent(socket)))),
            (FERRONET_ERR_LIMIT, over_the_capacity()),
            (
                FERRONET_ERR_TOO_SMALL,
                ferronet_deflate_buffer(null(), [7u8].as_ptr().cast(), 1, (&raw mut value).cast(), 1),
            ),
            (FERRONET_ERR_NOT_STARTED, ferronet_reactor_turn(fresh.cast(), 0, 0)),
            (FERRONET_ERR_DATA, inflated(b"this is no compressed stream")),
            (FERRONET_ERR_TRUNCATED, inflated(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0])),
            // A zlib header with FDICT and the checksum of some dictionary.
            (FERRONET_ERR_DICTIONARY, inflated(&[0x78, 0xbb, 0, 0, 0, 1, 0, 0])),
        ]
    };
    ferronet_socket_close(socket);
    [fresh, running].into_iter().for_each(free);
    statuses
}

/// One buffer more than a reactor takes.
fn over_the_capacity() -> i64 {
    let reactor = started();
    let mut areas = ferronet_reactor_areas { size: size_of::<ferronet_reactor_areas>() as u32, ..Default::default() };
    let memory = [0u8; 8];
    // SAFETY: the areas are those of a reactor that lives through the call; the memory is never received into.
    let status = unsafe {
        assert_eq!(ferronet_reactor_get_areas(reactor.cast(), &mut areas), 0);
        for identity in 0..=areas.lent_capacity {
            (areas.submissions as *mut ferronet_submission).add(identity as usize).write(ferronet_submission {
                op: FERRONET_OP_LEND,
                addr0: memory.as_ptr() as u64,
                len0: 8,
                arg0: identity.into(),
                ..Default::default()
            });
        }
        assert_eq!(ferronet_reactor_turn(reactor.cast(), areas.lent_capacity + 1, 0), 1);
        i64::from((*(areas.completions as *const ferronet_completion)).result)
    };
    free(reactor);
    status
}

#[test]
fn every_status_can_be_had() {
    let mut seen: BTreeSet<i32> = ELSEWHERE.into();
    for (expected, status) in all() {
        assert_eq!(name(status), name(expected.into()));
        seen.insert(expected);
    }
    for (number, name, _) in STATUSES.iter().filter(|(_, name, _)| !name.starts_with("FERRONET_ERR_TLS_")) {
        assert!(seen.contains(number), "nothing is known to return {name}");
    }
}
