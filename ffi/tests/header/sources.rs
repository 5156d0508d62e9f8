//! Where things are in the source tree, and what the boundary's sources say about themselves.

use std::path::{Path, PathBuf};

/// The root of the source tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The sources that the header is made of, in the order of the header.
pub fn header_sources() -> Vec<PathBuf> {
    let abi = ["info", "features", "status", "record", "config", "log", "option", "zlib", "tls"]
        .map(|name| format!("abi/{name}.rs"));
    let boundary = ["abi", "runtime", "status", "reactor", "socket", "zlib", "tls", "tls_session", "hooks"]
        .map(|name| format!("boundary/{name}.rs"));
    abi.into_iter().chain(boundary).map(|name| root().join("ffi/src").join(name)).collect()
}

/// Every identifier that follows `before` in a source file at the beginning of a line.
pub fn names(path: &Path, before: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let name = |line: &str| {
        let rest = line.strip_prefix(before)?;
        Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
    };
    text.lines().filter_map(name).collect()
}

/// Every exported function, sorted; those for tests and for Native Images only are left out.
pub fn exports() -> Vec<String> {
    let files = std::fs::read_dir(root().join("ffi/src/boundary")).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| !["hooks.rs", "image.rs"].iter().any(|name| path.ends_with(name)))
        .flat_map(|path| [names(&path, "pub extern \"C\" fn "), names(&path, "pub unsafe extern \"C\" fn ")].concat())
        .collect();
    names.sort();
    names
}
