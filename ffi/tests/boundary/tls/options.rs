//! Key logs and compressed certificates.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use super::ends::*;
use super::*;

unsafe extern "C" fn keep(context: *mut c_void, user: u64, line: *const c_char, length: u64) {
    // SAFETY: the test passes a list; the library names so many bytes and a zero byte behind them.
    unsafe {
        let lines = &mut *context.cast::<Vec<(u64, String)>>();
        let text = std::slice::from_raw_parts(line.cast::<u8>(), length as usize + 1);
        assert_eq!(text.last(), Some(&0));
        lines.push((user, String::from_utf8(text[..length as usize].to_vec()).unwrap()));
    }
}

#[test]
fn the_key_log_goes_to_a_callback_and_to_a_file() {
    for (max_version, labels) in [
        (FERRONET_TLS_VERSION_1_2, &["CLIENT_RANDOM "][..]),
        (
            FERRONET_TLS_VERSION_1_3,
            &[
                "CLIENT_HANDSHAKE_TRAFFIC_SECRET ",
                "SERVER_HANDSHAKE_TRAFFIC_SECRET ",
                "CLIENT_TRAFFIC_SECRET_0 ",
                "SERVER_TRAFFIC_SECRET_0 ",
                "EXPORTER_SECRET ",
            ],
        ),
    ] {
        let path = std::env::temp_dir().join(format!("ferronet-boundary-keys-{}-{max_version}", std::process::id()));
        let file = path.to_str().unwrap().to_owned();
        let mut lines: Vec<(u64, String)> = Vec::new();
        let client = context(
            ferronet_tls_config {
                max_version,
                key_log: Some(keep),
                key_log_context: NonNull::new((&raw mut lines).cast()),
                ..client_config()
            },
            &[],
        );
        let server = context(
            ferronet_tls_config { key_log_path: region(file.as_bytes()), ..server_config() },
            &[&credential(SERVER)],
        );
        let config = ferronet_tls_session_config { user: 77, server_name: region(b"server.test"), ..session_config() };
        Pair::with(&client, &config, &server, &session_config()).open();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut of_server: Vec<&str> = text.lines().collect();
        let mut of_client: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        assert!(lines.iter().all(|(user, _)| *user == 77));
        of_client.sort_unstable();
        of_server.sort_unstable();
        assert_eq!(of_client, of_server, "0x{max_version:04x}");
        for label in labels {
            assert_eq!(of_client.iter().filter(|line| line.starts_with(label)).count(), 1, "{label}: {of_client:?}");
        }
    }
    let nowhere = ferronet_tls_config { key_log_path: region(b"/nonexistent/keys"), ..client_config() };
    let (status, text) = new_context(nowhere, &[]).err().unwrap();
    assert_eq!(status, "ENOENT");
    assert!(text.contains("/nonexistent/keys"), "{text}");
}

#[test]
fn certificates_are_compressed_where_both_sides_say_so() {
    let chain: Vec<u8> = [SERVER.0, &AUTHORITY.repeat(20)].concat();
    let credential = new_credential(&credential_config((&chain, SERVER.1))).unwrap();
    let flight = |of_client, of_server| {
        let client = context(ferronet_tls_config { flags: of_client, ..client_config() }, &[]);
        let server = context(ferronet_tls_config { flags: of_server, ..server_config() }, &[&credential]);
        let pair = Pair::connected(&client, &server, "server.test");
        assert_eq!(pair.client.info().peer_certificates, 22);
        pair.flight
    };
    let on = FERRONET_TLS_COMPRESS_CERTIFICATES;
    let plain = flight(0, 0);
    assert!(plain > 8_000, "{plain}");
    for (of_client, of_server) in [(on, 0), (0, on)] {
        let one = flight(of_client, of_server);
        assert!(one.abs_diff(plain) < 100, "{one} and {plain} with one side alone");
    }
    let both = flight(on, on);
    assert!(both < plain / 3, "{both} of {plain}");
}

#[test]
fn a_clients_certificates_are_compressed_as_well() {
    let chain: Vec<u8> = [CLIENT.0, &AUTHORITY.repeat(20)].concat();
    let long = new_credential(&credential_config((&chain, CLIENT.1))).unwrap();
    let sent = |flags| {
        let client = context(ferronet_tls_config { flags, ..client_config() }, &[&long]);
        let server = context(ferronet_tls_config { flags, ..asking_config() }, &[&credential(SERVER)]);
        let named = ferronet_tls_session_config { server_name: region(b"server.test"), ..session_config() };
        let (mut ours, mut theirs) = (End::new(&client, &named), End::new(&server, &session_config()));
        theirs.take(&ours.give());
        ours.take(&theirs.give());
        let flight = ours.give();
        theirs.take(&flight);
        assert_eq!((&ours.refused, &theirs.refused, theirs.info().peer_certificates), (&None, &None, 21));
        flight.len()
    };
    let (plain, compressed) = (sent(0), sent(FERRONET_TLS_COMPRESS_CERTIFICATES));
    assert!(compressed < plain / 3, "{compressed} of {plain}");
}
