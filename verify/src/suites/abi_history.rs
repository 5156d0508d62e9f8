//! The C surface against each revision that its floor still serves, compared by libabigail.
//!
//! What is compared are the headers: each becomes a shared library of empty functions, whose debugging information names
//! every function and every type that it reaches. The library itself carries none of C's types.

use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::tools::Tool;
use ferronet_packaging::{Result, run};

use crate::context::Context;
use crate::results::Results;

/// Members that are appended are what a structure's size is for.
const SUPPRESSIONS: &str = "[suppress_type]\n  has_data_member_inserted_at = end\n";

/// Changes to the header that break its callers, each of which must be noticed.
const BREAKS: &[(&str, &str, &str)] = &[
    ("a function that is gone", "int32_t ferronet_reactor_wake(struct ferronet_reactor *reactor);", ""),
    (
        "a parameter more",
        "ferronet_reactor_wake(struct ferronet_reactor *reactor)",
        "ferronet_reactor_wake(struct ferronet_reactor *reactor, int32_t more)",
    ),
    ("a narrower parameter", "uint32_t submitted, int64_t timeout_ns)", "uint32_t submitted, int32_t timeout_ns)"),
    (
        "a member in the middle",
        "    uint64_t extra;\n",
        "    uint32_t middle;\n    uint64_t extra;\n    uint64_t last;\n",
    ),
];

/// Compares, and proves with planted changes that a difference is noticed.
pub(super) fn compare(context: &mut Context<'_>) -> Result<Results> {
    let mut results = Results::default();
    let headers = context.project().root.join("headers");
    let scratch = Scratch::new("abi");
    let work = scratch.path().to_path_buf();
    std::fs::write(work.join("appended.abignore"), SUPPRESSIONS)?;
    let header = std::fs::read_to_string(headers.join("ferronet.h"))?;
    let now = library(context, &work, "now", &header)?;
    let number = |name: &str| defined(&header, name).ok_or_else(|| format!("ferronet.h does not define {name}"));
    for revision in number("FERRONET_ABI_FLOOR")?..=number("FERRONET_ABI_REVISION")? {
        let frozen = std::fs::read_to_string(headers.join(format!("frozen/rev-{revision}/ferronet.h")))?;
        let then = library(context, &work, &format!("rev-{revision}"), &frozen)?;
        let outcome = match differs(context, &work, &then, &now)? {
            false => Ok(()),
            true => Err("callers built for it do not work any more: the log has the difference".to_owned()),
        };
        results.record(format!("revision {revision} is served"), outcome);
    }
    for (name, from, to) in BREAKS {
        if !header.contains(from) {
            results.fail(*name, format!("the header has no {from:?} to change"));
            continue;
        }
        let broken = library(context, &work, "broken", &header.replacen(from, to, 1))?;
        let noticed = differs(context, &work, &now, &broken)?;
        results.record(format!("notices {name}"), if noticed { Ok(()) } else { Err("it passed".to_owned()) });
    }
    Ok(results)
}

/// The number that a header defines for a name.
fn defined(header: &str, name: &str) -> Option<u32> {
    header.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name)?.trim().parse().ok())
}

fn differs(context: &mut Context<'_>, work: &Path, then: &Path, now: &Path) -> Result<bool> {
    let mut command = Command::new(context.tool(Tool::Abidiff)?);
    command
        .args(["--no-added-syms", "--non-reachable-types", "--suppressions"])
        .arg(work.join("appended.abignore"))
        .arg(then)
        .arg(now);
    let ran = context.run(&mut command)?;
    let listed = |mark: &str| ran.output.lines().any(|line| line.trim_start().starts_with(mark));
    if !ran.success && !["[A] ", "[C] ", "[D] "].into_iter().any(listed) {
        return Err("abidiff ended with an error".into());
    }
    // What is added breaks nobody.
    Ok(listed("[C] ") || listed("[D] "))
}

/// A shared library of the header's functions, with debugging information.
fn library(context: &mut Context<'_>, work: &Path, name: &str, header: &str) -> Result<PathBuf> {
    let compiler = context.tool(Tool::Cc)?;
    let (file, source, output) =
        (work.join(format!("{name}.h")), work.join(format!("{name}.c")), work.join(format!("{name}.so")));
    std::fs::write(&file, header)?;
    let plain = run::output(Command::new(&compiler).args(["-E", "-P"]).arg(&file))?;
    let functions = prototypes(&plain);
    if functions.is_empty() {
        return Err(format!("{name}.h declares no function").into());
    }
    let mut text = format!("#include \"{}\"\n", file.display());
    for function in functions {
        text.push_str(&format!("{function} {{ return 0; }}\n"));
    }
    std::fs::write(&source, text)?;
    let mut command = Command::new(compiler);
    command
        .args(["-std=c99", "-g", "-fno-eliminate-unused-debug-types", "-w", "-shared", "-fPIC"])
        .arg(&source)
        .arg("-o")
        .arg(&output);
    if context.run(&mut command)?.success { Ok(output) } else { Err(format!("{name}.c was not compiled").into()) }
}

/// The declarations of `ferronet_*` functions in preprocessed C.
fn prototypes(text: &str) -> Vec<String> {
    let (mut found, mut statement, mut depth) = (Vec::new(), String::new(), 0);
    for letter in text.chars() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                // The end of a function; a type goes on to its semicolon.
                if depth == 0 && !statement.trim_start().starts_with("typedef") {
                    statement.clear();
                    continue;
                }
            }
            ';' if depth == 0 => {
                let words = statement.split_whitespace().collect::<Vec<_>>().join(" ");
                let name = words.split('(').next().unwrap_or_default().rsplit([' ', '*']).next().unwrap_or_default();
                let declares = words.contains('(') && name.starts_with("ferronet_");
                if declares && !["typedef ", "static ", "extern "].iter().any(|start| words.starts_with(start)) {
                    found.push(words.clone());
                }
                statement.clear();
                continue;
            }
            _ => {}
        }
        statement.push(letter);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_the_header() {
        let header = "#define FERRONET_ABI_FLOOR_X 7\n#define FERRONET_ABI_FLOOR 2\n";
        assert_eq!(defined(header, "FERRONET_ABI_FLOOR"), Some(2));
        assert_eq!(defined(header, "FERRONET_ABI_REVISION"), None);
    }

    #[test]
    fn only_declarations_of_our_functions_are_found() {
        let text = "typedef struct a { int32_t b; } a;\nextern int puts(const char *);\nint32_t ferronet_x(const a *in,\n  \
                    void (*call)(int));\nstatic inline int ferronet_y(void) { return 1; }\nconst char *ferronet_z(int32_t s);\n";
        assert_eq!(
            prototypes(text),
            ["int32_t ferronet_x(const a *in, void (*call)(int))", "const char *ferronet_z(int32_t s)"]
        );
    }
}
