//! What crosses the C boundary: metadata, statuses, records and size-prefixed structures.

pub mod config;
pub mod features;
pub mod info;
pub mod option;
pub mod record;
pub mod status;
