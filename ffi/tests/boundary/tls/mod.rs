//! The functions of TLS: callbacks, handles that end before what was made of them, and regions.
#![cfg(feature = "tls")]

mod choices;
mod credentials;
mod ends;
mod fork;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod memory;
mod options;
mod resumption;
mod trust;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ferronet::abi::record::ferronet_region;
use ferronet::abi::tls::*;
use ferronet::boundary::tls::*;
use ferronet::boundary::tls_session::*;

use crate::functions::*;
use ends::client_config;

fn region(bytes: &[u8]) -> ferronet_region {
    ferronet_region { addr: bytes.as_ptr() as u64, len: bytes.len() as u64 }
}

fn progress() -> ferronet_tls_progress {
    ferronet_tls_progress { size: size_of::<ferronet_tls_progress>() as u32, ..Default::default() }
}

/// A session of a client, whose context is freed already.
fn client(config: &ferronet_tls_config) -> *mut ferronet_tls_session {
    let mut context = null_mut();
    let mut session = null_mut();
    let settings = ferronet_tls_session_config {
        size: size_of::<ferronet_tls_session_config>() as u32,
        user: 99,
        server_name: region(b"server.test"),
        ..Default::default()
    };
    // SAFETY: the pointers name locals.
    unsafe {
        assert_eq!(ferronet_tls_context_new(config, &mut context), 0, "{}", last_error(null()));
        assert_eq!(ferronet_tls_session_new(context, &settings, &mut session), 0, "{}", last_error(context.cast()));
        assert_eq!(ferronet_tls_context_free(context), 0);
    }
    session
}

/// What a session has to send.
fn wrap(session: *mut ferronet_tls_session, sources: &[ferronet_region]) -> Vec<u8> {
    let mut records = vec![0u8; 40_000];
    let mut done = progress();
    // SAFETY: the pointers name locals.
    let status = unsafe {
        ferronet_tls_session_wrap(session, sources.as_ptr(), sources.len() as u32, &region(&records), &mut done)
    };
    assert_eq!(status, 0, "{}", last_error(session.cast()));
    records.truncate(done.produced as usize);
    records
}

/// Gives a session all of the bytes, and returns the data; tasks run in between.
fn unwrap(session: *mut ferronet_tls_session, bytes: &[u8]) -> Result<Vec<u8>, i32> {
    let (mut data, mut at) = (Vec::new(), 0);
    loop {
        let room = vec![0u8; 40_000];
        let mut done = progress();
        // SAFETY: the pointers name locals.
        let mut status =
            unsafe { ferronet_tls_session_unwrap(session, &region(&bytes[at..]), 1, &region(&room), 1, 0, &mut done) };
        at += done.consumed as usize;
        data.extend_from_slice(&room[..done.produced as usize]);
        let state = done.state;
        if status == 0 && state == FERRONET_TLS_STATE_NEED_TASK {
            // SAFETY: as above.
            status = unsafe { ferronet_tls_session_task(session, &mut done) };
        } else if status == 0 && done.consumed == 0 {
            return Ok(data);
        }
        if status < 0 {
            return Err(status);
        }
    }
}

fn handshake(client: *mut ferronet_tls_session, server: *mut ferronet_tls_session) -> Result<(), i32> {
    for _ in 0..4 {
        unwrap(server, &wrap(client, &[]))?;
        unwrap(client, &wrap(server, &[]))?;
    }
    Ok(())
}

/// What a callback saw.
#[derive(Default)]
struct Seen {
    session: usize,
    user: u64,
    certificates: Vec<usize>,
    server_name: String,
    status_of_nested_call: i32,
}

unsafe extern "C" fn note(context: *mut c_void, request: *const ferronet_tls_verification) -> i32 {
    // SAFETY: the test passes its own record; the request is the library's, and whole.
    let (seen, request) = unsafe { (&mut *context.cast::<Seen>(), &*request) };
    assert_eq!(request.size as usize, size_of::<ferronet_tls_verification>());
    seen.user = request.user;
    // SAFETY: the library names so many regions and bytes.
    unsafe {
        let certificates = std::slice::from_raw_parts(
            request.certificates as *const ferronet_region,
            request.certificate_count as usize,
        );
        seen.certificates = certificates.iter().map(|certificate| certificate.len as usize).collect();
        let name = std::slice::from_raw_parts(request.server_name.addr as *const u8, request.server_name.len as usize);
        seen.server_name = String::from_utf8_lossy(name).into_owned();
        let mut done = progress();
        seen.status_of_nested_call = ferronet_tls_session_task(seen.session as *mut ferronet_tls_session, &mut done);
    }
    0
}

#[test]
fn a_verify_callback_sees_the_chain_and_may_not_call_its_session() {
    let mut seen = Seen::default();
    let config = ferronet_tls_config {
        trust: FERRONET_TLS_TRUST_CALLBACK,
        roots: region(&[]),
        verify: Some(note),
        verify_context: std::ptr::NonNull::new((&raw mut seen).cast()),
        ..client_config()
    };
    let (client, server) = (client(&config), tls::session());
    seen.session = client as usize;
    assert_eq!(handshake(client, server.cast()), Ok(()));
    assert_eq!((seen.user, seen.certificates.len(), seen.server_name.as_str()), (99, 2, "server.test"));
    assert!(seen.certificates.iter().all(|&length| length > 100));
    assert_eq!(name(seen.status_of_nested_call.into()), "FERRONET_ERR_BUSY");
    free(client.cast());
    free(server);
}

