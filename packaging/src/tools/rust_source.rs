//! The source of Rust's standard library, for checking targets whose compiled one is not installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, console, run};

/// Distributions of Debian that have carried source packages of recent compilers.
const DISTRIBUTIONS: &[&str] = &["trixie-backports", "unstable"];

/// The directory `library` of the source that belongs to the compiler in use: rustup's, or one fetched before, or else,
/// where that is `allowed`, one fetched from Debian into `cache`.
///
/// # Errors
/// When it cannot be had: how to install it.
pub fn library(cache: &Path, allowed: bool) -> Result<PathBuf> {
    let sysroot = run::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let own = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library");
    if own.join("Cargo.toml").is_file() {
        return Ok(own);
    }
    let version = run::output(Command::new("rustc").arg("--version"))?;
    let version = super::version::first(&version).ok_or("rustc names no version")?;
    let fetched = cache.join(format!("usr/src/rustc-{version}/library"));
    if fetched.join("Cargo.toml").is_file() {
        return Ok(fetched);
    }
    let reason = match allowed {
        false => "it may not be fetched".to_owned(),
        true => match fetch(&version, cache) {
            Ok(()) if fetched.join("Cargo.toml").is_file() => return Ok(fetched),
            Ok(()) => "the package holds another layout".to_owned(),
            Err(error) => error.to_string(),
        },
    };
    Err(format!(
        "the source of Rust's standard library {version} is missing ({reason})\n    everywhere: rustup component add rust-src"
    )
    .into())
}

/// Fetches the package into `cache`, through lists of its own: the system's are left alone.
fn fetch(version: &str, cache: &Path) -> Result<()> {
    let archive = archive()?;
    let apt = cache.join("apt");
    for directory in ["lists/partial", "archives/partial"] {
        std::fs::create_dir_all(apt.join(directory))?;
    }
    let sources = apt.join("sources.list");
    for distribution in DISTRIBUTIONS {
        console::note(&format!("looking for the source of Rust's standard library {version} in Debian {distribution}"));
        std::fs::write(&sources, format!("deb {archive} {distribution} main\n"))?;
        if run::output(tool("apt-get", &apt).arg("update")).is_err() {
            continue;
        }
        let known = run::output(tool("apt-cache", &apt).args(["madison", "rust-src"]))?;
        let Some(package) = package_of(&known, version) else { continue };
        run::output(tool("apt-get", &apt).current_dir(&apt).args(["download", &format!("rust-src={package}")]))?;
        let file =
            apt.read_dir()?.flatten().map(|entry| entry.path()).find(|path| path.extension() == Some("deb".as_ref()));
        let file = file.ok_or("apt-get downloaded no package")?;
        run::output(Command::new("dpkg-deb").arg("-x").arg(&file).arg(cache))?;
        return Ok(std::fs::remove_dir_all(&apt)?);
    }
    Err(format!("Debian has no rust-src {version} in {}", DISTRIBUTIONS.join(" or ")).into())
}

/// The archive that the system's own package lists come from.
fn archive() -> Result<String> {
    let listed = run::output(Command::new("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    listed
        .lines()
        .map(|line| line.trim_end_matches('/'))
        .find(|line| line.ends_with("/debian"))
        .map(str::to_owned)
        .ok_or_else(|| "this system takes no packages from Debian".into())
}

fn tool(program: &str, apt: &Path) -> Command {
    let mut command = Command::new(program);
    for (option, path) in [
        ("Dir::State::lists", "lists"),
        ("Dir::Cache::archives", "archives"),
        ("Dir::Cache::pkgcache", "pkgcache.bin"),
        ("Dir::Cache::srcpkgcache", "srcpkgcache.bin"),
        ("Dir::Etc::sourcelist", "sources.list"),
        ("Dir::Etc::sourceparts", "none"),
    ] {
        command.arg("-o").arg(format!("{option}={}", apt.join(path).display()));
    }
    command
}

/// The package version for a compiler's version, in what `apt-cache madison` prints.
fn package_of(madison: &str, version: &str) -> Option<String> {
    let column = madison.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim);
    column.into_iter().find(|package| package.starts_with(&format!("{version}+"))).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_of_the_same_version_is_taken() {
        let madison = " rust-src | 1.97.1+dfsg1-1~bpo13+1 | mirror trixie-backports/main amd64 Packages\n \
                       rust-src | 1.95.0+dfsg1-2~bpo13+1 | mirror trixie-backports/main amd64 Packages\n";
        assert_eq!(package_of(madison, "1.95.0").as_deref(), Some("1.95.0+dfsg1-2~bpo13+1"));
        assert_eq!(package_of(madison, "1.95"), None);
        assert_eq!(package_of("", "1.95.0"), None);
    }
}
