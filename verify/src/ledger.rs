//! The ledger of what ships: sizes, symbols and call shapes, one a line, so that growth shows in a diff.

use std::collections::BTreeMap;

use ferronet_packaging::Result;

/// Sizes may grow by so much before somebody has to look, in percent: the same sources differ by less from one patch release
/// of a compiler to the next.
const TOLERANCE: f64 = 0.5;

/// A record of facts: sizes and counts with a number, names without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    entries: BTreeMap<String, Option<u64>>,
    /// What it was recorded with, in comments.
    tools: Vec<String>,
}

/// How a ledger differs from the committed one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// More than is recorded: what has to be looked at.
    pub grown: Vec<String>,
    /// Less than is recorded: worth recording.
    pub shrunk: Vec<String>,
}

impl Ledger {
    /// An empty ledger that names what it depends on.
    pub fn new(tools: Vec<String>) -> Self {
        Self { entries: BTreeMap::new(), tools }
    }

    /// Adds a size in bytes, or a count.
    pub fn number(&mut self, kind: &str, name: &str, value: u64) {
        self.entries.insert(format!("{kind} {name}"), Some(value));
    }

    /// Adds a name.
    pub fn name(&mut self, kind: &str, name: &str) {
        self.entries.insert(format!("{kind} {name}"), None);
    }

    /// Reads what `write` gave.
    ///
    /// # Errors
    /// A line that is neither a comment, nor a kind and a name, nor those and a number.
    pub fn parse(text: &str) -> Result<Self> {
        let mut ledger = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                ["#", "recorded", "with:", ..] => ledger.tools.push(words[3..].join(" ")),
                ["#", ..] => {}
                [kind, name] => ledger.name(kind, name),
                [kind, name, number] => {
                    ledger.number(kind, name, number.parse().map_err(|_| format!("{line}: no number"))?)
                }
                _ => return Err(format!("{line}: a line holds a kind, a name and maybe a number").into()),
            }
        }
        Ok(ledger)
    }

    /// The text of the file, under `heading`.
    pub fn write(&self, heading: &str) -> String {
        let mut text: String = heading.lines().map(|line| format!("# {line}\n")).collect();
        for tool in &self.tools {
            text.push_str(&format!("# recorded with: {tool}\n"));
        }
        for (entry, number) in &self.entries {
            text.push_str(entry);
            if let Some(number) = number {
                text.push_str(&format!(" {number}"));
            }
            text.push('\n');
        }
        text
    }

    /// What `now` has more and less of than this record.
    pub fn compare(&self, now: &Self) -> Difference {
        let mut difference = Difference::default();
        for (entry, number) in &now.entries {
            match (self.entries.get(entry), number) {
                (None, _) => difference.grown.push(format!("{entry} is new")),
                (Some(Some(recorded)), Some(number)) => {
                    let (recorded_size, size) = (*recorded as f64, *number as f64);
                    let sentence = format!("{entry}: {recorded} recorded, {number} now");
                    if size > recorded_size * (1.0 + TOLERANCE / 100.0) {
                        difference.grown.push(sentence);
                    } else if size < recorded_size * (1.0 - TOLERANCE / 100.0) {
                        difference.shrunk.push(sentence);
                    }
                }
                _ => {}
            }
        }
        for entry in self.entries.keys().filter(|entry| !now.entries.contains_key(*entry)) {
            difference.shrunk.push(format!("{entry} is gone"));
        }
        if !difference.grown.is_empty() && self.tools != now.tools {
            difference.grown.push(format!("recorded with {}, now {}", self.tools.join(", "), now.tools.join(", ")));
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(size: u64, names: &[&str]) -> Ledger {
        let mut ledger = Ledger::new(vec!["rustc 1.0".to_owned()]);
        ledger.number("size", "library", size);
        names.iter().for_each(|name| ledger.name("import", name));
        ledger
    }

    #[test]
    fn what_is_written_is_read_back() {
        let written = ledger(4096, &["malloc"]).write("What ships.\nSecond line.");
        assert!(written.starts_with("# What ships.\n# Second line.\n# recorded with: rustc 1.0\n"), "{written}");
        assert_eq!(Ledger::parse(&written).expect("valid"), ledger(4096, &["malloc"]));
        assert!(Ledger::parse("size library many").is_err());
        assert!(Ledger::parse("size library 1 2").is_err());
        assert!(Ledger::parse("size").is_err());
    }

    #[test]
    fn growth_is_noticed_and_shrinking_worth_a_record() {
        let record = ledger(10_000, &["malloc"]);
        assert_eq!(record.compare(&ledger(10_040, &["malloc"])), Difference::default());
        assert_eq!(record.compare(&ledger(10_060, &["malloc"])).grown, ["size library: 10000 recorded, 10060 now"]);
        assert_eq!(record.compare(&ledger(9_900, &["malloc"])).shrunk, ["size library: 10000 recorded, 9900 now"]);
        assert_eq!(record.compare(&ledger(10_000, &["malloc", "system"])).grown, ["import system is new"]);
        assert_eq!(record.compare(&ledger(10_000, &[])).shrunk, ["import malloc is gone"]);
    }

    #[test]
    fn other_tools_are_named_beside_what_has_grown() {
        let mut now = ledger(20_000, &[]);
        now.tools = vec!["rustc 2.0".to_owned()];
        let grown = ledger(10_000, &[]).compare(&now).grown;
        assert_eq!(grown[1], "recorded with rustc 1.0, now rustc 2.0");
    }
}
