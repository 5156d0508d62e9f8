//! The header compiles without a warning in every dialect that it promises, and C and Rust agree on every layout.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sources::root;

const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic"];
/// Compiler family, C driver, C++ driver.
const COMPILERS: &[(&str, &str)] = &[("gcc", "g++"), ("clang", "clang++")];
const C: &[&str] = &["c99", "c11"];
const CXX: &[&str] = &["c++11", "c++20"];

/// Included twice, with every inline function used, and the layout assertions behind it.
const UNIT: &str = "\
#include \"ferronet.h\"
#include \"ferronet.h\"
#include \"layout_asserts.h\"
int use_all(char *message);
int use_all(char *message) {
    return (int)(ferronet_abi_check() + ferronet_abi_check_message(message, 10) + FERRONET_ERR_PANIC);
}
";

/// A directory of this test's own below the build directory.
pub fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

pub fn exists(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs a command and gives its standard output; panics with what it said when it fails.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}

fn compile(driver: &str, standard: &str, unit: &str, extra: &[&str]) {
    let language = if standard.starts_with("c++") { ("c++", "cc") } else { ("c", "c") };
    // The tests of this file run side by side, each with another text.
    let source = scratch("header").join(format!("{driver}-{standard}-{}-{}.{}", unit.len(), extra.len(), language.1));
    std::fs::write(&source, unit).unwrap();
    let include = |path: &str| format!("-I{}", root().join(path).display());
    run(Command::new(driver)
        .args(["-x", language.0, &format!("-std={standard}"), "-fsyntax-only"])
        .args(WARNINGS)
        .args(extra)
        .args([include("headers"), include("verify/abi")])
        .arg(&source));
}

/// Names a compiler that is missing as a skipped test, in the test harness's own form, past its capture of output.
fn report_skipped(driver: &str) {
    use std::io::Write;
    let line = format!("\ntest compile::the_header_compiles_with_{driver} ... ignored, {driver} is not installed\n");
    let _ = std::io::stdout().write_all(line.as_bytes());
}

#[test]
fn the_header_compiles_as_c99_c11_cxx11_and_cxx20_included_twice() {
    let mut compiled = 0;
    for (c, cxx) in COMPILERS {
        for (driver, standards) in [(c, C), (cxx, CXX)] {
            if !exists(driver) {
                report_skipped(driver);
                continue;
            }
            for standard in standards {
                for extra in [&[][..], &["-DFERRONET_TEST_HOOKS"][..]] {
                    compile(driver, standard, UNIT, extra);
                    compiled += 1;
                }
            }
        }
    }
    assert!(compiled > 0, "no C compiler was found: install gcc or clang");
}

#[test]
fn the_layout_assertions_can_fail() {
    let Some((driver, _)) = COMPILERS.iter().find(|(c, _)| exists(c)) else { panic!("no C compiler was found") };
    for standard in C {
        let unit = format!("{UNIT}\nFERRONET_ASSERT(wrong, sizeof(ferronet_submission) == 65);\n");
        let failed = std::panic::catch_unwind(|| compile(driver, standard, &unit, &["-Wno-error"])).is_err();
        assert!(failed, "a wrong size was accepted in {standard}");
    }
}
