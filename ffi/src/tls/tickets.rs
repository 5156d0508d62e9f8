//! Stateless session tickets: RFC 5077, and RFC 8446, 4.6.1.
//!
//! A ticket is the name of a key, a nonce, and the session and the time of its issue under AES-256-GCM. Keys belong to one
//! context; its own ones rotate, given ones stay until they are replaced.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use rustls::server::ProducesTickets;

use super::config::ClientAuth;
use super::counters::Counters;
use crate::error::{Error, Result};

const NAME: usize = 16;
const SECRET: usize = 32;
/// Bytes of a key as it is given.
const KEY: usize = NAME + SECRET;
const TIME: usize = 8;

struct Key {
    name: [u8; NAME],
    secret: LessSafeKey,
    made: Instant,
}

impl Key {
    fn given(bytes: &[u8]) -> Result<Self> {
        let mut name = [0; NAME];
        name.copy_from_slice(&bytes[..NAME]);
        let secret = UnboundKey::new(&AES_256_GCM, &bytes[NAME..])
            .map_err(|_| Error::invalid("a ticket key was refused by the cipher"))?;
        Ok(Self { name, secret: LessSafeKey::new(secret), made: Instant::now() })
    }

    fn random() -> Option<Self> {
        let mut bytes = zeroize::Zeroizing::new([0u8; KEY]);
        aws_lc_rs::rand::fill(&mut bytes[..]).ok()?;
        Self::given(&bytes[..]).ok()
    }
}

struct Keys {
    /// The first encrypts.
    list: Vec<Key>,
    rotate: bool,
}

/// The tickets of a context.
pub(super) struct Tickets {
    keys: Mutex<Keys>,
    lifetime: Duration,
    counters: Arc<Counters>,
}

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tickets").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

impl Tickets {
    /// Tickets with given keys, or with rotating ones.
    pub(super) fn new(keys: &[u8], lifetime: Duration, counters: Arc<Counters>) -> Result<Self> {
        let tickets = Self { keys: Mutex::new(Keys { list: Vec::new(), rotate: true }), lifetime, counters };
        if !keys.is_empty() {
            tickets.set_keys(keys)?;
        }
        Ok(tickets)
    }

