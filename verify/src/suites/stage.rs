//! The staged artifacts, as somebody else would use them.

use std::path::Path;
use std::process::Command;

use ferronet_packaging::Result;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::stage::{self, Metadata, Staged};
use ferronet_packaging::tools::Tool;

use crate::context::Context;
use crate::results::Results;

/// A program that any build of the library can be linked into.
const PROGRAM: &str = "\
#include \"ferronet.h\"
#include <stdio.h>
int main(void) {
    const ferronet_abi_info *info = ferronet_abi();
    printf(\"%u %u\\n\", info->abi_revision, info->abi_floor);
    return info->magic == FERRONET_ABI_MAGIC ? 0 : 1;
}
";

/// Rules, then a program built against a copy of the stage in another place.
pub(super) fn artifacts(context: &mut Context<'_>) -> Result<Results> {
    let staged = context.staged()?;
    let mut results = Results::default();
    let violations = stage::check(context.project())?;
    for artifact in ["lib/libferronet.so.1", "lib/libferronet.a", "hooks/lib/libferronet.so.1", "include", "native"] {
        let broken: Vec<&str> = violations
            .iter()
            .filter(|violation| violation.artifact.starts_with(artifact))
            .map(|violation| violation.text.as_str())
            .collect();
        results.record(format!("rules of {artifact}"), if broken.is_empty() { Ok(()) } else { Err(broken.join("; ")) });
    }
    results.record("nothing of the build machine is in the library", no_paths(context, &staged));

    let metadata = Metadata::of_library(&staged.shared())?;
    let expected = format!("{} {}", metadata.revision, metadata.floor);
    let moved = Scratch::new("moved stage");
    for directory in ["lib", "include"] {
        copy(&staged.root.join(directory), &moved.path().join(directory))?;
    }
    for form in ["shared", "static"] {
        results.record(format!("a C program links {form}"), link(context, moved.path(), form, PROGRAM, &expected));
    }
    let expected = format!("Ferronet, revision {}", metadata.revision);
    let readme = std::fs::read_to_string(context.project().root.join("README.md"))?;
    let outcome = match program_of(&readme) {
        Some(program) => link(context, moved.path(), "shared", program, &expected),
        None => Err("the README has no C program".to_owned()),
    };
    results.record("the README's C program runs", outcome);
    if context.full() {
        results.record("two builds in two directories are equal", reproducible(context, &staged));
    }
    Ok(results)
}

fn no_paths(context: &Context<'_>, staged: &Staged) -> std::result::Result<(), String> {
    let root = context.project().root.display().to_string();
    let home = std::env::var("HOME").unwrap_or_default();
    for file in [staged.shared(), staged.archive()] {
        let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
        for path in [&root, &format!("{home}/.cargo")] {
            if path.len() > 1 && bytes.windows(path.len()).any(|window| window == path.as_bytes()) {
                return Err(format!("{} holds {path}", file.display()));
            }
        }
    }
    Ok(())
}

pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The first block of C in a Markdown text.
fn program_of(text: &str) -> Option<&str> {
    let start = text.find("```c\n")? + "```c\n".len();
    let length = text[start..].find("```")?;
    Some(&text[start..start + length])
}

fn link(
    context: &mut Context<'_>,
    tree: &Path,
    form: &str,
    program: &str,
    expected: &str,
) -> std::result::Result<(), String> {
    let include = vec![format!("-I{}", tree.join("include").display())];
    let libraries = match form {
        "shared" => vec![tree.join("lib/libferronet.so").display().to_string()],
        _ => ["-lpthread", "-lm", "-ldl"].iter().fold(
            vec![tree.join("lib/libferronet.a").display().to_string()],
            |mut all, flag| {
                all.push((*flag).to_owned());
                all
            },
        ),
    };
    compile_and_run(context, tree, &include, &libraries, program, expected)
}

fn compile_and_run(
    context: &mut Context<'_>,
    tree: &Path,
    include: &[String],
    libraries: &[String],
    text_of_program: &str,
    expected: &str,
) -> std::result::Result<(), String> {
    let text = |error: ferronet_packaging::Error| error.to_string();
    let (source, program) = (tree.join("program.c"), tree.join("program"));
    std::fs::write(&source, text_of_program).map_err(|error| error.to_string())?;
    let mut compile = Command::new(context.tool(Tool::Cc).map_err(text)?);
    compile.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]).args(include).arg(&source).args(libraries);
    compile.arg(format!("-Wl,-rpath,{}", tree.join("lib").display())).arg("-o").arg(&program);
    if !context.run(&mut compile).map_err(text)?.success {
        return Err("does not link".to_owned());
    }
    let ran = context.run(&mut Command::new(&program)).map_err(text)?;
    if ran.success && ran.output.trim() == expected {
        return Ok(());
    }
    Err(format!("the program printed {:?} instead of {expected:?}", ran.output.trim()))
}

/// Builds a copy of the sources in another directory and compares what ships.
fn reproducible(context: &mut Context<'_>, staged: &Staged) -> std::result::Result<(), String> {
    let scratch = Scratch::new("second build");
    let root = &context.project().root;
    let text = |error: ferronet_packaging::Error| error.to_string();
    for part in ["ffi", "headers", "packaging", "verify", ".cargo"] {
        copy_sources(&root.join(part), &scratch.path().join(part)).map_err(text)?;
    }
    for file in ["Cargo.toml", "Cargo.lock", "LICENSE", "NOTICE"] {
        std::fs::copy(root.join(file), scratch.path().join(file)).map_err(|error| format!("{file}: {error}"))?;
    }
    let mut command = context.cargo();
    command.current_dir(scratch.path()).args(["stage", "--no-install"]);
    command.env("CARGO_TARGET_DIR", scratch.path().join("target")).env_remove("CARGO_MANIFEST_DIR");
    if !context.run(&mut command).map_err(text)?.success {
        return Err("the second build failed".to_owned());
    }
    let second = Staged { root: scratch.path().join("target/stage"), target: staged.target };
    for (first, second) in [(staged.shared(), second.shared()), (staged.archive(), second.archive())] {
        let read = |file: &Path| std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()));
        if read(&first)? != read(&second)? {
            return Err(format!("{} differs", first.display()));
        }
    }
    Ok(())
}

fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if !entry.path().is_dir() {
            std::fs::copy(entry.path(), target)?;
        } else if entry.file_name() != "target" {
            copy_sources(&entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_c_block_is_found() {
        assert_eq!(program_of("# a\n```sh\nls\n```\n```c\nint x;\n```\n"), Some("int x;\n"));
        assert_eq!(program_of("```cpp\n```\n"), None);
    }
}
