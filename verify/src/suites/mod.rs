//! The one table of suites.

mod abi_history;
mod c;
mod conformance;
mod conformance_tls;
mod conformance_tls_handler;
mod conformance_tls_transport;
mod contract;
mod demo;
mod demo_tls;
mod gate;
mod interop;
mod interop_cells;
mod java;
mod kqueue;
mod licences;
mod native_image;
mod packages;
mod packages_jvm;
mod packages_ledger;
mod range;
mod rust;
mod safety;
mod source;
mod stage;
mod targets;

use ferronet_packaging::Result;
use ferronet_packaging::tools::Tool;

use crate::context::Context;
use crate::results::Results;

/// What carries a suite out.
pub type Run = fn(&mut Context<'_>) -> Result<Results>;

/// When a suite runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// In every run, whole.
    Always,
    /// In every run, and more of it with `--full`.
    Part,
    /// Only with `--full`, or by name.
    FullOnly,
}

/// A group of tests that runs as one.
pub struct Suite {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it covers, in a few words.
    pub covers: &'static str,
    /// How long it may take.
    pub minutes: u64,
    /// Tools without which it fails.
    pub required: &'static [Tool],
    /// Tools without which some of its tests are skipped.
    pub optional: &'static [Tool],
    /// When it runs.
    pub share: Share,
    /// What carries it out.
    pub run: Run,
}

