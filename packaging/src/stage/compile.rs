//! Compiling the crate `ferronet` into the static library that every shipped form comes from.
//!
//! Naming several crate types in one build makes Cargo drop link-time optimisation silently, so exactly one is named.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Options;
use crate::console::Step;
use crate::project::Project;
use crate::target::Target;
use crate::tools::zig::{self, Zig};
use crate::{Result, run};

/// Which build of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// What ships: release profile.
    Release,
    /// What tests inject faults into: development profile, feature `test-hooks`.
    Hooks,
}

impl Flavour {
    fn profile(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Hooks => "debug",
        }
    }

    /// Options for AWS-LC's C compiler, which stand behind its own. Its time is spent in assembly, so that -O3 only makes the
    /// rest larger, but for a few loops over the bytes of a record. Nothing unwinds through C: a panic ends at the boundary,
    /// and C calls no Rust; profilers have the frame pointers.
    fn c_flags(self) -> Option<&'static str> {
        (self == Self::Release).then_some(concat!(
            "-O2 -ftree-vectorize -falign-functions=1 -fno-align-jumps -fno-align-loops ",
            "-fno-asynchronous-unwind-tables"
        ))
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Release => &["--release"],
            Self::Hooks => &["--features", "test-hooks"],
        }
    }
}

/// The same for zig's compiler, which is clang: it vectorises at -O2 by itself, and its warning about an option that it does not
/// know would make AWS-LC's build believe that the system lacks `linux/random.h`.
const ZIG_C_FLAGS: &str = "-O2 -fno-asynchronous-unwind-tables";

/// Builds the static library and returns its path. Cargo decides whether there is anything to do.
pub(super) fn archive(project: &Project, flavour: Flavour, options: Options) -> Result<PathBuf> {
    let step = Step::start(format!("compile ferronet ({})", flavour.profile()));
    let cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let directory = project.target.join("stage-build");
    compile(cargo, project, (flavour, flavour.c_flags()), options, &directory, &[])?;
    step.end("done");
    Ok(directory.join(flavour.profile()).join("libferronet.a"))
}

/// Builds the static library that ships for a target with zig, and returns its path.
pub(super) fn with_zig(project: &Project, target: &Target, zig: &Zig, options: Options) -> Result<PathBuf> {
    let step = Step::start(format!("compile ferronet for {}", zig::triple(target)));
    let directory = project.target.join("stage-zig");
    let features = target.features.join(",");
    let arguments = ["--target", &zig::triple(target), "--no-default-features", "--features", &features];
    compile(zig.cargo(), project, (Flavour::Release, Some(ZIG_C_FLAGS)), options, &directory, &arguments)?;
    step.end("done");
    Ok(directory.join(&target.triple).join(Flavour::Release.profile()).join("libferronet.a"))
}

fn compile(
    mut command: Command,
    project: &Project,
    (flavour, c_flags): (Flavour, Option<&str>),
    options: Options,
    directory: &Path,
    arguments: &[&str],
) -> Result<()> {
    command
        .current_dir(&project.root)
        .args(["rustc", "--quiet", "--locked", "--package", "ferronet", "--lib", "--crate-type", "staticlib"])
        .args(flavour.arguments())
        .args(arguments)
        .arg("--target-dir")
        .arg(directory)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(project))
        .env_remove("RUSTFLAGS")
        .envs(c_flags.map(|flags| ("AWS_LC_SYS_CFLAGS", flags)))
        .stdin(Stdio::null());
    if options.offline {
        command.arg("--offline");
    }
    run::output(&mut command).map(drop)
}

/// Keeps the paths of this machine out of the library, so that two builds in two directories are equal.
fn flags(project: &Project) -> String {
    let mut flags = vec![format!("--remap-path-prefix={}=ferronet", project.root.display())];
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    if let Some(home) = home {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
    }
    flags.join("\u{1f}")
}
