//! Records and hello messages as they stand on the wire (RFC 8446, 4.1 and 5.1).

use rustls::pki_types::ServerName;

use super::negotiation::Hello;

/// Bytes of a record's header.
pub(super) const HEADER: usize = 5;
/// The most data that a record carries.
pub(super) const MAX_DATA: usize = 1 << 14;
/// The most bytes behind a header: data, and the expansion that TLS 1.2 allows.
const MAX_BODY: usize = MAX_DATA + 2048;
/// The most bytes of a whole record.
pub(super) const MAX_RECORD: usize = HEADER + MAX_BODY;

pub(super) const ALERT: u8 = 21;
pub(super) const HANDSHAKE: u8 = 22;
pub(super) const DATA: u8 = 23;
pub(super) const CHANGE_CIPHER_SPEC: u8 = 20;

const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;

/// What stands at the beginning of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    /// A whole record: its type and its length with the header.
    Record { kind: u8, length: usize },
    /// A part of one: the length that it has in all, or of the header as long as that is not there.
    Partial { needed: usize },
    /// No record of TLS; it takes this many bytes to tell.
    Broken { seen: usize },
}

/// Reads the header of a record.
pub(super) fn front(bytes: &[u8]) -> Front {
    let is_kind = |kind: u8| (CHANGE_CIPHER_SPEC..=DATA).contains(&kind);
    match *bytes {
        [kind, ..] if !is_kind(kind) => Front::Broken { seen: 1 },
        [_, major, ..] if major != 3 => Front::Broken { seen: 2 },
        [kind, _, _, high, low, ..] => {
            let body = usize::from(u16::from_be_bytes([high, low]));
            if body > MAX_BODY {
                return Front::Broken { seen: HEADER };
            }
            let length = HEADER + body;
            if bytes.len() < length { Front::Partial { needed: length } } else { Front::Record { kind, length } }
        }
        _ => Front::Partial { needed: HEADER },
    }
}

/// Whole records, one behind the other.
fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let Front::Record { length, .. } = front(rest) else { return None };
        let (record, others) = rest.split_at(length);
        rest = others;
        Some(record)
    })
}

/// Whether what comes behind these records is encrypted in TLS 1.2.
pub(super) fn changes_cipher(bytes: &[u8]) -> bool {
    records(bytes).any(|record| record[0] == CHANGE_CIPHER_SPEC)
}

/// How many of these records are encrypted by TLS 1.3.
pub(super) fn sealed(bytes: &[u8]) -> u64 {
    records(bytes).filter(|record| record[0] == DATA).count() as u64
}

/// An alert among the records that are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alert {
    /// Its description.
    Clear(u8),
    /// In TLS 1.2 the record says that it is one, in TLS 1.3 its length does: no handshake message is that short.
    Sealed,
}

/// The length of an alert's record in TLS 1.3: two bytes, the type, and the tag.
pub(super) const SEALED_ALERT: usize = HEADER + 2 + 1 + 16;

/// The alert that the last of some records is.
pub(super) fn alert(bytes: &[u8]) -> Option<Alert> {
    match *records(bytes).last()? {
        [ALERT, _, _, 0, 2, _, description] => Some(Alert::Clear(description)),
        [ALERT, ..] => Some(Alert::Sealed),
        ref record if record[0] == DATA && record.len() == SEALED_ALERT => Some(Alert::Sealed),
        _ => None,
    }
}

/// The first handshake message of some records, if it is whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum First {
    Whole(Vec<u8>),
    Partial,
    /// Something else, or longer than any hello.
    Other,
}

/// The most bytes of a hello: rustls takes no longer handshake message.
pub(super) const MAX_MESSAGE: usize = 0xffff;

/// Puts together the first handshake message. Each record is read once, however many there are.
#[derive(Default)]
pub(super) struct FirstMessage {
    message: Vec<u8>,
    /// Bytes of the records that were read.
    read: usize,
}

impl FirstMessage {
    /// Reads on in whole records, which begin with those that were read before.
    pub(super) fn read(&mut self, records: &[u8]) -> First {
        let mut rest = records.get(self.read..).unwrap_or_default();
        while let Front::Record { kind, length } = front(rest) {
            if kind != HANDSHAKE || length == HEADER {
                return First::Other;
            }
            self.message.extend_from_slice(&rest[HEADER..length]);
            self.read += length;
            rest = &rest[length..];
            if let [_, a, b, c, ..] = self.message[..] {
                let whole = 4 + (usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c));
                if whole > MAX_MESSAGE {
                    return First::Other;
                }
                if self.message.len() >= whole {
                    self.message.truncate(whole);
                    return First::Whole(std::mem::take(&mut self.message));
                }
            }
        }
        if rest.is_empty() { First::Partial } else { First::Other }
    }
}

