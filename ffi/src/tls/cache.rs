//! Sessions kept for resumption, bounded in number and age.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use rustls::server::StoresServerSessions;
use zeroize::Zeroizing;

use super::config::ClientAuth;
use super::counters::Counters;
use super::negotiation;

/// TLS 1.3 sessions that a client keeps under one key; each serves one connection.
const SESSIONS_OF_A_KEY: usize = 8;

struct Entry<V> {
    value: V,
    since: Instant,
    number: u64,
}

/// A map that forgets what is too old, and the oldest when it is full.
struct Bounded<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// Keys in the order of their insertion; one whose number is not its entry's is stale.
    order: VecDeque<(K, u64)>,
    next: u64,
    capacity: usize,
    timeout: Duration,
}

impl<K: Hash + Eq + Clone, V> Bounded<K, V> {
    fn new(capacity: usize, timeout: Duration) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), next: 0, capacity, timeout }
    }

    fn insert(&mut self, key: K, value: V, counters: &Counters) {
        self.next += 1;
        let number = self.next;
        self.entries.insert(key.clone(), Entry { value, since: Instant::now(), number });
        self.order.push_back((key, number));
        if self.order.len() > 2 * self.capacity + 16 {
            self.order.retain(|(key, number)| self.entries.get(key).is_some_and(|entry| entry.number == *number));
        }
        while self.entries.len() > self.capacity {
            let Some((oldest, number)) = self.order.pop_front() else { break };
            if self.entries.get(&oldest).is_some_and(|entry| entry.number == number) {
                self.entries.remove(&oldest);
                Counters::add(&counters.cache_full);
            }
        }
    }

    /// The entry, if it is not too old.
    fn fresh<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, counters: &Counters) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let old = self.entries.get(key).is_some_and(|entry| entry.since.elapsed() >= self.timeout);
        if old {
            self.entries.remove(key);
            Counters::add(&counters.cache_timeouts);
        }
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.order.clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sessions of a server, by their ids.
pub(super) struct ServerCache {
    sessions: Mutex<Bounded<Vec<u8>, Zeroizing<Vec<u8>>>>,
    counters: Arc<Counters>,
}

impl fmt::Debug for ServerCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCache").finish_non_exhaustive()
    }
}

impl ServerCache {
    pub(super) fn new(capacity: usize, timeout: Duration, counters: Arc<Counters>) -> Self {
        Self { sessions: Mutex::new(Bounded::new(capacity, timeout)), counters }
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.sessions).entries.len()
    }

    pub(super) fn clear(&self) {
        lock(&self.sessions).clear();
    }

    pub(super) fn remove(&self, id: &[u8]) -> bool {
        let mut sessions = lock(&self.sessions);
        let levels = [ClientAuth::None, ClientAuth::Optional, ClientAuth::Required];
        levels.into_iter().any(|client_auth| sessions.entries.remove(&keyed(id, client_auth)).is_some())
    }

    fn count(&self, found: bool) {
        Counters::add(if found { &self.counters.cache_hits } else { &self.counters.cache_misses });
    }
}

fn keyed(id: &[u8], client_auth: ClientAuth) -> Vec<u8> {
    [id, &[client_auth as u8]].concat()
}

/// The sessions that ask clients for certificates alike: one of those that do not ask serves none that does.
#[derive(Debug)]
pub(super) struct ServerCacheOf {
    pub cache: Arc<ServerCache>,
    pub client_auth: ClientAuth,
}

impl StoresServerSessions for ServerCacheOf {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        let key = keyed(&key, self.client_auth);
        lock(&self.cache.sessions).insert(key, Zeroizing::new(value), &self.cache.counters);
        true
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let key = keyed(key, self.client_auth);
        let found = lock(&self.cache.sessions).fresh(&key, &self.cache.counters).map(|value| value.to_vec());
        self.cache.count(found.is_some());
        found
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        let key = keyed(key, self.client_auth);
        let mut sessions = lock(&self.cache.sessions);
        let found = sessions.fresh(&key, &self.cache.counters).map(|value| value.to_vec());
        sessions.entries.remove(&key);
        drop(sessions);
        self.cache.count(found.is_some());
        found
    }

    fn can_cache(&self) -> bool {
        true
    }
}

/// What a client's sessions are kept under. Those that did not check the host serve no session that does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ClientKey {
    key: Box<[u8]>,
    name: Box<str>,
    checked: bool,
}

#[derive(Default)]
struct Peer {
    group: Option<NamedGroup>,
    tls12: Option<(Tls12ClientSessionValue, Instant)>,
    tls13: VecDeque<(Tls13ClientSessionValue, Instant)>,
}

/// Sessions of a client, by session key, server name and whether the name was checked.
pub(super) struct ClientCache {
    peers: Mutex<Bounded<ClientKey, Peer>>,
    timeout: Duration,
    counters: Arc<Counters>,
}

impl fmt::Debug for ClientCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCache").finish_non_exhaustive()
    }
}

impl ClientCache {
    pub(super) fn new(capacity: usize, timeout: Duration, counters: Arc<Counters>) -> Self {
        // A peer that is still talked to is not too old; its sessions are, one by one.
        Self { peers: Mutex::new(Bounded::new(capacity, Duration::MAX)), timeout, counters }
    }

    pub(super) fn len(&self) -> usize {
        let peers = lock(&self.peers);
        peers.entries.values().map(|entry| entry.value.tls13.len() + usize::from(entry.value.tls12.is_some())).sum()
    }

