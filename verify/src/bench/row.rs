//! What is measured: routes, peers, rows and the presets that name several rows.

use ferronet_bench_load::tls::SUITE;

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
    /// A loop in C without an HTTP stack: nobody's choice, but what the kernel alone costs.
    pub floor: bool,
    /// The server's `--tls`; `none` for plaintext.
    pub tls: &'static str,
}

impl Peer {
    /// The handler and the engine that the running server must report.
    pub fn provider(&self) -> &'static str {
        match self.tls {
            "ferronet" => "FerronetSslHandler/FerronetSslEngine",
            "tcnative" => "SslHandler/ReferenceCountedOpenSslEngine",
            "jdk" => "SslHandler/SSLEngineImpl",
            _ => "",
        }
    }

    const fn with(self, name: &'static str, tls: &'static str) -> Self {
        Self { name, tls, ..self }
    }
}

/// The peer that the A/A row repeats and that ratios are taken against.
pub const BASE: Peer = Peer { name: "epoll", transport: "epoll", backend: "epoll", floor: false, tls: "none" };

const URING: Peer =
    Peer { name: "ferronet-uring", transport: "ferronet-uring", backend: "IO_URING", floor: false, tls: "none" };
const POLL: Peer =
    Peer { name: "ferronet-poll", transport: "ferronet-poll", backend: "POLL", floor: false, tls: "none" };

/// Every peer, in the order of the first round.
pub const PEERS: &[Peer] = &[
    URING,
    POLL,
    BASE,
    Peer { name: "epoll-again", ..BASE },
    Peer { name: "io_uring", transport: "io_uring", backend: "io_uring", floor: false, tls: "none" },
    Peer { name: "nio", transport: "nio", backend: "nio", floor: false, tls: "none" },
    Peer { name: "floor-epoll", transport: "epoll", backend: "epoll", floor: true, tls: "none" },
    Peer { name: "floor-poll", transport: "poll", backend: "poll", floor: true, tls: "none" },
    Peer { name: "floor-uring", transport: "io_uring", backend: "io_uring", floor: true, tls: "none" },
    URING.with("ferronet-tls-uring", "ferronet"),
    POLL.with("ferronet-tls-poll", "ferronet"),
    BASE.with("ferronet-tls-epoll", "ferronet"),
    BASE.with("tcnative-epoll", "tcnative"),
    BASE.with("tcnative-epoll-again", "tcnative"),
    URING.with("tcnative-ferronet-uring", "tcnative"),
    POLL.with("tcnative-ferronet-poll", "tcnative"),
    BASE.with("jdk-tls-epoll", "jdk"),
];

/// Our TLS beside tcnative on the same transport.
pub const SAME_TRANSPORT: &[(&str, &str)] = &[
    ("ferronet-tls-uring", "tcnative-ferronet-uring"),
    ("ferronet-tls-poll", "tcnative-ferronet-poll"),
    ("ferronet-tls-epoll", "tcnative-epoll"),
];

/// The floor of a peer: the loop on the same kernel interface.
pub fn floor_of(peer: &Peer) -> Option<Peer> {
    let name = match peer.backend {
        "epoll" | "POLL" => "floor-epoll",
        "io_uring" | "IO_URING" => "floor-uring",
        _ => return None,
    };
    self::peer(name).filter(|_| !peer.floor && peer.tls == "none")
}

const ALL: &[&str] = &[
    "ferronet-uring",
    "ferronet-poll",
    "epoll",
    "epoll-again",
    "io_uring",
    "floor-epoll",
    "floor-poll",
    "floor-uring",
];
const CHOICES: &[&str] = &["ferronet-uring", "ferronet-poll", "epoll", "epoll-again", "io_uring"];
const EPOLL_ONLY: &[&str] = &["ferronet-uring", "ferronet-poll", "epoll", "epoll-again"];
const OURS: &[&str] = &["ferronet-uring", "ferronet-poll"];
const TLS: &[&str] = &[
    "ferronet-tls-uring",
    "ferronet-tls-poll",
    "ferronet-tls-epoll",
    "tcnative-epoll",
    "tcnative-epoll-again",
    "tcnative-ferronet-uring",
    "jdk-tls-epoll",
];

