//! Both ways with the system's gzip, which is built on another implementation of the format.

use std::io::Write;
use std::process::{Command, Stdio};

use ferronet::zlib::*;

use crate::corpus::{documents, repeating_documents};
use crate::support::*;

/// What gzip makes of the input; `None` when there is no gzip.
pub fn gzip(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new("gzip")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A gzip that refuses its input closes the pipe.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    });
    assert!(output.status.success(), "gzip {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

pub fn report_skipped(name: &str) {
    skipped(name, "gzip is not installed");
}

#[test]
fn gzip_reads_what_we_write() {
    for (name, document) in documents() {
        for level in [Level::Stored, Level::Fastest, Level::Number(1), Level::Number(6), Level::Number(9)] {
            let packed = compress(DeflateConfig { level, ..DeflateConfig::new(Format::Gzip) }, &document);
            let Some(result) = gzip(&["-d", "-c"], &packed) else {
                return report_skipped("gzip_tool::gzip_reads_what_we_write");
            };
            assert!(result == document, "{name} {level:?}");
        }
    }
}

#[test]
fn we_read_what_gzip_writes() {
    for (name, document) in documents() {
        for level in ["-1", "-6", "-9"] {
            let Some(packed) = gzip(&[level, "-c"], &document) else {
                return report_skipped("gzip_tool::we_read_what_gzip_writes");
            };
            assert!(decompress(Format::Gzip, &packed) == document, "{name} {level}");
        }
    }
}

#[test]
fn a_level_is_no_larger_than_gzips_by_more_than_5_percent() {
    for (name, document) in documents().into_iter().chain(repeating_documents()) {
        for level in 1..=9u8 {
            let Some(theirs) = gzip(&[&format!("-{level}"), "-c", "-n"], &document) else {
                return report_skipped("gzip_tool::a_level_is_no_larger_than_gzips_by_more_than_5_percent");
            };
            let config = DeflateConfig {
                level: Level::Number(level),
                expected_length: document.len() as u64,
                ..DeflateConfig::new(Format::Gzip)
            };
            let ours = compress(config, &document);
            assert!(decompress(Format::Gzip, &ours) == document, "{name} at level {level}");
            let limit = theirs.len() * 105 / 100 + 5;
            assert!(ours.len() <= limit, "{name} at level {level}: {} bytes, gzip has {}", ours.len(), theirs.len());
        }
    }
}
