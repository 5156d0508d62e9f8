//! Runs every test of Ferronet and counts the results.

pub mod baseline;
#[cfg(target_os = "linux")]
pub mod bench;
pub mod command_line;
pub mod context;
pub mod exceptions;
pub mod ledger;
pub mod network;
pub mod parse;
pub mod report;
pub mod results;
pub mod resume;
pub mod runner;
pub mod service;
pub mod suites;
