//! The development tree for C and C++: the files for pkg-config and CMake, the licence and the rules that the header
//! refers to.

use std::fs;
use std::path::PathBuf;

use super::link::{STATIC_LIBRARIES, SYSTEM_LIBRARIES};
use super::{Metadata, SONAME, Staged};
use crate::Result;
use crate::project::Project;

const CMAKE_CONFIG: &str = include_str!("../../cmake/ferronetConfig.cmake");
const CMAKE_VERSION: &str = include_str!("../../cmake/ferronetConfigVersion.cmake");

/// The version in which each ABI floor came: what was written for an older one does not work with the library any more.
const FLOORS: &[(u32, &str)] = &[(1, "0.1.0")];

/// The files of the tree besides the libraries, by their path inside the stage.
pub(super) const FILES: &[&str] = &[
    "include/ferronet.h",
    "lib/pkgconfig/ferronet.pc",
    "lib/pkgconfig/ferronet-static.pc",
    "lib/cmake/ferronet/ferronetConfig.cmake",
    "lib/cmake/ferronet/ferronetConfigVersion.cmake",
    "share/doc/ferronet/LICENSE",
    "share/doc/ferronet/NOTICE",
    "share/doc/ferronet/CONVENTIONS.md",
];

/// Texts that every copy of the tree carries.
pub(super) fn texts(project: &Project) -> [PathBuf; 3] {
    [project.root.join("LICENSE"), project.root.join("NOTICE"), project.header("CONVENTIONS.md")]
}

/// Writes `lib/pkgconfig/` and `lib/cmake/`, which find the tree wherever it is moved to, and `share/doc/ferronet/`.
pub(super) fn write(project: &Project, staged: &Staged, metadata: &Metadata) -> Result<()> {
    let directory = |path: &str| -> Result<PathBuf> {
        let directory = staged.root.join(path);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    };
    let documents = directory("share/doc/ferronet")?;
    for text in texts(project) {
        fs::copy(&text, documents.join(text.file_name().unwrap_or_default()))?;
    }
    let package_config = directory("lib/pkgconfig")?;
    fs::write(package_config.join("ferronet.pc"), shared_config(&metadata.version))?;
    fs::write(package_config.join("ferronet-static.pc"), static_config(&metadata.version))?;
    let cmake = directory("lib/cmake/ferronet")?;
    for (name, template) in [("ferronetConfig.cmake", CMAKE_CONFIG), ("ferronetConfigVersion.cmake", CMAKE_VERSION)] {
        fs::write(cmake.join(name), filled(template, metadata)?)?;
    }
    Ok(())
}

fn shared_config(version: &str) -> String {
    package_config(
        "ferronet",
        version,
        &format!("Libs: -L${{libdir}} -lferronet\nLibs.private: {}\n", SYSTEM_LIBRARIES.join(" ")),
    )
}

/// A linker that finds both forms in a directory takes the shared one: the static one therefore has a name of its own.
fn static_config(version: &str) -> String {
    package_config(
        "ferronet-static",
        version,
        &format!("Libs: ${{libdir}}/libferronet.a {}\n", STATIC_LIBRARIES.join(" ")),
    )
}

fn package_config(name: &str, version: &str, libraries: &str) -> String {
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: {name}\n\
         Description: Native transport, TLS and compression behind one C boundary\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         {libraries}"
    )
}

/// A template with the library's facts in the place of `@NAME@`.
fn filled(template: &str, metadata: &Metadata) -> Result<String> {
    let oldest = FLOORS.iter().find(|(floor, _)| *floor == metadata.floor).map(|(_, version)| *version);
    let oldest = oldest.ok_or_else(|| {
        format!(
            "packaging/src/stage/development.rs does not say in which version the ABI floor {} came",
            metadata.floor
        )
    })?;
    let libraries: Vec<&str> = STATIC_LIBRARIES.iter().map(|word| word.trim_start_matches("-l")).collect();
    Ok([
        ("@VERSION@", metadata.version.as_str()),
        ("@REVISION@", &metadata.revision.to_string()),
        ("@FLOOR@", &metadata.floor.to_string()),
        ("@OLDEST@", oldest),
        ("@SONAME@", SONAME),
        ("@STATIC_LIBRARIES@", &libraries.join(";")),
    ]
    .iter()
    .fold(template.to_owned(), |text, (name, value)| text.replace(name, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        Metadata { revision: 4, floor: 1, fingerprint: 0, version: "0.1.0".to_owned(), target: String::new() }
    }

    #[test]
    fn the_files_hold_no_absolute_path() {
        for text in [shared_config("0.1.0"), static_config("0.1.0")] {
            assert!(text.contains("Version: 0.1.0\n"));
            assert!(text.lines().filter_map(|line| line.split_once('=')).all(|(_, path)| path.starts_with("${")));
        }
        assert!(static_config("0.1.0").contains("\nLibs: ${libdir}/libferronet.a -lpthread -lm -ldl\n"));
    }

    #[test]
    fn the_templates_are_filled() {
        for template in [CMAKE_CONFIG, CMAKE_VERSION] {
            let text = filled(template, &metadata()).expect("the floor is known");
            assert!(!text.contains('@'), "{text}");
        }
        let error = filled(CMAKE_CONFIG, &Metadata { floor: 99, ..metadata() }).expect_err("no such floor");
        assert!(error.to_string().contains("ABI floor 99"), "{error}");
    }

    #[test]
    fn every_floor_that_was_ever_is_older_than_this_version() {
        let version = super::super::inspect::numbers(Project::VERSION).expect("numbers");
        let mut last = (0, vec![0]);
        for (floor, first) in FLOORS {
            let now = (*floor, super::super::inspect::numbers(first).expect("numbers"));
            assert!(now > last && now.1 > last.1 && now.1 <= version, "{floor} {first}");
            last = now;
        }
    }
}