    /// Replaces all keys.
    pub(super) fn set_keys(&self, keys: &[u8]) -> Result<()> {
        if keys.is_empty() || !keys.len().is_multiple_of(KEY) {
            return Err(Error::invalid(format!(
                "ticket_keys have {} bytes, but a key has {KEY}: {NAME} of name and {SECRET} of key",
                keys.len()
            )));
        }
        let list = keys.chunks_exact(KEY).map(Key::given).collect::<Result<Vec<_>>>()?;
        *self.lock() = Keys { list, rotate: false };
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a new first key when the old one is too old, and forgets those whose tickets are all expired.
    fn turn(&self, keys: &mut Keys) {
        if !keys.rotate {
            return;
        }
        let now = Instant::now();
        let age = |key: &Key| now.saturating_duration_since(key.made);
        if keys.list.first().is_none_or(|key| age(key) >= self.lifetime) {
            keys.list.retain(|key| age(key) < 2 * self.lifetime);
            if let Some(key) = Key::random() {
                keys.list.insert(0, key);
            }
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The tickets of sessions that ask clients for certificates alike: a session of those that do not ask serves none that
/// does.
#[derive(Debug)]
pub(super) struct TicketsOf {
    pub tickets: Arc<Tickets>,
    pub client_auth: ClientAuth,
}

impl ProducesTickets for TicketsOf {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        u32::try_from(self.tickets.lifetime.as_secs()).unwrap_or(u32::MAX)
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let ticket = self.tickets.seal(plain, self.client_auth as u8)?;
        Counters::add(&self.tickets.counters.tickets_issued);
        Some(ticket)
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let opened = self.tickets.open(ticket, self.client_auth as u8);
        let counters = &self.tickets.counters;
        match &opened {
            None => Counters::add(&counters.tickets_failed),
            Some((_, renewed)) => {
                Counters::add(&counters.tickets_resumed);
                if *renewed {
                    Counters::add(&counters.tickets_renewed);
                }
            }
        }
        opened.map(|(plain, _)| plain)
    }
}

/// What is authenticated with a ticket.
fn bound(name: &[u8; NAME], level: u8) -> Aad<[u8; NAME + 1]> {
    let mut bytes = [level; NAME + 1];
    bytes[..NAME].copy_from_slice(name);
    Aad::from(bytes)
}

impl Tickets {
    fn seal(&self, plain: &[u8], level: u8) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        aws_lc_rs::rand::fill(&mut nonce).ok()?;
        let mut body = Vec::with_capacity(TIME + plain.len() + AES_256_GCM.tag_len());
        body.extend(now().to_be_bytes());
        body.extend(plain);
        let mut keys = self.lock();
        self.turn(&mut keys);
        let key = keys.list.first()?;
        let unique = Nonce::assume_unique_for_key(nonce);
        key.secret.seal_in_place_append_tag(unique, bound(&key.name, level), &mut body).ok()?;
        Some([&key.name[..], &nonce, &body].concat())
    }

    /// The session, and whether a key other than the first opened it.
    fn open(&self, ticket: &[u8], level: u8) -> Option<(Vec<u8>, bool)> {
        let (name, rest) = ticket.split_at_checked(NAME)?;
        let (nonce, body) = rest.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut body = body.to_vec();
        let mut keys = self.lock();
        self.turn(&mut keys);
        let place = keys.list.iter().position(|key| key.name == name)?;
        let key = &keys.list[place];
        let plain = key.secret.open_in_place(nonce, bound(&key.name, level), &mut body).ok()?;
        let (time, session) = plain.split_first_chunk::<TIME>()?;
        let age = now().checked_sub(u64::from_be_bytes(*time))?;
        if age > self.lifetime.as_secs() {
            Counters::add(&self.counters.cache_timeouts);
            return None;
        }
        Some((session.to_vec(), place > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tickets(keys: &[u8], lifetime: Duration) -> TicketsOf {
        let tickets = Arc::new(Tickets::new(keys, lifetime, Arc::default()).unwrap());
        TicketsOf { tickets, client_auth: ClientAuth::None }
    }

    fn key(byte: u8) -> Vec<u8> {
        vec![byte; KEY]
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_ticket_opens_with_its_own_context_only() {
        let ours = tickets(&[], HOUR);
        let ticket = ours.encrypt(b"session").unwrap();
        assert_eq!(ours.decrypt(&ticket).as_deref(), Some(&b"session"[..]));
        assert_eq!(tickets(&[], HOUR).decrypt(&ticket), None);
        let asking = TicketsOf { tickets: Arc::clone(&ours.tickets), client_auth: ClientAuth::Required };
        assert_eq!(asking.decrypt(&ticket), None, "its client has shown no certificate");
    }

    #[test]
    fn given_keys_are_shared_and_the_first_encrypts() {
        let one = tickets(&key(1), HOUR);
        let ticket = one.encrypt(b"session").unwrap();
        let two = tickets(&[key(2), key(1)].concat(), HOUR);
        assert_eq!(two.decrypt(&ticket).as_deref(), Some(&b"session"[..]));
        assert_eq!(two.tickets.counters.info().tickets_renewed, 1);
        assert_eq!(one.decrypt(&two.encrypt(b"x").unwrap()), None, "encrypted with the second's first key");
        two.tickets.set_keys(&key(3)).unwrap();
        assert_eq!(two.decrypt(&ticket), None);
    }

    #[test]
    fn a_key_that_is_too_old_is_replaced_and_then_forgotten() {
        let ours = tickets(&[], Duration::from_secs(1));
        let first = ours.encrypt(b"session").unwrap();
        ours.tickets.lock().list[0].made -= Duration::from_secs(1);
        let second = ours.encrypt(b"session").unwrap();
        assert_ne!(first[..NAME], second[..NAME], "the key has rotated");
        assert!(ours.decrypt(&first).is_some(), "the old key still decrypts");
        ours.tickets.lock().list.iter_mut().for_each(|key| key.made -= Duration::from_secs(1));
        ours.encrypt(b"session").unwrap();
        assert_eq!(ours.decrypt(&first), None, "its key is forgotten");
    }

    #[test]
    fn what_was_changed_does_not_open() {
        let ours = tickets(&key(1), HOUR);
        let ticket = ours.encrypt(b"session").unwrap();
        for place in 0..ticket.len() {
            let mut bad = ticket.clone();
            bad[place] ^= 1;
            assert_eq!(ours.decrypt(&bad), None, "byte {place}");
            assert_eq!(ours.decrypt(&ticket[..place]), None, "{place} bytes");
        }
    }

    #[test]
    fn keys_have_forty_eight_bytes() {
        for bad in [1, 47, 49, 80] {
            let error = tickets(&[], HOUR).tickets.set_keys(&vec![0; bad]).unwrap_err();
            assert!(error.text.contains(&bad.to_string()), "{error}");
        }
    }
}
