//! close_notify both ways, truncation, failures and their alerts.

use ferronet::abi::status::*;
use ferronet::tls::{Config, Context, Input, Outcome, State, event};

use crate::support::*;

#[test]
fn close_notify_goes_both_ways() {
    for version in [0x0303, 0x0304] {
        let mut pair = connect(Config { max_version: version, ..client() }, server("ecdsa256"));
        assert_eq!(pair.client.session.close().unwrap().state, State::NeedWrap);
        let mut output = [0; 100];
        let progress = pair.client.session.wrap(&[b"no more data"], &mut output).unwrap();
        assert_eq!((progress.outcome, progress.consumed), (Outcome::Closed, 0));
        assert_eq!((progress.events, progress.state), (event::CLOSE_NOTIFY_SENT, State::Closing));
        let again = pair.client.session.wrap(&[b"no more data"], &mut [0; 100]).unwrap();
        assert_eq!(outcome(again), (Outcome::Closed, 0, 0));

        let close = &output[..progress.produced];
        let mut plain = [0; 100];
        let progress = pair.server.session.unwrap(Input::Keep(&[close]), &mut [&mut plain]).unwrap();
        assert_eq!((progress.outcome, progress.consumed, progress.produced), (Outcome::Closed, close.len(), 0));
        assert_eq!((progress.events, progress.state), (event::CLOSE_NOTIFY_RECEIVED, State::Closing));
        pair.server.session.end_input().unwrap();

        let mut answer = vec![0; 20_000];
        let progress = pair.server.session.wrap(&[b"the other half is open"], &mut answer).unwrap();
        assert_eq!(progress.consumed, 22);
        answer.truncate(progress.produced);
        pair.client.inbox = answer;
        pair.client.read();
        assert_eq!(pair.client.received, b"the other half is open");
        pair.server.session.close().unwrap();
        pair.client.inbox = pair.server.flush();
        pair.client.read();
        assert_ne!(pair.client.events & event::CLOSE_NOTIFY_RECEIVED, 0);
        let progress = pair.client.session.unwrap(Input::Keep(&[b"ignored"]), &mut []).unwrap();
        assert_eq!(outcome(progress), (Outcome::Closed, 0, 0));
    }
}

#[test]
fn a_close_notify_needs_no_room_for_data() {
    let mut pair = connect(client(), server("ecdsa256"));
    pair.client.session.close().unwrap();
    let close = pair.client.flush();
    let progress = pair.server.session.unwrap(Input::Keep(&[&close]), &mut []).unwrap();
    assert_eq!(outcome(progress), (Outcome::Closed, close.len(), 0));
}

#[test]
fn a_close_waits_for_its_room() {
    let mut pair = connect(client(), server("ecdsa256"));
    pair.client.session.close().unwrap();
    let progress = pair.client.session.wrap(&[], &mut []).unwrap();
    assert_eq!((progress.outcome, progress.needed, progress.state), (Outcome::NeedsOutput, 24, State::NeedWrap));
    let progress = pair.client.session.wrap(&[], &mut [0; 24]).unwrap();
    assert_eq!((progress.outcome, progress.produced), (Outcome::Closed, 24));
}

#[test]
fn a_transport_that_ends_early_is_a_truncation() {
    let mut pair = connect(client(), server("ecdsa256"));
    let error = pair.client.session.end_input().unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_TLS_TRUNCATED);
    assert!(error.text.contains("possible truncation attack"), "{error}");
    pair.client.session.close().unwrap();
    assert_eq!(pair.client.flush().len(), 24, "close_notify can still be sent");

    let context = Context::new(client()).unwrap();
    let mut end = End::new(&context, localhost());
    end.flush();
    assert_eq!(end.session.end_input().unwrap_err().status, FERRONET_ERR_TLS_TRUNCATED);
}

#[test]
fn a_close_before_the_handshake_needs_nothing() {
    let context = Context::new(client()).unwrap();
    let mut end = End::new(&context, localhost());
    end.session.close().unwrap();
    let progress = end.session.wrap(&[], &mut [0; 100]).unwrap();
    assert_eq!((progress.outcome, progress.produced, progress.state), (Outcome::Closed, 0, State::Closing));
}

#[test]
fn a_close_during_the_handshake_is_said_in_the_clear() {
    let context = Context::new(client()).unwrap();
    let mut end = End::new(&context, localhost());
    end.flush();
    end.session.close().unwrap();
    assert_eq!(end.flush(), [21, 3, 3, 0, 2, 1, 0]);
    assert_eq!(end.session.state(), State::Closing);
}

