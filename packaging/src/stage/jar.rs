//! What the native jars are made of: the resources, and the Java sources of the service class.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::inspect;
use super::link::STATIC_LIBRARIES;
use super::stamp::hex;
use super::{Metadata, Staged};
use crate::Result;
use crate::project::Project;
use crate::target::Target;

const SERVICE: &str = "io.ferronet.api.spi.NativeLibrary";
const CLASS: &str = "FerronetNativeLibrary";

/// File names in the jar of the static library.
pub(super) const ARCHIVE: &str = "libferronet.a";
const HEADER: &str = "ferronet.h";
const LINK_LIST: &str = "link.txt";

/// The facts about a library that its `abi.properties` holds for people and tools, and that the service class has
/// compiled in.
struct Facts<'a> {
    target: &'static Target,
    classifier: String,
    file: &'a str,
    metadata: &'a Metadata,
    libc: Option<String>,
    sha256: String,
    size: u64,
}

impl<'a> Facts<'a> {
    fn of(staged: &Staged, metadata: &'a Metadata, classifier: String, file: &'a str, library: &Path) -> Result<Self> {
        let bytes = fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?;
        Ok(Self {
            target: staged.target,
            classifier,
            file,
            metadata,
            libc: inspect::shared(&staged.shared())?.libc(),
            sha256: hex(&Sha256::digest(&bytes)),
            size: bytes.len() as u64,
        })
    }
}

/// Writes `native/CLASSIFIER/` and `native/CLASSIFIER-static/` (resources) and `native-java/CLASSIFIER/` (sources).
pub(super) fn write(project: &Project, staged: &Staged, metadata: &Metadata) -> Result<()> {
    let target = staged.target;
    let directory = resources(project, staged, &target.classifier)?;
    fs::copy(staged.shared(), directory.join(&target.library))?;
    let facts = Facts::of(staged, metadata, target.classifier.clone(), &target.library, &staged.shared())?;
    fs::write(directory.join("abi.properties"), properties(&facts))?;
    let services = resource_root(staged, &target.classifier).join("META-INF/services");
    fs::create_dir_all(&services)?;
    fs::write(services.join(SERVICE), format!("{}.{CLASS}\n", target.java_package()))?;

    let sources = staged.root.join("native-java").join(&target.classifier);
    let package = sources.join(target.java_package().replace('.', "/"));
    fs::create_dir_all(&package)?;
    fs::write(sources.join("module-info.java"), module_info(target))?;
    fs::write(package.join("package-info.java"), package_info(target))?;
    fs::write(package.join(format!("{CLASS}.java")), service_class(&facts))?;

    let directory = resources(project, staged, &target.static_classifier())?;
    fs::copy(staged.archive(), directory.join(ARCHIVE))?;
    fs::copy(project.header("ferronet.h"), directory.join(HEADER))?;
    fs::write(directory.join(LINK_LIST), link_list())?;
    let facts = Facts::of(staged, metadata, target.static_classifier(), ARCHIVE, &staged.archive())?;
    Ok(fs::write(directory.join("abi.properties"), properties(&facts))?)
}

/// Makes `META-INF/native/CLASSIFIER/` of a jar, with the texts that every jar has beside it.
fn resources(project: &Project, staged: &Staged, classifier: &str) -> Result<PathBuf> {
    let root = resource_root(staged, classifier);
    let directory = root.join("META-INF/native").join(classifier);
    fs::create_dir_all(&directory)?;
    for text in ["LICENSE", "NOTICE"] {
        fs::copy(project.root.join(text), root.join("META-INF").join(text))?;
    }
    Ok(directory)
}

/// What is wrong with the staged resources: the digest that is compiled in must be the library's, and what a jar holds
/// must be what is in `lib` and `include`.
pub(super) fn problems(staged: &Staged) -> Result<Vec<String>> {
    let target = staged.target;
    let mut problems = Vec::new();
    let inside = |classifier: &str, file: &str| {
        resource_root(staged, classifier).join("META-INF/native").join(classifier).join(file)
    };
    let fixed = target.static_classifier();
    for (classifier, file, original) in [
        (&target.classifier, target.library.as_str(), staged.shared()),
        (&fixed, ARCHIVE, staged.archive()),
        (&fixed, HEADER, staged.root.join("include/ferronet.h")),
    ] {
        let copy = inside(classifier, file);
        let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let bytes = read(&copy)?;
        if bytes != read(&original)? {
            problems.push(format!("{file} of {classifier} is not the staged one"));
        }
        if file == HEADER {
            continue;
        }
        let digest = hex(&Sha256::digest(&bytes));
        let class = staged
            .root
            .join("native-java")
            .join(&target.classifier)
            .join(target.java_package().replace('.', "/"))
            .join(format!("{CLASS}.java"));
        for naming in [Some(inside(classifier, "abi.properties")), (file != ARCHIVE).then_some(class)].iter().flatten()
        {
            if !fs::read_to_string(naming).is_ok_and(|text| text.contains(&digest)) {
                problems.push(format!("{} does not name the SHA-256 of {file} of {classifier}", name_of(naming)));
            }
        }
    }
    if fs::read_to_string(inside(&fixed, LINK_LIST)).ok().as_deref() != Some(link_list().as_str()) {
        problems.push(format!("{LINK_LIST} of {fixed} does not name {}", STATIC_LIBRARIES.join(" ")));
    }
    Ok(problems)
}

