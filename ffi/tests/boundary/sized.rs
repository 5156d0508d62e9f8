//! Size-prefixed structures of every size, as callers of any revision may pass them.

use std::ffi::c_void;
use std::ptr::null_mut;

use ferronet::abi::config::*;
use ferronet::abi::info::{FERRONET_ABI_REVISION, ferronet_attach_params};
use ferronet::abi::record::ferronet_region;
use ferronet::abi::sized::MAXIMUM;
use ferronet::abi::tls::*;
use ferronet::abi::zlib::*;
use ferronet::boundary::reactor::*;
use ferronet::boundary::runtime::*;
use ferronet::boundary::tls::*;
use ferronet::boundary::tls_session::*;
use ferronet::boundary::zlib::*;

use crate::functions::*;

/// Memory that a structure of any tested size fits into.
#[repr(align(8))]
struct Memory([u8; 512]);

impl Memory {
    fn with_size(size: u32) -> Self {
        let mut memory = Self([0; 512]);
        memory.0[..4].copy_from_slice(&size.to_ne_bytes());
        memory
    }

    fn pointer<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }

    fn set(&mut self, offset: usize, bytes: &[u8]) {
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
    }
}

/// An input structure: how it is filled for a valid call, and the call.
struct Input {
    name: &'static str,
    known: u32,
    fill: fn(&mut Memory),
    /// Size from which on the call can succeed: all that is required is there.
    enough: u32,
    /// Answer to a size that has not enough.
    lacking: &'static str,
    call: fn(&mut Memory) -> (i64, String),
}

fn attach(memory: &mut Memory) -> (i64, String) {
    let mut runtime = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_attach(memory.pointer(), &mut runtime) };
    assert_eq!(status < 0, runtime.is_null(), "an output is written on success only");
    let text = last_error(null_mut());
    free(runtime.cast());
    (i64::from(status), text)
}

fn make(memory: &mut Memory) -> (i64, String) {
    let runtime = runtime();
    let mut reactor = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_reactor_new(runtime.cast(), memory.pointer(), &mut reactor) };
    assert_eq!(status < 0, reactor.is_null(), "an output is written on success only");
    let text = last_error(runtime);
    free(reactor.cast());
    free(runtime);
    (i64::from(status), text)
}

fn make_deflate(memory: &mut Memory) -> (i64, String) {
    let mut stream = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_deflate_new(memory.pointer(), &mut stream) };
    assert_eq!(status < 0, stream.is_null(), "an output is written on success only");
    let text = last_error(null_mut());
    free(stream.cast());
    (i64::from(status), text)
}

fn make_inflate(memory: &mut Memory) -> (i64, String) {
    let mut stream = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_inflate_new(memory.pointer(), &mut stream) };
    assert_eq!(status < 0, stream.is_null(), "an output is written on success only");
    let text = last_error(null_mut());
    free(stream.cast());
    (i64::from(status), text)
}

fn make_credential(memory: &mut Memory) -> (i64, String) {
    let mut credential = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_tls_credential_new(memory.pointer(), &mut credential) };
    assert_eq!(status < 0, credential.is_null(), "an output is written on success only");
    let text = last_error(null_mut());
    free(credential.cast());
    (i64::from(status), text)
}

fn make_context(memory: &mut Memory) -> (i64, String) {
    let mut context = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_tls_context_new(memory.pointer(), &mut context) };
    assert_eq!(status < 0, context.is_null(), "an output is written on success only");
    let text = last_error(null_mut());
    free(context.cast());
    (i64::from(status), text)
}

fn make_session(memory: &mut Memory) -> (i64, String) {
    let context = tls::context();
    let mut session = null_mut();
    // SAFETY: the memory is larger than any size that is tested.
    let status = unsafe { ferronet_tls_session_new(context.cast(), memory.pointer(), &mut session) };
    assert_eq!(status < 0, session.is_null(), "an output is written on success only");
    let text = last_error(context);
    free(session.cast());
    free(context);
    (i64::from(status), text)
}

/// The inputs that this library knows what to do with.
fn inputs() -> impl Iterator<Item = &'static Input> {
    INPUTS.iter().filter(|input| has_tls() || !input.name.starts_with("ferronet_tls_"))
}

