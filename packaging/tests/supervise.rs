//! Signals reach a supervised child, tried in processes of their own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Holds the script to supervise, in a process that one of the tests started from its own executable.
const SUPERVISED: &str = "FERRONET_SUPERVISED";

/// In such a process: supervises the script, says how it ended and returns true.
fn is_supervisor() -> bool {
    let Ok(script) = std::env::var(SUPERVISED) else { return false };
    let outcome = ferronet_packaging::supervise::supervise(Command::new("sh").args(["-c", &script]));
    println!("outcome: {:?}", outcome.expect("the shell starts"));
    true
}

fn start(test: &str, script: &str) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().expect("known"))
        .args([test, "--exact", "--nocapture"])
        .env(SUPERVISED, script)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    (child, output)
}

fn read_to(output: &mut impl BufRead, word: &str) -> String {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        assert_ne!(output.read_line(&mut line).expect("readable"), 0, "no {word} in {text}");
        text.push_str(&line);
        if line.contains(word) {
            return text;
        }
    }
}

#[test]
fn an_interrupt_is_handed_on_once_and_counts_as_stopped() {
    if is_supervisor() {
        return;
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let script = "trap 'echo asked; exit 7' INT TERM; echo ready; while :; do sleep 0.05; done";
        let (mut child, mut output) = start("an_interrupt_is_handed_on_once_and_counts_as_stopped", script);
        read_to(&mut output, "ready");
        let process = i32::try_from(child.id()).expect("a process id");
        // SAFETY: the child has not been waited for.
        assert_eq!(unsafe { libc::kill(process, signal) }, 0);
        let text = read_to(&mut output, "outcome:");
        assert_eq!(text.matches("asked").count(), 1, "{text}");
        assert!(text.contains("outcome: Stopped"), "{text}");
        child.wait().expect("ended");
    }
}

#[test]
fn the_exit_code_is_passed_through() {
    if is_supervisor() {
        return;
    }
    let (mut child, mut output) = start("the_exit_code_is_passed_through", "exit 42");
    assert!(read_to(&mut output, "outcome:").contains("Exited(42)"));
    child.wait().expect("ended");
}
