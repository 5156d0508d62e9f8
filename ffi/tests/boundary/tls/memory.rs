//! Native heap, the cryptography library's included, as the C library counts it. Each test measures in a process of its own,
//! in which nothing else runs.

use super::ends::*;
use super::*;

/// Says to a child of the tests that it is one.
const CHILD: &str = "FERRONET_TEST_HEAP";

/// Bytes of the heap that are in use.
fn in_use() -> i64 {
    // SAFETY: no pointer is passed.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as i64
}

/// Runs a test of this file in a child; `false` in the child, which has to measure.
fn runs_alone(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return false;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", &format!("tls::memory::{test}"), "--nocapture"]).env(CHILD, "1");
    // What lies in the caches of threads would count as used.
    child.env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.lines().filter(|line| line.contains(" bytes")).for_each(|line| println!("{line}"));
    true
}

fn contexts(max_version: u32) -> (Owned, Owned) {
    let flags = FERRONET_TLS_NO_RESUMPTION;
    let client = context(ferronet_tls_config { flags, max_version, ..client_config() }, &[]);
    (client, context(ferronet_tls_config { flags, ..server_config() }, &[&credential(SERVER)]))
}

/// What is left after everything that was opened is freed: less than one byte for two sessions.
const SLACK: i64 = 4096;

#[test]
fn sessions_that_are_freed_leave_nothing() {
    if runs_alone("sessions_that_are_freed_leave_nothing") {
        return;
    }
    let (client, server) = contexts(FERRONET_TLS_VERSION_1_3);
    let named = ferronet_tls_session_config { server_name: region(b"server.test"), ..session_config() };
    let open_and_free = |count: usize| {
        for index in 0..count {
            match index % 20 {
                // Before, in and after a handshake.
                0 => drop(Pair::connected(&client, &server, "server.test")),
                1 => drop(Pair::of(&client, &server, "wrong.test")),
                2 => {
                    let (ours, mut theirs) = (End::new(&client, &named), End::new(&server, &session_config()));
                    theirs.take(&ours.give());
                    theirs.give();
                }
                3 => {
                    End::new(&client, &named).give();
                }
                even if even % 2 == 0 => drop(End::new(&client, &named)),
                _ => drop(End::new(&server, &session_config())),
            }
        }
    };
    // More than freed handles that wait for their next use.
    open_and_free(600);
    let before = in_use();
    open_and_free(10_000);
    let growth = in_use() - before;
    println!("10,000 sessions that were opened and freed leave {growth} bytes");
    assert!(growth < SLACK, "{growth} bytes");
}

#[test]
fn contexts_that_are_freed_leave_nothing() {
    if runs_alone("contexts_that_are_freed_leave_nothing") {
        return;
    }
    let make = || drop(contexts(FERRONET_TLS_VERSION_1_3));
    (0..150).for_each(|_| make());
    let before = in_use();
    (0..300).for_each(|_| make());
    let growth = in_use() - before;
    println!("300 pairs of contexts that were made and freed leave {growth} bytes");
    assert!(growth < SLACK, "{growth} bytes");
}

#[test]
fn an_idle_session_takes_little_of_the_heap() {
    if runs_alone("an_idle_session_takes_little_of_the_heap") {
        return;
    }
    for (version, most) in [(FERRONET_TLS_VERSION_1_2, 3500), (FERRONET_TLS_VERSION_1_3, 4500)] {
        let (client, server) = contexts(version);
        drop(Pair::connected(&client, &server, "server.test"));
        let mut pairs = Vec::with_capacity(200);
        let before = in_use();
        for _ in 0..200 {
            pairs.push(Pair::connected(&client, &server, "server.test"));
        }
        let each = (in_use() - before) / 400;
        println!("an idle session of 0x{version:04x} takes {each} bytes, as the mean of client and server");
        assert!(each < most, "{each} bytes");
        assert!(pairs.iter().all(|pair| pair.client.info().buffered == 0 && pair.server.info().buffered == 0));
    }
}
