//! Every exported function in one table, so that the sweeps miss none. The sweeps compare it with `headers/exports.txt`.

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
const LOOP: States = States {
    closed: FERRONET_ERR_CLOSED as i64,
    unstarted: FERRONET_ERR_NOT_STARTED as i64,
    foreign: FERRONET_ERR_WRONG_THREAD as i64,
};

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

pub fn params() -> ferronet_attach_params {
    ferronet_attach_params {
        size: size_of::<ferronet_attach_params>() as u32,
        built_for_revision: FERRONET_ABI_REVISION,
        required_features: 0,
    }
}

/// A configuration for the backend that every machine has.
pub fn config() -> ferronet_reactor_config {
    ferronet_reactor_config {
        size: size_of::<ferronet_reactor_config>() as u32,
        backend: FERRONET_BACKEND_POLL,
        ..Default::default()
    }
}

/// A new socket from the system itself, so that the function under test is the first of the library to be called.
fn socket() -> i32 {
    // SAFETY: no pointer is passed.
    unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0) }
}

/// Calls with a new socket, and closes it.
fn with_socket(call: impl FnOnce(i32) -> i32) -> i32 {
    let fd = socket();
    let status = call(fd);
    ferronet_socket_close(fd);
    status
}

fn open_and_close() -> i32 {
    let fd = ferronet_socket_open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM);
    if fd < 0 { fd } else { ferronet_socket_close(fd) }
}

fn loopback() -> ferronet_address {
    let mut address = ferronet_address { family: FERRONET_FAMILY_IPV4, length: 4, ..Default::default() };
    address.data[..4].copy_from_slice(&[127, 0, 0, 1]);
    address
}

fn listen_again() -> i32 {
    use std::os::fd::AsRawFd;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    ferronet_socket_listen(listener.as_raw_fd(), 1)
}

