//! The table of platforms, `packaging/targets.toml`.

use std::sync::OnceLock;

use crate::Result;

const TABLE: &str = include_str!("../targets.toml");

/// What an entry says in place of tests when there are none.
pub const NOT_YET_TESTED: &str = "not yet tested";

/// One target platform under its different names, and how it is built and tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Rust's triple.
    pub triple: String,
    /// Maven classifier, in the words of os-maven-plugin.
    pub classifier: String,
    /// File name of the shared library inside a jar.
    pub library: String,
    /// The C library that the shipped library is built for, where the system leaves a choice.
    pub libc: Option<Libc>,
    /// Name that rustc has for the processor whose instructions are taken for granted.
    pub cpu: String,
    /// Cargo's features of the library.
    pub features: Vec<String>,
    /// How the shipped library is built.
    pub build: Build,
    /// Where Rust's standard library comes from.
    pub std: Std,
    /// How it is tested, or `NOT_YET_TESTED`.
    pub tested: String,
}

/// A C library and its oldest version that will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Libc {
    /// `glibc` or `musl`.
    pub name: String,
    /// Two numbers with a point between.
    pub floor: String,
}

/// How the shipped library of a target is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// With zig's C compiler and linker, on any Linux.
    Zig,
    /// On the platform itself, which nobody has done yet.
    Untried,
}

/// Where Rust's standard library of a target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Std {
    /// The toolchain has it.
    Installed,
    /// It is built from Rust's source, along with the library.
    Source,
}

/// Every target, in the order of the table.
///
/// # Errors
/// When the table, which is compiled in, is wrong: the entry, the key and what is expected there.
pub fn targets() -> Result<&'static [Target]> {
    static TARGETS: OnceLock<std::result::Result<Vec<Target>, String>> = OnceLock::new();
    match TARGETS.get_or_init(|| parse(TABLE).map_err(|error| format!("packaging/targets.toml: {error}"))) {
        Ok(targets) => Ok(targets),
        Err(error) => Err(error.as_str().into()),
    }
}

impl Target {
    /// The package and module of the target's service class.
    pub fn java_package(&self) -> String {
        format!("io.ferronet.natives.{}", self.classifier.replace('-', "."))
    }

    /// The classifier of the jar that holds the static library.
    pub fn static_classifier(&self) -> String {
        format!("{}-static", self.classifier)
    }

    /// The target that the tools themselves run on.
    ///
    /// # Errors
    /// When Ferronet has no artifacts for this platform.
    pub fn host() -> Result<&'static Self> {
        let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
        let libc = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
        targets()?
            .iter()
            .find(|target| target.runs_on(architecture, system, libc))
            .ok_or_else(|| format!("no artifacts are built for {architecture} {system}").into())
    }

    /// The target with that classifier.
    ///
    /// # Errors
    /// When there is none: the classifiers that there are.
    pub fn named(classifier: &str) -> Result<&'static Self> {
        let all = targets()?;
        all.iter().find(|target| target.classifier == classifier).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|target| target.classifier.as_str()).collect();
            format!("there is no target {classifier}; packaging/targets.toml has {}", names.join(", ")).into()
        })
    }

    fn runs_on(&self, architecture: &str, system: &str, libc: &str) -> bool {
        let names_system = match system {
            "macos" => self.triple.ends_with("apple-darwin"),
            _ => self.triple.contains(system),
        };
        names_system && self.triple.starts_with(architecture) && self.libc.as_ref().is_none_or(|own| own.name == libc)
    }
}

fn parse(text: &str) -> Result<Vec<Target>> {
    let table: toml::Table = text.parse()?;
    if let Some(surplus) = table.keys().find(|key| *key != "target") {
        return Err(format!("{surplus} is no part of the table, only [[target]] is").into());
    }
    let entries = table.get("target").and_then(toml::Value::as_array).ok_or("there is no [[target]]")?;
    entries.iter().map(entry).collect()
}

