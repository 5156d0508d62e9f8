//! The cells of the TLS interoperability matrix, and which of them some peer cannot do.

use ferronet_packaging::Result;

use crate::results::Results;

const PEERS: [&str; 4] = ["ferronet", "jdk", "tcnative", "openssl"];
const KEYS: [&str; 3] = ["ecdsa", "rsa", "ed25519"];
const FEATURES: [&str; 10] = [
    "echo",
    "alpn-none",
    "client-auth",
    "resumption",
    "sni",
    "sni-handler",
    "chain-15",
    "chain-30",
    "chain-60",
    "client-chain-60",
];
/// Fields of a cell's name: the peers, the version, the key, the group, the feature.
const FIELDS: usize = 6;

/// The groups of a version; the hybrid one exists in TLS 1.3 only.
fn groups(version: &str) -> &'static [&'static str] {
    if version == "1.2" { &["x25519", "p256", "p384"] } else { &["x25519", "p256", "p384", "x25519mlkem768"] }
}

/// The names of all cells: plain data with every group, and every other feature with one of the groups in turn, or when
/// `full` with every group too.
pub(super) fn cells(full: bool) -> Vec<String> {
    let mut cells = Vec::new();
    for client in PEERS {
        for server in PEERS {
            for version in ["1.2", "1.3"] {
                for (key_index, key) in KEYS.into_iter().enumerate() {
                    for (feature_index, feature) in FEATURES.into_iter().enumerate() {
                        // Netty's handler in front of one context for each name; the others choose in other ways.
                        if feature == "sni-handler" && server != "ferronet" {
                            continue;
                        }
                        let all = groups(version);
                        let turn = (key_index + feature_index) % all.len();
                        let chosen = if full || feature == "echo" { all } else { &all[turn..=turn] };
                        for group in chosen {
                            cells.push(format!("{client}>{server}/{version}/{key}/{group}/{feature}"));
                        }
                    }
                }
            }
        }
    }
    cells
}

/// The versions that a line may depend on.
pub(super) struct Versions {
    pub(super) openssl: String,
    pub(super) jdk: String,
}

/// Cells that a peer cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unable {
    /// A field for each of a cell's: `*`, or names with commas between them.
    pattern: [String; FIELDS],
    /// A program and the version from which on it can; always, when there is none.
    until: Option<(String, String)>,
    /// What the failure says.
    words: String,
    /// Why it cannot.
    cause: String,
}

impl Unable {
    /// Whether these versions are without what is missing.
    pub(super) fn applies(&self, versions: &Versions) -> bool {
        match &self.until {
            None => true,
            Some((program, until)) => {
                let have = if program == "openssl" { &versions.openssl } else { &versions.jdk };
                numbers(have) < numbers(until)
            }
        }
    }

