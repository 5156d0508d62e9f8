//! `cargo stage`: builds the artifacts into `target/stage/` and checks each of them.

mod compile;
mod development;
mod inspect;
mod jar;
mod link;
mod metadata;
mod rules;
mod stamp;

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

pub use inspect::Shared;
pub use metadata::Metadata;
pub use rules::Violation;

use crate::console::{self, Step};
use crate::project::Project;
use crate::target::{Build, Libc, Std, Target};
use crate::tools::Toolbox;
use crate::tools::zig::Zig;
use crate::{Result, bill, exports};
use compile::Flavour;

/// SONAME of the shared library and its file name in the stage.
pub const SONAME: &str = "libferronet.so.1";

/// How the stage is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Nothing is fetched: Cargo works from what is vendored or cached.
    pub offline: bool,
}

/// Where the artifacts are.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The stage directory.
    pub root: PathBuf,
    /// What was built for.
    pub target: &'static Target,
}

impl Staged {
    /// The stage of `project`, built or not.
    ///
    /// # Errors
    /// When Ferronet has no artifacts for this platform.
    pub fn of(project: &Project) -> Result<Self> {
        Ok(Self { root: project.stage(), target: Target::host()? })
    }

    /// The stripped shared library.
    pub fn shared(&self) -> PathBuf {
        self.root.join("lib").join(SONAME)
    }

    /// What is in the shared library.
    ///
    /// # Errors
    /// When it is missing or cannot be read.
    pub fn contents(&self) -> Result<Shared> {
        inspect::shared(&self.shared())
    }

    /// The localised static library.
    pub fn archive(&self) -> PathBuf {
        self.root.join("lib/libferronet.a")
    }

    /// The shared library with test hooks, which never ships.
    pub fn hooks(&self) -> PathBuf {
        self.root.join("hooks/lib").join(SONAME)
    }
}

/// Builds for the host, with its own tools, what is out of date, then checks everything.
///
/// # Errors
/// When a tool is missing, a build fails, or an artifact breaks a rule.
pub fn stage(project: &Project, toolbox: &mut Toolbox, options: Options) -> Result<Staged> {
    let staged = Staged::of(project)?;
    let _lock = begin(project)?;
    let header = project.header("ferronet.h");
    let names = exports::read(&project.header("exports.txt"))?;
    let linker = link::Linker::find(toolbox)?;

    let release = compile::archive(project, Flavour::Release, options)?;
    let hooked = compile::archive(project, Flavour::Hooks, options)?;

    let mut inputs =
        vec![release.clone(), hooked.clone(), header, project.header("exports.txt"), project.root.join("Cargo.lock")];
    inputs.extend(development::texts(project));
    let stamp = stamp::Stamp::of(&inputs)?;
    let record = staged.root.join(".stamp");
    if stamp.matches(&record, &staged.root) {
        Step::start("stage").end("unchanged");
        return Ok(staged);
    }

    let fresh = project.target.join("stage.new");
    remove(&fresh)?;
    let building = Staged { root: fresh.clone(), target: staged.target };
    build(project, &building, &linker, &names, &release, Some(&hooked), options)?;
    check_all(&building, &names, None)?;
    if let Some(libc) = inspect::shared(&building.shared())?.libc() {
        console::note(&format!("the library is built with this system's compiler, and needs {libc} or newer"));
    }

    remove(&staged.root)?;
    std::fs::rename(&fresh, &staged.root)?;
    stamp.write(&record, &staged.root)?;
    Ok(staged)
}

/// Builds for a target of the table with zig, for the oldest C library that the table names, into
/// `target/stage-CLASSIFIER`. Nothing with test hooks is built.
///
/// # Errors
/// When the target cannot be built here, a tool is missing, a build fails, or an artifact breaks a rule.
pub fn stage_for(
    project: &Project,
    toolbox: &mut Toolbox,
    options: Options,
    target: &'static Target,
) -> Result<Staged> {
    if target.build != Build::Zig || target.std != Std::Installed {
        return Err(format!(
            "{} cannot be built here yet: cargo stage has zig's compiler for targets whose standard library comes with the Rust toolchain; packaging/targets.toml has its recipe",
            target.classifier
        )
        .into());
    }
    let staged = Staged { root: project.target.join(format!("stage-{}", target.classifier)), target };
    let _lock = begin(project)?;
    let names = exports::read(&project.header("exports.txt"))?;
    let allowed = toolbox.may_install() && !options.offline;
    let zig = Zig::find(toolbox, &project.target.join("tools"), allowed)?;
    let release = compile::with_zig(project, target, &zig, options)?;

    let fresh = project.target.join("stage.new");
    remove(&fresh)?;
    std::fs::create_dir_all(&fresh)?;
    let compiler = fresh.join("cc");
    zig.compiler(target, &compiler)?;
    let linker = link::Linker::zig(toolbox, compiler.clone())?;
    let building = Staged { root: fresh.clone(), target };
    build(project, &building, &linker, &names, &release, None, options)?;
    std::fs::remove_file(compiler)?;
    check_all(&building, &names, target.libc.as_ref())?;
    remove(&staged.root)?;
    std::fs::rename(&fresh, &staged.root)?;
    Ok(staged)
}

