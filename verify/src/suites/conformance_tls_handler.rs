//! Netty's own tests of `SslHandler` and of what stands on it, over our handler.

use std::collections::HashMap;
use std::path::Path;

use ferronet_packaging::Result;

use super::java;
use crate::context::Context;
use crate::parse::junit;
use crate::results::Results;

/// The classes, how many of their tests pass and are skipped, what they move, and when they run.
const CLASSES: &str = include_str!("../../conformance/tls-handler/classes.tsv");

/// What covers each of Netty's methods over our handler; `MethodsTest` compares it with Netty's classes and with our sources.
const METHODS: &str = include_str!("../../conformance/tls-handler/methods.tsv");

const MODULE: &str = "verify/conformance/tls-handler/target";

/// The providers of Netty's that ours takes the place of.
const PLACES: [&str; 2] = ["jdk", "openssl"];

/// A share of the classes, or with `--full` all of them.
pub(super) fn handler(context: &mut Context<'_>) -> Result<Results> {
    context.staged()?;
    let classes = classes(CLASSES, context.full())?;
    let target = context.project().root.join(MODULE);
    if target.join("moved").exists() {
        std::fs::remove_dir_all(target.join("moved"))?;
    }
    let tests = PLACES.map(|place| {
        let names: Vec<String> = classes.iter().filter(|class| class.place == place).map(Class::filter).collect();
        format!("-Dtests.{place}={}", names.join(","))
    });
    let mut arguments =
        vec!["--activate-profiles", "conformance-tls", "--projects", ":ferronet-conformance-tls-handler"];
    // A failure in one place must not keep the other from running; what failed is read from the reports.
    arguments.extend(["--also-make", "verify", "-DskipTests", "-Dmaven.test.failure.ignore=true"]);
    arguments.extend(tests.iter().map(String::as_str));
    let reports = format!("{MODULE}/surefire-reports");
    let built = java::maven(context, "java-bindings/pom.xml", &reports, &arguments)?;
    let mut results = Results::default();
    results.failed.extend(built.failed.into_iter().filter(|remark| remark.test == "mvn"));
    for place in PLACES {
        let mut found = junit::reports(&target.join("surefire-reports").join(place))?;
        for class in classes.iter().filter(|class| class.place == place) {
            let moved = moved(&target.join("moved").join(place), class.name())?;
            class.expect(&moved, &mut found);
            expect_methods(METHODS, class, &moved, &mut found);
        }
        results.merge(found.prefixed(&format!("{place}/")));
    }
    Ok(results)
}

/// What a class must have moved through our handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// Data.
    Bytes,
    /// Nothing but handshakes.
    Handshakes,
    /// The class has no handlers.
    Nothing,
}

/// A test class, and what is expected of it.
pub(super) struct Class {
    /// The provider that ours takes the place of.
    pub(super) place: &'static str,
    /// The name of the class, and behind a `#` what of it is run, or behind a `!` what is not.
    pub(super) tests: &'static str,
    pub(super) passed: usize,
    pub(super) skipped: usize,
    pub(super) moves: Moves,
}

/// For each method of a class, the handlers of ours that it made and the bytes that these moved.
pub(super) type Moved = HashMap<String, (u64, u64)>;

impl Class {
    /// Its name alone.
    pub(super) fn name(&self) -> &'static str {
        self.tests.split(['#', '!']).next().unwrap_or(self.tests)
    }

    /// What Surefire is told to run.
    fn filter(&self) -> String {
        match self.tests.split_once('!') {
            Some((name, methods)) => format!("{name},!{name}#{methods}"),
            None => self.tests.to_owned(),
        }
    }

    /// Fails the class if it lost or won tests, or if what moved did not go through our handlers.
    pub(super) fn expect(&self, moved: &Moved, results: &mut Results) {
        let name = self.name();
        let part = format!(".{name}.");
        let passed = results.passed.iter().filter(|test| test.contains(&part)).count();
        let skipped = results.skipped.iter().filter(|remark| remark.test.contains(&part)).count();
        if (passed, skipped) != (self.passed, self.skipped) {
            let reason = format!(
                "{passed} tests passed and {skipped} were skipped; classes.tsv has {} and {}",
                self.passed, self.skipped
            );
            results.fail(format!("{name} count"), reason);
        }
        let handlers: u64 = moved.values().map(|(handlers, _)| handlers).sum();
        let bytes: u64 = moved.values().map(|(_, bytes)| bytes).sum();
        let outcome = match self.moves {
            Moves::Bytes if bytes == 0 => Err("no byte of data went through a handler of ours".to_owned()),
            Moves::Handshakes if handlers == 0 => Err("no handler of ours was made".to_owned()),
            Moves::Handshakes if bytes > 0 => Err(format!("{bytes} bytes moved: classes.tsv must say bytes")),
            _ => Ok(()),
        };
        results.record(format!("{name} moved"), outcome);
    }
}

fn classes(table: &'static str, full: bool) -> Result<Vec<Class>> {
    let mut classes = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let malformed = || {
            format!(
                "classes.tsv: {line:?} is not jdk or openssl, a class, two numbers, bytes, handshakes or nothing, \
                 and ci or full"
            )
        };
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [place @ ("jdk" | "openssl"), tests, passed, skipped, moves, share @ ("ci" | "full")] = fields[..] else {
            return Err(malformed().into());
        };
        let moves = match moves {
            "bytes" => Moves::Bytes,
            "handshakes" => Moves::Handshakes,
            "nothing" => Moves::Nothing,
            _ => return Err(malformed().into()),
        };
        let passed = passed.parse().map_err(|_| malformed())?;
        let skipped = skipped.parse().map_err(|_| malformed())?;
        if full || share == "ci" {
            classes.push(Class { place, tests, passed, skipped, moves });
        }
    }
    Ok(classes)
}

