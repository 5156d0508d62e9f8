//! Zig, whose C compiler and linker know every version of the C libraries, and cargo-zigbuild, which lends them to Cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Tool, Toolbox};
use crate::target::Target;
use crate::{Result, console, run};

/// The packages of Python's registry that hold both programs.
const PACKAGES: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];

/// Both programs, in a folder of their own.
#[derive(Clone, Debug)]
pub struct Zig {
    root: PathBuf,
}

impl Zig {
    /// What was fetched into `cache` before, or else, where that is `allowed`, is fetched now (about 440 MB unpacked).
    ///
    /// # Errors
    /// When they cannot be had: the command that fetches them.
    pub fn find(toolbox: &mut Toolbox, cache: &Path, allowed: bool) -> Result<Self> {
        let zig = Self { root: cache.join(PACKAGES.join("-").replace("==", "-")) };
        if zig.is_complete() {
            return Ok(zig);
        }
        let absence = |reason: &str| {
            format!(
                "zig and cargo-zigbuild are missing ({reason})\n    everywhere: python3 -m pip install --target {} {}",
                zig.root.display(),
                PACKAGES.join(" ")
            )
        };
        if !allowed {
            return Err(absence("they may not be fetched").into());
        }
        let python = toolbox.require(Tool::Python)?;
        console::note(&format!("fetching {} from Python's registry, about 440 MB unpacked", PACKAGES.join(" and ")));
        let mut install = Command::new(python);
        install.args(["-m", "pip", "install", "--quiet", "--no-input", "--no-deps", "--target"]).arg(&zig.root);
        run::output(install.args(PACKAGES)).map_err(|error| absence(&error.to_string()))?;
        if zig.is_complete() { Ok(zig) } else { Err(absence("the packages hold another layout").into()) }
    }

    fn is_complete(&self) -> bool {
        self.program().is_file() && self.root.join("bin/cargo-zigbuild").is_file()
    }

    fn program(&self) -> PathBuf {
        self.root.join("ziglang/zig")
    }

    /// `cargo-zigbuild`, to be given a subcommand and arguments of Cargo's.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(self.root.join("bin/cargo-zigbuild"));
        command.env("CARGO_ZIGBUILD_ZIG_PATH", self.program());
        command
    }

    /// Writes a program to `file` that compiles C for the target, as others expect a compiler to be one word.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn compiler(&self, target: &Target, file: &Path) -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let script = format!("#!/bin/sh\nexec \"{}\" cc -target {} \"$@\"\n", self.program().display(), name(target));
        std::fs::write(file, script)?;
        Ok(std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))?)
    }
}

/// The target in cargo-zigbuild's words: the triple, with the version of glibc behind it.
pub fn triple(target: &Target) -> String {
    match target.libc.as_ref().filter(|libc| libc.name == "glibc") {
        Some(libc) => format!("{}.{}", target.triple, libc.floor),
        None => target.triple.clone(),
    }
}

/// The target in zig's words, which name no vendor.
fn name(target: &Target) -> String {
    triple(target).replacen("-unknown-", "-", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::tools::Missing;

    #[test]
    fn the_floor_is_part_of_the_name() {
        let target = |classifier| Target::named(classifier).expect("known");
        assert_eq!(name(target("linux-x86_64")), "x86_64-linux-gnu.2.17");
        assert_eq!(triple(target("linux-aarch_64")), "aarch64-unknown-linux-gnu.2.17");
        assert_eq!(name(target("linux-x86_64-musl")), "x86_64-linux-musl");
    }

    #[test]
    fn what_is_missing_is_named_with_its_remedy() {
        let scratch = Scratch::new("zig");
        let error = Zig::find(&mut Toolbox::new(Missing::Report), scratch.path(), false).expect_err("not there");
        assert!(error.to_string().contains("pip install --target"), "{error}");
    }
}
