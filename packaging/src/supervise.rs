//! Running a child in the foreground: signals that ask the tool to stop are handed on to it.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use crate::{Result, run};

/// How long the child may take to stop before it is killed.
const PATIENCE: Duration = Duration::from_secs(15);

static CHILD: AtomicI32 = AtomicI32::new(0);
static STOP: AtomicI32 = AtomicI32::new(0);

/// How a supervised child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stopped because it was asked to.
    Stopped,
    /// It was asked to stop, did not in time, and was killed.
    Killed,
    /// It ended by itself with this exit code; 128 and more is a signal.
    Exited(i32),
}

/// Starts `command` in a process group of its own and waits for its end. SIGINT and SIGTERM are handed on by process id,
/// so that the child gets each exactly once, whether it came from a terminal or from another process.
///
/// # Errors
/// When the child cannot be started or waited for.
pub fn supervise(command: &mut Command) -> Result<Outcome> {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let handler = hand_on as extern "C" fn(libc::c_int);
        // SAFETY: the handler only loads and stores atomics and calls kill, all of which may be done in a handler.
        if unsafe { libc::signal(signal, handler as libc::sighandler_t) } == libc::SIG_ERR {
            return Err(std::io::Error::last_os_error().into());
        }
    }
    let mut child = command
        .process_group(0)
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", run::describe(command)))?;
    CHILD.store(i32::try_from(child.id())?, Ordering::SeqCst);
    // A signal that came before the child was known has not been handed on.
    let early = STOP.load(Ordering::SeqCst);
    if early != 0 {
        kill(&child, early);
    }
    wait(&mut child)
}

fn wait(child: &mut Child) -> Result<Outcome> {
    let mut asked: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            CHILD.store(0, Ordering::SeqCst);
            return Ok(if asked.is_some() || STOP.load(Ordering::SeqCst) != 0 {
                Outcome::Stopped
            } else {
                Outcome::Exited(code(status))
            });
        }
        if STOP.load(Ordering::SeqCst) != 0 {
            let since = *asked.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                kill(child, libc::SIGKILL);
                child.wait()?;
                return Ok(Outcome::Killed);
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The exit code as a shell reports it.
pub fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn kill(child: &Child, signal: i32) {
    if let Ok(process) = i32::try_from(child.id()) {
        // SAFETY: kill has no memory precondition; the child has not been waited for, so its number is its own.
        unsafe { libc::kill(process, signal) };
    }
}

extern "C" fn hand_on(signal: libc::c_int) {
    STOP.store(signal, Ordering::SeqCst);
    let child = CHILD.load(Ordering::SeqCst);
    if child > 0 {
        // SAFETY: as above; the number is cleared as soon as the child has been waited for.
        unsafe { libc::kill(child, signal) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_and_signals_are_told_apart() {
        assert_eq!(code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(code(ExitStatus::from_raw(libc::SIGKILL)), 137);
    }
}
