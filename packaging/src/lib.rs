//! Builds, re-links, checks and stages Ferronet's artifacts, and finds the tools that this needs.

pub mod bill;
pub mod console;
pub mod demo;
pub mod exports;
pub mod java;
pub mod project;
pub mod repository;
pub mod run;
pub mod scratch;
pub mod stage;
pub mod supervise;
pub mod target;
pub mod tools;

/// An error whose text names what failed, on what, and the remedy where there is one.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The result of every fallible step of the tools.
pub type Result<T> = std::result::Result<T, Error>;
