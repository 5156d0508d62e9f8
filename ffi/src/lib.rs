//! Ferronet: native transport, TLS and compression behind one C boundary.
//!
//! `abi` holds what crosses the boundary (metadata, records, statuses), `boundary` the exported functions, `reactor` the
//! transport itself, `tls` TLS, `zlib` compression. `fault` lets tests inject faults. The reactor knows nothing of pointers that C hands in; the boundary knows nothing of protocols.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("Ferronet supports 64-bit targets only");

#[cfg(all(not(test), panic = "abort"))]
compile_error!(
    "Ferronet must be built with panic=unwind: a panic has to become a status, never an abort of the host process"
);

pub mod abi;
pub mod boundary;
mod error;
pub mod fault;
pub mod reactor;
mod text;
mod thread;
#[cfg(feature = "tls")]
pub mod tls;
pub mod zlib;

#[cfg(test)]
#[path = "../tests/prose/mod.rs"]
mod prose;

pub use error::{Error, Result};
