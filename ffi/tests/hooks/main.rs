//! Panics and faults that hook builds inject: `cargo test -p ferronet --features test-hooks`.
#![cfg(feature = "test-hooks")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../boundary/functions/mod.rs"]
#[allow(dead_code, reason = "the other test crate uses the rest")]
mod functions;

use std::ffi::c_void;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ferronet::abi::status::*;
use ferronet::boundary::hooks::{ferronet_test_fault, ferronet_test_panic};
use ferronet::boundary::reactor::*;
use ferronet::fault;
use functions::*;

/// Faults are the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    fault::disarm_all();
    guard
}

fn panic_in(handle: *mut c_void) -> i64 {
    // SAFETY: the handle lives or is refused.
    i64::from(unsafe { ferronet_test_panic(handle) })
}

#[test]
fn a_panic_in_any_function_becomes_a_status() {
    let _alone = alone();
    for function in functions().filter(|function| function.guarded) {
        let (handle, bystander) = (handle_for(function), started());
        // SAFETY: the name ends with a zero byte.
        assert_eq!(unsafe { ferronet_test_fault(c"panic".as_ptr(), 0, 1) }, 0);
        let status = (function.call)(handle);
        fault::disarm_all();
        assert_eq!(name(status), "FERRONET_ERR_PANIC", "{}", function.name);
        let text = last_error(handle);
        assert!(
            text.contains("injected by the fault \"panic\"") && text.contains("hooks.rs:"),
            "{}: {text}",
            function.name
        );
        assert_eq!(
            text.ends_with("the handle is poisoned: free it"),
            function.takes != Takes::Nothing,
            "{}: {text}",
            function.name
        );
        // SAFETY: the reactor lives; no record is submitted.
        unsafe {
            assert_eq!(ferronet_reactor_submit(bystander.cast(), 0), 0, "{} harmed another handle", function.name)
        };
        free(handle);
        free(bystander);
    }
}

#[test]
fn every_function_refuses_poisoned_handles() {
    let _alone = alone();
    for function in functions().filter(|function| function.takes != Takes::Nothing) {
        let handle = handle_for(function);
        assert_eq!(name(panic_in(handle)), "FERRONET_ERR_PANIC");
        let status = (function.call)(handle);
        let expected = if function.poison_proof { "FERRONET_OK" } else { "FERRONET_ERR_POISONED" };
        assert_eq!(name(status), expected, "{}: {}", function.name, last_error(handle));
        if !function.poison_proof {
            assert!(last_error(handle).contains("free it and make a new one"), "{}", last_error(handle));
        }
        free(handle);
    }
}

#[test]
fn a_poisoned_reactor_can_be_freed_from_every_thread() {
    let _alone = alone();
    let handle = started();
    assert_eq!(name(panic_in(handle)), "FERRONET_ERR_PANIC");
    // SAFETY: the reactor lives until then.
    assert_eq!(on_another_thread(handle, |handle| unsafe { ferronet_reactor_free(handle.cast()) }), 0);
    assert_eq!(name(panic_in(handle)), "FERRONET_ERR_CLOSED");
}

#[test]
fn a_reused_handle_is_not_poisoned() {
    let _alone = alone();
    for _ in 0..1_000 {
        let handle = runtime();
        assert_eq!(last_error(handle), "");
        assert_eq!(name(panic_in(handle)), "FERRONET_ERR_PANIC");
        free(handle);
    }
}

#[test]
fn a_poisoned_runtime_leaves_its_reactors_alone() {
    let _alone = alone();
    let runtime = runtime();
    let mut reactor = null_mut();
    // SAFETY: the pointers name locals; no record is submitted.
    unsafe {
        assert_eq!(ferronet_reactor_new(runtime.cast(), &config(), &mut reactor), 0);
        assert_eq!(name(panic_in(runtime)), "FERRONET_ERR_PANIC");
        assert_eq!(ferronet_reactor_start(reactor), 0);
        assert_eq!(ferronet_reactor_submit(reactor, 0), 0);
    }
    free(reactor.cast());
    free(runtime);
}

#[test]
fn a_panic_without_a_handle_poisons_nothing() {
    let _alone = alone();
    assert_eq!(name(panic_in(null_mut())), "FERRONET_ERR_PANIC");
    assert!(last_error(null_mut()).contains("asked for by ferronet_test_panic"));
    free(runtime());
}

#[test]
fn a_fault_needs_a_name() {
    let _alone = alone();
    for name in [std::ptr::null(), c"".as_ptr(), c"\xff".as_ptr()] {
        // SAFETY: NULL is refused, and the others end with a zero byte.
        assert_eq!(unsafe { ferronet_test_fault(name, 0, 1) }, FERRONET_ERR_INVALID_ARGUMENT);
    }
}

/// Runs the calling test again in a process of its own, where `in_child` is true, and gives its standard error.
fn child(test: &str, fault: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .env("FERRONET_FAULT", fault)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

const CHILD: &str = "FERRONET_TEST_CHILD";

fn in_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

#[test]
fn the_library_prints_nothing_and_a_host_still_sees_its_own_panics() {
    if in_child() {
        fault::arm("panic", 0, 1);
        let open = functions().find(|function| function.name == "ferronet_socket_open").unwrap();
        assert_eq!(name((open.call)(null_mut())), "FERRONET_ERR_PANIC");
        let handle = started();
        assert_eq!(name(panic_in(handle)), "FERRONET_ERR_PANIC");
        free(handle);
        assert!(std::panic::catch_unwind(|| panic!("a panic of the host")).is_err());
        return;
    }
    let text = child("the_library_prints_nothing_and_a_host_still_sees_its_own_panics", "");
    assert!(!text.contains("injected") && !text.contains("asked for"), "{text}");
    assert!(text.contains("a panic of the host"), "the previous hook was lost: {text}");
}

#[test]
fn faults_come_from_the_environment() {
    if in_child() {
        assert_eq!((fault::take("panic"), fault::take("panic"), fault::take("panic")), (Some(5), Some(5), None));
        return;
    }
    child("faults_come_from_the_environment", "panic:5:2");
}

#[test]
fn a_malformed_environment_is_refused_at_attach() {
    if in_child() {
        let mut runtime = null_mut();
        // SAFETY: both pointers name locals.
        let status = unsafe { ferronet::boundary::runtime::ferronet_attach(&params(), &mut runtime) };
        assert_eq!(status, FERRONET_ERR_INVALID_ARGUMENT);
        let text = last_error(null_mut());
        assert!(text.contains("FERRONET_FAULT holds \"panic:five\""), "{text}");
        return;
    }
    child("a_malformed_environment_is_refused_at_attach", "panic:five");
}
