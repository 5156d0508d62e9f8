//! Reading ELF files and archives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use object::Endianness;
use object::elf::{
    DF_1_NODELETE, DF_1_NOW, DF_BIND_NOW, DF_TEXTREL, DT_FLAGS, DT_FLAGS_1, DT_NEEDED, DT_SONAME, DT_TEXTREL,
    FileHeader64, PF_X, PT_GNU_RELRO, PT_GNU_STACK, SHN_UNDEF, STB_GLOBAL, STB_WEAK,
};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};

use crate::Result;

/// What the rules and the ledger ask of a shared library.
#[derive(Debug, Default)]
pub struct Shared {
    /// Its SONAME.
    pub soname: Option<String>,
    /// The libraries that it needs.
    pub needed: Vec<String>,
    /// The functions that it exports.
    pub exported: BTreeSet<String>,
    /// What it takes from other libraries, without versions.
    pub imported: BTreeSet<String>,
    /// Linked with `-z now`.
    pub now: bool,
    /// Linked with `-z nodelete`.
    pub nodelete: bool,
    /// Its relocated data is read-only.
    pub relro: bool,
    /// It has text relocations.
    pub text_relocations: bool,
    /// It asks for an executable stack.
    pub executable_stack: bool,
    /// Its sections, and their sizes in bytes.
    pub sections: BTreeMap<String, u64>,
    /// Versions of the system's libraries that symbols are bound to, such as `GLIBC_2.17`.
    pub versions: BTreeSet<String>,
}

impl Shared {
    /// The C library that it needs, and the oldest version: `glibc 2.17`; of musl only the name, as it has no versions.
    pub fn libc(&self) -> Option<String> {
        if self.needed.iter().any(|name| name == "libc.so") {
            return Some("musl".to_owned());
        }
        let newest = self.versions.iter().filter_map(|name| numbers(name.strip_prefix("GLIBC_")?)).max()?;
        Some(format!("glibc {}", newest.iter().map(u32::to_string).collect::<Vec<_>>().join(".")))
    }
}

/// The numbers of a version, which compare as versions do.
pub(super) fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

/// Reads a shared library.
pub(super) fn shared(path: &Path) -> Result<Shared> {
    let data = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse_shared(&data).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn parse_shared(data: &[u8]) -> Result<Shared> {
    let header = FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let mut found = Shared::default();
    for section in sections.iter() {
        let name = String::from_utf8_lossy(sections.section_name(endian, section)?).into_owned();
        found.sections.insert(name, section.sh_size(endian));
    }
    for segment in header.program_headers(endian, data)? {
        match segment.p_type(endian) {
            PT_GNU_RELRO => found.relro = true,
            PT_GNU_STACK => found.executable_stack = segment.p_flags(endian) & PF_X != 0,
            _ => {}
        }
    }
    if let Some((entries, link)) = sections.dynamic(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        for entry in entries {
            let value = entry.d_val.get(endian);
            let text = || -> Result<String> {
                let bytes = strings.get(u32::try_from(value)?).map_err(|()| "a dynamic entry names no string")?;
                Ok(String::from_utf8_lossy(bytes).into_owned())
            };
            match u32::try_from(entry.d_tag.get(endian)).unwrap_or(u32::MAX) {
                DT_SONAME => found.soname = Some(text()?),
                DT_NEEDED => found.needed.push(text()?),
                DT_TEXTREL => found.text_relocations = true,
                DT_FLAGS => {
                    found.now |= value & u64::from(DF_BIND_NOW) != 0;
                    found.text_relocations |= value & u64::from(DF_TEXTREL) != 0;
                }
                DT_FLAGS_1 => {
                    found.now |= value & u64::from(DF_1_NOW) != 0;
                    found.nodelete = value & u64::from(DF_1_NODELETE) != 0;
                }
                _ => {}
            }
        }
    }
    if let Some((mut libraries, link)) = sections.gnu_verneed(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        while let Some((_, mut versions)) = libraries.next()? {
            while let Some(version) = versions.next()? {
                found.versions.insert(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
            }
        }
    }
    let symbols = sections.symbols(endian, data, object::elf::SHT_DYNSYM)?;
    for symbol in symbols.iter() {
        // The version node itself is an absolute symbol.
        let section = symbol.st_shndx(endian);
        let name = String::from_utf8_lossy(symbol.name(endian, symbols.strings())?).into_owned();
        if section == object::elf::SHN_ABS || !is_global(symbol.st_bind()) || name.is_empty() {
            continue;
        }
        if section == SHN_UNDEF {
            found.imported.insert(name)
        } else {
            found.exported.insert(name)
        };
    }
    Ok(found)
}

/// The global symbols that the members of an archive define, and the names of bitcode sections left in it.
#[derive(Debug, Default)]
pub(super) struct Archive {
    pub globals: BTreeSet<String>,
    pub index: BTreeSet<String>,
    pub members: usize,
    pub bitcode: bool,
}

/// Reads a static library.
pub(super) fn archive(path: &Path) -> Result<Archive> {
    let data = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse_archive(&data).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn parse_archive(data: &[u8]) -> Result<Archive> {
    let file = ArchiveFile::parse(data)?;
    let mut found = Archive::default();
    if let Some(symbols) = file.symbols()? {
        for symbol in symbols {
            found.index.insert(String::from_utf8_lossy(symbol?.name()).into_owned());
        }
    }
    for member in file.members() {
        let member = member?.data(data)?;
        found.members += 1;
        let header = FileHeader64::<Endianness>::parse(member)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, member)?;
        found.bitcode |= sections.section_by_name(endian, b".llvmbc").is_some();
        let symbols = sections.symbols(endian, member, object::elf::SHT_SYMTAB)?;
        for symbol in symbols.iter() {
            if symbol.st_shndx(endian) != SHN_UNDEF && is_global(symbol.st_bind()) {
                found.globals.insert(String::from_utf8_lossy(symbol.name(endian, symbols.strings())?).into_owned());
            }
        }
    }
    Ok(found)
}

fn is_global(binding: u8) -> bool {
    binding == STB_GLOBAL || binding == STB_WEAK || binding == object::elf::STB_GNU_UNIQUE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_the_c_library_decides() {
        let versions = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut library =
            Shared { versions: versions(&["GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.9"]), ..Shared::default() };
        assert_eq!(library.libc().as_deref(), Some("glibc 2.17"));
        library.versions = versions(&["GLIBC_PRIVATE", "GCC_3.0"]);
        assert_eq!(library.libc(), None);
        library.needed.push("libc.so".to_owned());
        assert_eq!(library.libc().as_deref(), Some("musl"));
    }
}
