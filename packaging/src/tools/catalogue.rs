//! The one table of tools: what each is for, how it is recognised and how it is installed.

/// A program that building or testing needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// A C compiler that links.
    Cc,
    /// A C++ compiler.
    Cxx,
    /// GNU ld.
    Ld,
    /// GNU ar.
    Ar,
    /// GNU objcopy.
    Objcopy,
    /// Clang, the second C compiler.
    Clang,
    /// A JDK that has the foreign function API.
    Jdk,
    /// Apache Maven.
    Maven,
    /// CMake.
    Cmake,
    /// Make, which CMake drives.
    Make,
    /// pkg-config.
    PkgConfig,
    /// Valgrind's memcheck.
    Valgrind,
    /// curl.
    Curl,
    /// The load generator wrk.
    Wrk,
    /// The load generator h2load.
    H2load,
    /// strace.
    Strace,
    /// The openssl program.
    Openssl,
    /// Python 3.
    Python,
    /// musl's C compiler.
    MuslCc,
    /// libabigail's comparison of libraries.
    Abidiff,
}

/// How a tool is installed on one family of systems.
#[derive(Clone, Copy, Debug)]
pub struct Remedy {
    /// Packages of Debian and Ubuntu, the first that exists is taken.
    pub apt: &'static [&'static str],
    /// Package of Fedora.
    pub dnf: &'static str,
    /// What installs it on macOS.
    pub macos: &'static str,
}

struct Entry {
    tool: Tool,
    programs: &'static [&'static str],
    floor: Option<&'static str>,
    purpose: &'static str,
    remedy: Remedy,
}

const fn entry(
    tool: Tool,
    programs: &'static [&'static str],
    purpose: &'static str,
    apt: &'static [&'static str],
    dnf: &'static str,
    macos: &'static str,
) -> Entry {
    Entry { tool, programs, floor: None, purpose, remedy: Remedy { apt, dnf, macos } }
}

const XCODE: &str = "xcode-select --install";

const CATALOGUE: &[Entry] = &[
    entry(Tool::Cc, &["cc", "gcc", "clang"], "linking the library and the C tests", &["gcc"], "gcc", XCODE),
    entry(Tool::Cxx, &["c++", "g++", "clang++"], "checking the header as C++", &["g++"], "gcc-c++", XCODE),
    entry(Tool::Ld, &["ld.bfd", "ld"], "the static library", &["binutils"], "binutils", XCODE),
    entry(Tool::Ar, &["ar"], "the static library", &["binutils"], "binutils", XCODE),
    entry(Tool::Objcopy, &["objcopy"], "the static library", &["binutils"], "binutils", "brew install binutils"),
    entry(Tool::Clang, &["clang"], "the header under a second compiler", &["clang"], "clang", XCODE),
    entry(
        Tool::Jdk,
        &["javac"],
        "a JDK 22 or newer, for the Java modules; JAVA_HOME may name an unpacked one",
        &[
            "openjdk-25-jdk-headless",
            "temurin-25-jdk",
            "openjdk-24-jdk-headless",
            "openjdk-23-jdk-headless",
            "openjdk-22-jdk-headless",
        ],
        "java-latest-openjdk-devel",
        "brew install openjdk",
    ),
    Entry {
        tool: Tool::Maven,
        programs: &["mvn"],
        floor: Some("3.6"),
        purpose: "Maven 3.6 or newer, for the Java modules",
        remedy: Remedy { apt: &["maven"], dnf: "maven", macos: "brew install maven" },
    },
    Entry {
        tool: Tool::Cmake,
        programs: &["cmake"],
        floor: Some("3.16"),
        purpose: "the C examples and tests",
        remedy: Remedy { apt: &["cmake"], dnf: "cmake", macos: "brew install cmake" },
    },
    entry(Tool::Make, &["make"], "the C examples and tests", &["make"], "make", XCODE),
    entry(
        Tool::PkgConfig,
        &["pkg-config", "pkgconf"],
        "the staged ferronet.pc",
        &["pkg-config"],
        "pkgconf",
        "brew install pkgconf",
    ),
    entry(
        Tool::Valgrind,
        &["valgrind"],
        "the C examples under memcheck",
        &["valgrind"],
        "valgrind",
        "not available; these tests are skipped",
    ),
    entry(Tool::Curl, &["curl"], "requests to the example server", &["curl"], "curl", "brew install curl"),
    entry(Tool::Wrk, &["wrk"], "load on the example server", &["wrk"], "wrk", "brew install wrk"),
    entry(
        Tool::H2load,
        &["h2load"],
        "load on the example server",
        &["nghttp2-client"],
        "nghttp2",
        "brew install nghttp2",
    ),
    entry(
        Tool::Strace,
        &["strace"],
        "tests that count system calls",
        &["strace"],
        "strace",
        "not available; these tests are skipped",
    ),
    entry(Tool::Openssl, &["openssl"], "digests and TLS peers", &["openssl"], "openssl", "brew install openssl"),
    entry(
        Tool::MuslCc,
        &["musl-gcc"],
        "libraries for musl, which a process on glibc refuses",
        &["musl-tools"],
        "musl-gcc",
        "not available; these tests are skipped",
    ),
    entry(Tool::Python, &["python3"], "a few tests", &["python3"], "python3", "brew install python"),
    entry(
        Tool::Abidiff,
        &["abidiff"],
        "comparing the header with its earlier revisions",
        &["abigail-tools"],
        "libabigail",
        "not available; run it on Linux",
    ),
];

impl Tool {
    fn entry(self) -> &'static Entry {
        // The catalogue has an entry for each tool; a test holds it to that.
        CATALOGUE.iter().find(|entry| entry.tool == self).unwrap_or(&CATALOGUE[0])
    }

    /// The name that a person knows it by.
    pub fn name(self) -> &'static str {
        if self == Self::Jdk { "JDK" } else { self.entry().programs[0] }
    }

    /// Names of the program, the preferred one first.
    pub fn programs(self) -> &'static [&'static str] {
        self.entry().programs
    }

    /// The oldest version that is good enough.
    pub fn floor(self) -> Option<&'static str> {
        self.entry().floor
    }

    /// How to install it.
    pub fn remedy(self) -> Remedy {
        self.entry().remedy
    }

    /// Says that the tool is missing, what for, and how to install it.
    pub fn absence(self) -> String {
        let Entry { purpose, remedy, .. } = self.entry();
        format!(
            "{} is missing ({purpose})\n    Debian/Ubuntu: apt-get install {}\n    Fedora:        dnf install {}\n    macOS:         {}",
            self.name(),
            remedy.apt[0],
            remedy.dnf,
            remedy.macos
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_one_entry() {
        let all = [
            Tool::Cc,
            Tool::Cxx,
            Tool::Ld,
            Tool::Ar,
            Tool::Objcopy,
            Tool::Clang,
            Tool::Jdk,
            Tool::Maven,
            Tool::Cmake,
            Tool::Make,
            Tool::PkgConfig,
            Tool::Valgrind,
            Tool::Curl,
            Tool::Wrk,
            Tool::H2load,
            Tool::Strace,
            Tool::Openssl,
            Tool::Python,
            Tool::MuslCc,
            Tool::Abidiff,
        ];
        assert_eq!(all.len(), CATALOGUE.len());
        for tool in all {
            assert_eq!(CATALOGUE.iter().filter(|entry| entry.tool == tool).count(), 1, "{tool:?}");
            assert!(!tool.remedy().apt.is_empty());
        }
    }
}
