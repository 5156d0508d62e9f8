//! Names of the target that is built for.

use crate::Result;

/// One target platform under its different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Rust's triple.
    pub triple: &'static str,
    /// Maven classifier, in the words of os-maven-plugin.
    pub classifier: &'static str,
    /// File name of the shared library inside a jar.
    pub library: &'static str,
}

/// Every target with a name of its own.
pub const TARGETS: &[Target] = &[
    Target { triple: "x86_64-unknown-linux-gnu", classifier: "linux-x86_64", library: "libferronet.so" },
    Target { triple: "aarch64-unknown-linux-gnu", classifier: "linux-aarch_64", library: "libferronet.so" },
    Target { triple: "aarch64-apple-darwin", classifier: "osx-aarch_64", library: "libferronet.dylib" },
];

impl Target {
    /// The package and module of the target's service class.
    pub fn java_package(&self) -> String {
        format!("io.ferronet.natives.{}", self.classifier.replace('-', "."))
    }

    /// The target that the tools themselves run on.
    ///
    /// # Errors
    /// When Ferronet has no artifacts for this platform.
    pub fn host() -> Result<&'static Self> {
        let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
        TARGETS
            .iter()
            .find(|target| target.triple.starts_with(architecture) && names_system(target.triple, system))
            .ok_or_else(|| format!("no artifacts are built for {architecture} {system}").into())
    }
}

fn names_system(triple: &str, system: &str) -> bool {
    match system {
        "macos" => triple.ends_with("apple-darwin"),
        _ => triple.contains(system),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifiers_are_unique() {
        for (index, target) in TARGETS.iter().enumerate() {
            assert!(TARGETS[index + 1..].iter().all(|other| other.classifier != target.classifier));
        }
    }

    #[test]
    fn java_packages_are_legal_names() {
        for target in TARGETS {
            let package = target.java_package();
            assert!(package.split('.').all(|part| part.starts_with(|letter: char| letter.is_ascii_lowercase())));
            assert!(package.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.' || letter == '_'));
        }
    }

    #[test]
    fn systems_are_told_apart() {
        assert!(names_system("aarch64-apple-darwin", "macos"));
        assert!(names_system("aarch64-unknown-linux-gnu", "linux"));
        assert!(!names_system("aarch64-apple-darwin", "linux"));
    }
}
