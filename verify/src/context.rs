//! What a suite works with: the project, the tools, a log and a time limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use ferronet_packaging::project::Project;
use ferronet_packaging::stage::{self, Staged};
use ferronet_packaging::tools::{Jdk, Tool, Toolbox};
use ferronet_packaging::{Result, console, run};

/// The process group that is running for a suite, 0 for none.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// What all suites of one run share.
pub struct Session {
    /// The source tree.
    pub project: Project,
    /// The tools found so far.
    pub toolbox: Toolbox,
    /// Nothing is fetched.
    pub offline: bool,
    /// The long parts run too.
    pub full: bool,
    staged: Option<Staged>,
}

impl Session {
    /// A session in which nothing has been staged yet.
    pub fn new(project: Project, toolbox: Toolbox, offline: bool, full: bool) -> Self {
        Self { project, toolbox, offline, full, staged: None }
    }
}

/// What one suite works with.
pub struct Context<'a> {
    /// The run that the suite belongs to.
    pub session: &'a mut Session,
    log: PathBuf,
    deadline: Instant,
}

/// A command that came to its end.
pub struct Ran {
    /// Whether it reported success.
    pub success: bool,
    /// What it wrote to both outputs, in order.
    pub output: String,
}

impl<'a> Context<'a> {
    /// A context with an empty log at `log`, whose commands must end within `limit`.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn new(session: &'a mut Session, log: PathBuf, limit: Duration) -> Result<Self> {
        File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        Ok(Self { session, log, deadline: Instant::now() + limit })
    }

    /// The source tree.
    pub fn project(&self) -> &Project {
        &self.session.project
    }

    /// Whether the long parts run too.
    pub fn full(&self) -> bool {
        self.session.full
    }

    /// The suite's log.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// The path of a tool that the suite cannot do without.
    ///
    /// # Errors
    /// When it is missing: how to install it.
    pub fn tool(&mut self, tool: Tool) -> Result<PathBuf> {
        Ok(self.session.toolbox.require(tool)?)
    }

    /// The JDK.
    ///
    /// # Errors
    /// As `tool`.
    pub fn jdk(&mut self) -> Result<Jdk> {
        Ok(self.session.toolbox.jdk()?)
    }

    /// The path of a tool that only some tests need.
    pub fn optional(&mut self, tool: Tool) -> Option<PathBuf> {
        self.session.toolbox.require(tool).ok()
    }

    /// The staged artifacts, built when they are out of date.
    ///
    /// # Errors
    /// When they cannot be built or break a rule.
    pub fn staged(&mut self) -> Result<Staged> {
        if let Some(staged) = &self.session.staged {
            return Ok(staged.clone());
        }
        let options = stage::Options { offline: self.session.offline };
        let staged = stage::stage(&self.session.project, &mut self.session.toolbox, options)?;
        self.session.staged = Some(staged.clone());
        Ok(staged)
    }

    /// Cargo itself, in the source tree.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.project().root).env("CARGO_TERM_COLOR", "never");
        // The tests count a refused io_uring as a failure, whatever the caller allows himself.
        command.env_remove("FERRONET_ALLOW_NO_IO_URING");
        if self.session.offline {
            command.env("CARGO_NET_OFFLINE", "true");
        }
        command
    }

    /// Runs a command to its end, with both outputs in the log; at the time limit its process group is killed.
    ///
    /// # Errors
    /// When it cannot be started or does not end in time.
    pub fn run(&self, command: &mut Command) -> Result<Ran> {
        let mut file = File::options().append(true).open(&self.log)?;
        let shown = run::describe(command);
        writeln!(file, "$ {shown}")?;
        let start = usize::try_from(file.metadata()?.len())?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start {shown}: {error}"))?;
        let group = i32::try_from(child.id())?;
        GROUP.store(group, Ordering::SeqCst);
        let mut shown_at = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if Instant::now() > self.deadline {
                // SAFETY: kill has no memory precondition; the group's leader is our child, not waited for yet.
                unsafe { libc::kill(-group, libc::SIGKILL) };
                child.wait()?;
                break None;
            }
            if shown_at.elapsed() > Duration::from_secs(1) {
                shown_at = Instant::now();
                console::progress(&last_line(&self.log));
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        GROUP.store(0, Ordering::SeqCst);
        let Some(status) = status else {
            return Err(format!("{shown}: killed at the suite's time limit").into());
        };
        let text = std::fs::read(&self.log)?;
        let output = String::from_utf8_lossy(&text[start.min(text.len())..]).into_owned();
        Ok(Ran { success: status.success(), output })
    }

    /// How long the suite may still take.
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Writes a remark to the log.
    pub fn remark(&self, text: &str) {
        if let Ok(mut file) = File::options().append(true).open(&self.log) {
            let _ = writeln!(file, "{text}");
        }
    }
}

/// The last line that a log holds so far.
fn last_line(log: &Path) -> String {
    let mut end = Vec::new();
    let read = File::open(log).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(400)))?;
        file.read_to_end(&mut end)
    });
    match read {
        Ok(_) => String::from_utf8_lossy(&end).trim_end().lines().last().unwrap_or_default().trim().to_owned(),
        Err(_) => String::new(),
    }
}

/// Makes an interrupt end the commands of the running suite, too.
///
/// # Errors
/// When the system refuses the handler.
pub fn end_commands_on_interrupt() -> Result<()> {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let handler = interrupted as extern "C" fn(libc::c_int);
        // SAFETY: the handler loads an atomic and calls kill and _exit, all of which may be done in a handler.
        if unsafe { libc::signal(signal, handler as libc::sighandler_t) } == libc::SIG_ERR {
            return Err(std::io::Error::last_os_error().into());
        }
    }
    Ok(())
}

extern "C" fn interrupted(signal: libc::c_int) {
    let group = GROUP.load(Ordering::SeqCst);
    // SAFETY: the group is led by our own child; _exit never returns and runs no destructor.
    unsafe {
        if group > 0 {
            libc::kill(-group, libc::SIGTERM);
        }
        libc::_exit(128 + signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferronet_packaging::scratch::Scratch;
    use ferronet_packaging::tools::Missing;

    fn session() -> Session {
        Session::new(Project::locate().expect("inside"), Toolbox::new(Missing::Report), true, false)
    }

    #[test]
    fn a_command_leaves_its_output_in_the_log_and_in_the_result() {
        let scratch = Scratch::new("context");
        let mut session = session();
        let log = scratch.path().join("suite.log");
        let context = Context::new(&mut session, log.clone(), Duration::from_secs(20)).expect("writable");
        context.run(Command::new("sh").args(["-c", "echo first"])).expect("started");
        let ran = context.run(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 1"])).expect("started");
        assert!(!ran.success);
        assert_eq!(ran.output, "out\nerr\n");
        let text = std::fs::read_to_string(&log).expect("written");
        assert!(text.contains("$ sh -c echo first\nfirst\n"), "{text}");
        assert_eq!(last_line(&log), "err");
    }

    #[test]
    fn a_command_that_hangs_is_killed_with_its_children() {
        let scratch = Scratch::new("limit");
        let mut session = session();
        let context =
            Context::new(&mut session, scratch.path().join("suite.log"), Duration::from_millis(200)).expect("writable");
        let started = Instant::now();
        let outcome = context.run(Command::new("sh").args(["-c", "sleep 30 & wait"]));
        assert!(outcome.is_err_and(|error| error.to_string().contains("time limit")));
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
