//! The list of exported functions, `headers/exports.txt`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Result;

/// Prefix of functions that only builds with the feature `test-hooks` have.
pub const HOOK_PREFIX: &str = "ferronet_test_";

/// Function that the static library has besides, for the Native Image binding. No header declares it.
pub const IMAGE: &str = "ferronet_image_callbacks";

/// Node of the version script that the exported functions belong to.
pub const VERSION_NODE: &str = "FERRONET_1";

/// Reads the names, one a line; `#` starts a comment.
///
/// # Errors
/// When the file cannot be read, is empty, names a test hook, or names anything outside `ferronet_*`.
pub fn read(path: &Path) -> Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn parse(text: &str) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let name = line.split('#').next().unwrap_or_default().trim();
        if name.is_empty() {
            continue;
        }
        if !name.starts_with("ferronet_") || name.starts_with(HOOK_PREFIX) {
            return Err(format!("{name} may not be exported").into());
        }
        if !names.insert(name.to_owned()) {
            return Err(format!("{name} is listed twice").into());
        }
    }
    if names.is_empty() {
        return Err("no name is listed".into());
    }
    Ok(names)
}

/// The linker's version script that exports exactly `names`, and the test hooks too when `hooks` is set.
pub fn version_script(names: &BTreeSet<String>, hooks: bool) -> String {
    let mut script = format!("{VERSION_NODE} {{\n  global:\n");
    for name in names {
        script.push_str(&format!("    {name};\n"));
    }
    if hooks {
        script.push_str(&format!("    {HOOK_PREFIX}*;\n"));
    }
    script.push_str("  local:\n    *;\n};\n");
    script
}

/// What the static library makes visible: `names`, and what only it has.
pub fn of_archive(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().cloned().chain([IMAGE.to_owned()]).collect()
}

/// Says how `found` differs from `expected`; `None` when they are equal.
pub fn difference(expected: &BTreeSet<String>, found: &BTreeSet<String>) -> Option<String> {
    let list = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>().join(", ");
    let missing = list(expected.difference(found).collect());
    let surplus = list(found.difference(expected).collect());
    match (missing.is_empty(), surplus.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("missing: {missing}")),
        (true, false) => Some(format!("not in exports.txt: {surplus}")),
        (false, false) => Some(format!("missing: {missing}; not in exports.txt: {surplus}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_are_read_and_comments_skipped() {
        let names = parse("# all\nferronet_b\n\nferronet_a # first\n").expect("valid");
        assert_eq!(names, set(&["ferronet_a", "ferronet_b"]));
    }

    #[test]
    fn foreign_names_hooks_doubles_and_an_empty_list_are_refused() {
        assert!(parse("deflate\n").is_err());
        assert!(parse("ferronet_test_panic\n").is_err());
        assert!(parse("ferronet_a\nferronet_a\n").is_err());
        assert!(parse("# none\n").is_err());
    }

    #[test]
    fn the_version_script_hides_all_else() {
        let script = version_script(&set(&["ferronet_abi"]), false);
        assert_eq!(script, "FERRONET_1 {\n  global:\n    ferronet_abi;\n  local:\n    *;\n};\n");
        assert!(version_script(&set(&["ferronet_abi"]), true).contains("    ferronet_test_*;\n"));
    }

    #[test]
    fn the_static_library_has_one_function_more() {
        assert_eq!(of_archive(&set(&["ferronet_abi"])), set(&["ferronet_abi", "ferronet_image_callbacks"]));
    }

    #[test]
    fn a_difference_names_both_sides() {
        let expected = set(&["ferronet_a", "ferronet_b"]);
        assert_eq!(difference(&expected, &expected), None);
        let found = set(&["ferronet_b", "inflate"]);
        assert_eq!(difference(&expected, &found).as_deref(), Some("missing: ferronet_a; not in exports.txt: inflate"));
    }
}