#[test]
fn a_close_between_the_first_key_and_the_last_is_not_said_and_not_reported() {
    for version in [0x0303, 0x0304] {
        let mut pair = Pair::new(Config { max_version: version, ..client() }, server("ecdsa256"));
        pair.server.inbox = pair.client.flush();
        pair.server.read();
        pair.server.session.close().unwrap();
        let mut output = vec![0; 20_000];
        let progress = pair.server.session.wrap(&[], &mut output).unwrap();
        assert!(progress.produced > 100, "the flight that was begun: {progress:?}");
        assert_eq!((progress.events & event::CLOSE_NOTIFY_SENT, progress.outcome), (0, Outcome::Closed));
        assert_eq!(pair.server.session.state(), State::Closing);
        let again = pair.server.session.wrap(&[], &mut output).unwrap();
        assert_eq!((outcome(again), again.events), ((Outcome::Closed, 0, 0), 0));
    }
}

#[test]
fn a_close_before_the_handshake_is_not_reported_as_sent() {
    let mut end = End::new(&Context::new(client()).unwrap(), localhost());
    end.session.close().unwrap();
    assert_eq!(end.session.wrap(&[], &mut [0; 100]).unwrap().events, 0);
}

#[test]
fn a_failure_delivers_its_alert_once_and_stays() {
    let (untrusting, server) = (Context::new(client()).unwrap(), Context::new(server("unknown")).unwrap());
    let mut pair = Pair::of(&untrusting, &server);
    let hello = pair.client.flush();
    pair.server.inbox = hello;
    pair.server.read();
    let flight = pair.server.flush();
    let error = loop {
        match pair.client.session.unwrap(Input::Keep(&[&flight]), &mut []) {
            Ok(progress) => assert_eq!(progress.consumed, flight.len()),
            Err(error) => break error,
        }
    };
    assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE);
    let progress = pair.client.session.progress();
    assert_eq!((progress.state, progress.alert), (State::NeedWrap, Some(48)), "unknown_ca");
    assert_eq!(pair.client.session.unwrap(Input::Keep(&[&flight]), &mut []), Err(error.clone()));
    assert_eq!(pair.client.session.state(), State::NeedWrap);
    let alert = pair.client.flush();
    assert!(!alert.is_empty());
    assert_eq!(pair.client.session.state(), State::Failed);
    assert_eq!(pair.client.session.wrap(&[b"data"], &mut [0; 100]), Err(error.clone()));
    assert_eq!(pair.client.session.close(), Err(error.clone()));
    assert_eq!(pair.client.session.end_input(), Err(error));

    pair.server.inbox = alert;
    pair.server.read();
    let error = pair.server.error.unwrap();
    assert_eq!(error.status, FERRONET_ERR_TLS_ALERT);
    assert!(error.text.contains("unknown_ca (48)"), "{error}");
    assert_eq!(pair.server.session.progress().alert, Some(48));
    let info = (untrusting.info(), server.info());
    assert_eq!((info.0.handshakes_failed, info.1.handshakes_failed), (1, 1));
}

#[test]
fn data_before_a_broken_record_is_delivered_first() {
    let mut pair = connect(client(), server("ecdsa256"));
    let mut bytes = pair.client.send(b"whole");
    let mut broken = pair.client.send(b"broken");
    *broken.last_mut().unwrap() ^= 1;
    bytes.extend(broken);
    let mut output = [0; 100];
    let progress = pair.server.session.unwrap(Input::Keep(&[&bytes]), &mut [&mut output]).unwrap();
    assert_eq!(&output[..progress.produced], b"whole");
    let error = pair.server.session.unwrap(Input::Keep(&[]), &mut []).unwrap_err();
    assert_eq!(error.status, FERRONET_ERR_TLS_PROTOCOL);
    assert_eq!(pair.server.session.progress().alert, Some(20), "bad_record_mac");
    assert!(!pair.server.flush().is_empty());
}

#[test]
fn a_hello_in_the_clear_after_the_handshake_ends_the_session() {
    let mut pair = connect(Config { max_version: 0x0303, ..client() }, server("ecdsa256"));
    pair.server.inbox = End::new(&Context::new(client()).unwrap(), localhost()).flush();
    pair.server.read();
    assert_eq!(pair.server.error.unwrap().status, FERRONET_ERR_TLS_PROTOCOL);
}
