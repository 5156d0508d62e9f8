//! Version numbers of programs.

use std::path::Path;
use std::process::{Command, Stdio};

/// The first version number in what `PROGRAM --version` prints.
pub fn of_program(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    first(&String::from_utf8_lossy(&output.stdout)).or_else(|| first(&String::from_utf8_lossy(&output.stderr)))
}

/// The first word of a text that looks like `1.2` or `1.2.3`.
pub fn first(text: &str) -> Option<String> {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
        .map(str::to_owned)
}

/// Whether `version` is `floor` or newer, number by number.
pub fn at_least(version: &str, floor: &str) -> bool {
    numbers(version) >= numbers(floor)
}

/// The leading number: `25` of `25.0.3`, `8` of `1.8.0`.
pub fn major(version: &str) -> Option<u32> {
    let parts = numbers(version);
    match parts.as_slice() {
        [1, minor, ..] => Some(*minor),
        [major, ..] => Some(*major),
        [] => None,
    }
}

/// The numbers of a version, for comparing.
pub fn numbers(version: &str) -> Vec<u32> {
    version.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_is_taken() {
        assert_eq!(first("\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nJava version: 17.0.15").as_deref(), Some("3.8.7"));
        assert_eq!(first("cmake version 3.25.1\n").as_deref(), Some("3.25.1"));
        assert_eq!(first("no number"), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(at_least("3.10.0", "3.6"));
        assert!(at_least("3.6", "3.6"));
        assert!(!at_least("3.5.4", "3.6"));
    }

    #[test]
    fn the_major_number_of_old_and_new_java_versions() {
        assert_eq!(major("25.0.3"), Some(25));
        assert_eq!(major("1.8.0_412"), Some(8));
        assert_eq!(major("24-ea"), Some(24));
    }
}