    fn covers(&self, cell: &str) -> bool {
        let fields: Vec<&str> = cell.split(['>', '/']).collect();
        fields.len() == FIELDS
            && self
                .pattern
                .iter()
                .zip(fields)
                .all(|(pattern, field)| pattern == "*" || pattern.split(',').any(|one| one == field))
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Reads lines of `PATTERN | UNTIL | WORDS | CAUSE`.
pub(super) fn unable(text: &str) -> Result<Vec<Unable>> {
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let malformed = || format!("cannot.txt: {line:?} is not PATTERN | UNTIL | WORDS | CAUSE");
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [pattern, until, words, cause] = fields[..] else {
            return Err(malformed().into());
        };
        let pattern: Vec<String> = pattern.split(['>', '/']).map(str::to_owned).collect();
        let pattern: [String; FIELDS] = pattern.try_into().map_err(|_| malformed())?;
        let until = match until.split_once('<') {
            Some((program @ ("openssl" | "jdk"), version)) if !numbers(version).is_empty() => {
                Some((program.to_owned(), version.to_owned()))
            }
            None if until == "ever" => None,
            _ => return Err(malformed().into()),
        };
        if words.is_empty() || cause.is_empty() {
            return Err(malformed().into());
        }
        all.push(Unable { pattern, until, words: words.to_owned(), cause: cause.to_owned() });
    }
    Ok(all)
}

/// What the outcome of each cell counts as: one that a peer cannot do is skipped when it fails with the expected words, and fails
/// when it works; one without an outcome fails.
pub(super) fn judge(cells: &[String], cannot: &[Unable], ran: Results) -> Results {
    let mut results = Results::default();
    for cell in cells {
        let lines: Vec<&Unable> = cannot.iter().filter(|line| line.covers(cell)).collect();
        if ran.passed.contains(cell) {
            match lines.first() {
                None => results.pass(cell),
                Some(line) => results.fail(cell, format!("works, though it is listed in cannot.txt: {}", line.cause)),
            }
        } else if let Some(remark) = ran.failed.iter().find(|remark| remark.test == *cell) {
            match lines.iter().find(|line| remark.reason.contains(&line.words)) {
                Some(line) => results.skip(cell, &line.cause),
                None => results.fail(cell, &remark.reason),
            }
        } else {
            results.fail(cell, "it did not run");
        }
    }
    let known = |test: &String| cells.contains(test);
    for test in ran.passed.iter().chain(ran.failed.iter().map(|remark| &remark.test)).filter(|test| !known(test)) {
        results.fail(test, "it is no cell of the matrix");
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "tcnative>*/*/ed25519/*/* | ever | no key material | it has no Ed25519\n";

    #[test]
    fn the_share_has_every_combination_but_of_group_and_feature() {
        let (share, full) = (cells(false), cells(true));
        assert!(share.iter().all(|cell| full.contains(cell)));
        assert_eq!(share.len(), 16 * 3 * 7 + 16 * 2 * 3 * 8 + 4 * 2 * 3);
        assert_eq!(full.len(), (16 * 9 + 4) * 3 * 7);
        for feature in FEATURES {
            for group in groups("1.3") {
                let suffix = format!("/{group}/{feature}");
                let shared = share.iter().filter(|cell| cell.ends_with(&suffix)).count();
                assert!(shared > 0 || KEYS.len() < groups("1.3").len(), "{suffix}");
            }
        }
    }

    #[test]
    fn every_line_of_the_file_covers_a_cell() {
        let all = cells(true);
        for line in unable(include_str!("../../interop/cannot.txt")).expect("valid") {
            assert!(all.iter().any(|cell| line.covers(cell)), "{line:?}");
        }
    }

    #[test]
    fn a_line_counts_until_a_version() {
        let lines = unable("*>openssl/1.3/*/x25519mlkem768/* | openssl<3.5 | words | cause").expect("valid");
        let with = |openssl: &str| Versions { openssl: openssl.to_owned(), jdk: "25.0.3".to_owned() };
        assert!(lines[0].applies(&with("3.0.19")));
        assert!(!lines[0].applies(&with("3.5.0")));
        assert!(!lines[0].applies(&with("3.10.1")));
        for bad in
            ["*>*/*/*/* | ever | a | b", "*>*/*/*/*/* | curl<8 | a | b", "*>*/*/*/*/* | ever | a | ", "*>*/*/*/*/*"]
        {
            assert!(unable(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_listed_cell_is_skipped_for_its_reason_only_and_fails_when_it_works() {
        let cannot = unable(LINE).expect("valid");
        let cells: Vec<String> =
            ["tcnative>jdk/1.3/ed25519/p256/echo", "jdk>jdk/1.3/ed25519/p256/echo"].map(str::to_owned).into();
        let outcome = |words: Option<&str>| {
            let mut ran = Results::default();
            match words {
                Some(words) => ran.fail(&cells[0], words),
                None => ran.pass(&cells[0]),
            }
            ran.pass(&cells[1]);
            judge(&cells, &cannot, ran)
        };
        let results = outcome(Some("x: no key material for it"));
        assert_eq!((results.passed.len(), results.skipped.len(), results.failed.len()), (1, 1, 0));
        assert_eq!(results.skipped[0].reason, "it has no Ed25519");
        assert_eq!(outcome(Some("timed out")).failed[0].reason, "timed out");
        assert!(outcome(None).failed[0].reason.contains("works"));
    }

    #[test]
    fn a_cell_without_an_outcome_and_an_outcome_without_a_cell_fail() {
        let cells = vec!["jdk>jdk/1.3/rsa/p256/echo".to_owned()];
        let mut ran = Results::default();
        ran.pass("jdk>jdk/1.3/rsa/p256/other");
        let results = judge(&cells, &[], ran);
        assert_eq!(results.failed[0].reason, "it did not run");
        assert_eq!(results.failed[1].reason, "it is no cell of the matrix");
    }
}