/// Calls with the client's end of a connection on loopback.
fn with_connection(call: impl FnOnce(i32) -> i32) -> i32 {
    use std::os::fd::AsRawFd;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    call(client.as_raw_fd())
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

fn make_and_free(runtime: *mut c_void) -> i32 {
    let mut reactor = null_mut();
    // SAFETY: the pointers name locals, and the runtime is what the test passes.
    let status = unsafe { ferronet_reactor_new(runtime.cast(), &config(), &mut reactor) };
    if status < 0 {
        assert!(reactor.is_null(), "the output was written although the call failed");
        return status;
    }
    // SAFETY: the reactor is new.
    unsafe { ferronet_reactor_free(reactor) }
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

fn deflate_and_free() -> i32 {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    let status = unsafe { ferronet_deflate_new(null(), &mut stream) };
    // SAFETY: the stream is new.
    if status < 0 { status } else { unsafe { ferronet_deflate_free(stream) } }
}

fn inflate_and_free() -> i32 {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    let status = unsafe { ferronet_inflate_new(null(), &mut stream) };
    // SAFETY: the stream is new.
    if status < 0 { status } else { unsafe { ferronet_inflate_free(stream) } }
}

/// A region that nothing lies behind.
fn nowhere(len: u64) -> ferronet_region {
    ferronet_region { addr: 0, len }
}

/// An empty stream, and the room for it.
static EMPTY: [u8; 2] = [3, 0];

fn whole(call: impl FnOnce(*mut c_void) -> i64) -> i64 {
    call([0u8; 64].as_mut_ptr().cast()).min(0)
}

unsafe extern "C" fn ignore(_: *mut c_void, _: i32, _: *const c_char, _: u64) {}

#[allow(unused_unsafe, reason = "some functions are safe to call")]
const FUNCTIONS: &[Function] = &[
    function!(ferronet_abi, Nothing, |_h| i32::from(ferronet::boundary::abi::ferronet_abi().is_null()), [], OK),
    function!(
        ferronet_attach,
        Nothing,
        |_h| attach_and_detach(),
        [|_h| ferronet_attach(null(), &mut null_mut()), |_h| ferronet_attach(&params(), null_mut())],
        OK
    ),
    function!(ferronet_deflate_bound, Nothing, |_h| ferronet_deflate_bound(10).min(0), [], OK),
    function!(
        ferronet_deflate_buffer,
        Nothing,
        |_h| whole(|room| ferronet_deflate_buffer(null(), null(), 0, room, 64)),
        [
            |_h| whole(|room| ferronet_deflate_buffer(null(), null(), 1, room, 64)),
            |_h| ferronet_deflate_buffer(null(), null(), 0, null_mut(), 64)
        ],
        OK
    ),
    function!(ferronet_deflate_free, Deflate, |h| ferronet_deflate_free(h.cast()), [], OK),
    function!(
        ferronet_deflate_new,
        Nothing,
        |_h| deflate_and_free(),
        [|_h| ferronet_deflate_new(null(), null_mut())],
        OK
    ),
    function!(
        ferronet_deflate_process,
        Deflate,
        |h| ferronet_deflate_process(h.cast(), null(), null(), 0, sized!(ferronet_codec_progress)),
        [
            |h| ferronet_deflate_process(h.cast(), null(), null(), 0, null_mut()),
            |h| ferronet_deflate_process(h.cast(), &nowhere(1), null(), 0, sized!(ferronet_codec_progress)),
            |h| ferronet_deflate_process(h.cast(), null(), &nowhere(1), 0, sized!(ferronet_codec_progress))
        ],
        OK
    ),
    function!(ferronet_deflate_reset, Deflate, |h| ferronet_deflate_reset(h.cast(), null()), [], OK),
    function!(
        ferronet_deflate_set_dictionary,
        Deflate,
        |h| ferronet_deflate_set_dictionary(h.cast(), null(), 0),
        [|h| ferronet_deflate_set_dictionary(h.cast(), null(), 2)],
        OK
    ),
    function!(ferronet_detach, Runtime, |h| ferronet_detach(h.cast()), [], OK),
    function!(
        ferronet_inflate_buffer,
        Nothing,
        |_h| whole(|room| ferronet_inflate_buffer(null(), EMPTY.as_ptr().cast(), 2, room, 64)),
        [
            |_h| whole(|room| ferronet_inflate_buffer(null(), null(), 2, room, 64)),
            |_h| ferronet_inflate_buffer(null(), EMPTY.as_ptr().cast(), 2, null_mut(), 64)
        ],
        OK
    ),
    function!(ferronet_inflate_free, Inflate, |h| ferronet_inflate_free(h.cast()), [], OK),
    function!(
        ferronet_inflate_new,
        Nothing,
        |_h| inflate_and_free(),
        [|_h| ferronet_inflate_new(null(), null_mut())],
        OK
    ),
    function!(
        ferronet_inflate_process,
        Inflate,
        |h| ferronet_inflate_process(h.cast(), null(), null(), 0, sized!(ferronet_codec_progress)),
        [
            |h| ferronet_inflate_process(h.cast(), null(), null(), 0, null_mut()),
            |h| ferronet_inflate_process(h.cast(), &nowhere(1), null(), 0, sized!(ferronet_codec_progress)),
            |h| ferronet_inflate_process(h.cast(), null(), &nowhere(1), 0, sized!(ferronet_codec_progress))
        ],
        OK
    ),
    function!(ferronet_inflate_reset, Inflate, |h| ferronet_inflate_reset(h.cast(), null()), [], OK),
    function!(
        ferronet_inflate_set_dictionary,
        Inflate,
        |h| ferronet_inflate_set_dictionary(h.cast(), EMPTY.as_ptr().cast(), 2),
        [|h| ferronet_inflate_set_dictionary(h.cast(), null(), 2)],
        OK
    ),
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
    function!(ferronet_reactor_add, Reactor, |h| ferronet_reactor_add(h.cast(), socket()).min(0), [], LOOP),
    function!(
        ferronet_reactor_close,
        Reactor,
        |h| ferronet_reactor_close(h.cast(), 0),
        [],
        States { foreign: LOOP.foreign, ..OK }
    ),
    function!(
        ferronet_reactor_free,
        Reactor,
        |h| ferronet_reactor_free(h.cast()),
        [],
        States { foreign: LOOP.foreign, ..OK }
    ),
    function!(
        ferronet_reactor_get_areas,
        Reactor,
        |h| ferronet_reactor_get_areas(h.cast(), sized!(ferronet_reactor_areas)),
        [|h| ferronet_reactor_get_areas(h.cast(), null_mut())],
        OK
    ),
    function!(
        ferronet_reactor_get_info,
        Reactor,
        |h| ferronet_reactor_get_info(h.cast(), sized!(ferronet_reactor_info)),
        [|h| ferronet_reactor_get_info(h.cast(), null_mut())],
        States { foreign: LOOP.foreign, ..OK }
    ),
    function!(
        ferronet_reactor_new,
        Runtime,
        |h| make_and_free(h),
        [|h| ferronet_reactor_new(h.cast(), &config(), null_mut())],
        OK
    ),
    function!(ferronet_reactor_remove, Reactor, |h| ferronet_reactor_remove(h.cast(), 1), [], LOOP),
    function!(
        ferronet_reactor_start,
        Reactor,
        |h| ferronet_reactor_start(h.cast()),
        [],
        States { closed: LOOP.closed, ..OK }
    ),
    function!(ferronet_reactor_submit, Reactor, |h| ferronet_reactor_submit(h.cast(), 0), [], LOOP),
    function!(ferronet_reactor_turn, Reactor, |h| ferronet_reactor_turn(h.cast(), 0, 0), [], LOOP),
    function!(ferronet_reactor_wake, Reactor, |h| ferronet_reactor_wake(h.cast()), [], OK),
    function!(
        ferronet_socket_bind,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_bind(fd, &loopback())),
        [|_h| with_socket(|fd| ferronet_socket_bind(fd, null()))],
        OK
    ),
    function!(ferronet_socket_close, Nothing, |_h| ferronet_socket_close(socket()), [], OK),
    function!(
        ferronet_socket_get_option,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_get_option(fd, 3, &mut 0)),
        [|_h| with_socket(|fd| ferronet_socket_get_option(fd, 3, null_mut()))],
        OK
    ),
    function!(
        ferronet_socket_get_raw_option,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_get_raw_option(
            fd,
            libc::SOL_SOCKET,
            libc::SO_TYPE,
            std::ptr::from_mut(&mut 0i32).cast(),
            &mut 4
        )),
        [
            |_h| with_socket(|fd| ferronet_socket_get_raw_option(
                fd,
                libc::SOL_SOCKET,
                libc::SO_TYPE,
                null_mut(),
                &mut 4
            )),
            |_h| with_socket(|fd| ferronet_socket_get_raw_option(
                fd,
                libc::SOL_SOCKET,
                libc::SO_TYPE,
                std::ptr::from_mut(&mut 0i32).cast(),
                null_mut()
            ))
        ],
        OK
    ),
    function!(ferronet_socket_listen, Nothing, |_h| listen_again(), [], OK),
    function!(
        ferronet_socket_local_address,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_local_address(fd, &mut loopback())),
        [|_h| with_socket(|fd| ferronet_socket_local_address(fd, null_mut()))],
        OK
    ),
    function!(ferronet_socket_open, Nothing, |_h| open_and_close(), [], OK),
    function!(
        ferronet_socket_peer_address,
        Nothing,
        |_h| with_connection(|fd| ferronet_socket_peer_address(fd, &mut loopback())),
        [|_h| with_connection(|fd| ferronet_socket_peer_address(fd, null_mut()))],
        OK
    ),
    function!(ferronet_socket_set_option, Nothing, |_h| with_socket(|fd| ferronet_socket_set_option(fd, 3, 1)), [], OK),
    function!(
        ferronet_socket_set_raw_option,
        Nothing,
        |_h| with_socket(|fd| ferronet_socket_set_raw_option(
            fd,
            libc::SOL_SOCKET,
            libc::SO_KEEPALIVE,
            std::ptr::from_ref(&1i32).cast(),
            4
        )),
        [|_h| with_socket(|fd| ferronet_socket_set_raw_option(fd, libc::SOL_SOCKET, libc::SO_KEEPALIVE, null(), 4))],
        OK
    ),
    function!(
        ferronet_socket_shutdown,
        Nothing,
        |_h| with_connection(|fd| ferronet_socket_shutdown(fd, FERRONET_SHUTDOWN_WRITE)),
        [],
        OK
    ),
    function!(ferronet_status_name, Nothing, |_h| i32::from(ferronet_status_name(0).is_null()), [], OK),
];

