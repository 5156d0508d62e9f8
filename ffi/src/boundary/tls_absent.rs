//! What TLS answers in a library that was built without it.

use std::ffi::c_void;

use super::handle::Handle;
use crate::abi::record::ferronet_region;
use crate::abi::status::FERRONET_ERR_FEATURE;
use crate::abi::tls::*;
use crate::{Error, Result};

fn absent<T>() -> Result<T> {
    Err(Error::new(FERRONET_ERR_FEATURE, "this library was built without the feature tls: use one that has it"))
}

/// Functions with these parameters that do nothing.
macro_rules! absent {
    ($($name:ident($($type:ty),*) -> $result:ty;)*) => {
        $(
        pub(super) unsafe fn $name($(_: $type),*) -> Result<$result> {
            absent()
        })*
    };
}

absent! {
    credential_new(*const ferronet_tls_credential_config) -> &'static Handle;
    context_new(*const ferronet_tls_config) -> &'static Handle;
    context_set_ticket_keys(&'static Handle, *const c_void, u64) -> i64;
    context_set_ocsp_response(&'static Handle, u32, *const c_void, u64) -> i64;
    context_remove_session(&'static Handle, *const c_void, u64) -> i64;
    names(u32, *mut c_void, u64) -> i64;
    session_new(&'static Handle, *const ferronet_tls_session_config) -> &'static Handle;
    session_wrap(&'static Handle, *const ferronet_region, u32, *const ferronet_region, &mut ferronet_tls_progress) -> ();
    session_unwrap(&'static Handle, (*const ferronet_region, u32), (*const ferronet_region, u32), u32, &mut ferronet_tls_progress) -> ();
    session_get_bytes(&'static Handle, u32, u32, *mut c_void, u64) -> i64;
    session_export(&'static Handle, (*const c_void, u64), (*const c_void, u64), (*mut c_void, u64)) -> i64;
}

pub(super) fn context_info(_: &'static Handle) -> Result<ferronet_tls_context_info> {
    absent()
}

pub(super) fn context_clear_sessions(_: &'static Handle) -> Result<i64> {
    absent()
}

pub(super) fn session_free(_: &'static Handle) -> Result<i64> {
    absent()
}

pub(super) fn session_task(_: &'static Handle, _: &mut ferronet_tls_progress) -> Result<()> {
    absent()
}

pub(super) fn session_close(_: &'static Handle, _: &mut ferronet_tls_progress) -> Result<()> {
    absent()
}

pub(super) fn session_end_input(_: &'static Handle) -> Result<i64> {
    absent()
}

pub(super) fn session_info(_: &'static Handle) -> Result<ferronet_tls_session_info> {
    absent()
}
