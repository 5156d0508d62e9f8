//! What is measured: routes, peers and rows.

/// A document that the server serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Path of the request.
    pub path: &'static str,
    /// Length of the body in bytes.
    pub length: usize,
    /// SHA-256 of the body, in hexadecimal digits.
    pub digest: &'static str,
}

/// The 13 bytes of the hello document.
pub const HELLO: Route =
    Route { path: "/", length: 13, digest: "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f" };

/// The document of 128 KiB.
pub const JSON: Route = Route {
    path: "/json",
    length: 131_072,
    digest: "70694bd04cc96c2caa20786f7218655118f28b9a0c87643ac050e6ebcde726a0",
};

/// A transport that the bench server can run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Name in reports.
    pub name: &'static str,
    /// The server's `--transport`.
    pub transport: &'static str,
    /// The backend that the running server must report.
    pub backend: &'static str,
}

/// The peer that the A/A row repeats and that ratios are taken against.
pub const BASE: Peer = Peer { name: "epoll", transport: "epoll", backend: "epoll" };

/// The peers that a user could pick instead; the one that costs less is the peer to beat.
pub const STRONGEST: &[&str] = &["epoll", "io_uring"];

/// Every peer, in the order of the first round.
pub const PEERS: &[Peer] = &[
    Peer { name: "ferronet-uring", transport: "ferronet-uring", backend: "IO_URING" },
    Peer { name: "ferronet-poll", transport: "ferronet-poll", backend: "POLL" },
    BASE,
    Peer { name: "epoll-again", ..BASE },
    Peer { name: "io_uring", transport: "io_uring", backend: "io_uring" },
    Peer { name: "nio", transport: "nio", backend: "nio" },
];

/// One line of the result table: the same load on every peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name in reports and on the command line.
    pub name: &'static str,
    /// What is requested.
    pub route: Route,
    /// False: the server asks for each message with one `read()`.
    pub auto_read: bool,
    /// Congestion control of the listener.
    pub congestion: &'static str,
    /// Measured only when it is named.
    pub optional: bool,
}

const HELLO_AUTO: Row = Row { name: "hello-auto", route: HELLO, auto_read: true, congestion: "reno", optional: false };
const JSON_AUTO: Row = Row { name: "json-auto", route: JSON, ..HELLO_AUTO };

/// Every row.
pub const ROWS: &[Row] = &[
    HELLO_AUTO,
    Row { name: "hello-manual", auto_read: false, ..HELLO_AUTO },
    JSON_AUTO,
    Row { name: "json-manual", auto_read: false, ..JSON_AUTO },
    Row { name: "hello-auto-bbr", congestion: "bbr", optional: true, ..HELLO_AUTO },
    Row { name: "json-auto-bbr", congestion: "bbr", optional: true, ..JSON_AUTO },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let rows: HashSet<_> = ROWS.iter().map(|row| row.name).collect();
        let peers: HashSet<_> = PEERS.iter().map(|peer| peer.name).collect();
        assert_eq!((rows.len(), peers.len()), (ROWS.len(), PEERS.len()));
    }

    #[test]
    fn a_run_holds_an_a_a_pair() {
        assert_eq!(PEERS.iter().filter(|peer| peer.transport == BASE.transport).count(), 2);
    }
}
