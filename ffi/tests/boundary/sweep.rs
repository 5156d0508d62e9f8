//! Every function with handles that it must refuse.

use std::ffi::c_void;
use std::ptr::null_mut;

use ferronet::abi::status::*;
use ferronet::boundary::reactor::{ferronet_reactor_close, ferronet_reactor_free};

use crate::functions::*;

/// Parameter and type of each kind of handle.
const KINDS: [(Takes, &str, &str); 7] = [
    (Takes::Runtime, "runtime", "ferronet_runtime"),
    (Takes::Reactor, "reactor", "ferronet_reactor"),
    (Takes::Deflate, "deflate", "ferronet_deflate"),
    (Takes::Inflate, "inflate", "ferronet_inflate"),
    (Takes::Credential, "credential", "ferronet_tls_credential"),
    (Takes::Context, "context", "ferronet_tls_context"),
    (Takes::Session, "session", "ferronet_tls_session"),
];

/// The kinds of which this library makes handles.
fn kinds() -> impl Iterator<Item = &'static (Takes, &'static str, &'static str)> {
    KINDS.iter().filter(|(_, _, name)| has_tls() || !name.starts_with("ferronet_tls_"))
}

fn takes_a_handle(function: &&Function) -> bool {
    function.takes != Takes::Nothing
}

/// Parameter and type of the function's handle.
fn kind_of(function: &Function) -> Option<(&'static str, &'static str)> {
    KINDS.iter().find(|(takes, ..)| *takes == function.takes).map(|(_, parameter, kind)| (*parameter, *kind))
}

#[test]
fn the_tables_have_every_exported_function() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../headers/exports.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let mut names: Vec<&str> = all_functions().map(|function| function.name).collect();
    names.sort_unstable();
    assert_eq!(names, text.lines().collect::<Vec<_>>());
}

#[test]
fn every_function_works_when_all_is_well() {
    for function in functions() {
        let handle = handle_for(function);
        let expected = match function.name {
            // A socket that was never added.
            "ferronet_reactor_remove" => FERRONET_ERR_UNKNOWN_SOCKET,
            // A handshake that is not complete, and a transport that ended before it was.
            "ferronet_tls_session_export" => FERRONET_ERR_INVALID_ARGUMENT,
            "ferronet_tls_session_end_input" => FERRONET_ERR_TLS_TRUNCATED,
            _ => FERRONET_OK,
        };
        let status = (function.call)(handle);
        assert_eq!(
            name(status),
            name(expected.into()),
            "{}: {} {}",
            function.name,
            last_error(handle),
            last_error(null_mut())
        );
        free(handle);
    }
}

#[test]
fn every_function_refuses_null_handles() {
    for function in functions().filter(takes_a_handle) {
        let status = (function.call)(null_mut());
        if function.takes == Takes::Any {
            assert_eq!(name(status), "FERRONET_OK", "{}", function.name);
            continue;
        }
        assert_eq!(name(status), "FERRONET_ERR_INVALID_ARGUMENT", "{}", function.name);
        let text = last_error(null_mut());
        let (kind, _) = kind_of(function).unwrap();
        assert!(
            text.starts_with(&format!("{kind} is NULL; pass a handle from ferronet_")),
            "{}: {text}",
            function.name
        );
    }
}

#[test]
fn every_function_refuses_other_null_pointers() {
    for function in functions() {
        for null in function.nulls {
            let handle = handle_for(function);
            let status = null(handle);
            assert_eq!(name(status), "FERRONET_ERR_INVALID_ARGUMENT", "{}", function.name);
            let text = last_error(handle);
            assert!(text.contains(" is NULL; pass the address of"), "{}: {text}", function.name);
            free(handle);
        }
    }
}

#[test]
fn every_function_refuses_handles_of_another_kind() {
    for function in functions() {
        let Some((parameter, kind)) = kind_of(function) else { continue };
        for (other, _, name_of_other) in kinds().filter(|(takes, ..)| *takes != function.takes) {
            let wrong = match other {
                Takes::Runtime => runtime(),
                Takes::Reactor => reactor(),
                Takes::Deflate => deflate(),
                Takes::Credential => tls::credential(),
                Takes::Context => tls::context(),
                Takes::Session => tls::session(),
                _ => inflate(),
            };
            assert_eq!(name((function.call)(wrong)), "FERRONET_ERR_INVALID_HANDLE", "{}", function.name);
            let expected = format!("{parameter} is a {name_of_other}, but a {kind} is needed");
            let text = last_error(null_mut());
            assert!(text.starts_with(&expected), "{}: {text}", function.name);
            free(wrong);
        }
    }
}