/// Reads what `MovedBytes` left behind for a class; nothing if the class did not run.
pub(super) fn moved(folder: &Path, class: &str) -> Result<Moved> {
    let file = folder.join(format!("{class}.tsv"));
    if !file.exists() {
        return Ok(Moved::new());
    }
    let text = std::fs::read_to_string(&file)?;
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let method = fields.next()?.to_owned();
        Some((method, (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?)))
    };
    text.lines().map(|text| line(text).ok_or_else(|| format!("{}: {text:?}", file.display()).into())).collect()
}

/// Every method that is said to be covered by this class in this place has passed there, with a handler of ours.
fn expect_methods(table: &str, class: &Class, moved: &Moved, results: &mut Results) {
    let of_class = format!("{}/{}", class.place, class.name());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, method, cover] = fields[..] else {
            results.fail(format!("methods.tsv {line:?}"), "is not a class of Netty's, a method and what covers it");
            continue;
        };
        // A cover may name another method of the class.
        let (cover, method) = cover.split_once('#').unwrap_or((cover, method));
        if cover != of_class {
            continue;
        }
        let test = format!(".{}.{method}", class.name());
        let passed = results.passed.iter().any(|passed| {
            passed.split_once(&test).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['(', '[', '{']))
        });
        let handlers = moved.get(method).map_or(0, |(handlers, _)| *handlers);
        let outcome = match (passed, handlers) {
            (false, _) => Err(format!("is covered by {cover}, where it did not pass")),
            (true, 0) => Err(format!("is covered by {cover}, where it made no handler of ours")),
            _ => Ok(()),
        };
        results.record(format!("{} {method} covered", class.name()), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(moves: Moves) -> Class {
        Class { place: "jdk", tests: "EchoTest#one+two", passed: 1, skipped: 0, moves }
    }

    fn ran() -> Results {
        let mut results = Results::default();
        results.pass("io.netty.EchoTest.one(SslProvider)[1]");
        results
    }

    fn failures(results: &Results) -> Vec<&str> {
        results.failed.iter().map(|remark| remark.reason.as_str()).collect()
    }

    #[test]
    fn the_share_is_not_all_and_holds_both_places() {
        let ci = classes(CLASSES, false).expect("valid");
        assert!(PLACES.iter().all(|place| ci.iter().any(|class| class.place == *place)));
        assert!(ci.len() < classes(CLASSES, true).expect("valid").len());
    }

    #[test]
    fn what_is_left_out_is_told_to_surefire() {
        let class = Class { tests: "EchoTest!one+two*", ..class(Moves::Bytes) };
        assert_eq!((class.name(), class.filter().as_str()), ("EchoTest", "EchoTest,!EchoTest#one+two*"));
        assert_eq!(self::class(Moves::Bytes).filter(), "EchoTest#one+two");
    }

    #[test]
    fn a_malformed_line_is_named() {
        for line in
            ["jdk\tA\t1\t0\tbytes", "tcnative\tA\t1\t0\tbytes\tci", "jdk\tA\tx\t0\tbytes\tci", "jdk\tA\t1\t0\tall\tci"]
        {
            assert!(classes(line, true).err().is_some_and(|error| error.to_string().contains("classes.tsv")), "{line}");
        }
    }

    #[test]
    fn a_class_that_ran_otherwise_fails() {
        let moved = Moved::from([("one".to_owned(), (2, 7))]);
        let mut results = ran();
        class(Moves::Bytes).expect(&moved, &mut results);
        assert_eq!(failures(&results), [""; 0]);
        let mut results = Results::default();
        class(Moves::Nothing).expect(&moved, &mut results);
        assert_eq!(failures(&results), ["0 tests passed and 0 were skipped; classes.tsv has 1 and 0"]);
        let mut results = ran();
        results.pass("io.netty.EchoTest.two");
        class(Moves::Nothing).expect(&moved, &mut results);
        assert_eq!(failures(&results), ["2 tests passed and 0 were skipped; classes.tsv has 1 and 0"]);
    }

    #[test]
    fn data_that_took_another_way_fails() {
        let still = Moved::from([("one".to_owned(), (2, 0))]);
        let mut results = ran();
        class(Moves::Bytes).expect(&still, &mut results);
        class(Moves::Handshakes).expect(&Moved::new(), &mut results);
        assert_eq!(
            failures(&results),
            ["no byte of data went through a handler of ours", "no handler of ours was made"]
        );
    }

    #[test]
    fn a_method_that_is_not_covered_where_it_is_said_to_be_fails() {
        let table = "Netty\tone\tjdk/EchoTest\nNetty\ttwo\tjdk/EchoTest\nNetty\tthree\topenssl/EchoTest\n";
        let mut results = ran();
        expect_methods(table, &class(Moves::Bytes), &Moved::from([("one".to_owned(), (1, 0))]), &mut results);
        assert_eq!(failures(&results), ["is covered by jdk/EchoTest, where it did not pass"]);
        let mut results = ran();
        results.pass("io.netty.EchoTest.two");
        expect_methods(table, &class(Moves::Bytes), &Moved::from([("one".to_owned(), (1, 0))]), &mut results);
        assert_eq!(failures(&results), ["is covered by jdk/EchoTest, where it made no handler of ours"]);
    }
}
