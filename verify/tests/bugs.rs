//! `verify/conformance/bugs.txt`: every bug of the list is guarded by a test that exists, or says why not.

use std::path::{Path, PathBuf};

const SECTIONS: &[&str] = &["stream", "loop", "kernel", "tls"];
const CAUSES: &[&str] = &["parity", "platform", "tool"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The file of a test class, wherever it is in the modules.
fn java_class(name: &str, directory: &Path) -> Option<PathBuf> {
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                open.push(path);
            } else if path.file_name().is_some_and(|file| file == format!("{name}.java").as_str()) {
                return Some(path);
            }
        }
    }
    None
}

/// Whether the text declares a test method of this name: an annotation, then `void NAME(`.
fn has_test_method(text: &str, name: &str) -> bool {
    let declaration = format!("void {name}(");
    let Some(place) = text.find(&declaration) else { return false };
    let start = text[..place].rfind("\n\n").unwrap_or(0);
    ["@Test", "@OnBothBackends", "@ParameterizedTest"].iter().any(|annotation| text[start..place].contains(annotation))
}

fn check_test(test: &str) -> Result<(), String> {
    let (kind, name) = test.split_once(':').ok_or_else(|| format!("{test}: no kind of test"))?;
    match kind {
        "java" => {
            let (class, method) = name.split_once('.').ok_or_else(|| format!("{test}: CLASS.METHOD is expected"))?;
            let file =
                java_class(class, &root().join("java-bindings")).ok_or_else(|| format!("{test}: no such class"))?;
            if has_test_method(&read(&file)?, method) { Ok(()) } else { Err(format!("{test}: no such test")) }
        }
        "suite" => {
            let table = read(&root().join("verify/conformance/classes.tsv"))?;
            let line = table.lines().find(|line| line.split('\t').next() == Some(name));
            let runs = line.and_then(|line| line.split('\t').nth(1)).is_some_and(|least| least != "0");
            if runs { Ok(()) } else { Err(format!("{test}: not run by the conformance suite")) }
        }
        "rust" => {
            let (file, function) = name.split_once("::").ok_or_else(|| format!("{test}: FILE::NAME is expected"))?;
            let text = read(&root().join(file))?;
            if text.contains(&format!("#[test]\nfn {function}(")) {
                Ok(())
            } else {
                Err(format!("{test}: no such test"))
            }
        }
        _ => Err(format!("{test}: unknown kind {kind}")),
    }
}

fn check_line(line: &str) -> Result<String, String> {
    let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [section, numbers, right, tests] = fields[..] else {
        return Err(format!("{line}: SECTION | NUMBERS | WHAT IS RIGHT | TESTS is expected"));
    };
    if !SECTIONS.contains(&section) || numbers.is_empty() || right.is_empty() {
        return Err(format!("{line}: unknown section, or an empty field"));
    }
    if let Some(exception) = tests.strip_prefix("exception: ") {
        let (cause, why) = exception.split_once(": ").unwrap_or((exception, ""));
        let known = CAUSES.contains(&cause) && !why.is_empty();
        return if known {
            Ok(section.to_owned())
        } else {
            Err(format!("{line}: unknown cause {cause}, or no reason"))
        };
    }
    for test in tests.split(',') {
        check_test(test.trim()).map_err(|error| format!("{numbers}: {error}"))?;
    }
    Ok(section.to_owned())
}

#[test]
fn every_bug_has_a_test_that_exists() {
    let table = read(&root().join("verify/conformance/bugs.txt")).expect("readable");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (checked, errors): (Vec<_>, Vec<_>) = lines.map(check_line).partition(Result::is_ok);
    let errors: Vec<String> = errors.into_iter().filter_map(Result::err).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    for (section, least) in SECTIONS.iter().zip([18, 5, 6, 13]) {
        let count = checked.iter().filter(|found| found.as_deref() == Ok(*section)).count();
        assert!(count >= least, "{section}: {count} of {least} lines");
    }
}

#[test]
fn a_line_without_a_test_is_refused() {
    assert!(check_line("stream | 1 | nothing is lost | java:EchoTest.noSuchTest").is_err());
    assert!(check_line("stream | 1 | nothing is lost | java:NoSuchTest.everyKindOfBuffer").is_err());
    assert!(check_line("stream | 1 | nothing is lost | suite:SocketSslClientRenegotiateTest").is_err());
    assert!(check_line("stream | 1 | nothing is lost | rust:ffi/tests/uring/refusals.rs::none").is_err());
    assert!(check_line("stream | 1 | nothing is lost | exception: later: no time").is_err());
    assert!(check_line("stream | 1 | nothing is lost").is_err());
    assert!(check_line("stream | 1 | nothing is lost | java:EchoTest.everyKindOfBuffer").is_ok());
}
