//! The development tree for C and C++: the pkg-config file, the licence and the rules that the header refers to.

use std::path::PathBuf;

use super::link::SYSTEM_LIBRARIES;
use super::{Metadata, Staged};
use crate::Result;
use crate::project::Project;

/// Texts that every copy of the tree carries.
pub(super) fn texts(project: &Project) -> [PathBuf; 3] {
    [project.root.join("LICENSE"), project.root.join("NOTICE"), project.header("CONVENTIONS.md")]
}

/// Writes `lib/pkgconfig/ferronet.pc`, which finds the tree wherever it is moved to, and `share/doc/ferronet/`.
pub(super) fn write(project: &Project, staged: &Staged, metadata: &Metadata) -> Result<()> {
    let documents = staged.root.join("share/doc/ferronet");
    std::fs::create_dir_all(&documents)?;
    for text in texts(project) {
        std::fs::copy(&text, documents.join(text.file_name().unwrap_or_default()))?;
    }
    let directory = staged.root.join("lib/pkgconfig");
    std::fs::create_dir_all(&directory)?;
    std::fs::write(directory.join("ferronet.pc"), package_config(&metadata.version))?;
    Ok(())
}

fn package_config(version: &str) -> String {
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: ferronet\n\
         Description: Native transport with io_uring, epoll and kqueue behind one C boundary\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -lferronet\n\
         Libs.private: -lgcc_s {}\n",
        SYSTEM_LIBRARIES.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_holds_no_absolute_path() {
        let text = package_config("0.1.0");
        assert!(text.contains("Version: 0.1.0\n"));
        assert!(text.lines().filter_map(|line| line.split_once('=')).all(|(_, path)| path.starts_with("${")));
    }
}
