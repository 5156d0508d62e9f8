//! Programs that were built with the headers of earlier revisions.

use std::process::Command;

use ferronet::abi::info::{FERRONET_ABI_FLOOR, FERRONET_ABI_REVISION};

use crate::compile::scratch;
use crate::programs::{build, include, library_directory};
use crate::sources::root;

#[test]
#[cfg(unix)]
fn a_program_of_every_frozen_revision_works_with_todays_library() {
    let directory = scratch("frozen");
    let library = library_directory();
    for revision in FERRONET_ABI_FLOOR..=FERRONET_ABI_REVISION {
        let program = directory.join(format!("rev_{revision}"));
        let source = root().join(format!("verify/abi/frozen/rev_{revision}.c"));
        let arguments = [
            include(&format!("headers/frozen/rev-{revision}")),
            format!("-L{}", library.display()),
            "-lferronet".into(),
            format!("-Wl,-rpath,{}", library.display()),
        ];
        build(&[&source], &program, &arguments);
        // Cargo's search path names a directory in which an older build may lie.
        let output = Command::new(&program)
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("DYLD_FALLBACK_LIBRARY_PATH")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "revision {revision}: {said}");
        assert_eq!(said.trim_end(), format!("revision {revision} works with revision {FERRONET_ABI_REVISION}"));
        assert!(output.stderr.is_empty(), "the library printed: {}", String::from_utf8_lossy(&output.stderr));
    }
}
