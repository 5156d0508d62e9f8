//! The bill of materials, as CycloneDX 1.6 in JSON. Without a serial number and a time, so that equal builds have equal bills.

use serde_json::{Value, json};

use super::graph::{Crate, Key, ROOT};

/// The jar that a bill describes.
pub(super) struct Subject<'a> {
    pub classifier: &'a str,
    pub version: &'a str,
    /// Name and SHA-256 of the library in it.
    pub library: (&'a str, &'a str),
}

/// The bill of `subject`, which is made of `crates` and of Rust's standard library.
pub(super) fn text(subject: &Subject<'_>, crates: &[Crate], rust: &str) -> String {
    let whole =
        format!("pkg:maven/io.ferronet/ferronet-native@{}?classifier={}&type=jar", subject.version, subject.classifier);
    let standard = format!("pkg:generic/rust-std@{rust}");
    let mut components: Vec<Value> = crates.iter().map(component).collect();
    components.push(json!({
        "type": "library", "bom-ref": standard, "name": "rust-std", "version": rust, "purl": standard,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }]
    }));
    components.push(json!({
        "type": "file", "bom-ref": subject.library.0, "name": subject.library.0,
        "hashes": [{ "alg": "SHA-256", "content": subject.library.1 }]
    }));
    let root: Vec<String> = crates.iter().filter(|one| one.key.0 == ROOT).map(|one| reference(&one.key)).collect();
    let mut dependencies = vec![json!({ "ref": whole, "dependsOn": root })];
    for one in crates {
        let mut uses: Vec<String> = one.uses.iter().map(reference).collect();
        uses.push(standard.clone());
        dependencies.push(json!({ "ref": reference(&one.key), "dependsOn": uses }));
    }
    let bill = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": { "component": {
            "type": "library", "bom-ref": whole, "group": "io.ferronet", "name": "ferronet-native",
            "version": subject.version, "purl": whole, "licenses": [{ "license": { "id": "Apache-2.0" } }]
        } },
        "components": components,
        "dependencies": dependencies
    });
    format!("{bill:#}\n")
}

fn component(one: &Crate) -> Value {
    let purl = reference(&one.key);
    let mut value = json!({
        "type": "library", "bom-ref": purl, "name": one.key.0, "version": one.key.1, "purl": purl,
        "licenses": [{ "expression": one.licence.replace('/', " OR ") }]
    });
    if let Some(checksum) = &one.checksum {
        value["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(repository) = &one.repository {
        value["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    value
}

fn reference(key: &Key) -> String {
    format!("pkg:cargo/{}@{}", key.0, key.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    #[test]
    fn every_component_is_in_the_graph() {
        let key = |name: &str| (name.to_owned(), "1.0.0".to_owned());
        let sample = |name: &str, uses: &[&str]| Crate {
            key: key(name),
            licence: "MIT/Apache-2.0".to_owned(),
            repository: Some("https://example.org".to_owned()),
            checksum: Some("ab".to_owned()),
            directory: PathBuf::new(),
            uses: uses.iter().map(|name| key(name)).collect::<BTreeSet<_>>(),
        };
        let subject = Subject { classifier: "linux-x86_64", version: "1.2.3", library: ("libferronet.so", "cd") };
        let crates = [sample("alpha", &[]), sample(ROOT, &["alpha"])];
        let text = text(&subject, &crates, "1.95.0");
        let bill: Value = serde_json::from_str(&text).expect("valid");
        let names: Vec<&str> =
            bill["components"].as_array().expect("list").iter().filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(names, ["alpha", "ferronet", "rust-std", "libferronet.so"]);
        assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        let graph = &bill["dependencies"];
        assert_eq!(graph[0]["dependsOn"], json!(["pkg:cargo/ferronet@1.0.0"]));
        assert_eq!(graph[2]["dependsOn"], json!(["pkg:cargo/alpha@1.0.0", "pkg:generic/rust-std@1.95.0"]));
        assert!(text.contains("classifier=linux-x86_64&type=jar"));
    }
}
