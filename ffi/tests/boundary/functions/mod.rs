//! Every exported function, in a table for each part of the library, so that the sweeps miss none. The sweeps compare them with
//! `headers/exports.txt`.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use ferronet::abi::config::*;
use ferronet::abi::features::{BUILT, FERRONET_FEATURE_TLS};
use ferronet::abi::info::{FERRONET_ABI_REVISION, ferronet_attach_params};
use ferronet::abi::record::*;
use ferronet::abi::status::*;
use ferronet::abi::tls::*;
use ferronet::abi::zlib::*;
use ferronet::boundary::reactor::*;
use ferronet::boundary::runtime::*;
use ferronet::boundary::socket::*;
use ferronet::boundary::status::*;
use ferronet::boundary::tls::*;
use ferronet::boundary::tls_session::*;
use ferronet::boundary::zlib::*;

/// What the first parameter of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    Runtime,
    Reactor,
    Deflate,
    Inflate,
    Credential,
    Context,
    Session,
    /// A handle of any kind, or NULL.
    Any,
}

/// What a reactor's function answers in states that are not its normal one.
#[derive(Clone, Copy, Debug)]
pub struct States {
    pub closed: i64,
    pub unstarted: i64,
    pub foreign: i64,
}

pub struct Function {
    pub name: &'static str,
    pub takes: Takes,
    /// A valid call, apart from the handle. The handle may be anything.
    pub call: fn(*mut c_void) -> i64,
    /// Calls with a valid handle in which one other pointer is NULL.
    pub nulls: &'static [fn(*mut c_void) -> i64],
    pub states: States,
    /// It works on a poisoned handle.
    pub poison_proof: bool,
    /// It runs inside the panic guard.
    pub guarded: bool,
}

const OK: States = States { closed: 0, unstarted: 0, foreign: 0 };

macro_rules! function {
    ($name:ident, $takes:ident, |$handle:ident| $call:expr, [$(|$null_handle:ident| $null:expr),*], $states:expr) => {
        Function {
            name: stringify!($name),
            takes: Takes::$takes,
            // SAFETY: every pointer is NULL, a handle or refused as one, or names memory that lives through the call.
            call: |$handle| i64::from(unsafe { $call }),
            nulls: &[$(|$null_handle| i64::from(
                // SAFETY: as above.
                unsafe { $null }
            )),*],
            states: $states,
            poison_proof: matches!(stringify!($name).as_bytes(), b"ferronet_detach" | b"ferronet_reactor_free" | b"ferronet_last_error" | b"ferronet_deflate_free" | b"ferronet_inflate_free" | b"ferronet_tls_credential_free" | b"ferronet_tls_context_free" | b"ferronet_tls_session_free"),
            guarded: !matches!(stringify!($name).as_bytes(), b"ferronet_abi" | b"ferronet_status_name" | b"ferronet_deflate_bound"),
        }
    };
}

/// A value of a size-prefixed type with its size set.
macro_rules! sized {
    ($type:ty) => {
        &mut <$type>::from_size()
    };
}

trait FromSize: Default {
    fn from_size() -> Self;
}
macro_rules! from_size {
    ($($type:ident),*) => { $(impl FromSize for $type {
        fn from_size() -> Self {
            Self { size: size_of::<Self>() as u32, ..Default::default() }
        }
    })* };
}
from_size!(ferronet_caps, ferronet_reactor_areas, ferronet_reactor_info, ferronet_codec_progress);
from_size!(ferronet_tls_progress, ferronet_tls_session_info, ferronet_tls_context_info);

/// A region that nothing lies behind.
fn nowhere(len: u64) -> ferronet_region {
    ferronet_region { addr: 0, len }
}

mod compression;
mod library;
#[path = "../../prose/mod.rs"]
mod prose;
mod reactors;
mod sockets;
pub mod tls;

pub use compression::*;
pub use library::*;
pub use reactors::*;

/// Every exported function.
pub fn all_functions() -> impl Iterator<Item = &'static Function> {
    [library::LIBRARY, reactors::REACTORS, sockets::SOCKETS, compression::COMPRESSION, tls::TLS].into_iter().flatten()
}

/// The functions that can be called with a handle of theirs: a library without TLS makes none of its handles.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    all_functions().filter(|function| has_tls() || !function.name.starts_with("ferronet_tls_"))
}

/// The library was built with TLS.
pub fn has_tls() -> bool {
    BUILT & FERRONET_FEATURE_TLS != 0
}

/// A new valid handle for the function, in its normal state.
pub fn handle_for(function: &Function) -> *mut c_void {
    match function.takes {
        Takes::Nothing => null_mut(),
        Takes::Runtime | Takes::Any => runtime(),
        Takes::Reactor => started(),
        Takes::Deflate => deflate(),
        Takes::Inflate => inflate(),
        Takes::Credential => tls::credential(),
        Takes::Context => tls::context(),
        Takes::Session => tls::session(),
    }
}

/// Frees a handle of any kind; what is freed already stays so.
pub fn free(handle: *mut c_void) {
    // SAFETY: handles of the wrong kind and freed ones are refused.
    unsafe {
        ferronet_detach(handle.cast());
        ferronet_reactor_free(handle.cast());
        ferronet_deflate_free(handle.cast());
        ferronet_inflate_free(handle.cast());
        ferronet_tls_session_free(handle.cast());
        ferronet_tls_context_free(handle.cast());
        ferronet_tls_credential_free(handle.cast());
    }
}

/// A pointer that may go to another thread.
#[derive(Clone, Copy)]
pub struct Sent(pub *mut c_void);
// SAFETY: the library says from which threads a handle may be used; the tests are about that.
unsafe impl Send for Sent {}

/// Calls a function on another thread and returns what it said.
pub fn on_another_thread<R: Send + 'static>(
    handle: *mut c_void,
    call: impl FnOnce(*mut c_void) -> R + Send + 'static,
) -> R {
    let sent = Sent(handle);
    std::thread::spawn(move || {
        let sent = sent;
        call(sent.0)
    })
    .join()
    .unwrap()
}