#[path = "tls_functions.rs"]
pub mod tls;

/// Every exported function, by its name.
pub fn all_functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().chain(tls::TLS)
}

/// The functions that can be called with a handle of theirs: a library without TLS makes none of its handles.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    all_functions().filter(|function| has_tls() || !function.name.starts_with("ferronet_tls_"))
}

/// The library was built with TLS.
pub fn has_tls() -> bool {
    BUILT & FERRONET_FEATURE_TLS != 0
}

/// A new runtime.
pub fn runtime() -> *mut c_void {
    let mut runtime = null_mut();
    // SAFETY: both pointers name locals.
    assert_eq!(unsafe { ferronet_attach(&params(), &mut runtime) }, 0, "{}", last_error(null_mut()));
    runtime.cast()
}

/// Both ways to choose: the backend that every machine has, and the one that this machine prefers.
pub const BACKENDS: [u32; 2] = [FERRONET_BACKEND_POLL, FERRONET_BACKEND_AUTO];

/// A new reactor that is not started, of a runtime that is detached again.
pub fn reactor() -> *mut c_void {
    reactor_on(FERRONET_BACKEND_POLL)
}

/// The same on a chosen backend.
pub fn reactor_on(backend: u32) -> *mut c_void {
    let runtime = runtime();
    let mut reactor = null_mut();
    let config = ferronet_reactor_config { backend, ..config() };
    // SAFETY: the pointers name locals, and the runtime is new.
    let status = unsafe { ferronet_reactor_new(runtime.cast(), &config, &mut reactor) };
    assert_eq!(status, 0, "{}", last_error(runtime));
    // SAFETY: the runtime is used no more.
    assert_eq!(unsafe { ferronet_detach(runtime.cast()) }, 0);
    reactor.cast()
}

