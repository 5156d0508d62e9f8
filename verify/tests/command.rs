//! `cargo verify` as its callers see it: exit code and last line, with a stand-in for Cargo.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use ferronet_packaging::scratch::Scratch;

/// Runs `verify` with `script` in Cargo's place and a build directory of its own.
fn verify(arguments: &[&str], script: &str) -> Output {
    let scratch = Scratch::new("verify");
    let cargo = scratch.path().join("cargo");
    std::fs::write(&cargo, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).expect("set");
    Command::new(env!("CARGO_BIN_EXE_verify"))
        .arg("--no-install")
        .args(arguments)
        .env("CARGO", &cargo)
        .env("CARGO_TARGET_DIR", scratch.path().join("target"))
        .env_remove("CI")
        .output()
        .expect("started")
}

fn last_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_passing_suite_closes_with_its_counts() {
    let output = verify(&["fmt"], "exit 0");
    assert_eq!(last_line(&output), "4 passed, 0 failed, 0 skipped");
    assert!(output.status.success());
}

#[test]
fn a_failing_test_turns_the_exit_code() {
    let output = verify(&["fmt"], "case $* in *verify*) exit 1 ;; esac");
    assert_eq!(last_line(&output), "3 passed, 1 failed, 0 skipped");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_run_that_tests_nothing_fails() {
    let output = verify(&["rust-hooks"], "exit 0");
    assert_eq!(last_line(&output), "0 passed, 1 failed, 0 skipped");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn failed_tests_are_named_and_later_suites_are_not_run() {
    let script = "[ $1 = fmt ] && exit 1; case $* in *--no-run*) exit 0 ;; esac; echo 'test a ... ok'; echo 'test b ... FAILED'; \
                  echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured'; exit 1";
    let output = verify(&["fmt", "rust-hooks", "--keep-going"], script);
    assert_eq!(last_line(&output), "1 passed, 5 failed, 0 skipped");
    assert!(String::from_utf8_lossy(&output.stderr).contains("FAILED ::b: see the log"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let end: Vec<&str> = text.lines().rev().take(3).collect();
    assert_eq!(end[1..], ["    FAILED ::b: see the log", "FAILED rust-hooks: 1 of 2"]);
    let output = verify(&["fmt", "rust-hooks"], script);
    assert_eq!(last_line(&output), "0 passed, 4 failed, 0 skipped");
    assert!(String::from_utf8_lossy(&output.stdout).contains("rust-hooks       not run"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn unknown_names_and_options_are_refused() {
    let output = verify(&["no-such-suite"], "exit 0");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no suite no-such-suite"));
    assert_eq!(verify(&["--fast"], "exit 0").status.code(), Some(2));
}

#[test]
fn the_list_names_every_suite() {
    let output = verify(&["--list"], "exit 0");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for suite in ferronet_verify::suites::SUITES {
        assert!(text.lines().any(|line| line.starts_with(suite.name)), "{}: {text}", suite.name);
    }
}