    pub(super) fn clear(&self) {
        lock(&self.peers).clear();
    }

    /// Forgets the sessions under a key, whatever the name.
    pub(super) fn remove(&self, key: &[u8]) -> bool {
        let mut peers = lock(&self.peers);
        let before = peers.entries.len();
        peers.entries.retain(|kept, _| *kept.key != *key);
        peers.entries.len() < before
    }

    fn key(name: &ServerName<'_>) -> ClientKey {
        let known = negotiation::with(|own| (own.session_key.clone(), own.check_host));
        let (key, checked) = known.unwrap_or_default();
        let name = name.to_str();
        ClientKey { key: key.unwrap_or_else(|| name.as_bytes().into()), name: name.as_ref().into(), checked }
    }

    fn edit(&self, name: &ServerName<'_>, edit: impl FnOnce(&mut Peer)) {
        let key = Self::key(name);
        let mut peers = lock(&self.peers);
        if let Some(peer) = peers.fresh(&key, &self.counters) {
            edit(peer);
        } else {
            let mut peer = Peer::default();
            edit(&mut peer);
            peers.insert(key, peer, &self.counters);
        }
    }

    fn is_fresh(&self, since: Instant) -> bool {
        let fresh = since.elapsed() < self.timeout;
        if !fresh {
            Counters::add(&self.counters.cache_timeouts);
        }
        fresh
    }

    fn count(&self, found: bool) {
        Counters::add(if found { &self.counters.cache_hits } else { &self.counters.cache_misses });
    }
}

impl ClientSessionStore for ClientCache {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.edit(&server_name, |peer| peer.group = Some(group));
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        lock(&self.peers).fresh(&Self::key(server_name), &self.counters)?.group
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.edit(&server_name, |peer| peer.tls12 = Some((value, Instant::now())));
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        let found = {
            let mut peers = lock(&self.peers);
            let peer = peers.fresh(&Self::key(server_name), &self.counters);
            peer.and_then(|peer| {
                if peer.tls12.as_ref().is_some_and(|(_, since)| !self.is_fresh(*since)) {
                    peer.tls12 = None;
                }
                peer.tls12.as_ref().map(|(value, _)| value.clone())
            })
        };
        if found.is_some() {
            self.count(true);
        }
        found
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        if let Some(peer) = lock(&self.peers).fresh(&Self::key(server_name), &self.counters) {
            peer.tls12 = None;
        }
    }

    fn insert_tls13_ticket(&self, server_name: ServerName<'static>, value: Tls13ClientSessionValue) {
        negotiation::with(|own| own.tickets_received += 1);
        self.edit(&server_name, |peer| {
            if peer.tls13.len() == SESSIONS_OF_A_KEY {
                peer.tls13.pop_front();
            }
            peer.tls13.push_back((value, Instant::now()));
        });
    }

    fn take_tls13_ticket(&self, server_name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        let found = {
            let mut peers = lock(&self.peers);
            let peer = peers.fresh(&Self::key(server_name), &self.counters);
            peer.and_then(|peer| {
                while let Some((value, since)) = peer.tls13.pop_back() {
                    if self.is_fresh(since) {
                        return Some(value);
                    }
                }
                None
            })
        };
        self.count(found.is_some());
        found
    }
}

/// A client's cache of sessions that have an id, which those of TLS 1.3 do not.
#[derive(Debug)]
pub(super) struct WithoutTickets(pub Arc<ClientCache>);

impl ClientSessionStore for WithoutTickets {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(server_name, group);
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        self.0.kx_hint(server_name)
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.0.set_tls12_session(server_name, value);
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.0.tls12_session(server_name)
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        self.0.remove_tls12_session(server_name);
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, _: Tls13ClientSessionValue) {}

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(capacity: usize, timeout: Duration) -> ServerCacheOf {
        let cache = Arc::new(ServerCache::new(capacity, timeout, Arc::default()));
        ServerCacheOf { cache, client_auth: ClientAuth::None }
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn the_oldest_goes_when_it_is_full() {
        let cache = cache(2, HOUR);
        for key in 1..=3u8 {
            cache.put(vec![key], vec![key; 4]);
        }
        assert_eq!((cache.get(&[1]), cache.get(&[2]), cache.cache.len()), (None, Some(vec![2; 4]), 2));
        let info = cache.cache.counters.info();
        assert_eq!((info.cache_full, info.cache_hits, info.cache_misses), (1, 1, 1));
    }

    #[test]
    fn what_was_taken_is_gone() {
        let cache = cache(2, HOUR);
        cache.put(vec![1], vec![9]);
        assert_eq!((cache.take(&[1]), cache.take(&[1])), (Some(vec![9]), None));
    }

    #[test]
    fn what_is_too_old_is_not_given() {
        let cache = cache(2, Duration::ZERO);
        cache.put(vec![1], vec![9]);
        assert_eq!(cache.get(&[1]), None);
        assert_eq!((cache.cache.counters.info().cache_timeouts, cache.cache.len()), (1, 0));
    }

    #[test]
    fn keys_that_are_put_and_taken_again_and_again_take_no_room() {
        let cache = cache(4, HOUR);
        cache.put(vec![0], vec![0]);
        for round in 0..10_000u32 {
            cache.put(round.to_be_bytes().to_vec(), vec![1]);
            cache.take(&round.to_be_bytes());
        }
        assert!(lock(&cache.cache.sessions).order.len() <= 25);
        assert_eq!(cache.get(&[0]), Some(vec![0]));
    }
}