/// How requests follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Each connection sends its next request when the answer has come: as fast as both sides can.
    Closed,
    /// The same with a client that does next to nothing else and has time left, so that the server is the limit.
    Full,
    /// At a fixed rate: 70 % of what the slowest peer of the row reached in a closed loop.
    Fixed,
    /// Connections follow each other, each with one request; `resumed`: with the ticket of the one before.
    Handshakes {
        /// Whether every handshake must be a resumed one; else every one a full one.
        resumed: bool,
    },
    /// Connections are opened, used once, and left open.
    Idle,
}

/// One line of the result table: the same load on every peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name in reports and on the command line.
    pub name: &'static str,
    /// What is requested.
    pub route: Route,
    /// False: the server asks for each message with one `read()`.
    pub auto_read: bool,
    /// Congestion control of both ends.
    pub congestion: &'static str,
    /// Keep-alive connections.
    pub connections: usize,
    /// How requests follow each other.
    pub pace: Pace,
    /// The peers that are measured when none are named.
    pub peers: &'static [&'static str],
    /// Measured only when it is named.
    pub optional: bool,
    /// Requests go through TLS.
    pub tls: bool,
}

impl Row {
    /// The peer that ratios are taken against.
    pub fn base(&self) -> &'static str {
        if self.tls { "tcnative-epoll" } else { BASE.name }
    }

    /// The peers that a user could pick instead; the one that costs less is the peer to beat.
    pub fn strongest(&self) -> &'static [&'static str] {
        if self.tls { &["tcnative-epoll", "jdk-tls-epoll"] } else { &["epoll", "io_uring"] }
    }

    /// What each handshake of the load must have been; `None` where the generator does not tell.
    pub fn negotiated(&self) -> Option<String> {
        match self.pace {
            Pace::Handshakes { resumed } => Some(format!("{SUITE} {}", if resumed { "resumed" } else { "full" })),
            Pace::Idle => Some(format!("{SUITE} full")),
            Pace::Closed | Pace::Full | Pace::Fixed => None,
        }
    }
}

const HELLO_AUTO: Row = Row {
    name: "hello-auto",
    route: HELLO,
    auto_read: true,
    congestion: "reno",
    connections: 64,
    pace: Pace::Closed,
    peers: ALL,
    optional: false,
    tls: false,
};
const HELLO_MANUAL: Row = Row { name: "hello-manual", auto_read: false, peers: OURS, ..HELLO_AUTO };
const HELLO_RATE: Row = Row { name: "hello-rate", pace: Pace::Fixed, peers: CHOICES, optional: true, ..HELLO_AUTO };
const JSON_AUTO: Row = Row { name: "json-auto", route: JSON, ..HELLO_AUTO };
const JSON_MANUAL: Row = Row { name: "json-manual", route: JSON, ..HELLO_MANUAL };
const HELLO_FULL: Row = Row { name: "hello-auto-full", pace: Pace::Full, optional: true, ..HELLO_AUTO };
const TLS_HELLO: Row = Row { name: "tls-hello", tls: true, peers: TLS, optional: true, ..HELLO_AUTO };
const JSON_RATE: Row = Row { name: "json-rate", route: JSON, ..HELLO_RATE };

/// Every row.
pub const ROWS: &[Row] = &[
    HELLO_AUTO,
    HELLO_MANUAL,
    HELLO_RATE,
    Row { name: "hello-auto-200", connections: 200, peers: EPOLL_ONLY, optional: true, ..HELLO_AUTO },
    Row { name: "hello-manual-200", connections: 200, optional: true, ..HELLO_MANUAL },
    JSON_AUTO,
    JSON_MANUAL,
    JSON_RATE,
    Row { name: "json-auto-200", connections: 200, peers: EPOLL_ONLY, optional: true, ..JSON_AUTO },
    Row { name: "json-manual-200", connections: 200, optional: true, ..JSON_MANUAL },
    Row { name: "hello-auto-bbr", congestion: "bbr", peers: CHOICES, optional: true, ..HELLO_AUTO },
    Row { name: "hello-rate-bbr", congestion: "bbr", ..HELLO_RATE },
    Row { name: "json-auto-bbr", congestion: "bbr", peers: CHOICES, optional: true, ..JSON_AUTO },
    Row { name: "json-rate-bbr", congestion: "bbr", ..JSON_RATE },
    HELLO_FULL,
    Row { name: "json-auto-full", route: JSON, ..HELLO_FULL },
    TLS_HELLO,
    Row { name: "tls-json", route: JSON, ..TLS_HELLO },
    Row { name: "tls-full", connections: 8, pace: Pace::Handshakes { resumed: false }, ..TLS_HELLO },
    Row { name: "tls-resumed", connections: 8, pace: Pace::Handshakes { resumed: true }, ..TLS_HELLO },
    Row { name: "tls-idle", connections: 1000, pace: Pace::Idle, ..TLS_HELLO },
];

