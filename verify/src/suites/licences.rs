//! Rules over the dependency graph, read from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use ferronet_packaging::{Result, run};
use serde_json::Value;

use crate::context::Context;
use crate::results::Results;

/// Licences of what is compiled into the library.
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
    // Permissive, for data: Mozilla's roots, which rustls-platform-verifier has on Android alone.
    "CDLA-Permissive-2.0",
];

/// Licences that tools and tests may have besides: nothing of them ships.
const ALLOWED_IN_TOOLS: &[&str] = &["MPL-2.0"];

/// Packages of which two copies would be two sets of state or two sets of symbols.
const SINGLE: &[&str] =
    &["rustls", "aws-lc-rs", "aws-lc-sys", "libz-rs-sys", "zlib-rs", "io-uring", "polling", "socket2", "libc"];

/// Features that make a dependency export symbols of its own.
const FORBIDDEN_FEATURES: &[(&str, &str)] = &[("libz-rs-sys", "export-symbols"), ("zlib-rs", "export-symbols")];

/// Checks each rule; one test each.
pub(super) fn rules(context: &mut Context<'_>) -> Result<Results> {
    let mut command = context.cargo();
    command.args(["metadata", "--format-version", "1", "--locked"]);
    context.remark(&run::describe(&command));
    let graph: Value = serde_json::from_str(&run::output(&mut command)?)?;
    let mut results = Results::default();
    for (name, check) in RULES {
        let broken = check(&graph);
        for line in &broken {
            context.remark(&format!("{name}: {line}"));
        }
        results.record(*name, if broken.is_empty() { Ok(()) } else { Err(broken.join("; ")) });
    }
    Ok(results)
}

type Rule = fn(&Value) -> Vec<String>;

const RULES: &[(&str, Rule)] = &[
    ("every licence is allowed", licences),
    ("every source is the registry", sources),
    ("every direct dependency is pinned", pins),
    ("no second copy of a library with state", duplicates),
    ("no dependency exports symbols", features),
];

fn packages(graph: &Value) -> impl Iterator<Item = &Value> {
    graph["packages"].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn licences(graph: &Value) -> Vec<String> {
    let shipped = shipped(graph);
    packages(graph)
        .filter(|package| {
            let tool = !shipped.contains(text(package, "id"));
            let allowed = |licence: &str| ALLOWED.contains(&licence) || (tool && ALLOWED_IN_TOOLS.contains(&licence));
            !satisfied(text(package, "license"), &allowed)
        })
        .map(|package| {
            format!("{} {}: {:?}", text(package, "name"), text(package, "version"), text(package, "license"))
        })
        .collect()
}

/// The packages that the library is made of: what `ferronet` depends on, except for its tests and its build.
fn shipped(graph: &Value) -> BTreeSet<&str> {
    let nodes = graph["resolve"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = packages(graph)
        .filter(|package| text(package, "name") == "ferronet")
        .map(|package| text(package, "id"))
        .collect();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let node = nodes.iter().find(|node| text(node, "id") == id);
        for dependency in node.and_then(|node| node["deps"].as_array()).into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().map(Vec::as_slice).unwrap_or_default();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.push(text(dependency, "pkg"));
            }
        }
    }
    found
}

type Allowed<'a> = &'a dyn Fn(&str) -> bool;

/// Whether an SPDX expression can be met with allowed licences alone.
fn satisfied(expression: &str, allowed: Allowed<'_>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut place = 0;
    !words.is_empty() && any_of(&words, &mut place, allowed) && place == words.len()
}

fn any_of(words: &[&str], place: &mut usize, allowed: Allowed<'_>) -> bool {
    let mut met = all_of(words, place, allowed);
    while words.get(*place) == Some(&"OR") {
        *place += 1;
        met |= all_of(words, place, allowed);
    }
    met
}

fn all_of(words: &[&str], place: &mut usize, allowed: Allowed<'_>) -> bool {
    let mut met = one(words, place, allowed);
    while words.get(*place) == Some(&"AND") {
        *place += 1;
        met &= one(words, place, allowed);
    }
    met
}

