//! Runs every test of Ferronet and counts the results.

pub mod bench;