/// Names that stand for several rows.
pub const PRESETS: &[(&str, &[&str])] = &[
    (
        "plaintext",
        &[
            "hello-auto",
            "hello-manual",
            "hello-rate",
            "hello-auto-200",
            "hello-manual-200",
            "json-auto",
            "json-manual",
            "json-rate",
            "json-auto-200",
            "json-manual-200",
            "hello-auto-bbr",
            "hello-rate-bbr",
            "json-auto-bbr",
            "json-rate-bbr",
        ],
    ),
    ("plaintext-hello", &["hello-auto", "hello-manual", "hello-rate", "hello-auto-200", "hello-manual-200"]),
    ("plaintext-json", &["json-auto", "json-manual", "json-rate", "json-auto-200", "json-manual-200"]),
    ("plaintext-hello-bbr", &["hello-auto-bbr", "hello-rate-bbr"]),
    ("plaintext-json-bbr", &["json-auto-bbr", "json-rate-bbr"]),
    ("plaintext-full", &["hello-auto-full", "json-auto-full"]),
    ("tls", &["tls-hello", "tls-json", "tls-full", "tls-resumed", "tls-idle"]),
    ("plaintext-coarse", &["hello-auto", "hello-manual", "hello-rate", "json-auto", "json-manual", "json-rate"]),
];

/// The rows, in order, each with its neighbours of the same document, congestion control and TLS (idle connections apart): their servers live at the
/// same time, so that all windows of a round lie close together.
pub fn groups(rows: &[Row]) -> Vec<Vec<Row>> {
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        let key = |row: &Row| (row.route.path, row.congestion, row.tls, row.pace == Pace::Idle);
        let same = |group: &&mut Vec<Row>| key(&group[0]) == key(row);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(*row),
            None => groups.push(vec![*row]),
        }
    }
    groups
}

/// A peer by its name.
pub fn peer(name: &str) -> Option<Peer> {
    PEERS.iter().copied().find(|peer| peer.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).chain(PRESETS.iter().map(|preset| preset.0)).collect();
        let peers: HashSet<_> = PEERS.iter().map(|peer| peer.name).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        assert_eq!(peers.len(), PEERS.len());
    }

    #[test]
    fn every_name_is_known() {
        for row in ROWS {
            assert!(row.peers.iter().all(|name| peer(name).is_some()), "{}", row.name);
        }
        for (preset, rows) in PRESETS {
            assert!(rows.iter().all(|name| ROWS.iter().any(|row| row.name == *name)), "{preset}");
        }
    }

    #[test]
    fn every_group_holds_an_a_a_pair() {
        assert_eq!(PEERS.iter().filter(|peer| **peer == Peer { name: peer.name, ..BASE }).count(), 2);
        for group in groups(ROWS) {
            for row in &group {
                // What is compared with our own auto-read rows is judged by the pair of those.
                let auto = group.iter().find(|other| other.auto_read && other.connections == row.connections);
                let peers = auto.map(|auto| auto.peers).unwrap_or_default();
                let again = format!("{}-again", row.base());
                assert!(peers.contains(&row.base()) && peers.contains(&again.as_str()), "{}", row.name);
            }
        }
    }

    #[test]
    fn a_floor_is_on_the_same_kernel_interface() {
        let floor = |name| floor_of(&peer(name).expect("known")).map(|floor| floor.name);
        assert_eq!(floor("ferronet-uring"), Some("floor-uring"));
        assert_eq!(floor("ferronet-poll"), Some("floor-epoll"));
        assert_eq!((floor("nio"), floor("floor-epoll")), (None, None));
    }

    #[test]
    fn rows_of_one_document_and_congestion_control_are_measured_together() {
        let names: Vec<Vec<&str>> = groups(&[JSON_AUTO, HELLO_AUTO, JSON_RATE, ROWS[10]])
            .iter()
            .map(|g| g.iter().map(|r| r.name).collect())
            .collect();
        assert_eq!(names, [vec!["json-auto", "json-rate"], vec!["hello-auto"], vec!["hello-auto-bbr"]]);
    }
}