#[test]
fn every_function_refuses_pointers_to_something_else() {
    let mut memory = [0u64; 32];
    let aligned: *mut c_void = memory.as_mut_ptr().cast();
    for function in functions().filter(takes_a_handle) {
        for pointer in [aligned, aligned.wrapping_byte_add(1)] {
            assert_eq!(name((function.call)(pointer)), "FERRONET_ERR_INVALID_HANDLE", "{}", function.name);
            let text = last_error(null_mut());
            assert!(text.contains(" points to something that is no "), "{}: {text}", function.name);
        }
    }
    assert_eq!(memory, [0; 32], "a refused pointer was written to");
}

#[test]
fn every_function_refuses_freed_handles() {
    for function in functions().filter(takes_a_handle) {
        let handle = handle_for(function);
        free(handle);
        assert_eq!(name((function.call)(handle)), "FERRONET_ERR_CLOSED", "{}", function.name);
        assert!(last_error(null_mut()).contains(" was freed before"), "{}: {}", function.name, last_error(null_mut()));
    }
}

/// Every function of reactors, on each backend.
fn reactor_functions() -> impl Iterator<Item = (&'static Function, u32)> {
    let functions = functions().filter(|function| function.takes == Takes::Reactor);
    functions.flat_map(|function| BACKENDS.map(|backend| (function, backend)))
}

#[test]
fn every_reactor_function_knows_closed_reactors() {
    for (function, backend) in reactor_functions() {
        let handle = started_on(backend);
        // SAFETY: the reactor is new.
        assert_eq!(unsafe { ferronet_reactor_close(handle.cast(), 0) }, 0);
        let status = (function.call)(handle);
        assert_eq!(name(status), name(function.states.closed), "{}: {}", function.name, last_error(handle));
        free(handle);
    }
}

#[test]
fn every_reactor_function_knows_reactors_that_are_not_started() {
    for (function, backend) in reactor_functions() {
        let handle = reactor_on(backend);
        let status = (function.call)(handle);
        assert_eq!(name(status), name(function.states.unstarted), "{}: {}", function.name, last_error(handle));
        free(handle);
    }
}

#[test]
fn every_reactor_function_knows_foreign_threads() {
    for (function, backend) in reactor_functions() {
        let handle = started_on(backend);
        let (status, text) = on_another_thread(handle, |handle| {
            let outcome = ((function.call)(handle), last_error(handle));
            if outcome.0 >= 0 {
                // A reactor that the call has moved here can only be freed here.
                free(handle);
            }
            outcome
        });
        assert_eq!(name(status), name(function.states.foreign), "{}: {text}", function.name);
        if status < 0 {
            assert!(text.contains("started this reactor: call from there"), "{}: {text}", function.name);
        }
        // SAFETY: the handle lives unless the function itself has freed it.
        unsafe { ferronet_reactor_free(handle.cast()) };
    }
}

#[test]
fn a_reactor_for_any_thread_refuses_none() {
    for (function, backend) in reactor_functions() {
        let runtime = runtime();
        let mut handle = null_mut();
        let config = ferronet::abi::config::ferronet_reactor_config {
            flags: ferronet::abi::config::FERRONET_REACTOR_ANY_THREAD,
            backend,
            ..config()
        };
        // SAFETY: the pointers name locals.
        unsafe {
            assert_eq!(ferronet::boundary::reactor::ferronet_reactor_new(runtime.cast(), &config, &mut handle), 0);
            assert_eq!(ferronet::boundary::reactor::ferronet_reactor_start(handle), 0);
        }
        let (status, text) = on_another_thread(handle.cast(), |handle| ((function.call)(handle), last_error(handle)));
        assert_ne!(name(status), "FERRONET_ERR_WRONG_THREAD", "{}: {text}", function.name);
        free(handle.cast());
        free(runtime);
    }
}

#[test]
fn a_reactor_outlives_its_runtime() {
    let handle = started();
    let turn = functions().find(|function| function.name == "ferronet_reactor_turn").unwrap();
    assert_eq!((turn.call)(handle), 0, "{}", last_error(handle));
    free(handle);
}

#[test]
fn handles_that_come_and_go_stay_apart() {
    let first = runtime();
    for _ in 0..2_000 {
        let handle = runtime();
        assert_ne!(handle, first);
        free(handle);
    }
    free(first);
}

#[test]
fn a_library_without_tls_says_so() {
    for function in all_functions().filter(|function| function.name.starts_with("ferronet_tls_") && !has_tls()) {
        let status = (function.call)(null_mut());
        let expected =
            if function.takes == Takes::Nothing { FERRONET_ERR_FEATURE } else { FERRONET_ERR_INVALID_ARGUMENT };
        assert_eq!(name(status), name(expected.into()), "{}", function.name);
        if function.takes == Takes::Nothing {
            assert!(last_error(null_mut()).contains("built without the feature tls"), "{}", last_error(null_mut()));
        }
    }
}