/// Walks over the fields of a message.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        let bytes = self.take(2)?;
        Some(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// A list with a length of one byte.
    fn short(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(self.take(1)?[0]);
        self.take(length)
    }

    /// A list with a length of two bytes.
    fn long(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(self.number()?);
        self.take(length)
    }
}

/// Whether it may stand in a ClientHello: addresses may not (RFC 6066, 3).
fn is_host(name: &str) -> bool {
    matches!(ServerName::try_from(name), Ok(ServerName::DnsName(_)))
}

fn numbers(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

/// What a ClientHello offers. What cannot be read is left out: rustls judges the message.
pub(super) fn client_hello(message: &[u8]) -> Hello {
    let mut hello = Hello::default();
    read_client_hello(message, &mut hello);
    hello
}

fn read_client_hello(message: &[u8], hello: &mut Hello) -> Option<()> {
    let mut fields = Fields(message);
    if fields.take(4)?[0] != CLIENT_HELLO {
        return None;
    }
    hello.version = fields.number()?;
    fields.take(32)?;
    fields.short()?;
    hello.suites = numbers(fields.long()?);
    fields.short()?;
    let mut extensions = Fields(fields.long()?);
    while let Some(kind) = extensions.number() {
        let mut body = Fields(extensions.long()?);
        match kind {
            0 => {
                let mut names = Fields(body.long()?);
                if names.take(1)? == [0] {
                    hello.server_name = String::from_utf8(names.long()?.to_vec()).ok().filter(|name| is_host(name));
                }
            }
            13 => hello.schemes = numbers(body.long()?),
            16 => hello.alpn = body.long()?.to_vec(),
            43 => hello.version = numbers(body.short()?).into_iter().filter(|v| v >> 8 == 3).max()?,
            _ => {}
        }
    }
    Some(())
}

/// Random and session id of a ServerHello at the beginning of some records.
pub(super) fn server_hello(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let Front::Record { kind: HANDSHAKE, length } = front(records) else { return None };
    let mut fields = Fields(&records[HEADER..length]);
    if fields.take(4)?[0] != SERVER_HELLO {
        return None;
    }
    fields.number()?;
    Some((fields.take(32)?, fields.short()?))
}

/// Whether two lists of protocols, each with its length byte, have one in common.
pub(super) fn has_common_protocol(one: &[u8], other: &[u8]) -> bool {
    protocols(one).any(|name| protocols(other).any(|theirs| theirs == name))
}

/// The names of a list of protocols.
pub(super) fn protocols(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut fields = Fields(list);
    std::iter::from_fn(move || fields.short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_tells_what_follows() {
        assert_eq!(front(&[]), Front::Partial { needed: HEADER });
        assert_eq!(front(&[22, 3, 1, 0]), Front::Partial { needed: HEADER });
        assert_eq!(front(&[22, 3, 1, 0, 2, 1]), Front::Partial { needed: 7 });
        assert_eq!(front(&[23, 3, 3, 0, 2, 1, 1, 9]), Front::Record { kind: DATA, length: 7 });
        assert_eq!(front(b"GET / HTTP/1.1\r\n"), Front::Broken { seen: 1 });
        assert_eq!(front(&[22, 2]), Front::Broken { seen: 2 });
        assert_eq!(front(&[23, 3, 3, 0x48, 0]), Front::Partial { needed: MAX_RECORD });
        assert_eq!(front(&[23, 3, 3, 0x48, 1]), Front::Broken { seen: HEADER });
    }

    #[test]
    fn a_hello_is_put_together_from_its_records() {
        let message = [&[1, 0, 0, 6][..], b"abcdef"].concat();
        let mut records = Vec::new();
        for part in message.chunks(3) {
            records.extend([22, 3, 1, 0, part.len() as u8]);
            records.extend(part);
        }
        let first = |records: &[u8]| FirstMessage::default().read(records);
        assert_eq!(first(&records), First::Whole(message.clone()));
        assert_eq!(first(&records[..8]), First::Partial);
        assert_eq!(first(&[21, 3, 1, 0, 1, 1]), First::Other);
        assert_eq!(first(&[22, 3, 1, 0, 4, 1, 1, 0, 0]), First::Other);
        let mut reader = FirstMessage::default();
        for length in (8..records.len()).step_by(8) {
            assert_eq!(reader.read(&records[..length]), First::Partial);
        }
        assert_eq!(reader.read(&records), First::Whole(message));
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        for length in 0..60 {
            assert_eq!(client_hello(&vec![1; length]).server_name, None);
        }
    }

    #[test]
    fn protocols_are_compared_by_name() {
        assert!(has_common_protocol(b"\x02h2\x08http/1.1", b"\x08http/1.1"));
        assert!(!has_common_protocol(b"\x02h2", b"\x02h3\x03h2c"));
        assert!(!has_common_protocol(b"\x02h2", b""));
    }
}
