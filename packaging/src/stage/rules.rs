//! The rules that every staged artifact obeys.

use std::collections::BTreeSet;
use std::fmt;

use super::inspect::{self, Archive, Shared};
use super::{SONAME, Staged};
use crate::Result;
use crate::exports::{self, HOOK_PREFIX};
use crate::target::Libc;

/// What a shared library may need from the system.
const ALLOWED_NEEDED: &[&str] =
    &["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];

/// A rule that an artifact breaks.
#[derive(Debug, PartialEq, Eq)]
pub struct Violation {
    /// The artifact, by its path inside the stage.
    pub artifact: &'static str,
    /// What is wrong with it.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.artifact, self.text)
    }
}

/// Checks every artifact of a stage.
pub(super) fn check(staged: &Staged, names: &BTreeSet<String>, floor: Option<&Libc>) -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    let mut report = |artifact: &'static str, texts: Vec<String>| {
        violations.extend(texts.into_iter().map(|text| Violation { artifact, text }));
    };
    let library = inspect::shared(&staged.shared())?;
    report("lib/libferronet.so.1", shared_rules(&library, names, false));
    report("lib/libferronet.so.1", floor.map(|floor| floor_rules(&library, floor)).unwrap_or_default());
    // Only the host's stage has one, and the tests that need it notice when it is missing.
    if staged.hooks().is_file() {
        report("hooks/lib/libferronet.so.1", shared_rules(&inspect::shared(&staged.hooks())?, names, true));
    }
    report("lib/libferronet.a", archive_rules(&inspect::archive(&staged.archive())?, &exports::of_archive(names)));
    for file in super::development::FILES {
        if !staged.root.join(file).is_file() {
            report(file, vec!["missing".to_owned()]);
        }
    }
    report("native", super::jar::problems(staged)?);
    Ok(violations)
}

fn shared_rules(library: &Shared, names: &BTreeSet<String>, hooks: bool) -> Vec<String> {
    let mut broken = Vec::new();
    let (test, plain): (BTreeSet<String>, BTreeSet<String>) =
        library.exported.iter().cloned().partition(|name| name.starts_with(HOOK_PREFIX));
    if let Some(difference) = exports::difference(names, &plain) {
        broken.push(format!("exported functions: {difference}"));
    }
    match (hooks, test.is_empty()) {
        (false, false) => broken.push(format!("test hooks are exported: {test:?}")),
        (true, true) => broken.push("no test hook is exported".to_owned()),
        _ => {}
    }
    if library.soname.as_deref() != Some(SONAME) {
        broken.push(format!("SONAME is {:?}, not {SONAME}", library.soname));
    }
    let foreign: Vec<&String> = library.needed.iter().filter(|name| !ALLOWED_NEEDED.contains(&name.as_str())).collect();
    if !foreign.is_empty() {
        broken.push(format!("needs {foreign:?}"));
    }
    for (right, text) in [
        (library.now, "not linked with -z now"),
        (library.relro, "no read-only relocations"),
        (library.nodelete, "not linked with -z nodelete"),
        (!library.text_relocations, "has text relocations"),
        (!library.executable_stack, "asks for an executable stack"),
        (hooks || !library.sections.contains_key(".symtab"), "is not stripped"),
        (!library.sections.contains_key(".llvmbc"), "holds bitcode"),
    ] {
        if !right {
            broken.push(text.to_owned());
        }
    }
    broken
}

/// What asks for a newer C library than the floor.
pub(super) fn floor_rules(library: &Shared, floor: &Libc) -> Vec<String> {
    let allowed = inspect::numbers(&floor.floor);
    let newer: Vec<&str> = library
        .versions
        .iter()
        .filter(|version| version.strip_prefix("GLIBC_").is_some_and(|number| inspect::numbers(number) > allowed))
        .map(String::as_str)
        .collect();
    if newer.is_empty() {
        Vec::new()
    } else {
        vec![format!("needs {}, above the floor {}", newer.join(", "), floor.floor)]
    }
}

fn archive_rules(archive: &Archive, names: &BTreeSet<String>) -> Vec<String> {
    let mut broken = Vec::new();
    if let Some(difference) = exports::difference(names, &archive.globals) {
        broken.push(format!("global symbols: {difference}"));
    }
    if let Some(difference) = exports::difference(names, &archive.index) {
        broken.push(format!("index: {difference}"));
    }
    if archive.members != 1 {
        broken.push(format!("{} members instead of one", archive.members));
    }
    if archive.bitcode {
        broken.push("holds bitcode".to_owned());
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> BTreeSet<String> {
        BTreeSet::from(["ferronet_abi".to_owned()])
    }

    fn good() -> Shared {
        Shared {
            soname: Some(SONAME.to_owned()),
            needed: vec!["libc.so.6".to_owned()],
            exported: names(),
            now: true,
            nodelete: true,
            relro: true,
            ..Shared::default()
        }
    }

    #[test]
    fn a_good_library_breaks_nothing() {
        assert_eq!(shared_rules(&good(), &names(), false), Vec::<String>::new());
    }

    #[test]
    fn each_rule_is_noticed_alone() {
        type Break = fn(&mut Shared);
        let broken: [(&str, Break); 9] = [
            ("not in exports.txt: inflate", |library| {
                library.exported.insert("inflate".to_owned());
            }),
            ("test hooks", |library| {
                library.exported.insert("ferronet_test_panic".to_owned());
            }),
            ("SONAME", |library| library.soname = None),
            ("libgcc_s", |library| library.needed.push("libgcc_s.so.1".to_owned())),
            ("-z now", |library| library.now = false),
            ("relocations", |library| library.relro = false),
            ("nodelete", |library| library.nodelete = false),
            ("text relocations", |library| library.text_relocations = true),
            ("stripped", |library| {
                library.sections.insert(".symtab".to_owned(), 1);
            }),
        ];
        for (word, break_it) in broken {
            let mut library = good();
            break_it(&mut library);
            let found = shared_rules(&library, &names(), false);
            assert_eq!(found.len(), 1, "{word}: {found:?}");
            assert!(found[0].contains(word), "{word}: {found:?}");
        }
    }

    #[test]
    fn a_version_above_the_floor_is_named() {
        let mut library = good();
        let floor = Libc { name: "glibc".to_owned(), floor: "2.17".to_owned() };
        library.versions = ["GLIBC_2.2.5", "GLIBC_2.17", "GCC_3.0"].map(str::to_owned).into();
        assert_eq!(floor_rules(&library, &floor), Vec::<String>::new());
        library.versions.insert("GLIBC_2.34".to_owned());
        assert_eq!(floor_rules(&library, &floor), ["needs GLIBC_2.34, above the floor 2.17"]);
    }

    #[test]
    fn the_hook_build_must_have_hooks() {
        assert!(shared_rules(&good(), &names(), true).iter().any(|text| text.contains("no test hook")));
    }

    #[test]
    fn an_archive_with_an_empty_index_or_surplus_globals_is_refused() {
        let mut archive = Archive { globals: names(), index: BTreeSet::new(), members: 1, bitcode: false };
        assert_eq!(archive_rules(&archive, &names()), ["index: missing: ferronet_abi"]);
        archive.index = names();
        assert!(archive_rules(&archive, &names()).is_empty());
        archive.globals.insert("rust_eh_personality".to_owned());
        assert_eq!(archive_rules(&archive, &names()).len(), 1);
    }
}
