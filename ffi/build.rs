//! Passes the target triple on to the metadata block. Nothing else, so that builds stay reproducible.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=FERRONET_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-check-cfg=cfg(loom)");
}
