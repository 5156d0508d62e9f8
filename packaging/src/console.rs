//! Progress: one rewritten line on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

/// Characters of a line on a terminal.
const WIDTH: usize = 100;

/// The steps that have begun and not ended, the innermost last. Whoever writes a line holds the lock.
static OPEN: Mutex<Vec<Open>> = Mutex::new(Vec::new());

/// A step as it is shown.
struct Open {
    name: String,
    started: Instant,
    detail: String,
}

/// A step that is being carried out; shows its name at once, how long it has taken, and its duration at the end.
pub struct Step {
    name: String,
    started: Instant,
}

impl Step {
    /// Announces a step.
    pub fn start(name: impl Into<String>) -> Self {
        let step = Self { name: name.into(), started: Instant::now() };
        if let Ok(mut open) = OPEN.lock() {
            open.push(Open { name: step.name.clone(), started: step.started, detail: String::new() });
        }
        if std::io::stderr().is_terminal() {
            progress("");
            keep_showing();
        } else {
            let _ = writeln!(std::io::stderr(), "  ...  {}", step.name);
        }
        step
    }

    /// Ends the step; `outcome` is a short word such as `done` or `unchanged`.
    pub fn end(self, outcome: &str) {
        self.close();
        note(&format!("{outcome:>10}  {} ({:.1} s)", self.name, self.started.elapsed().as_secs_f64()));
    }

    fn close(&self) {
        if let Ok(mut open) = OPEN.lock() {
            open.retain(|step| step.name != self.name || step.started != self.started);
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.close();
    }
}

/// On a terminal, shows the innermost step anew, with how long it has taken and a detail; elsewhere nothing.
pub fn progress(detail: &str) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let Ok(mut open) = OPEN.lock() else { return };
    if let Some(step) = open.last_mut() {
        detail.clone_into(&mut step.detail);
        show(step);
    }
}

/// Shows the innermost step anew every second: most steps wait for another program and have nothing to tell meanwhile.
fn keep_showing() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without the thread the line keeps its first state, which is no reason to fail.
        let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(|| {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let Ok(open) = OPEN.lock() else { return };
                if let Some(step) = open.last() {
                    show(step);
                }
            }
        });
    });
}

fn show(step: &Open) {
    let mut error = std::io::stderr();
    let _ = write!(error, "\r\x1b[K{}", progress_line(&step.name, step.started.elapsed(), &step.detail));
    let _ = error.flush();
}

fn progress_line(name: &str, took: Duration, detail: &str) -> String {
    let line = match took.as_secs() {
        0 => format!("  ...  {name}"),
        seconds => format!("  ...  {name} ({seconds} s)  {detail}"),
    };
    line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(WIDTH).collect()
}

/// Prints one plain line beside the progress.
pub fn note(line: &str) {
    let _lock = OPEN.lock();
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ = write!(error, "\r\x1b[K");
    }
    let _ = writeln!(error, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_line_is_one_line_of_limited_width() {
        assert_eq!(progress_line("build", Duration::ZERO, "x"), "  ...  build");
        assert_eq!(progress_line("build", Duration::from_secs(3), "a\tb\n"), "  ...  build (3 s)  a b ");
        assert_eq!(progress_line("build", Duration::from_secs(3), &"x".repeat(500)).len(), WIDTH);
    }
}
