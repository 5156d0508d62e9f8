//! What crosses the C boundary: metadata, statuses, records and size-prefixed structures.

pub mod attach;
pub mod config;
pub mod errno;
pub mod features;
pub mod info;
pub mod layout;
pub mod log;
pub mod option;
pub mod record;
pub mod sized;
pub mod status;
pub mod tls;
pub mod zlib;
