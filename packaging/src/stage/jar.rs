//! What the native jar is made of: its resources and the Java sources of its service class.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::stamp::hex;
use super::{Metadata, Staged};
use crate::Result;
use crate::project::Project;
use crate::target::Target;

const SERVICE: &str = "io.ferronet.api.spi.NativeLibrary";
const CLASS: &str = "FerronetNativeLibrary";

/// The facts that the service class has compiled in and that `abi.properties` repeats for people and tools.
struct Facts<'a> {
    target: &'static Target,
    metadata: &'a Metadata,
    sha256: String,
    size: u64,
}

/// Writes `native/CLASSIFIER/` (resources) and `native-java/CLASSIFIER/` (sources).
pub(super) fn write(project: &Project, staged: &Staged, metadata: &Metadata) -> Result<()> {
    let target = staged.target;
    let resources = resource_root(staged);
    let directory = resources.join("META-INF/native").join(target.classifier);
    fs::create_dir_all(&directory)?;
    let library = directory.join(target.library);
    fs::copy(staged.shared(), &library)?;

    let bytes = fs::read(&library)?;
    let facts = Facts { target, metadata, sha256: hex(&Sha256::digest(&bytes)), size: bytes.len() as u64 };
    fs::write(directory.join("abi.properties"), properties(&facts))?;
    let services = resources.join("META-INF/services");
    fs::create_dir_all(&services)?;
    fs::write(services.join(SERVICE), format!("{}.{CLASS}\n", target.java_package()))?;
    for text in ["LICENSE", "NOTICE"] {
        fs::copy(project.root.join(text), resources.join("META-INF").join(text))?;
    }

    let sources = staged.root.join("native-java").join(target.classifier);
    let package = sources.join(target.java_package().replace('.', "/"));
    fs::create_dir_all(&package)?;
    fs::write(sources.join("module-info.java"), module_info(target))?;
    fs::write(package.join("package-info.java"), package_info(target))?;
    fs::write(package.join(format!("{CLASS}.java")), service_class(&facts))?;
    Ok(())
}

/// What is wrong with the staged resources: the digest that is compiled in must be the library's.
pub(super) fn problems(staged: &Staged) -> Result<Vec<String>> {
    let target = staged.target;
    let library = resource_root(staged).join(resource(target));
    let bytes = fs::read(&library).map_err(|error| format!("{}: {error}", library.display()))?;
    let digest = hex(&Sha256::digest(&bytes));
    let class = staged
        .root
        .join("native-java")
        .join(target.classifier)
        .join(target.java_package().replace('.', "/"))
        .join(format!("{CLASS}.java"));
    let mut problems = Vec::new();
    for file in [class, library.with_file_name("abi.properties")] {
        if !fs::read_to_string(&file).is_ok_and(|text| text.contains(&digest)) {
            problems.push(format!("{} does not name the library's SHA-256", name_of(&file)));
        }
    }
    if bytes != fs::read(staged.shared())? {
        problems.push("the library in the jar is not the one in lib".to_owned());
    }
    Ok(problems)
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn resource_root(staged: &Staged) -> PathBuf {
    staged.root.join("native").join(staged.target.classifier)
}

fn resource(target: &Target) -> String {
    format!("META-INF/native/{}/{}", target.classifier, target.library)
}

fn properties(facts: &Facts<'_>) -> String {
    format!(
        "classifier={}\ntarget={}\nlibrary={}\nsize={}\nsha256={}\nversion={}\nrevision={}\nfloor={}\nfingerprint={:016x}\n",
        facts.target.classifier,
        facts.target.triple,
        facts.target.library,
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
        classifier = facts.target.classifier,
    );
    let quoted = |word: &str| format!("\"{word}\"");
    let methods = [
        ("String", "classifier", quoted(facts.target.classifier)),
        ("String", "target", quoted(facts.target.triple)),
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
    use crate::target::TARGETS;

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
        let facts = Facts { target: &TARGETS[0], metadata: &metadata, sha256: "ab".repeat(32), size: 17 };
        let text = service_class(&facts);
        assert!(text.starts_with("package io.ferronet.natives.linux.x86_64;\n"));
        for part in ["return 0xfedcba9876543210L;", "return 17L;", "return 2;", &facts.sha256] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(properties(&facts).contains("fingerprint=fedcba9876543210\n"));
    }

    #[test]
    fn the_module_provides_the_service() {
        let text = module_info(&TARGETS[0]);
        assert!(text.contains(
            "provides io.ferronet.api.spi.NativeLibrary with io.ferronet.natives.linux.x86_64.FerronetNativeLibrary;"
        ));
    }
}