/// What the static library needs besides what every C compiler links by itself: one word for the linker a line.
fn link_list() -> String {
    STATIC_LIBRARIES.iter().map(|library| format!("{library}\n")).collect()
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn resource_root(staged: &Staged, classifier: &str) -> PathBuf {
    staged.root.join("native").join(classifier)
}

fn resource(target: &Target) -> String {
    format!("META-INF/native/{}/{}", target.classifier, target.library)
}

fn properties(facts: &Facts<'_>) -> String {
    format!(
        "classifier={}\ntarget={}\nlibc={}\nlibrary={}\nsize={}\nsha256={}\nversion={}\nrevision={}\nfloor={}\nfingerprint={:016x}\n",
        facts.classifier,
        facts.target.triple,
        facts.libc.as_deref().unwrap_or("any"),
        facts.file,
        facts.size,
        facts.sha256,
        facts.metadata.version,
        facts.metadata.revision,
        facts.metadata.floor,
        facts.metadata.fingerprint
    )
}

fn module_info(target: &Target) -> String {
    let package = target.java_package();
    format!(
        "/** Ferronet's native library for {classifier}. */\n\
         @SuppressWarnings(\"module\")\n\
         module {package} {{\n    \
             requires io.ferronet.api;\n\n    \
             provides {SERVICE} with {package}.{CLASS};\n\
         }}\n",
        classifier = target.classifier
    )
}

fn package_info(target: &Target) -> String {
    format!(
        "/** The service that describes Ferronet's native library for {}. */\npackage {};\n",
        target.classifier,
        target.java_package()
    )
}

fn service_class(facts: &Facts<'_>) -> String {
    let mut text = format!(
        "package {package};\n\n\
         import {SERVICE};\n\n\
         /** Ferronet's native library for {classifier}. */\n\
         public final class {CLASS} implements NativeLibrary {{\n    \
             /** Called by {{@link java.util.ServiceLoader}}. */\n    \
             public {CLASS}() {{\n    }}\n",
        package = facts.target.java_package(),
        classifier = facts.classifier,
    );
    let quoted = |word: &str| format!("\"{word}\"");
    let methods = [
        ("String", "classifier", quoted(&facts.classifier)),
        ("String", "target", quoted(&facts.target.triple)),
        ("String", "resource", quoted(&resource(facts.target))),
        ("String", "sha256", quoted(&facts.sha256)),
        ("long", "size", format!("{}L", facts.size)),
        ("int", "revision", facts.metadata.revision.to_string()),
        ("int", "floor", facts.metadata.floor.to_string()),
        ("long", "fingerprint", format!("0x{:016x}L", facts.metadata.fingerprint)),
    ];
    for (kind, name, value) in methods {
        text.push_str(&format!("\n    @Override\n    public {kind} {name}() {{\n        return {value};\n    }}\n"));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        Metadata {
            revision: 2,
            floor: 1,
            fingerprint: 0xfedc_ba98_7654_3210,
            version: "0.1.0".to_owned(),
            target: String::new(),
        }
    }

    #[test]
    fn the_service_class_has_the_facts_compiled_in() {
        let metadata = metadata();
        let target = Target::named("linux-x86_64").expect("known");
        let facts = Facts {
            target,
            classifier: target.classifier.clone(),
            file: &target.library,
            metadata: &metadata,
            libc: Some("glibc 2.17".to_owned()),
            sha256: "ab".repeat(32),
            size: 17,
        };
        let text = service_class(&facts);
        assert!(text.starts_with("package io.ferronet.natives.linux.x86_64;\n"));
        for part in ["return 0xfedcba9876543210L;", "return 17L;", "return 2;", &facts.sha256] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        for line in ["fingerprint=fedcba9876543210\n", "libc=glibc 2.17\n", "library=libferronet.so\n"] {
            assert!(properties(&facts).contains(line), "{line}");
        }
    }

    #[test]
    fn the_module_provides_the_service() {
        let text = module_info(Target::named("linux-x86_64").expect("known"));
        assert!(text.contains(
            "provides io.ferronet.api.spi.NativeLibrary with io.ferronet.natives.linux.x86_64.FerronetNativeLibrary;"
        ));
    }
}
