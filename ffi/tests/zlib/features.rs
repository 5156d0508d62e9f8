//! No zlib name may be exported: it would take the place of the host's zlib.

use std::process::Command;

#[test]
fn the_feature_that_exports_zlibs_names_is_off() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "features", "--package", "ferronet"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(tree.contains("libz-rs-sys feature \"default\""), "{tree}");
    for feature in ["export-symbols", "custom-prefix", "semver-prefix", "c-allocator"] {
        assert!(!tree.contains(&format!("libz-rs-sys feature \"{feature}\"")), "{feature} is on:\n{tree}");
    }
}