#[test]
fn a_failure_is_kept_with_its_alert_and_the_alert_is_sent_once() {
    let (client, server) = (client(&client_config()), tls::session());
    let hello = wrap(client, &[]);
    unwrap(server.cast(), &hello).unwrap();
    let mut flight = wrap(server.cast(), &[]);
    let last = flight.len() - 1;
    flight[last] ^= 1;
    let status = unwrap(client, &flight).unwrap_err();
    assert_eq!(name(status.into()), "FERRONET_ERR_TLS_PROTOCOL", "{}", last_error(client.cast()));
    let mut info =
        ferronet_tls_session_info { size: size_of::<ferronet_tls_session_info>() as u32, ..Default::default() };
    // SAFETY: the pointers name locals.
    assert_eq!(unsafe { ferronet_tls_session_get_info(client, &mut info) }, 0);
    assert_eq!((info.state, info.alert), (FERRONET_TLS_STATE_NEED_WRAP, 1 + 20), "bad_record_mac waits");
    assert!(!wrap(client, &[]).is_empty());
    let mut done = progress();
    let room = [0u8; 1000];
    // SAFETY: the pointers name locals.
    let again = unsafe { ferronet_tls_session_wrap(client, null(), 0, &region(&room), &mut done) };
    assert_eq!((again, done.state, done.alert), (status, FERRONET_TLS_STATE_FAILED, 21));
    free(client.cast());
    free(server);
}

#[test]
fn a_message_of_many_regions_arrives_whole() {
    let (client, server) = (client(&client_config()), tls::session());
    handshake(client, server.cast()).unwrap();
    let data: Vec<u8> = (0..30_000u32).map(|i| (i % 251) as u8).collect();
    for pieces in [1, 15, 16, 17, 100] {
        let regions: Vec<_> = data.chunks(data.len() / pieces).map(region).collect();
        assert_eq!(unwrap(server.cast(), &wrap(client, &regions)).unwrap(), data, "{pieces} regions");
    }
    free(client.cast());
    free(server);
}

#[test]
fn regions_that_overlap_are_refused() {
    let (client, server) = (client(&client_config()), tls::session());
    let memory = [0u8; 100];
    let (whole, front, back) = (region(&memory), region(&memory[..60]), region(&memory[40..]));
    let mut done = progress();
    let overlapping = [front, back];
    // SAFETY: the regions name memory of this test, and are refused.
    let statuses = unsafe {
        [
            ferronet_tls_session_wrap(client, &whole, 1, &back, &mut done),
            ferronet_tls_session_unwrap(client, &whole, 1, &front, 1, 0, &mut done),
            ferronet_tls_session_unwrap(client, &region(b"record"), 1, overlapping.as_ptr(), 2, 0, &mut done),
            ferronet_tls_session_unwrap(
                client,
                overlapping.as_ptr(),
                2,
                &region(&[0; 4]),
                1,
                FERRONET_TLS_IN_PLACE,
                &mut done,
            ),
            ferronet_tls_session_unwrap(client, overlapping.as_ptr(), 2, null(), 0, FERRONET_TLS_IN_PLACE, &mut done),
        ]
    };
    for status in statuses {
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT", "{}", last_error(client.cast()));
    }
    free(client.cast());
    free(server);
}

#[test]
fn every_value_out_of_range_is_named() {
    let configs = [
        (ferronet_tls_config { side: 3, ..client_config() }, "side is 3"),
        (ferronet_tls_config { flags: 128, ..client_config() }, "flags is 128"),
        (ferronet_tls_config { client_auth: 3, ..client_config() }, "client_auth is 3"),
        (ferronet_tls_config { trust: 5, ..client_config() }, "trust is 5"),
        (ferronet_tls_config { alpn_policy: 2, ..client_config() }, "alpn_policy is 2"),
        (ferronet_tls_config { crl_policy: 8, ..client_config() }, "crl_policy is 8"),
        (ferronet_tls_config { credential_count: 1, ..client_config() }, "credentials is NULL"),
        (ferronet_tls_config { suites: region(b"\xff"), ..client_config() }, "suites is no UTF-8 at byte 0"),
    ];
    for (config, expected) in configs {
        let mut context = null_mut();
        // SAFETY: the pointers name locals.
        let status = unsafe { ferronet_tls_context_new(&config, &mut context) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT", "{expected}");
        assert!(last_error(null()).starts_with(expected), "{}", last_error(null()));
    }
    let credentials = [
        (ferronet_tls_credential_config { flags: 1, ..tls::credential_config() }, "flags is 1"),
        (ferronet_tls_credential_config { chain: region(&[]), ..tls::credential_config() }, "chain is empty"),
        (
            ferronet_tls_credential_config { key: region(&[]), ..tls::credential_config() },
            "there is neither key nor sign",
        ),
        (ferronet_tls_credential_config { schemes: region(b"123"), ..tls::credential_config() }, "schemes has 3 bytes"),
    ];
    for (config, expected) in credentials {
        let mut credential = null_mut();
        // SAFETY: the pointers name locals.
        let status = unsafe { ferronet_tls_credential_new(&config, &mut credential) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT", "{expected}");
        assert!(last_error(null()).starts_with(expected), "{}", last_error(null()));
    }
}