/// A new reactor that the calling thread has started.
pub fn started() -> *mut c_void {
    started_on(FERRONET_BACKEND_POLL)
}

/// The same on a chosen backend.
pub fn started_on(backend: u32) -> *mut c_void {
    let reactor = reactor_on(backend);
    // SAFETY: the reactor is new.
    assert_eq!(unsafe { ferronet_reactor_start(reactor.cast()) }, 0, "{}", last_error(reactor));
    reactor
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

/// A new compression stream.
pub fn deflate() -> *mut c_void {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    assert_eq!(unsafe { ferronet_deflate_new(null(), &mut stream) }, 0, "{}", last_error(null_mut()));
    stream.cast()
}

/// A new decompression stream.
pub fn inflate() -> *mut c_void {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    assert_eq!(unsafe { ferronet_inflate_new(null(), &mut stream) }, 0, "{}", last_error(null_mut()));
    stream.cast()
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

/// The text of the last failed call on a handle, or of this thread.
pub fn last_error(handle: *const c_void) -> String {
    let mut buffer = [0u8; 1024];
    // SAFETY: the buffer has the room that is stated.
    let length = unsafe { ferronet_last_error(handle, buffer.as_mut_ptr().cast(), buffer.len() as u64) };
    let length = usize::try_from(length).unwrap_or_default().min(buffer.len() - 1);
    String::from_utf8(buffer[..length].to_vec()).unwrap()
}

/// The name of a status.
pub fn name(status: i64) -> &'static str {
    // SAFETY: names are constant and end with a zero byte.
    unsafe { std::ffi::CStr::from_ptr(ferronet_status_name(status as i32)) }.to_str().unwrap()
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
