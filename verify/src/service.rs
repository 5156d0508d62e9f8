//! A server that runs beside the tests.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ferronet_packaging::{Result, run};

/// A started server; killed with its process group when it is dropped.
pub struct Service {
    child: Child,
    lines: Receiver<String>,
}

impl Service {
    /// Starts `command` in a process group of its own; its errors go to the end of `log`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let errors = File::options().create(true).append(true).open(log)?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", run::describe(command)))?;
        let output = child.stdout.take().ok_or("the output is not piped")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(std::io::Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, lines })
    }

    /// Waits for a line that holds `word` and returns it.
    ///
    /// # Errors
    /// When the server ends first, or the time is up.
    pub fn line_with(&mut self, word: &str, limit: Duration) -> Result<String> {
        let deadline = Instant::now() + limit;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(word) => return Ok(line),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Err(format!("no line with {word:?} in time").into()),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait()?;
                    return Err(format!("the server ended ({status}) before a line with {word:?}").into());
                }
            }
        }
    }

    /// Sends a signal to the server's first process alone.
    pub fn signal(&self, signal: i32) {
        if let Ok(process) = i32::try_from(self.child.id()) {
            // SAFETY: kill has no memory precondition; the child is ours and not waited for before `wait` returns.
            unsafe { libc::kill(process, signal) };
        }
    }

    /// Waits for the server's end; nothing when the time is up.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(None)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(libc::SIGTERM);
            if !matches!(self.wait(Duration::from_secs(5)), Ok(Some(_))) {
                if let Ok(group) = i32::try_from(self.child.id()) {
                    // SAFETY: as in `signal`; the group is led by the child.
                    unsafe { libc::kill(-group, libc::SIGKILL) };
                }
                let _ = self.child.wait();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferronet_packaging::scratch::Scratch;

    fn start(script: &str, scratch: &Scratch) -> Service {
        Service::start(Command::new("sh").args(["-c", script]), &scratch.path().join("log")).expect("started")
    }

    #[test]
    fn a_line_is_waited_for_and_a_signal_ends_it() {
        let scratch = Scratch::new("service");
        let mut service = start("trap 'exit 3' INT; echo one; echo ready 80; while :; do sleep 0.05; done", &scratch);
        assert_eq!(service.line_with("ready", Duration::from_secs(10)).expect("printed"), "ready 80");
        service.signal(libc::SIGINT);
        let status = service.wait(Duration::from_secs(10)).expect("waited").expect("ended");
        assert_eq!(status.code(), Some(3));
    }

    #[test]
    fn an_early_end_and_a_missing_line_are_errors() {
        let scratch = Scratch::new("service-end");
        let error = start("exit 1", &scratch).line_with("ready", Duration::from_secs(10)).expect_err("ended");
        assert!(error.to_string().contains("exit status: 1"), "{error}");
        let error = start("exec sleep 30", &scratch).line_with("ready", Duration::from_millis(50)).expect_err("silent");
        assert!(error.to_string().contains("in time"), "{error}");
    }
}
