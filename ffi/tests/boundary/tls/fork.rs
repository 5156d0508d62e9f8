//! Contexts and sessions in a child process, as headers/CONVENTIONS.md says.

use super::ends::*;
use super::*;
use crate::fork::bytes_of_forked_child;

/// Where a ClientHello in a record has its random bytes.
const RANDOM: std::ops::Range<usize> = 11..43;

fn connected() -> Pair {
    Pair::connected(&context(client_config(), &[]), &server(), "server.test")
}

#[test]
fn a_session_goes_on_in_the_child() {
    let mut pair = connected();
    let for_child = wrap(pair.server.session(), &[region(b"for the child")]);
    let from_child = bytes_of_forked_child(|| {
        let received = pair.client.take(&for_child);
        let sent = wrap(pair.client.session(), &[region(&[b"the child got: ", &received[..]].concat())]);
        free(pair.client.handle.0);
        sent
    });
    assert_eq!(pair.server.take(&from_child), b"the child got: for the child");
    // The parent has no more use for its own, but may free it.
}

#[test]
fn a_handshake_goes_on_in_the_child() {
    let (client, server) = (context(client_config(), &[]), server());
    let named = ferronet_tls_session_config { server_name: region(b"server.test"), ..session_config() };
    let (mut ours, mut theirs) = (End::new(&client, &named), End::new(&server, &session_config()));
    theirs.take(&ours.give());
    let flight = theirs.give();
    let from_child = bytes_of_forked_child(|| {
        ours.take(&flight);
        [ours.give(), wrap(ours.session(), &[region(b"from the child")])].concat()
    });
    assert_eq!(theirs.take(&from_child), b"from the child");
    assert_eq!((&theirs.refused, theirs.info().state), (&None, FERRONET_TLS_STATE_NEED_WRAP), "tickets wait");
}

#[test]
fn parent_and_children_draw_different_random_numbers() {
    let client = context(client_config(), &[]);
    let named = ferronet_tls_session_config { server_name: region(b"server.test"), ..session_config() };
    let random = || End::new(&client, &named).give()[RANDOM].to_vec();
    // The generator of this thread is seeded before the forks.
    let mut all = vec![random()];
    for _ in 0..4 {
        all.push(bytes_of_forked_child(random));
        all.push(random());
    }
    assert!(all.iter().all(|random| random.len() == 32));
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "{all:02x?}");
}

#[test]
fn a_ticket_of_the_parent_resumes_in_the_child() {
    let (client, server) = (context(client_config(), &[]), server());
    Pair::connected(&client, &server, "server.test");
    let resumed = || vec![Pair::connected(&client, &server, "server.test").server.info().resumed as u8];
    assert_eq!([bytes_of_forked_child(resumed), resumed()], [[1], [1]]);
}
