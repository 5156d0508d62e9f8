//! Names of sockets that the reactor has accepted and connected.

use std::os::fd::AsRawFd;

use ferronet::abi::record::*;
use ferronet::reactor::socket;

use crate::harness::*;

both_backends!(both_ends_agree_on_their_names);

fn both_ends_agree_on_their_names(backend: Backend) {
    for (family, host) in [(FERRONET_FAMILY_IPV4, "127.0.0.1:0"), (FERRONET_FAMILY_IPV6, "[::1]:0")] {
        let mut l = Loop::new(backend);
        let (listener, address) = l.listener(host);
        l.accept(listener);
        let client = open(family);
        let descriptor = client.as_raw_fd();
        let client = l.add(client);
        let connect = l.connect(client, &address.into());
        assert_eq!(l.result_of(connect), 0);
        l.until("an accept", |seen| seen.iter().any(|c| c.socket == listener));
        let accepted = own(l.seen.iter().find(|c| c.socket == listener).unwrap().result);
        let local = socket::local_address(descriptor).unwrap();
        assert_eq!(local.family, family);
        assert_eq!(socket::peer_address(descriptor).unwrap(), address.into());
        assert_eq!(socket::peer_address(accepted.as_raw_fd()).unwrap(), local);
        assert_eq!(socket::local_address(accepted.as_raw_fd()).unwrap(), address.into());
    }
}