const INPUTS: &[Input] = &[
    Input {
        name: "ferronet_attach_params",
        known: size_of::<ferronet_attach_params>() as u32,
        fill: |memory| memory.set(4, &FERRONET_ABI_REVISION.to_ne_bytes()),
        enough: 5,
        lacking: "FERRONET_ERR_ABI",
        call: attach,
    },
    Input {
        name: "ferronet_reactor_config",
        known: size_of::<ferronet_reactor_config>() as u32,
        fill: |memory| memory.set(4, &FERRONET_BACKEND_POLL.to_ne_bytes()),
        enough: 4,
        lacking: "",
        call: make,
    },
    Input {
        name: "ferronet_deflate_config",
        known: size_of::<ferronet_deflate_config>() as u32,
        fill: |memory| memory.set(4, &FERRONET_CODEC_ZLIB.to_ne_bytes()),
        enough: 4,
        lacking: "",
        call: make_deflate,
    },
    Input {
        name: "ferronet_inflate_config",
        known: size_of::<ferronet_inflate_config>() as u32,
        fill: |memory| memory.set(4, &FERRONET_CODEC_ZLIB.to_ne_bytes()),
        enough: 4,
        lacking: "",
        call: make_inflate,
    },
    Input {
        name: "ferronet_tls_credential_config",
        known: size_of::<ferronet_tls_credential_config>() as u32,
        fill: |memory| {
            let config = tls::credential_config();
            memory.set(8, &config.chain.addr.to_ne_bytes());
            memory.set(16, &config.chain.len.to_ne_bytes());
            memory.set(24, &config.key.addr.to_ne_bytes());
            memory.set(32, &config.key.len.to_ne_bytes());
        },
        // The length of the key fits into a byte.
        enough: 33,
        lacking: "FERRONET_ERR_INVALID_ARGUMENT",
        call: make_credential,
    },
    Input {
        name: "ferronet_tls_config",
        known: size_of::<ferronet_tls_config>() as u32,
        fill: |memory| {
            memory.set(4, &FERRONET_TLS_CLIENT.to_ne_bytes());
            memory.set(16, &FERRONET_TLS_TRUST_INSECURE_NONE.to_ne_bytes());
        },
        enough: 17,
        lacking: "FERRONET_ERR_INVALID_ARGUMENT",
        call: make_context,
    },
    Input {
        name: "ferronet_tls_session_config",
        known: size_of::<ferronet_tls_session_config>() as u32,
        fill: |_| (),
        enough: 4,
        lacking: "",
        call: make_session,
    },
];

#[test]
fn inputs_of_every_size_with_a_zero_tail_are_accepted() {
    for input in inputs() {
        for size in 0..=input.known + 64 {
            let mut memory = Memory::with_size(size);
            (input.fill)(&mut memory);
            let (status, text) = (input.call)(&mut memory);
            let expected = match size {
                0..4 => "FERRONET_ERR_INVALID_ARGUMENT",
                _ if size < input.enough => input.lacking,
                _ => "FERRONET_OK",
            };
            assert_eq!(name(status), expected, "{} of {size} bytes: {text}", input.name);
            if size < 4 {
                let wanted = format!(
                    "{0}.size is {size}, but the size field alone has 4 bytes: set it to sizeof({0})",
                    input.name
                );
                assert_eq!(text, wanted);
            }
        }
    }
}

#[test]
fn a_longer_input_with_any_other_tail_is_refused() {
    for input in inputs() {
        for size in input.known + 1..=input.known + 64 {
            for at in [input.known, size - 1] {
                let mut memory = Memory::with_size(size);
                (input.fill)(&mut memory);
                memory.0[at as usize] = 1;
                let (status, text) = (input.call)(&mut memory);
                assert_eq!(name(status), "FERRONET_ERR_TOO_BIG", "{} of {size} bytes", input.name);
                let wanted = format!(
                    "{}.size is {size}, but this library knows {} bytes, and byte {at} is not zero",
                    input.name, input.known
                );
                assert!(text.starts_with(&wanted), "{text}");
            }
        }
    }
}

#[test]
fn what_lies_behind_a_shorter_input_is_not_read() {
    for input in inputs() {
        for size in input.enough.max(8)..input.known {
            let mut memory = Memory::with_size(size);
            (input.fill)(&mut memory);
            memory.0[size as usize..].fill(0xff);
            let (status, text) = (input.call)(&mut memory);
            assert_eq!(name(status), "FERRONET_OK", "{} of {size} bytes: {text}", input.name);
        }
    }
}

#[test]
fn a_size_that_was_never_set_is_refused_without_reading_on() {
    for input in inputs() {
        for size in [MAXIMUM + 1, 0xdead_beef, u32::MAX] {
            let mut memory = Memory::with_size(size);
            let (status, text) = (input.call)(&mut memory);
            assert_eq!(name(status), "FERRONET_ERR_TOO_BIG");
            assert!(
                text.starts_with(&format!("{}.size is {size}, but no structure has more than 4096 bytes", input.name)),
                "{text}"
            );
        }
    }
}

/// An output structure: the call that fills it on a reactor.
struct Output {
    name: &'static str,
    known: u32,
    call: fn(*mut c_void, &mut Memory) -> i32,
}

fn finish(memory: &mut Memory) -> i32 {
    let stream = deflate();
    let mut room = [0u8; 64];
    let output = ferronet_region { addr: room.as_mut_ptr() as u64, len: 64 };
    // SAFETY: the memory is larger than any size that is tested, and the output is a local.
    let status = unsafe {
        ferronet_deflate_process(stream.cast(), std::ptr::null(), &output, FERRONET_FLUSH_FINISH, memory.pointer())
    };
    free(stream);
    status
}

