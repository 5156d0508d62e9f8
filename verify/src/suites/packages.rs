//! What ships, as strangers use it: projects of other people that know the staged tree or the packaged crate, and nothing
//! else of this source tree.

use std::path::{Path, PathBuf};
use std::process::Command;

use ferronet_packaging::Result;
use ferronet_packaging::project::Project;
use ferronet_packaging::scratch::Scratch;
use ferronet_packaging::stage::Metadata;
use ferronet_packaging::tools::Tool;

use super::packages_ledger;
use super::stage::copy;
use crate::context::Context;
use crate::results::Results;

type Outcome = std::result::Result<(), String>;

/// Another Rust library, with a panic of its own to catch.
const OTHER_LIBRARY: &str = "\
#[unsafe(no_mangle)]
pub extern \"C\" fn other_panics(number: i32) -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| if number > 0 { panic!(\"{number}\") });
    i32::from(caught.is_err())
}
";

/// A program over both, and over the zlib of the system by its names.
const OTHER_PROGRAM: &str = "\
#include <ferronet.h>
#include <stdio.h>
int other_panics(int number);
int deflate(void) { return 77; }
int main(void) {
    unsigned char packed[64];
    long size = (long)ferronet_deflate_buffer(NULL, \"abc\", 3, packed, sizeof packed);
    printf(\"%d %d %d\\n\", other_panics(1), deflate(), size > 0);
    return 0;
}
";

/// Versions that a project asks for, as CMake hands them on, and whether this library will do.
const VERSIONS: &[(&str, bool)] = &[
    ("PACKAGE_FIND_VERSION=0.1", true),
    ("PACKAGE_FIND_VERSION=@VERSION@", true),
    ("PACKAGE_FIND_VERSION=", true),
    ("PACKAGE_FIND_VERSION=0.0.9", false),
    ("PACKAGE_FIND_VERSION=99.0", false),
    ("PACKAGE_FIND_VERSION_RANGE=0.1...1;PACKAGE_FIND_VERSION_MIN=0.1;PACKAGE_FIND_VERSION_MAX=1", true),
    ("PACKAGE_FIND_VERSION_RANGE=0.0.1...1;PACKAGE_FIND_VERSION_MIN=0.0.1;PACKAGE_FIND_VERSION_MAX=1", false),
    ("PACKAGE_FIND_VERSION_RANGE=1...2;PACKAGE_FIND_VERSION_MIN=1;PACKAGE_FIND_VERSION_MAX=2", false),
    (
        "PACKAGE_FIND_VERSION_RANGE=0.1...<@VERSION@;PACKAGE_FIND_VERSION_MIN=0.1;PACKAGE_FIND_VERSION_MAX=@VERSION@;\
         PACKAGE_FIND_VERSION_RANGE_MAX=EXCLUDE",
        false,
    ),
    ("PACKAGE_FIND_VERSION=0.1;CMAKE_SIZEOF_VOID_P=4", false),
];

/// Projects for CMake, make and Cargo, built against copies in other places and run.
pub(super) fn c(context: &mut Context<'_>) -> Result<Results> {
    let staged = context.staged()?;
    let metadata = Metadata::of_library(&staged.shared())?;
    let expected = format!("revision {}: hello TLSv1.2,TLSv1.3", metadata.revision);
    let mut results = Results::default();

    // Make knows no file names with blanks in them, CMake does.
    let (tree, blank) = (Scratch::new("package"), Scratch::new("package with blanks"));
    for moved in [&tree, &blank] {
        for directory in ["lib", "include", "share"] {
            copy(&staged.root.join(directory), &moved.path().join(directory))?;
        }
    }
    match context.optional(Tool::Cmake) {
        Some(cmake) => {
            let built = cmake_project(context, &cmake, blank.path());
            for form in ["shared", "static"] {
                let program = blank.path().join("build").join(format!("consumer_{form}"));
                let outcome = built.clone().and_then(|()| prints(context, &program, &expected));
                results.record(format!("a CMake project, {form}"), outcome);
            }
            results.record("versions that CMake may ask for", versions(context, &cmake, blank.path(), &metadata));
            results.record("a component that is not there is named", absent_component(context, &cmake, tree.path()));
        }
        None => results.skip("CMake projects", "cmake is missing"),
    }
    if context.optional(Tool::PkgConfig).is_some() {
        let built = make_project(context, tree.path());
        for form in ["shared", "static"] {
            let program = tree.path().join("build").join(format!("consumer_{form}"));
            let outcome = built.clone().and_then(|()| prints(context, &program, &expected));
            results.record(format!("a project with pkg-config and make, {form}"), outcome);
        }
    } else {
        results.skip("a project with pkg-config and make", "pkg-config is missing");
    }
    for order in [["ferronet", "other"], ["other", "ferronet"]] {
        let outcome = beside_another(context, tree.path(), order);
        results.record(format!("linked with another Rust library: {} first", order[0]), outcome);
    }
    results.record("a Cargo project over the packaged crate", cargo_project(context));
    packages_ledger::compare(context, &staged, &mut results)?;
    Ok(results)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn run(context: &Context<'_>, command: &mut Command, what: &str) -> std::result::Result<String, String> {
    let ran = context.run(command).map_err(text)?;
    if ran.success { Ok(ran.output) } else { Err(format!("{what} failed")) }
}

fn prints(context: &Context<'_>, program: &Path, expected: &str) -> Outcome {
    let output = run(context, &mut Command::new(program), &program.display().to_string())?;
    if output.trim() == expected {
        return Ok(());
    }
    Err(format!("the program printed {:?} instead of {expected:?}", output.trim()))
}

fn sources(context: &Context<'_>) -> PathBuf {
    context.project().root.join("verify/packages")
}

/// A folder of its own with the project's file and the program.
fn lay_out(context: &Context<'_>, tree: &Path, file: &str, project: &str) -> std::result::Result<PathBuf, String> {
    let directory = tree.join(project);
    std::fs::create_dir_all(&directory).map_err(text)?;
    let from = sources(context);
    std::fs::copy(from.join(project).join(file), directory.join(file)).map_err(text)?;
    std::fs::copy(from.join("consumer.c"), directory.join("consumer.c")).map_err(text)?;
    Ok(directory)
}

fn cmake_project(context: &Context<'_>, cmake: &Path, tree: &Path) -> Outcome {
    let source = lay_out(context, tree, "CMakeLists.txt", "cmake")?;
    let build = tree.join("build");
    let mut configure = Command::new(cmake);
    configure.arg("-S").arg(&source).arg("-B").arg(&build);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", tree.display()));
    configure.arg("-DCMAKE_C_FLAGS=-D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror");
    run(context, &mut configure, "cmake")?;
    run(context, Command::new(cmake).arg("--build").arg(&build), "the build").map(drop)
}

fn versions(context: &Context<'_>, cmake: &Path, tree: &Path, metadata: &Metadata) -> Outcome {
    let file = tree.join("lib/cmake/ferronet/ferronetConfigVersion.cmake");
    let script = tree.join("version.cmake");
    let body = "include(\"${FILE}\")\nif(PACKAGE_VERSION_COMPATIBLE AND NOT PACKAGE_VERSION_UNSUITABLE)\n  \
                message(\"compatible\")\nelse()\n  message(\"refused\")\nendif()\n";
    std::fs::write(&script, body).map_err(text)?;
    let mut wrong = Vec::new();
    for (wish, compatible) in VERSIONS {
        let wish = wish.replace("@VERSION@", &metadata.version);
        let mut command = Command::new(cmake);
        command.args(wish.split(';').map(|setting| format!("-D{setting}")));
        command.arg(format!("-DFILE={}", file.display())).arg("-P").arg(&script);
        let output = run(context, &mut command, "cmake")?;
        if (output.trim() == "compatible") != *compatible {
            wrong.push(format!("{wish}: {}", output.trim()));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn absent_component(context: &Context<'_>, cmake: &Path, tree: &Path) -> Outcome {
    let project = tree.join("absent");
    std::fs::create_dir_all(&project).map_err(text)?;
    let list = "cmake_minimum_required(VERSION 3.16)\nproject(absent NONE)\n\
                find_package(ferronet CONFIG REQUIRED COMPONENTS shared dynamic)\n";
    std::fs::write(project.join("CMakeLists.txt"), list).map_err(text)?;
    let mut configure = Command::new(cmake);
    configure.arg("-S").arg(&project).arg("-B").arg(project.join("build"));
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", tree.display()));
    let ran = context.run(&mut configure).map_err(text)?;
    match (ran.success, ran.output.contains("no component dynamic")) {
        (true, _) => Err("a component that does not exist was found".to_owned()),
        (false, false) => Err("the message does not name the component".to_owned()),
        (false, true) => Ok(()),
    }
}

fn make_project(context: &mut Context<'_>, tree: &Path) -> Outcome {
    let make = context.tool(Tool::Make).map_err(text)?;
    let source = lay_out(context, tree, "Makefile", "make")?;
    let build = tree.join("build");
    std::fs::rename(&source, &build).map_err(text)?;
    let mut command = Command::new(make);
    command.current_dir(&build).env("PKG_CONFIG_PATH", tree.join("lib/pkgconfig"));
    run(context, &mut command, "make").map(drop)
}

/// Links the archive with another Rust library in one program: neither may take the place of a part of the other.
fn beside_another(context: &mut Context<'_>, tree: &Path, order: [&str; 2]) -> Outcome {
    let (source, library) = (tree.join("other.rs"), tree.join("libother.a"));
    if !library.is_file() {
        std::fs::write(&source, OTHER_LIBRARY).map_err(text)?;
        let mut compile = Command::new("rustc");
        compile.args(["--edition", "2024", "--crate-type", "staticlib", "-O", "-o"]).arg(&library).arg(&source);
        run(context, &mut compile, "rustc")?;
    }
    let (source, program) = (tree.join("both.c"), tree.join("both"));
    std::fs::write(&source, OTHER_PROGRAM).map_err(text)?;
    let mut link = Command::new(context.tool(Tool::Cc).map_err(text)?);
    link.arg(format!("-I{}", tree.join("include").display())).arg(&source).arg("-o").arg(&program);
    link.args(order.map(|name| match name {
        "other" => library.clone(),
        _ => tree.join("lib/libferronet.a"),
    }));
    link.args(["-lpthread", "-lm", "-ldl"]);
    run(context, &mut link, "the link")?;
    prints(context, &program, "1 77 1")
}

/// Packages the crate, unpacks it elsewhere and runs a crate that depends on it. The folder is kept, so that the next run
/// compiles what has changed only.
fn cargo_project(context: &mut Context<'_>) -> Outcome {
    let directory = context.project().target.join("verify/packages");
    let output = directory.join("target");
    std::fs::create_dir_all(&directory).map_err(text)?;
    let mut package = context.cargo();
    package.args(["package", "--quiet", "--package", "ferronet", "--no-verify", "--allow-dirty", "--target-dir"]);
    run(context, package.arg(&output), "cargo package")?;

    let name = format!("ferronet-{}", Project::VERSION);
    let (unpacked, library) = (directory.join(&name), directory.join("ferronet"));
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(output.join("package").join(format!("{name}.crate"))).arg("-C").arg(&directory);
    run(context, &mut unpack, "tar")?;
    remove(&library)?;
    std::fs::rename(&unpacked, &library).map_err(text)?;
    for licence in ["LICENSE", "NOTICE"] {
        if !library.join(licence).is_file() {
            return Err(format!("the packaged crate has no {licence}"));
        }
    }
    let consumer = directory.join("consumer");
    remove(&consumer)?;
    copy(&sources(context).join("cargo"), &consumer).map_err(text)?;
    std::fs::copy(library.join("Cargo.lock"), consumer.join("Cargo.lock")).map_err(text)?;
    let mut cargo = context.cargo();
    cargo.current_dir(&consumer).args(["run", "--quiet", "--offline", "--target-dir"]).arg(&output);
    let printed = run(context, &mut cargo, "cargo run")?;
    if printed.lines().last() == Some("hello") {
        return Ok(());
    }
    Err(format!("the program printed {:?} instead of \"hello\"", printed.trim()))
}

fn remove(directory: &Path) -> Outcome {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {error}", directory.display())),
        _ => Ok(()),
    }
}
