//! From Cargo's static library to the two shipped forms.
//!
//! Every `#[no_mangle]` function of a Rust dependency is visible in Cargo's own cdylib and staticlib. The shared library
//! is therefore linked anew under a version script, and in the static library all other symbols are made local.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::SONAME;
use crate::tools::{Tool, Toolbox};
use crate::{Result, run};

/// What the shared library needs from the system; everything else is inside it.
pub(super) const SYSTEM_LIBRARIES: &[&str] = &["-lpthread", "-lm", "-ldl", "-lc"];

/// What a program that links the static library has to name: a C compiler adds the C library, and libgcc for unwinding,
/// by itself.
pub(super) const STATIC_LIBRARIES: &[&str] = &["-lpthread", "-lm", "-ldl"];

/// The programs that link.
pub(super) struct Linker {
    cc: PathBuf,
    /// Options that link what unwinds, so that no library is needed for it.
    unwinder: &'static [&'static str],
    ld: PathBuf,
    ar: PathBuf,
    objcopy: PathBuf,
}

impl Linker {
    /// Finds the programs of the host.
    pub(super) fn find(toolbox: &mut Toolbox) -> Result<Self> {
        // "text" is what zig's linker does in any case, and knows no word for.
        let unwinder = &["-Wl,-z,text", "-static-libgcc", "-lgcc_eh", "-lgcc"];
        Self::with(toolbox, Tool::Cc, unwinder)
    }

    /// Links with `compiler`, which is zig's; the tools for objects are the host's.
    pub(super) fn zig(toolbox: &mut Toolbox, compiler: PathBuf) -> Result<Self> {
        let host = Self::with(toolbox, Tool::Ld, &["-lunwind"])?;
        Ok(Self { cc: compiler, ..host })
    }

    fn with(toolbox: &mut Toolbox, cc: Tool, unwinder: &'static [&'static str]) -> Result<Self> {
        Ok(Self {
            cc: toolbox.require(cc)?,
            unwinder,
            ld: toolbox.require(Tool::Ld)?,
            ar: toolbox.require(Tool::Ar)?,
            objcopy: toolbox.require(Tool::Objcopy)?,
        })
    }

    /// Links `archive` into the shared library `output` that exports what `script` names.
    pub(super) fn shared(&self, archive: &Path, output: &Path, script: &str, work: &Path) -> Result<()> {
        let script_file = work.join("exports.map");
        std::fs::write(&script_file, script)?;
        let mut command = Command::new(&self.cc);
        command.args(["-shared", "-o"]).arg(output);
        command.arg(format!("-Wl,-soname,{SONAME}"));
        command.arg(format!("-Wl,--version-script={}", script_file.display()));
        for option in ["now", "relro", "nodelete", "defs", "noexecstack"] {
            command.arg(format!("-Wl,-z,{option}"));
        }
        command.args(["-Wl,--gc-sections", "-Wl,--build-id=sha1", "-Wl,--hash-style=gnu", "-Wl,--as-needed"]);
        command.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
        command.args(self.unwinder).args(SYSTEM_LIBRARIES);
        run::output(&mut command).map(drop)
    }

    /// Removes what only debuggers and linkers read.
    pub(super) fn strip(&self, library: &Path) -> Result<()> {
        let mut command = Command::new(&self.objcopy);
        command.args(["--strip-unneeded", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        command.args(["--remove-section=.comment"]).arg(library);
        run::output(&mut command).map(drop)
    }

    /// Makes one object of `archive` in which only `names` are global, and an archive of that object.
    ///
    /// Groups are dissolved (`--force-group-allocation`): a COMDAT left in the object would make the linker discard the
    /// one of another Rust library in the same program. The bitcode sections go, because the archiver would hand the
    /// object to its LLVM plug-in and then write an empty index.
    pub(super) fn localise(&self, archive: &Path, output: &Path, names: &BTreeSet<String>, work: &Path) -> Result<()> {
        let joined = work.join("joined.o");
        let object = work.join("ferronet.o");
        let keep = work.join("exports.list");
        std::fs::write(&keep, names.iter().map(|name| format!("{name}\n")).collect::<String>())?;

        let mut join = Command::new(&self.ld);
        join.args(["-r", "--gc-sections", "--force-group-allocation", "-o"]).arg(&joined);
        for name in names {
            join.args(["-u", name]);
        }
        run::output(join.arg(archive))?;

        let mut hide = Command::new(&self.objcopy);
        hide.arg(format!("--keep-global-symbols={}", keep.display()));
        hide.args(["--strip-unneeded", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        hide.args(["--remove-section=.comment"]).arg(&joined).arg(&object);
        run::output(&mut hide)?;

        run::output(Command::new(&self.ar).arg("crsD").arg(output).arg(&object)).map(drop)
    }
}
