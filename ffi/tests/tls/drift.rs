//! One rustls: the one that rustls-ffi pins.

use std::path::PathBuf;
use std::process::Command;

fn manifest() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    std::fs::read_to_string(root).unwrap()
}

/// The exact version that the workspace pins for a package.
fn pinned(package: &str) -> String {
    let manifest = manifest();
    let line = manifest.lines().find(|line| line.starts_with(&format!("{package} = "))).unwrap().to_owned();
    let version = line.split("\"=").nth(1).unwrap();
    version[..version.find('"').unwrap()].to_owned()
}

#[test]
fn both_pins_are_one_rustls() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--package",
            "ferronet",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--no-dedupe",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for package in ["rustls", "rustls-ffi", "aws-lc-rs"] {
        let mut versions: Vec<&str> =
            tree.lines().filter_map(|line| line.strip_prefix(&format!("{package} v"))).collect();
        versions = versions.iter().map(|version| version.split(' ').next().unwrap()).collect();
        versions.sort_unstable();
        versions.dedup();
        assert_eq!(versions, [pinned(package)], "{package}:\n{tree}");
    }
}

#[test]
fn rustls_ffi_names_the_version_that_is_pinned() {
    let text = rustls_ffi::rustls_version();
    // SAFETY: the text is static, of that length.
    let text = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.len) };
    let text = std::str::from_utf8(text).unwrap();
    let expected = [format!("rustls-ffi/{}", pinned("rustls-ffi")), format!("rustls/{}", pinned("rustls"))];
    for part in expected {
        assert!(text.contains(&part), "{text} holds no {part}: move both pins together, then look at tls/native.rs");
    }
}
