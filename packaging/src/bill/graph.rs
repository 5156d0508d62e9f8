//! The crates that are linked into the library for one target.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::project::Project;
use crate::{Result, run};

/// The crate that the library is.
pub(super) const ROOT: &str = "ferronet";

/// Name and version, which tell a crate from every other.
pub(super) type Key = (String, String);

/// One crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Crate {
    pub key: Key,
    /// An SPDX expression.
    pub licence: String,
    pub repository: Option<String>,
    /// SHA-256 of what the registry served, absent for our own.
    pub checksum: Option<String>,
    /// Where its sources are.
    pub directory: PathBuf,
    /// The crates among the linked ones that it uses.
    pub uses: BTreeSet<Key>,
}

/// Asks Cargo; sorted by name. What only runs while building (build scripts, procedural macros) is left out.
///
/// # Errors
/// When Cargo fails, or what it prints is not understood.
pub(super) fn of(project: &Project, triple: &str, offline: bool) -> Result<Vec<Crate>> {
    let mut command = cargo(project, "tree", offline);
    command.args(["--package", ROOT, "--edges", "normal", "--prefix", "none", "--format", "{p}", "--target", triple]);
    let linked = linked(&run::output(&mut command)?)?;
    let mut command = cargo(project, "metadata", offline);
    command.args(["--format-version", "1", "--filter-platform", triple]);
    let metadata: Value = serde_json::from_str(&run::output(&mut command)?)?;
    let lock = std::fs::read_to_string(project.root.join("Cargo.lock"))?;
    crates(&metadata, &linked, &checksums(&lock))
}

fn cargo(project: &Project, what: &str, offline: bool) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&project.root).args([what, "--quiet", "--locked"]);
    if offline {
        command.arg("--offline");
    }
    command
}

/// Reads lines like `zeroize v1.9.2` and `pastey v0.2.3 (proc-macro)`.
fn linked(tree: &str) -> Result<BTreeSet<Key>> {
    let mut found = BTreeSet::new();
    for line in tree.lines().filter(|line| !line.contains("(proc-macro)")) {
        let mut words = line.split_whitespace();
        match (words.next(), words.next().and_then(|word| word.strip_prefix('v'))) {
            (Some(name), Some(version)) => found.insert((name.to_owned(), version.to_owned())),
            _ => return Err(format!("cargo tree: {line:?} names no crate").into()),
        };
    }
    Ok(found)
}

/// The checksums in a lock file.
fn checksums(lock: &str) -> BTreeMap<Key, String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.trim_start_matches(" = ").trim_matches('"').to_owned())
    };
    lock.split("[[package]]")
        .filter_map(|block| Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?)))
        .collect()
}

fn crates(metadata: &Value, linked: &BTreeSet<Key>, checksums: &BTreeMap<Key, String>) -> Result<Vec<Crate>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let packages = list(&metadata["packages"]);
    let key = |package: &Value| Some((text(package, "name")?, text(package, "version")?));
    let keys: BTreeMap<String, Key> =
        packages.iter().filter_map(|package| Some((text(package, "id")?, key(package)?))).collect();
    let mut found = Vec::new();
    for package in &packages {
        let Some(key) = key(package).filter(|key| linked.contains(key)) else { continue };
        let node = list(&metadata["resolve"]["nodes"]).into_iter().find(|node| node["id"] == package["id"]);
        let uses = list(&node.unwrap_or_default()["dependencies"])
            .iter()
            .filter_map(|id| keys.get(id.as_str()?).filter(|key| linked.contains(*key)).cloned())
            .collect();
        let manifest = text(package, "manifest_path").map(PathBuf::from).unwrap_or_default();
        found.push(Crate {
            licence: text(package, "license").ok_or_else(|| format!("{} {} names no licence", key.0, key.1))?,
            repository: text(package, "repository"),
            checksum: checksums.get(&key).cloned(),
            directory: manifest.parent().map(PathBuf::from).unwrap_or_default(),
            uses,
            key,
        });
    }
    if found.len() != linked.len() {
        return Err(format!("cargo metadata knows {} of {} linked crates", found.len(), linked.len()).into());
    }
    found.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(name: &str) -> Key {
        (name.to_owned(), "1.0.0".to_owned())
    }

    fn metadata() -> Value {
        json!({
            "packages": [
                { "id": "r", "name": "ferronet", "version": "1.0.0", "license": "Apache-2.0", "manifest_path": "/f/Cargo.toml" },
                { "id": "b", "name": "built", "version": "1.0.0", "license": "MIT", "manifest_path": "/b/Cargo.toml" },
                { "id": "a", "name": "alpha", "version": "1.0.0", "license": "MIT", "manifest_path": "/a/Cargo.toml",
                  "repository": "https://example.org/alpha" }
            ],
            "resolve": { "nodes": [{ "id": "r", "dependencies": ["a", "b"] }, { "id": "a", "dependencies": [] }] }
        })
    }

    #[test]
    fn what_only_runs_while_building_is_left_out() {
        let tree = "ferronet v1.0.0 (/somewhere)\nalpha v1.0.0\npastey v0.2.3 (proc-macro)\nalpha v1.0.0 (*)\n";
        assert_eq!(linked(tree).expect("read"), BTreeSet::from([key("ferronet"), key("alpha")]));
        assert!(linked("ferronet\n").is_err());
    }

    #[test]
    fn crates_come_with_checksum_place_and_what_they_use() {
        let lock = "[[package]]\nname = \"alpha\"\nversion = \"1.0.0\"\nchecksum = \"ab\"\n\n[[package]]\nname = \"ferronet\"\nversion = \"1.0.0\"\n";
        let linked = BTreeSet::from([key("ferronet"), key("alpha")]);
        let found = crates(&metadata(), &linked, &checksums(lock)).expect("complete");
        assert_eq!(found.iter().map(|one| one.key.0.as_str()).collect::<Vec<_>>(), ["alpha", "ferronet"]);
        assert_eq!(found[0].checksum.as_deref(), Some("ab"));
        assert_eq!(found[0].directory, PathBuf::from("/a"));
        assert_eq!(found[1].uses, BTreeSet::from([key("alpha")]));
    }

    #[test]
    fn a_linked_crate_that_is_not_described_is_an_error() {
        let linked = BTreeSet::from([key("ferronet"), key("missing")]);
        assert!(crates(&metadata(), &linked, &BTreeMap::new()).is_err());
    }
}