/// Every suite, in the order in which they run: what is quick and what others build on comes first.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "fmt",
        covers: "the Rust sources are formatted",
        minutes: 2,
        required: &[],
        optional: &[],
        share: Share::Always,
        run: source::formatted,
    },
    Suite {
        name: "licences",
        covers: "licences, sources, pins and duplicates of the dependencies",
        minutes: 2,
        required: &[],
        optional: &[],
        share: Share::Always,
        run: licences::rules,
    },
    Suite {
        name: "clippy",
        covers: "clippy finds nothing in any crate, with and without test hooks",
        minutes: 10,
        required: &[],
        optional: &[],
        share: Share::Always,
        run: source::clippy,
    },
    Suite {
        name: "rust",
        covers: "the Rust tests of the workspace, the header in C and C++ among them",
        minutes: 20,
        required: &[Tool::Cc, Tool::Cxx],
        optional: &[Tool::Clang],
        share: Share::Always,
        run: rust::workspace,
    },
    Suite {
        name: "rust-hooks",
        covers: "the library's tests with faults injected",
        minutes: 20,
        required: &[Tool::Cc],
        optional: &[],
        share: Share::Always,
        run: rust::hooks,
    },
    Suite {
        name: "stage",
        covers: "the staged artifacts obey their rules and link from another place",
        minutes: 10,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy],
        optional: &[],
        share: Share::Part,
        run: stage::artifacts,
    },
    Suite {
        name: "packages-c",
        covers: "projects of others for CMake, make and Cargo, and the ledger of what ships",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy],
        optional: &[Tool::Cmake, Tool::Make, Tool::PkgConfig],
        share: Share::Part,
        run: packages::c,
    },
    Suite {
        name: "packages-jvm",
        covers: "the staged jars: a project of others for Maven, every packaging, and what the loader must refuse",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven, Tool::Openssl],
        optional: &[Tool::Curl, Tool::MuslCc],
        share: Share::Part,
        run: packages_jvm::jvm,
    },
    Suite {
        name: "java",
        covers: "the unit tests of the Java modules",
        minutes: 20,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Always,
        run: java::modules,
    },
    Suite {
        name: "c-examples",
        covers: "the C examples, shared and static, on both backends, and under memcheck",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Cmake, Tool::Make],
        optional: &[Tool::Curl, Tool::Valgrind],
        share: Share::Always,
        run: c::examples,
    },
    Suite {
        name: "contract-c",
        covers: "the shared contract from C, linked shared and static",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy],
        optional: &[],
        share: Share::Always,
        run: contract::c,
    },
    Suite {
        name: "contract-jvm",
        covers: "the shared contract from Java",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk],
        optional: &[],
        share: Share::Always,
        run: contract::jvm,
    },
    Suite {
        name: "contract-faults",
        covers: "whether the contract's cases notice a broken library, from C and from Java",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk],
        optional: &[],
        share: Share::Always,
        run: contract::faults,
    },
    Suite {
        name: "contract-memcheck",
        covers: "the shared contract from C under valgrind memcheck, on both backends",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy],
        optional: &[Tool::Valgrind],
        share: Share::FullOnly,
        run: contract::memcheck,
    },
    Suite {
        name: "demo",
        covers: "the example server under curl, wrk, h2load and openssl",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[Tool::Curl, Tool::Wrk, Tool::H2load, Tool::Openssl],
        share: Share::Always,
        run: demo::server,
    },
    Suite {
        name: "native-image",
        covers: "the contract and the example server inside of a Native Image",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[Tool::Curl, Tool::Wrk, Tool::H2load, Tool::Openssl],
        share: Share::Part,
        run: native_image::images,
    },
    Suite {
        name: "conformance",
        covers: "the share of Netty's own transport suites that every run takes, on both backends",
        minutes: 15,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Always,
        run: conformance::share,
    },
    Suite {
        name: "netty-range",
        covers: "the tests of the Netty module on the lowest and the highest supported version of Netty",
        minutes: 20,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Always,
        run: range::ends,
    },
    Suite {
        name: "conformance-compression",
        covers: "Netty's own compression tests over our handlers",
        minutes: 10,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Always,
        run: conformance::compression,
    },
    Suite {
        name: "conformance-uring-pooled",
        covers: "Netty's own transport suites on io_uring, receive buffers lent from the pooled allocator",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::FullOnly,
        run: conformance::uring_pooled,
    },
    Suite {
        name: "conformance-uring-adaptive",
        covers: "Netty's own transport suites on io_uring, receive buffers lent from the adaptive allocator",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::FullOnly,
        run: conformance::uring_adaptive,
    },
    Suite {
        name: "conformance-poll-pooled",
        covers: "Netty's own transport suites on the poll backend, receive buffers lent from the pooled allocator",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::FullOnly,
        run: conformance::poll_pooled,
    },
    Suite {
        name: "conformance-poll-adaptive",
        covers: "Netty's own transport suites on the poll backend, receive buffers lent from the adaptive allocator",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::FullOnly,
        run: conformance::poll_adaptive,
    },
    Suite {
        name: "conformance-tls",
        covers: "Netty's own tests of an SSLEngine over ours, as client, server and both",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Part,
        run: conformance_tls::engine,
    },
    Suite {
        name: "interop-tls",
        covers: "TLS between Ferronet, the JDK, tcnative and openssl, each as client and as server with each",
        minutes: 20,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven, Tool::Openssl],
        optional: &[],
        share: Share::Part,
        run: interop::tls,
    },
    Suite {
        name: "conformance-tls-handler",
        covers: "Netty's own tests of SslHandler over ours, in the place of the JDK's and of tcnative's",
        minutes: 20,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Part,
        run: conformance_tls_handler::handler,
    },
    Suite {
        name: "conformance-tls-transport",
        covers: "the TLS classes of Netty's transport suite with our TLS, on NIO and on io_uring",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::Part,
        run: conformance_tls_transport::transports,
    },
    Suite {
        name: "conformance-tls-others",
        covers: "the TLS classes of Netty's transport suite with our TLS, on epoll and on the poll backend",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::FullOnly,
        run: conformance_tls_transport::other_transports,
    },
    Suite {
        name: "conformance-control",
        covers: "the same suites over Netty's epoll",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[],
        share: Share::FullOnly,
        run: conformance::control,
    },
    Suite {
        name: "gate",
        covers: "instructions and allocations of a request, against a baseline",
        minutes: 5,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Jdk, Tool::Maven],
        optional: &[Tool::Valgrind],
        share: Share::Always,
        run: gate::costs,
    },
    Suite {
        name: "memcheck",
        covers: "tests of the ring and of arbitrary records under memcheck",
        minutes: 20,
        required: &[Tool::Valgrind],
        optional: &[],
        share: Share::Part,
        run: safety::memcheck,
    },
    Suite {
        name: "loom",
        covers: "the interleavings of the wake-up word",
        minutes: 20,
        required: &[],
        optional: &[],
        share: Share::Part,
        run: safety::interleavings,
    },
    Suite {
        name: "asan",
        covers: "the library's tests under AddressSanitizer and LeakSanitizer",
        minutes: 25,
        required: &[Tool::Cc],
        optional: &[],
        share: Share::Part,
        run: safety::address,
    },
    Suite {
        name: "tsan",
        covers: "the library's tests under ThreadSanitizer",
        minutes: 30,
        required: &[Tool::Cc],
        optional: &[],
        share: Share::FullOnly,
        run: safety::thread,
    },
    Suite {
        name: "fuzz",
        covers: "fuzzing of the submission records on both backends, of TLS and of compression",
        minutes: 30,
        required: &[Tool::Cc, Tool::Cxx],
        optional: &[],
        share: Share::FullOnly,
        run: safety::fuzz,
    },
    Suite {
        name: "abi-history",
        covers: "the header against every revision that it still serves, by libabigail",
        minutes: 5,
        required: &[Tool::Cc, Tool::Abidiff],
        optional: &[],
        share: Share::FullOnly,
        run: abi_history::compare,
    },
    Suite {
        name: "targets",
        covers: "the library built for the oldest C library of its target, and the contract from C over it",
        minutes: 30,
        required: &[Tool::Cc, Tool::Ld, Tool::Ar, Tool::Objcopy, Tool::Python],
        optional: &[],
        share: Share::FullOnly,
        run: targets::floors,
    },
    Suite {
        name: "kqueue-check",
        covers: "the library type-checks for macOS and FreeBSD",
        minutes: 15,
        required: &[],
        optional: &[],
        share: Share::FullOnly,
        run: kqueue::check,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_no_suite_takes_more_than_half_an_hour() {
        for (index, suite) in SUITES.iter().enumerate() {
            assert!(SUITES[index + 1..].iter().all(|other| other.name != suite.name), "{}", suite.name);
            assert!((1..=30).contains(&suite.minutes), "{}", suite.name);
        }
    }
}
