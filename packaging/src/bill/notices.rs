//! The licence texts of what is linked into the library.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::graph::{Crate, ROOT};
use crate::Result;

/// How licence texts are called.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// Folders below a crate's own that are searched too: the sources of other projects that it brings along.
const DEPTH: usize = 4;

const RULE: &str = "--------------------------------------------------------------------------------";

/// The whole text: a list of the crates, then each licence text once, with the crates that it belongs to.
///
/// # Errors
/// When a crate has no licence text.
pub(super) fn text(crates: &[Crate], rust: &str, components: &[String]) -> Result<String> {
    let mut texts: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    let mut list = String::new();
    for one in crates.iter().filter(|one| one.key.0 != ROOT) {
        let (name, version) = &one.key;
        let repository = one.repository.as_deref().unwrap_or("no repository is named");
        list.push_str(&format!("{name} {version}\n    {}\n    {repository}\n", one.licence));
        let files = files(one)?;
        if files.is_empty() {
            return Err(format!("{name} {version}: {} has no licence text", one.directory.display()).into());
        }
        for file in files {
            let raw = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let content = String::from_utf8_lossy(&raw).replace('\r', "");
            let words = content.split_whitespace().collect::<Vec<_>>().join(" ");
            let owners = &mut texts.entry(words).or_insert_with(|| (content, Vec::new())).1;
            let owner = format!("{name} {version}");
            if !owners.contains(&owner) {
                owners.push(owner);
            }
        }
    }
    let mut ordered: Vec<(String, String)> =
        texts.into_values().map(|(content, owners)| (owners.join(", "), content)).collect();
    ordered.sort();
    let mut text = format!(
        "Third-party notices of Ferronet's native library\n\n\
         The library holds compiled code of the crates below, and of Rust's standard library ({rust}) with the crates\n\
         that it brings along ({}), all of which are under the\n\
         MIT or the Apache-2.0 licence. The texts follow the list.\n\n{list}",
        components.join(", ")
    );
    for (owners, content) in ordered {
        text.push_str(&format!("\n{RULE}\n{owners}\n{RULE}\n\n{}\n", content.trim_end()));
    }
    Ok(text)
}

/// The texts that have to come with a crate. Where the Apache licence alone may be chosen, it is.
fn files(one: &Crate) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(&one.directory, DEPTH, &mut found)?;
    found.sort();
    let choices = one.licence.replace('/', " OR ");
    let free = !choices.contains(" AND ") && choices.split(" OR ").any(|choice| choice.trim() == "Apache-2.0");
    let named = |file: &PathBuf, word: &str| upper(file).contains(word);
    if free && found.iter().any(|file| named(file, "APACHE")) {
        found.retain(|file| named(file, "APACHE") || named(file, "NOTICE"));
    }
    Ok(found)
}

fn collect(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = directory.read_dir().map_err(|error| format!("{}: {error}", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            if depth > 0 {
                collect(&path, depth - 1, found)?;
            }
        } else if NAMES.iter().any(|name| upper(&path).starts_with(name)) {
            found.push(path);
        }
    }
    Ok(())
}

fn upper(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::collections::BTreeSet;

    fn sample(scratch: &Scratch, name: &str, licence: &str, texts: &[(&str, &str)]) -> Crate {
        let directory = scratch.path().join(name);
        std::fs::create_dir_all(directory.join("deep/er")).expect("made");
        for (file, text) in texts {
            std::fs::write(directory.join(file), text).expect("written");
        }
        Crate {
            key: (name.to_owned(), "1.0.0".to_owned()),
            licence: licence.to_owned(),
            repository: None,
            checksum: None,
            directory,
            uses: BTreeSet::new(),
        }
    }

    #[test]
    fn each_text_comes_once_with_all_to_whom_it_belongs() {
        let scratch = Scratch::new("notices");
        let crates = [
            sample(
                &scratch,
                "alpha",
                "MIT OR Apache-2.0",
                &[("LICENSE-MIT", "mit of alpha"), ("LICENSE-APACHE", "the apache")],
            ),
            sample(
                &scratch,
                "beta",
                "Apache-2.0/MIT",
                &[("LICENSE-APACHE", "the   apache\r\n"), ("NOTICE", "a notice")],
            ),
            sample(&scratch, "gamma", "ISC AND Apache-2.0", &[("license.txt", "isc"), ("deep/er/COPYING", "deep")]),
            sample(&scratch, ROOT, "Apache-2.0", &[]),
        ];
        let text = text(&crates, "rustc 1", &["std".to_owned()]).expect("complete");
        assert!(text.contains(&format!("\nalpha 1.0.0, beta 1.0.0\n{RULE}\n\nthe apache\n")), "{text}");
        for part in ["a notice", "isc", "deep", "rustc 1", "\ngamma 1.0.0\n    ISC AND Apache-2.0\n"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("mit of alpha"), "{text}");
        assert_eq!(text.matches("the apache").count(), 1);
    }

    #[test]
    fn a_crate_without_a_text_is_an_error() {
        let scratch = Scratch::new("notices");
        let crates = [sample(&scratch, "alpha", "MIT", &[("README", "nothing")])];
        let error = text(&crates, "rustc 1", &[]).expect_err("no text");
        assert!(error.to_string().starts_with("alpha 1.0.0: "), "{error}");
    }
}
