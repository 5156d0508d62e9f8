//! Finding a JDK: JAVA_HOME if it is new enough, else the newest on PATH and in the usual folders.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::version;

/// The oldest JDK that has the final foreign function API.
pub const JDK_FLOOR: u32 = 22;

/// An installed JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// What JAVA_HOME is set to.
    pub home: PathBuf,
    /// Its version, such as `25.0.3`.
    pub version: String,
}

impl Jdk {
    /// A program of the JDK.
    pub fn program(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }
}

/// The JDK to use: the one that JAVA_HOME names, unless it is too old, else the newest.
pub fn find() -> Option<Jdk> {
    choose(std::env::var_os("JAVA_HOME").map(PathBuf::from), &homes())
}

fn choose(named: Option<PathBuf>, homes: &[PathBuf]) -> Option<Jdk> {
    newest(named.as_slice()).or_else(|| newest(homes))
}

/// Every directory that may be a JDK's home, without looking into it.
fn homes() -> Vec<PathBuf> {
    let mut homes = Vec::new();
    if let Some(java) = super::on_path("javac").and_then(|javac| javac.canonicalize().ok()) {
        homes.extend(java.ancestors().nth(2).map(Path::to_path_buf));
    }
    let mut folders = vec![PathBuf::from("/usr/lib/jvm"), PathBuf::from("/usr/java"), PathBuf::from("/opt")];
    if let Some(user) = std::env::var_os("HOME").map(PathBuf::from) {
        folders.push(user.join(".sdkman/candidates/java"));
        folders.push(user.join(".jdks"));
        folders.push(user.join("Library/Java/JavaVirtualMachines"));
    }
    folders.push(PathBuf::from("/Library/Java/JavaVirtualMachines"));
    folders.push(PathBuf::from("/opt/homebrew/opt"));
    folders.push(PathBuf::from("/usr/local/opt"));
    for folder in folders {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            homes.push(entry.path());
            homes.push(entry.path().join("Contents/Home"));
            homes.push(entry.path().join("libexec/openjdk.jdk/Contents/Home"));
        }
    }
    homes
}

/// The newest JDK of at least the floor among `homes`; of equals the first.
fn newest(homes: &[PathBuf]) -> Option<Jdk> {
    let mut best: Option<Jdk> = None;
    for home in homes {
        let Some(jdk) = inspect(home) else { continue };
        if version::major(&jdk.version).is_none_or(|major| major < JDK_FLOOR) {
            continue;
        }
        let newer = best.as_ref().is_none_or(|known| version::numbers(&jdk.version) > version::numbers(&known.version));
        if newer {
            best = Some(jdk);
        }
    }
    best
}

/// The JDK at `home`, by its `release` file, else by `java -version`; a run-time image without a compiler is none.
fn inspect(home: &Path) -> Option<Jdk> {
    if !super::is_executable(&home.join("bin/javac")) {
        return None;
    }
    let version = std::fs::read_to_string(home.join("release"))
        .ok()
        .and_then(|text| release_version(&text))
        .or_else(|| reported_version(home))?;
    Some(Jdk { home: home.to_path_buf(), version })
}

fn release_version(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let version = line.trim().trim_matches('"');
    (!version.is_empty()).then(|| version.to_owned())
}

fn reported_version(home: &Path) -> Option<String> {
    let output = Command::new(home.join("bin/java")).arg("-version").stdin(Stdio::null()).output().ok()?;
    quoted_version(&String::from_utf8_lossy(&output.stderr))
}

fn quoted_version(text: &str) -> Option<String> {
    text.split('"').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::os::unix::fs::PermissionsExt;

    fn jdk(folder: &Path, name: &str, release: Option<&str>, banner: &str) -> PathBuf {
        let home = folder.join(name);
        std::fs::create_dir_all(home.join("bin")).expect("made");
        for program in ["java", "javac"] {
            let file = home.join("bin").join(program);
            std::fs::write(&file, format!("#!/bin/sh\necho '{banner}' >&2\n")).expect("written");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("set");
        }
        if let Some(version) = release {
            std::fs::write(home.join("release"), format!("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"{version}\"\n"))
                .expect("written");
        }
        home
    }

    #[test]
    fn the_newest_wins_and_old_ones_are_passed_over() {
        let scratch = Scratch::new("jdk");
        let old = jdk(scratch.path(), "old", Some("17.0.15"), "");
        let new = jdk(scratch.path(), "new", Some("25.0.3"), "");
        let middle = jdk(scratch.path(), "middle", Some("24.0.1"), "");
        assert_eq!(newest(&[old.clone(), middle, new.clone()]).map(|jdk| jdk.home), Some(new));
        assert_eq!(newest(&[old]), None);
    }

    #[test]
    fn the_named_one_wins_unless_it_is_too_old() {
        let scratch = Scratch::new("jdk-named");
        let old = jdk(scratch.path(), "old", Some("17.0.15"), "");
        let named = jdk(scratch.path(), "named", Some("22"), "");
        let newest = jdk(scratch.path(), "newest", Some("25.0.3"), "");
        let home = |named: Option<&PathBuf>| choose(named.cloned(), std::slice::from_ref(&newest)).map(|jdk| jdk.home);
        assert_eq!(home(Some(&named)), Some(named));
        assert_eq!(home(Some(&old)), Some(newest.clone()));
        assert_eq!(home(None), Some(newest.clone()));
    }

    #[test]
    fn without_a_release_file_java_is_asked() {
        let scratch = Scratch::new("jdk-asked");
        let home = jdk(scratch.path(), "plain", None, "openjdk version \"23.0.2\" 2025-01-21");
        assert_eq!(newest(std::slice::from_ref(&home)), Some(Jdk { home, version: "23.0.2".to_owned() }));
    }

    #[test]
    fn a_run_time_image_is_no_jdk() {
        let scratch = Scratch::new("jre");
        let home = jdk(scratch.path(), "jre", Some("25.0.3"), "");
        std::fs::remove_file(home.join("bin/javac")).expect("removed");
        assert_eq!(newest(&[home]), None);
    }

    #[test]
    fn version_texts_are_read() {
        assert_eq!(release_version("JAVA_VERSION=\"22\"\n").as_deref(), Some("22"));
        assert_eq!(release_version("OS_ARCH=\"x86_64\"\n"), None);
        assert_eq!(quoted_version("openjdk version \"1.8.0_412\"").as_deref(), Some("1.8.0_412"));
    }
}
