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
mod log;
mod pointer;
mod reactor_handle;
mod tls_absent;

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
