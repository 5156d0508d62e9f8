//! What a native jar says of the code of others in it: the licence texts and the bill of materials.

mod graph;
mod materials;
mod notices;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::project::Project;
use crate::{Result, run};

/// The licence texts, below `META-INF/native/CLASSIFIER/`.
pub const NOTICES: &str = "THIRD-PARTY-NOTICES.txt";

/// The jar whose resources lie in a folder.
pub struct Jar<'a> {
    /// Root of the resources.
    pub root: &'a Path,
    /// Its classifier.
    pub classifier: &'a str,
    /// The library's file name.
    pub library: &'a str,
}

/// Where the bill of materials of a jar is. The name is its own, so that merged jars keep all of them.
pub fn place(classifier: &str) -> String {
    format!("META-INF/sbom/ferronet-native-{classifier}.cdx.json")
}

/// Adds both files to each of the jars, which hold forms of the library for one target.
///
/// # Errors
/// When Cargo cannot tell what is linked, or a crate brings no licence text.
pub fn write(project: &Project, triple: &str, offline: bool, jars: &[Jar<'_>]) -> Result<()> {
    let crates = graph::of(project, triple, offline)?;
    let rust = run::output(Command::new("rustc").arg("--version").current_dir(&project.root))?;
    let release = rust.split_whitespace().nth(1).unwrap_or_default();
    let notices = notices::text(&crates, rust.trim(), &standard_library(project, triple)?)?;
    for jar in jars {
        let directory = jar.root.join("META-INF/native").join(jar.classifier);
        let library = std::fs::read(directory.join(jar.library))?;
        let digest: String = Sha256::digest(&library).iter().map(|byte| format!("{byte:02x}")).collect();
        let subject = materials::Subject {
            classifier: jar.classifier,
            version: Project::VERSION,
            library: (jar.library, &digest),
        };
        std::fs::write(directory.join(NOTICES), &notices)?;
        let bill = jar.root.join(place(jar.classifier));
        std::fs::create_dir_all(bill.parent().unwrap_or(jar.root))?;
        std::fs::write(bill, materials::text(&subject, &crates, release))?;
    }
    Ok(())
}

/// The crates that the toolchain's standard library is made of.
fn standard_library(project: &Project, triple: &str) -> Result<Vec<String>> {
    let root = run::output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(&project.root))?;
    let directory = Path::new(root.trim()).join("lib/rustlib").join(triple).join("lib");
    let entries = directory.read_dir().map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut found = BTreeSet::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some((name, _)) =
            name.strip_prefix("lib").filter(|name| name.ends_with(".rlib")).and_then(|name| name.rsplit_once('-'))
        {
            found.insert(name.replace('_', "-"));
        }
    }
    // They are for tests, macros and the other way to panic.
    let unused = ["getopts", "panic-abort", "proc-macro", "profiler-builtins", "sysroot", "test"];
    Ok(found.into_iter().filter(|name| !unused.contains(&name.as_str()) && !name.starts_with("rustc-std")).collect())
}