fn one(words: &[&str], place: &mut usize, allowed: Allowed<'_>) -> bool {
    let word = words.get(*place).copied();
    // Past the end, too: what is cut short is then longer than its words and refused.
    *place += 1;
    let Some(word) = word else { return false };
    if word == "(" {
        let met = any_of(words, place, allowed);
        let closed = words.get(*place) == Some(&")");
        *place += 1;
        return met && closed;
    }
    // An exception only widens what the licence grants.
    if words.get(*place) == Some(&"WITH") {
        *place += 2;
    }
    allowed(word)
}

fn sources(graph: &Value) -> Vec<String> {
    let members: Vec<&str> =
        graph["workspace_members"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    packages(graph)
        .filter(|package| !members.contains(&text(package, "id")))
        .filter(|package| !text(package, "source").starts_with("registry+"))
        .map(|package| format!("{} comes from {:?}", text(package, "name"), text(package, "source")))
        .collect()
}

fn pins(graph: &Value) -> Vec<String> {
    let mut loose = Vec::new();
    for package in packages(graph).filter(|package| package["source"].is_null()) {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if dependency["path"].is_null() && !text(dependency, "req").starts_with('=') {
                loose.push(format!(
                    "{} asks for {} {}",
                    text(package, "name"),
                    text(dependency, "name"),
                    text(dependency, "req")
                ));
            }
        }
    }
    loose
}

fn duplicates(graph: &Value) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages(graph) {
        versions.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    versions
        .into_iter()
        .filter(|(name, versions)| SINGLE.contains(name) && versions.len() > 1)
        .map(|(name, versions)| format!("{name} {}", versions.join(" and ")))
        .collect()
}

fn features(graph: &Value) -> Vec<String> {
    let nodes = graph["resolve"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut found = Vec::new();
    for package in packages(graph) {
        for (name, feature) in FORBIDDEN_FEATURES {
            let node = nodes.iter().find(|node| node["id"] == package["id"]);
            let on =
                node.is_some_and(|node| node["features"].as_array().is_some_and(|on| on.contains(&(*feature).into())));
            if text(package, "name") == *name && on {
                found.push(format!("{name} has the feature {feature}"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licence_expressions_are_understood() {
        let allowed = |licence: &str| ALLOWED.contains(&licence);
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        ] {
            assert!(satisfied(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND MPL-2.0", "MIT OR", "(MIT"] {
            assert!(!satisfied(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn what_ships_is_judged_more_strictly_than_tools() {
        let graph = |kind: Value| {
            json!({
                "packages": [
                    { "id": "own", "name": "ferronet", "version": "0.1.0", "license": "Apache-2.0" },
                    { "id": "a", "name": "cbindgen", "version": "0.29.4", "license": "MPL-2.0" }
                ],
                "resolve": { "nodes": [
                    { "id": "own", "deps": [{ "pkg": "a", "dep_kinds": [{ "kind": kind }] }] },
                    { "id": "a", "deps": [] }
                ] }
            })
        };
        assert!(licences(&graph(json!("dev"))).is_empty());
        assert_eq!(licences(&graph(Value::Null)).len(), 1);
    }

    #[test]
    fn each_rule_is_noticed() {
        let graph = json!({
            "workspace_members": ["own"],
            "packages": [
                { "id": "own", "name": "ferronet", "version": "0.1.0", "license": "Apache-2.0", "source": null,
                  "dependencies": [{ "name": "libc", "req": "^0.2", "path": null }] },
                { "id": "a", "name": "rustls", "version": "0.23.1", "license": "GPL-3.0", "source": "git+x",
                  "dependencies": [] },
                { "id": "b", "name": "rustls", "version": "0.22.0", "license": "MIT", "source": "registry+x",
                  "dependencies": [] },
                { "id": "c", "name": "libz-rs-sys", "version": "1.0.0", "license": "Zlib", "source": "registry+x",
                  "dependencies": [] }
            ],
            "resolve": { "nodes": [{ "id": "c", "features": ["export-symbols"] }] }
        });
        for (name, rule) in RULES {
            assert_eq!(rule(&graph).len(), 1, "{name}: {:?}", rule(&graph));
        }
    }
}
