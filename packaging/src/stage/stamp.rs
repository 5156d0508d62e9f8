//! Remembering what a stage was built from, so that an unchanged one is left alone.

use std::path::Path;
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use crate::Result;

/// The sources that decide how the stage is laid out: a change to one makes every stage out of date.
const RECIPE: &[&str] = &[
    include_str!("mod.rs"),
    include_str!("development.rs"),
    include_str!("jar.rs"),
    include_str!("link.rs"),
    include_str!("rules.rs"),
    include_str!("../target.rs"),
    include_str!("../../targets.toml"),
    include_str!("../bill/mod.rs"),
    include_str!("../bill/graph.rs"),
    include_str!("../bill/materials.rs"),
    include_str!("../bill/notices.rs"),
    include_str!("../../cmake/ferronetConfig.cmake"),
    include_str!("../../cmake/ferronetConfigVersion.cmake"),
];

/// What identifies the inputs of a stage.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stamp(String);

impl Stamp {
    /// The stamp of the input files: their length and time of change, and the recipe.
    pub(super) fn of(inputs: &[impl AsRef<Path>]) -> Result<Self> {
        let mut hash = Sha256::new();
        for text in RECIPE {
            hash.update(text.as_bytes());
        }
        for path in inputs {
            hash.update(describe(path.as_ref())?.as_bytes());
        }
        Ok(Self(hex(&hash.finalize())))
    }

    /// Whether `record` was written for this stamp and the shared library beside it has not changed since.
    pub(super) fn matches(&self, record: &Path, stage: &Path) -> bool {
        let Ok(expected) = self.text(stage) else { return false };
        std::fs::read_to_string(record).is_ok_and(|text| text == expected)
    }

    /// Writes the record.
    pub(super) fn write(&self, record: &Path, stage: &Path) -> Result<()> {
        Ok(std::fs::write(record, self.text(stage)?)?)
    }

    fn text(&self, stage: &Path) -> Result<String> {
        let mut text = format!("{}\n", self.0);
        for file in ["lib/libferronet.so.1", "lib/libferronet.a", "hooks/lib/libferronet.so.1", "include/ferronet.h"] {
            text.push_str(&describe(&stage.join(file))?);
            text.push('\n');
        }
        Ok(text)
    }
}

fn describe(path: &Path) -> Result<String> {
    let data = path.metadata().map_err(|error| format!("{}: {error}", path.display()))?;
    let changed = data.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(format!("{name} {} {changed}", data.len()))
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_changed_input_or_output_makes_it_stale() {
        let scratch = Scratch::new("stamp");
        let stage = scratch.path().join("stage");
        for directory in ["lib", "hooks/lib", "include"] {
            std::fs::create_dir_all(stage.join(directory)).expect("made");
        }
        for file in ["lib/libferronet.so.1", "lib/libferronet.a", "hooks/lib/libferronet.so.1", "include/ferronet.h"] {
            std::fs::write(stage.join(file), "x").expect("written");
        }
        let input = scratch.path().join("input");
        std::fs::write(&input, "1").expect("written");
        let record = stage.join(".stamp");
        let stamp = Stamp::of(&[&input]).expect("readable");
        assert!(!stamp.matches(&record, &stage));
        stamp.write(&record, &stage).expect("written");
        assert!(stamp.matches(&record, &stage));
        std::fs::write(&input, "22").expect("written");
        assert!(!Stamp::of(&[&input]).expect("readable").matches(&record, &stage));
        std::fs::write(stage.join("lib/libferronet.a"), "longer").expect("written");
        assert!(!stamp.matches(&record, &stage));
    }
}
