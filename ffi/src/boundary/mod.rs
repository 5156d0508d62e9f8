//! The exported C functions: argument checks, handles and the panic guard.
//!
//! Their documentation is the header's, so it is written for C: `headers/CONVENTIONS.md` has the rules that hold for
//! all.
#![allow(non_camel_case_types)]
// The header's "Memory:" and "Threads:" lines take the place of a "# Safety" section.
#![allow(clippy::missing_safety_doc)]

mod codec;
mod guard;
mod handle;
mod image;
mod log;
mod pointer;
mod reactor_handle;
#[cfg(not(feature = "tls"))]
mod tls_absent;
#[cfg(feature = "tls")]
mod tls_built;
#[cfg(feature = "tls")]
mod tls_config;
#[cfg(feature = "tls")]
mod tls_hooks;
#[cfg(feature = "tls")]
mod tls_regions;

#[cfg(not(feature = "tls"))]
use tls_absent as tls_calls;
#[cfg(feature = "tls")]
use tls_built as tls_calls;

pub mod abi;
#[cfg(feature = "test-hooks")]
pub mod hooks;
pub mod reactor;
pub mod runtime;
pub mod socket;
pub mod status;
pub mod tls;
pub mod tls_session;
pub mod zlib;
