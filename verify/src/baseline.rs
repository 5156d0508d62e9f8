//! What a request is known to cost, and how far a new count may lie from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ferronet_packaging::Result;
use serde_json::{Value, json};

/// How to record again, for messages.
pub const HOW_TO_RECORD: &str = "FERRONET_GATE=record cargo verify gate";

/// A committed count and its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    value: f64,
    tolerance_percent: f64,
}

/// The committed counts, by scenario and unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    entries: BTreeMap<String, Entry>,
    /// What they were recorded with.
    recorded: BTreeMap<String, String>,
}

/// How a count compares.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Within the tolerance.
    Same,
    /// Less than the tolerance allows: worth recording, with the sentence that says so.
    Better(String),
    /// More than the tolerance allows, or unknown.
    Worse(String),
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is not what `save` writes.
    pub fn load(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", file.display()).into())
    }

    fn parse(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text)?;
        let mut baseline = Self::default();
        for (name, field) in value["recorded"].as_object().ok_or("recorded is missing")? {
            baseline.recorded.insert(name.clone(), field.as_str().ok_or("recorded holds texts")?.to_owned());
        }
        for (name, entry) in value["scenarios"].as_object().ok_or("scenarios is missing")? {
            let number = |field: &str| entry[field].as_f64().ok_or_else(|| format!("{name}: {field} is no number"));
            let entry = Entry { value: number("value")?, tolerance_percent: number("tolerance_percent")? };
            baseline.entries.insert(name.clone(), entry);
        }
        Ok(baseline)
    }

    /// Compares a count.
    pub fn compare(&self, scenario: &str, now: f64) -> Verdict {
        let Some(entry) = self.entries.get(scenario) else {
            return Verdict::Worse(format!("{scenario}: {now} now, and no baseline; record it: {HOW_TO_RECORD}"));
        };
        let Entry { value, tolerance_percent } = *entry;
        let allowed = value * tolerance_percent / 100.0;
        let sentence = format!(
            "{scenario}: baseline {value}, now {now} ({}), tolerance {tolerance_percent} %; {{}}: {HOW_TO_RECORD}",
            change(value, now)
        );
        if now > value + allowed {
            return Verdict::Worse(sentence.replace("{}", "where it is worth that, record it"));
        }
        if now < value - allowed {
            return Verdict::Better(sentence.replace("{}", "keep the gain by recording it"));
        }
        Verdict::Same
    }

    /// What was different when the baseline was recorded, as `name: then, now` texts.
    pub fn differences(&self, now: &BTreeMap<String, String>) -> Vec<String> {
        let differs = |(name, then): (&String, &String)| {
            let now = now.get(name).map_or("unknown", String::as_str);
            (now != then).then(|| format!("{name}: {then} when it was recorded, {now} now"))
        };
        self.recorded.iter().filter_map(differs).collect()
    }

    /// Names of scenarios that were recorded but not counted now.
    pub fn missing<'a>(&'a self, counted: &[(String, f64)]) -> Vec<&'a str> {
        let there = |name: &str| counted.iter().any(|(other, _)| other == name);
        self.entries.keys().map(String::as_str).filter(|name| !there(name)).collect()
    }

    /// The same with new counts; known tolerances stay, a new scenario takes the one that `tolerance` gives it in
    /// percent, and a scenario that was not counted goes.
    #[must_use]
    pub fn record(
        &self,
        counted: &[(String, f64)],
        tolerance: fn(&str) -> f64,
        recorded: BTreeMap<String, String>,
    ) -> Self {
        let entry = |(name, value): &(String, f64)| {
            let known = self.entries.get(name).map(|entry| entry.tolerance_percent);
            let tolerance_percent = known.unwrap_or_else(|| tolerance(name));
            (name.clone(), Entry { value: *value, tolerance_percent })
        };
        Self { entries: counted.iter().map(entry).collect(), recorded }
    }

    /// Writes a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, file: &Path) -> Result<()> {
        Ok(fs::write(file, self.text()?)?)
    }

    fn text(&self) -> Result<String> {
        let scenarios: BTreeMap<&String, Value> = self
            .entries
            .iter()
            .map(|(name, e)| (name, json!({"value": e.value, "tolerance_percent": e.tolerance_percent})))
            .collect();
        let value = json!({"recorded": self.recorded, "scenarios": scenarios});
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }
}

fn change(value: f64, now: f64) -> String {
    if value == 0.0 { format!("+{now}") } else { format!("{:+.1} %", (now / value - 1.0) * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Baseline {
        let counted = [("a instructions".to_owned(), 1_000.0), ("a allocations".to_owned(), 0.0)];
        Baseline::default().record(&counted, |_| 5.0, BTreeMap::from([("rustc".to_owned(), "1.88".to_owned())]))
    }

    #[test]
    fn a_count_within_the_tolerance_passes() {
        for now in [950.0, 1_000.0, 1_050.0] {
            assert_eq!(baseline().compare("a instructions", now), Verdict::Same, "{now}");
        }
        assert_eq!(baseline().compare("a allocations", 0.0), Verdict::Same);
    }

    #[test]
    fn a_count_above_the_tolerance_fails_and_says_everything() {
        let Verdict::Worse(why) = baseline().compare("a instructions", 1_051.0) else { panic!("it passed") };
        for part in ["a instructions", "baseline 1000", "now 1051", "+5.1 %", "tolerance 5 %", HOW_TO_RECORD] {
            assert!(why.contains(part), "{part} is not in: {why}");
        }
        assert!(matches!(baseline().compare("a allocations", 0.01), Verdict::Worse(_)), "none means none");
        assert!(matches!(baseline().compare("b", 1.0), Verdict::Worse(why) if why.contains("no baseline")));
    }

    #[test]
    fn a_gain_is_named_so_that_it_is_recorded() {
        let Verdict::Better(why) = baseline().compare("a instructions", 949.0) else { panic!("not noticed") };
        assert!(why.contains("-5.1 %") && why.contains("keep the gain") && why.contains(HOW_TO_RECORD), "{why}");
    }

    #[test]
    fn recording_keeps_tolerances_and_drops_what_is_gone() {
        let first = baseline();
        let counted = [("a instructions".to_owned(), 900.0), ("new".to_owned(), 7.0)];
        let second = first.record(&counted, |_| 1.0, BTreeMap::new());
        assert_eq!(second.compare("a instructions", 945.0), Verdict::Same);
        assert!(matches!(second.compare("new", 7.1), Verdict::Worse(_)));
        assert_eq!(second.missing(&counted[..1]), ["new"]);
        assert!(first.missing(&[]).len() == 2 && second.entries.len() == 2);
    }

    #[test]
    fn a_file_holds_all_of_it() {
        let text = baseline().text().expect("JSON");
        assert_eq!(Baseline::parse(&text).expect("as written"), baseline());
        assert!(Baseline::parse("{}").is_err());
        let broken = text.replace("1000.0", "\"many\"");
        assert!(Baseline::parse(&broken).is_err_and(|why| why.to_string().contains("a instructions: value")));
    }

    #[test]
    fn other_tools_are_named() {
        let now = BTreeMap::from([("rustc".to_owned(), "1.99".to_owned())]);
        assert_eq!(baseline().differences(&now), ["rustc: 1.88 when it was recorded, 1.99 now"]);
        assert_eq!(baseline().differences(&baseline().recorded), [""; 0]);
    }
}