fn entry(value: &toml::Value) -> Result<Target> {
    const KEYS: [&str; 9] = ["triple", "classifier", "library", "libc", "cpu", "features", "build", "std", "tested"];
    let table = value.as_table().ok_or("an entry is no table")?;
    let triple = table.get("triple").and_then(toml::Value::as_str).ok_or("an entry has no triple")?;
    if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("{triple}: {unknown} is unknown; an entry has {}", KEYS.join(", ")).into());
    }
    let word = |key: &str| -> Result<&str> {
        let value = table.get(key).ok_or_else(|| format!("{triple}: {key} is missing"))?;
        Ok(value.as_str().ok_or_else(|| format!("{triple}: {key} is of the type {}, not a text", value.type_str()))?)
    };
    let one_of = |key: &str, known: [&str; 2]| -> Result<bool> {
        match word(key)? {
            value if value == known[0] => Ok(true),
            value if value == known[1] => Ok(false),
            value => Err(format!("{triple}: {key} is {value:?}, neither {:?} nor {:?}", known[0], known[1]).into()),
        }
    };
    let features = table
        .get("features")
        .and_then(toml::Value::as_array)
        .and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>());
    let libc = if table.contains_key("libc") { Some(word("libc")?) } else { None };
    Ok(Target {
        triple: triple.to_owned(),
        classifier: word("classifier")?.to_owned(),
        library: word("library")?.to_owned(),
        libc: libc
            .map(|text| libc_of(text).ok_or_else(|| format!("{triple}: libc is {text:?}, not a name and a version")))
            .transpose()?,
        cpu: word("cpu")?.to_owned(),
        features: features.ok_or_else(|| format!("{triple}: features is no list of texts"))?,
        build: if one_of("build", ["zig", "untried"])? { Build::Zig } else { Build::Untried },
        std: if one_of("std", ["installed", "source"])? { Std::Installed } else { Std::Source },
        tested: if table.contains_key("tested") { word("tested")?.to_owned() } else { NOT_YET_TESTED.to_owned() },
    })
}

fn libc_of(text: &str) -> Option<Libc> {
    let (name, floor) = text.split_once(' ')?;
    let (major, minor) = floor.split_once('.')?;
    let known = ["glibc", "musl"].contains(&name) && major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok();
    known.then(|| Libc { name: name.to_owned(), floor: floor.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let targets = targets().expect("valid");
        for (index, target) in targets.iter().enumerate() {
            assert!(targets[index + 1..].iter().all(|other| other.classifier != target.classifier));
            assert!(targets[index + 1..].iter().all(|other| other.triple != target.triple));
        }
    }

    #[test]
    fn java_packages_are_legal_names() {
        for target in targets().expect("valid") {
            let package = target.java_package();
            assert!(package.split('.').all(|part| part.starts_with(|letter: char| letter.is_ascii_lowercase())));
            assert!(package.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.' || letter == '_'));
        }
    }

    #[test]
    fn the_features_are_those_of_the_library() {
        let manifest = include_str!("../../ffi/Cargo.toml");
        for target in targets().expect("valid") {
            for feature in &target.features {
                assert!(manifest.contains(&format!("\n{feature} = [")), "{}: {feature}", target.classifier);
                assert_ne!(feature, "test-hooks", "{}", target.classifier);
            }
        }
    }

    #[test]
    fn what_nobody_has_built_is_not_called_tested() {
        for target in targets().expect("valid") {
            let untested = target.tested == NOT_YET_TESTED;
            assert!(untested || target.build != Build::Untried, "{}", target.classifier);
        }
    }

    #[test]
    fn systems_and_libraries_are_told_apart() {
        let linux = Target::named("linux-aarch_64").expect("known");
        let macos = Target::named("osx-aarch_64").expect("known");
        let musl = Target::named("linux-x86_64-musl").expect("known");
        assert!(macos.runs_on("aarch64", "macos", "glibc"));
        assert!(linux.runs_on("aarch64", "linux", "glibc"));
        assert!(!linux.runs_on("aarch64", "linux", "musl"));
        assert!(!macos.runs_on("aarch64", "linux", "glibc"));
        assert!(musl.runs_on("x86_64", "linux", "musl"));
        let error = Target::named("solaris").expect_err("unknown").to_string();
        assert!(error.contains("solaris") && error.contains("linux-x86_64-musl"), "{error}");
    }

    #[test]
    fn a_wrong_entry_is_named_with_its_key() {
        let good = "[[target]]\ntriple = \"t\"\nclassifier = \"c\"\nlibrary = \"l\"\nlibc = \"musl 1.2\"\ncpu = \"p\"\n\
                    features = []\nbuild = \"zig\"\nstd = \"source\"\n";
        assert_eq!(parse(good).expect("valid")[0].tested, NOT_YET_TESTED);
        for (from, to, words) in [
            ("cpu = \"p\"\n", "", "t: cpu is missing"),
            ("\"p\"", "1", "t: cpu is of the type integer, not a text"),
            ("musl 1.2", "musl", "t: libc is \"musl\""),
            ("\"zig\"", "\"gcc\"", "t: build is \"gcc\", neither \"zig\" nor \"untried\""),
            ("[]", "[1]", "t: features is no list of texts"),
            ("cpu", "processor", "t: processor is unknown"),
            ("[[target]]", "[[targets]]", "targets is no part"),
        ] {
            let error = parse(&good.replace(from, to)).expect_err(words).to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
