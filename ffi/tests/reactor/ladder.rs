//! Every io_uring test of this program again, on each step of the kernel ladder and on a ring for any thread.

use ferronet::abi::config::*;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::harness::{FLAGS_VARIABLE, MASK_VARIABLE};

/// A test of what only a ring of one thread refuses.
const ONE_THREAD_ONLY: &str = "starting_again_elsewhere_needs_an_idle_reactor";

/// One program at a time: each runs its tests side by side.
static TURN: Mutex<()> = Mutex::new(());

fn run_without(steps: u64, flags: u32) {
    if std::env::var_os(MASK_VARIABLE).is_some() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(std::env::current_exe().unwrap())
        .arg("::io_uring::")
        .args(if flags == 0 { &[][..] } else { &["--skip", ONE_THREAD_ONLY] })
        .env(MASK_VARIABLE, steps.to_string())
        .env(FLAGS_VARIABLE, flags.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "without the steps {steps:#x}, flags {flags}:\n{text}");
    assert!(!text.contains("running 0 tests"), "{text}");
}

#[test]
fn without_buffer_rings() {
    run_without(FERRONET_RING_BUFFER_RING, 0);
}

#[test]
fn without_multishot_accept() {
    run_without(FERRONET_RING_MULTISHOT_ACCEPT, 0);
}

#[test]
fn without_multishot_receive() {
    run_without(FERRONET_RING_MULTISHOT_RECV, 0);
}

#[test]
fn without_deferred_task_work() {
    run_without(FERRONET_RING_DEFER_TASKRUN, 0);
}

#[test]
fn without_any_step() {
    run_without(0b1_1111, 0);
}

#[test]
fn on_a_ring_for_any_thread() {
    run_without(0, FERRONET_REACTOR_ANY_THREAD);
}
