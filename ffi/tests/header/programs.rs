//! C programs over the header: the compatibility cases, the fake libraries, and a consumer of each frozen revision.

use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet::abi::attach::{Consumer, Library, verify};
use ferronet::abi::info::FERRONET_ABI_REVISION;
use ferronet::abi::layout::FINGERPRINT;
use ferronet::boundary::status::ferronet_status_name;

use crate::compile::{exists, run, scratch};
use crate::sources::root;

/// A line of `key=value` pairs; `message` goes to the end of the line.
struct Line<'a>(&'a str);

impl<'a> Line<'a> {
    /// The lines of a file that are neither comments nor empty.
    fn all(text: &'a str) -> impl Iterator<Item = Self> {
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(Line)
    }

    fn text(&self, key: &str) -> &'a str {
        let (pairs, message) = self.0.split_once(" message=").unwrap_or_else(|| panic!("no message in: {}", self.0));
        if key == "message" {
            return message;
        }
        let value = pairs.split(' ').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no {key} in: {}", self.0))
    }

    fn number(&self, key: &str) -> u64 {
        let text = self.text(key);
        let number = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16));
        number.unwrap_or_else(|_| panic!("{key} is no number in: {}", self.0))
    }
}

fn name(status: i32) -> &'static str {
    // SAFETY: the name is constant and ends with a zero byte.
    unsafe { std::ffi::CStr::from_ptr(ferronet_status_name(status)) }.to_str().unwrap()
}

fn compiler() -> &'static str {
    ["cc", "gcc", "clang"].into_iter().find(|tool| exists(tool)).expect("no C compiler was found: install gcc or clang")
}

pub fn build(sources: &[&Path], output: &Path, arguments: &[String]) {
    run(Command::new(compiler())
        .args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(sources)
        .arg("-o")
        .arg(output)
        .args(arguments));
}

pub fn include(path: &str) -> String {
    format!("-I{}", root().join(path).display())
}

/// Cargo builds the shared library beside the test programs.
pub fn library_directory() -> PathBuf {
    let directory = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let library = directory.join(format!("{}ferronet{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    assert!(library.exists(), "{} is missing", library.display());
    directory
}

#[test]
fn rust_agrees_with_the_case_table() {
    let text = std::fs::read_to_string(root().join("verify/abi/cases.txt")).unwrap();
    let mut ids = std::collections::HashSet::new();
    for line in Line::all(&text) {
        let library = Library {
            magic: line.number("magic") as u32,
            struct_size: line.number("size") as u32,
            revision: line.number("revision") as u32,
            floor: line.number("floor") as u32,
            features: line.number("features"),
            fingerprint: line.number("fingerprint"),
        };
        let consumer = Consumer {
            built_for: line.number("built_for") as u32,
            minimum: line.number("minimum") as u32,
            features: line.number("required"),
            fingerprint: line.number("expected"),
        };
        let (outcome, message) = match verify("FILE", &library, &consumer) {
            Ok(()) => (0, String::new()),
            Err((status, message)) => (status, message),
        };
        let id = line.text("id");
        assert_eq!((name(outcome), message.as_str()), (line.text("outcome"), line.text("message")), "{id}");
        assert!(ids.insert(id), "{id} is there twice");
    }
    assert!(ids.len() >= 30, "only {} cases", ids.len());
}

#[test]
fn the_header_agrees_with_the_case_table() {
    let program = scratch("programs").join("abi_cases");
    build(&[&root().join("verify/abi/abi_cases.c")], &program, &[include("headers")]);
    let said = run(Command::new(&program).arg(root().join("verify/abi/cases.txt")));
    assert!(said.trim_end().ends_with(" cases, 0 wrong"), "{said}");
}

#[test]
fn a_wrong_case_is_noticed_by_the_header_runner() {
    let directory = scratch("wrong-case");
    let program = directory.join("abi_cases");
    build(&[&root().join("verify/abi/abi_cases.c")], &program, &[include("headers")]);
    let text = std::fs::read_to_string(root().join("verify/abi/cases.txt")).unwrap();
    let file = directory.join("cases.txt");
    std::fs::write(&file, text.replacen("use a newer library", "use another library", 1)).unwrap();
    let output = Command::new(&program).arg(&file).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains(" 1 wrong"));
}

#[test]
#[cfg(unix)]
fn every_fake_library_gets_the_verdict_that_its_list_says() {
    let fakes = root().join("verify/abi/fakes");
    let directory = scratch("fakes");
    let loader = directory.join("abi_load");
    build(&[&root().join("verify/abi/abi_load.c")], &loader, &[include("headers"), "-ldl".into()]);
    let text = std::fs::read_to_string(fakes.join("expected.txt")).unwrap();
    let mut listed = Vec::new();
    for line in Line::all(&text) {
        let name = line.text("name");
        let library = directory.join(format!("lib{name}.so"));
        let shared = ["-shared".into(), "-fPIC".into(), include("headers"), include("verify/abi/fakes")];
        build(&[&fakes.join(format!("{name}.c"))], &library, &shared);
        let said = run(Command::new(&loader).arg(&library).arg(line.text("required")));
        let message = line
            .text("message")
            .replace("FILE", &library.display().to_string())
            .replace("FINGERPRINT", &format!("0x{FINGERPRINT:016x}"))
            .replace("REVISION+1", &(FERRONET_ABI_REVISION + 1).to_string())
            .replace("REVISION", &FERRONET_ABI_REVISION.to_string());
        assert_eq!(said.trim_end(), format!("{} {message}", line.text("outcome")).trim_end(), "{name}");
        listed.push(format!("{name}.c"));
    }
    let sources = std::fs::read_dir(&fakes).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut sources: Vec<String> = sources.filter(|name| name.ends_with(".c")).collect();
    sources.sort();
    listed.sort();
    assert_eq!(sources, listed, "expected.txt lists other libraries than there are");
}

#[test]
#[cfg(unix)]
fn todays_library_is_accepted_by_the_loader() {
    let directory = scratch("today");
    let loader = directory.join("abi_load");
    build(&[&root().join("verify/abi/abi_load.c")], &loader, &[include("headers"), "-ldl".into()]);
    let name = format!("{}ferronet{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let said = run(Command::new(&loader).arg(library_directory().join(name)).arg("0"));
    assert_eq!(said.trim_end(), "FERRONET_OK");
}
