//! Progress: one rewritten line on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};
use std::time::Instant;

/// A step that is being carried out; shows its name at once and its duration at the end.
pub struct Step {
    name: String,
    started: Instant,
}

impl Step {
    /// Announces a step.
    pub fn start(name: impl Into<String>) -> Self {
        let name = name.into();
        let mut error = std::io::stderr();
        if error.is_terminal() {
            let _ = write!(error, "\r\x1b[K  ...  {name}");
            let _ = error.flush();
        } else {
            let _ = writeln!(error, "  ...  {name}");
        }
        Self { name, started: Instant::now() }
    }

    /// Ends the step; `outcome` is a short word such as `done` or `unchanged`.
    pub fn end(self, outcome: &str) {
        let seconds = self.started.elapsed().as_secs_f64();
        let line = format!("{outcome:>10}  {} ({seconds:.1} s)", self.name);
        clear();
        note(&line);
    }
}

/// Prints one plain line beside the progress.
pub fn note(line: &str) {
    clear();
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn clear() {
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ = write!(error, "\r\x1b[K");
    }
}