/// What every stage begins with: nobody else builds one, and the system can.
fn begin(project: &Project) -> Result<Lock> {
    std::fs::create_dir_all(&project.target)?;
    let lock = Lock::take(&project.target.join("stage.lock"))?;
    if !cfg!(target_os = "linux") {
        return Err("cargo stage re-links with the GNU tools and so far runs on Linux only".into());
    }
    let header = project.header("ferronet.h");
    if !header.is_file() {
        return Err(format!("{} is missing: the header is part of the stage", header.display()).into());
    }
    Ok(lock)
}

fn check_all(building: &Staged, names: &BTreeSet<String>, floor: Option<&Libc>) -> Result<()> {
    let step = Step::start("check the artifacts");
    let violations = rules::check(building, names, floor)?;
    if violations.is_empty() {
        step.end("done");
        return Ok(());
    }
    step.end("FAILED");
    let list: Vec<String> = violations.iter().map(Violation::to_string).collect();
    Err(format!("the artifacts break {} rules:\n  {}", list.len(), list.join("\n  ")).into())
}

/// Checks a stage that was built before against the rules; returns what breaks them.
///
/// # Errors
/// When an artifact is missing or cannot be read.
pub fn check(project: &Project) -> Result<Vec<Violation>> {
    let names = exports::read(&project.header("exports.txt"))?;
    rules::check(&Staged::of(project)?, &names, None)
}

fn build(
    project: &Project,
    staged: &Staged,
    linker: &link::Linker,
    names: &BTreeSet<String>,
    release: &Path,
    hooked: Option<&Path>,
    options: Options,
) -> Result<()> {
    let step = Step::start("re-link the shared library");
    for directory in ["lib", "include"] {
        std::fs::create_dir_all(staged.root.join(directory))?;
    }
    let work = staged.root.join("work");
    std::fs::create_dir_all(&work)?;
    linker.shared(release, &staged.shared(), &exports::version_script(names, false), &work)?;
    linker.strip(&staged.shared())?;
    std::os::unix::fs::symlink(SONAME, staged.root.join("lib/libferronet.so"))?;
    if let Some(hooked) = hooked {
        std::fs::create_dir_all(staged.root.join("hooks/lib"))?;
        linker.shared(hooked, &staged.hooks(), &exports::version_script(names, true), &work)?;
    }
    step.end("done");

    let step = Step::start("localise the static library");
    linker.localise(release, &staged.archive(), &exports::of_archive(names), &work)?;
    step.end("done");

    let step = Step::start("lay out the development tree and the native jar");
    std::fs::copy(project.header("ferronet.h"), staged.root.join("include/ferronet.h"))?;
    let metadata = Metadata::of_library(&staged.shared())?;
    development::write(project, staged, &metadata)?;
    jar::write(project, staged, &metadata)?;
    bill(project, staged, options)?;
    std::fs::remove_dir_all(&work)?;
    step.end("done");
    Ok(())
}

/// Adds what the native jars say of the code of others in them.
fn bill(project: &Project, staged: &Staged, options: Options) -> Result<()> {
    let target = staged.target;
    let fixed = target.static_classifier();
    let roots = [&target.classifier, &fixed].map(|classifier| staged.root.join("native").join(classifier));
    let jars = [
        bill::Jar { root: &roots[0], classifier: &target.classifier, library: &target.library },
        bill::Jar { root: &roots[1], classifier: &fixed, library: jar::ARCHIVE },
    ];
    bill::write(project, &target.triple, options.offline, &jars)
}

/// Held while a stage is built, so that two tools do not build it at the same time.
struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    /// Waits until no other process holds the lock at `path`.
    fn take(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        // SAFETY: flock has no memory precondition; the descriptor is open.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) } != 0 {
            return Err(format!("{}: {}", path.display(), std::io::Error::last_os_error()).into());
        }
        Ok(Self(file))
    }
}

fn remove(directory: &Path) -> Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", directory.display()).into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_second_holder_waits_for_the_first() {
        let scratch = Scratch::new("lock");
        let path = scratch.path().join("lock");
        let first = Lock::take(&path).expect("free");
        let released = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _second = Lock::take(&path).expect("free in the end");
                assert!(released.load(Ordering::SeqCst));
            });
            std::thread::sleep(std::time::Duration::from_millis(100));
            released.store(true, Ordering::SeqCst);
            drop(first);
        });
    }
}
