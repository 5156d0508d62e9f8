//! The functions of the library as a whole: metadata, runtimes, statuses.

use super::*;

pub fn params() -> ferronet_attach_params {
    ferronet_attach_params {
        size: size_of::<ferronet_attach_params>() as u32,
        built_for_revision: FERRONET_ABI_REVISION,
        required_features: 0,
    }
}

fn attach_and_detach() -> i32 {
    let mut runtime = null_mut();
    // SAFETY: both pointers name locals.
    let status = unsafe { ferronet_attach(&params(), &mut runtime) };
    if status < 0 {
        return status;
    }
    // SAFETY: the runtime is new.
    unsafe { ferronet_detach(runtime) }
}

unsafe extern "C" fn ignore(_: *mut c_void, _: i32, _: *const c_char, _: u64) {}

#[allow(unused_unsafe, reason = "some functions are safe to call")]
pub const LIBRARY: &[Function] = &[
    function!(ferronet_abi, Nothing, |_h| i32::from(ferronet::boundary::abi::ferronet_abi().is_null()), [], OK),
    function!(
        ferronet_attach,
        Nothing,
        |_h| attach_and_detach(),
        [|_h| ferronet_attach(null(), &mut null_mut()), |_h| ferronet_attach(&params(), null_mut())],
        OK
    ),
    function!(ferronet_detach, Runtime, |h| ferronet_detach(h.cast()), [], OK),
    function!(
        ferronet_last_error,
        Any,
        |h| ferronet_last_error(h, [0; 8].as_mut_ptr(), 8).min(0),
        [|h| ferronet_last_error(h, null_mut(), 8)],
        OK
    ),
    function!(ferronet_log_set, Runtime, |h| ferronet_log_set(h.cast(), 4, Some(ignore), null_mut()), [], OK),
    function!(
        ferronet_probe,
        Nothing,
        |_h| ferronet_probe(sized!(ferronet_caps)),
        [|_h| ferronet_probe(null_mut())],
        OK
    ),
    function!(ferronet_status_name, Nothing, |_h| i32::from(ferronet_status_name(0).is_null()), [], OK),
];

/// A new runtime.
pub fn runtime() -> *mut c_void {
    let mut runtime = null_mut();
    // SAFETY: both pointers name locals.
    assert_eq!(unsafe { ferronet_attach(&params(), &mut runtime) }, 0, "{}", last_error(null_mut()));
    runtime.cast()
}

/// The text of the last failed call on a handle, or of this thread.
pub fn last_error(handle: *const c_void) -> String {
    let mut buffer = [0u8; 1024];
    // SAFETY: the buffer has the room that is stated.
    let length = unsafe { ferronet_last_error(handle, buffer.as_mut_ptr().cast(), buffer.len() as u64) };
    let length = usize::try_from(length).unwrap_or_default().min(buffer.len() - 1);
    let text = String::from_utf8(buffer[..length].to_vec()).unwrap();
    // What a panic says is a matter of the library's source.
    if !text.contains("panic") {
        prose::assert_prose(&text);
    }
    text
}

/// The name of a status.
pub fn name(status: i64) -> &'static str {
    // SAFETY: names are constant and end with a zero byte.
    unsafe { std::ffi::CStr::from_ptr(ferronet_status_name(status as i32)) }.to_str().unwrap()
}
