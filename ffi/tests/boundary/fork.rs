//! Handles in a child process.

use std::ffi::c_void;
use std::ptr::null_mut;

use ferronet::abi::config::*;
use ferronet::abi::status::FERRONET_ERR_WRONG_THREAD;
use ferronet::boundary::reactor::*;

use crate::functions::*;

/// Runs `body` in a forked child, and returns what it returned.
fn in_forked_child(body: impl FnOnce() -> u8) -> i32 {
    // SAFETY: the child calls only the library, and ends without running anything of this process.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: no pointer is passed. A child that hangs ends by the alarm.
            unsafe { libc::alarm(10) };
            let code = body();
            // SAFETY: ends the child.
            unsafe { libc::_exit(code.into()) }
        }
        child => {
            let mut status = 0;
            // SAFETY: the status is writable.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert!(libc::WIFEXITED(status), "the child ended with signal {}", libc::WTERMSIG(status));
            libc::WEXITSTATUS(status)
        }
    }
}

/// Runs `body` in a forked child, and returns the bytes that it returned.
#[cfg(feature = "tls")]
pub fn bytes_of_forked_child(body: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    use std::io::{Read, Write};
    let (mut from_child, mut to_parent) = std::io::pipe().unwrap();
    let status = in_forked_child(|| u8::from(to_parent.write_all(&body()).is_err()));
    assert_eq!(status, 0);
    drop(to_parent);
    let mut bytes = Vec::new();
    from_child.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_reactor_is_of_no_use_to_a_child() {
    for backend in [FERRONET_BACKEND_POLL, FERRONET_BACKEND_AUTO] {
        for flags in [0, FERRONET_REACTOR_ANY_THREAD] {
            let config = ferronet_reactor_config { backend, flags, ..config() };
            let mut reactor = null_mut();
            let runtime = runtime();
            // SAFETY: the handles live, and the output is writable.
            assert_eq!(unsafe { ferronet_reactor_new(runtime.cast(), &config, &mut reactor) }, 0);
            let reactor: *mut c_void = reactor.cast();
            // SAFETY: the handle lives.
            assert_eq!(unsafe { ferronet_reactor_start(reactor.cast()) }, 0);
            let refused = |function: &&Function| (function.call)(reactor) == i64::from(FERRONET_ERR_WRONG_THREAD);
            let of_reactors = || functions().filter(|function| function.takes == Takes::Reactor);
            let count = in_forked_child(|| of_reactors().filter(refused).count() as u8);
            assert_eq!(count as usize, of_reactors().count(), "backend {backend}, flags {flags}");
            // SAFETY: the handle lives.
            assert_eq!(unsafe { ferronet_reactor_turn(reactor.cast(), 0, 0) }, 0, "the parent goes on");
            free(reactor);
            free(runtime);
        }
    }
}