// SAFETY of them all: the memory is larger than any size that is tested.
const OUTPUTS: &[Output] = &[
    Output {
        name: "ferronet_caps",
        known: size_of::<ferronet_caps>() as u32,
        // SAFETY: as above.
        call: |_, memory| unsafe { ferronet_probe(memory.pointer()) },
    },
    Output {
        name: "ferronet_reactor_areas",
        known: size_of::<ferronet_reactor_areas>() as u32,
        // SAFETY: as above.
        call: |reactor, memory| unsafe { ferronet_reactor_get_areas(reactor.cast(), memory.pointer()) },
    },
    Output {
        name: "ferronet_reactor_info",
        known: size_of::<ferronet_reactor_info>() as u32,
        // SAFETY: as above.
        call: |reactor, memory| unsafe { ferronet_reactor_get_info(reactor.cast(), memory.pointer()) },
    },
    Output {
        name: "ferronet_codec_progress",
        known: size_of::<ferronet_codec_progress>() as u32,
        call: |_, memory| finish(memory),
    },
    Output {
        name: "ferronet_tls_progress",
        known: size_of::<ferronet_tls_progress>() as u32,
        call: |_, memory| {
            with(tls::session(), |session| {
                // SAFETY: as above.
                unsafe { ferronet_tls_session_task(session.cast(), memory.pointer()) }
            })
        },
    },
    Output {
        name: "ferronet_tls_session_info",
        known: size_of::<ferronet_tls_session_info>() as u32,
        call: |_, memory| {
            with(tls::session(), |session| {
                // SAFETY: as above.
                unsafe { ferronet_tls_session_get_info(session.cast(), memory.pointer()) }
            })
        },
    },
    Output {
        name: "ferronet_tls_context_info",
        known: size_of::<ferronet_tls_context_info>() as u32,
        call: |_, memory| {
            with(tls::context(), |context| {
                // SAFETY: as above.
                unsafe { ferronet_tls_context_get_info(context.cast(), memory.pointer()) }
            })
        },
    },
];

fn with(handle: *mut c_void, call: impl FnOnce(*mut c_void) -> i32) -> i32 {
    let status = call(handle);
    free(handle);
    status
}

/// The outputs that this library fills.
fn outputs() -> impl Iterator<Item = &'static Output> {
    OUTPUTS.iter().filter(|output| has_tls() || !output.name.starts_with("ferronet_tls_"))
}

/// What the library fills and a callback reads: the library sets its size.
const REQUESTS: [&str; 2] = ["ferronet_tls_verification", "ferronet_tls_choice"];

#[test]
fn every_sized_structure_is_tested() {
    let mut tested: Vec<&str> =
        INPUTS.iter().map(|input| input.name).chain(OUTPUTS.iter().map(|output| output.name)).chain(REQUESTS).collect();
    tested.sort_unstable();
    let mut sized: Vec<&str> = ferronet::abi::layout::STRUCTS
        .iter()
        .filter(|item| item.fields[0].name == "size" && item.fields[0].offset == 0)
        .map(|item| item.name)
        .collect();
    sized.sort_unstable();
    assert_eq!(tested, sized);
}

#[test]
fn outputs_of_every_size_get_what_both_sides_know_and_nothing_behind_it() {
    let reactor = started();
    for output in outputs() {
        let mut whole = Memory::with_size(output.known);
        assert_eq!((output.call)(reactor, &mut whole), 0);
        for size in 0..=output.known + 64 {
            let mut memory = Memory::with_size(size);
            memory.0[4..].fill(0xa5);
            let status = (output.call)(reactor, &mut memory);
            if size < 4 {
                assert_eq!(name(i64::from(status)), "FERRONET_ERR_INVALID_ARGUMENT", "{} of {size} bytes", output.name);
                assert!(memory.0[4..].iter().all(|&byte| byte == 0xa5), "a refused output was written");
                continue;
            }
            assert_eq!(status, 0, "{} of {size} bytes", output.name);
            let written = size.min(output.known);
            assert_eq!(memory.0[..4], written.to_ne_bytes(), "{} of {size} bytes", output.name);
            assert_eq!(memory.0[4..written as usize], whole.0[4..written as usize], "{} of {size} bytes", output.name);
            assert!(
                memory.0[written as usize..].iter().all(|&byte| byte == 0xa5),
                "{} of {size} bytes: written behind",
                output.name
            );
        }
        let mut memory = Memory::with_size(MAXIMUM + 1);
        assert_eq!(name(i64::from((output.call)(reactor, &mut memory))), "FERRONET_ERR_TOO_BIG");
    }
    free(reactor);
}

#[test]
fn structures_need_no_alignment() {
    let mut bytes = [0u8; 64];
    let params = params();
    // SAFETY: the structure holds integers only, and the target has room for it.
    unsafe { bytes.as_mut_ptr().add(1).cast::<ferronet_attach_params>().write_unaligned(params) };
    let mut runtime = null_mut();
    // SAFETY: the memory holds the structure.
    assert_eq!(unsafe { ferronet_attach(bytes.as_ptr().add(1).cast(), &mut runtime) }, 0);
    free(runtime.cast());
    bytes[1..5].copy_from_slice(&40u32.to_ne_bytes());
    // SAFETY: 40 bytes follow.
    assert_eq!(unsafe { ferronet_probe(bytes.as_mut_ptr().add(1).cast()) }, 0);
}
