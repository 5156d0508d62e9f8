//! Suites, groups, schemes and versions by name.

use super::info::Names;

/// What this library supports, commas in between.
pub fn names(_what: Names) -> String {
    String::new()
}
