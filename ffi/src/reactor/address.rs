//! Socket addresses: the platform-independent record on one side, the system's own form on the other.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use socket2::{SockAddr, SockAddrStorage};

use crate::abi::record::{
    FERRONET_FAMILY_IPV4, FERRONET_FAMILY_IPV6, FERRONET_FAMILY_UNIX, FERRONET_FAMILY_VSOCK, ferronet_address,
};
use crate::error::{Error, Result};

impl From<SocketAddr> for ferronet_address {
    fn from(address: SocketAddr) -> Self {
        let mut record = Self { port: u32::from(address.port()), ..Self::default() };
        match address {
            SocketAddr::V4(v4) => {
                record.family = FERRONET_FAMILY_IPV4;
                record.length = 4;
                record.data[..4].copy_from_slice(&v4.ip().octets());
            }
            SocketAddr::V6(v6) => {
                record.family = FERRONET_FAMILY_IPV6;
                record.length = 16;
                record.scope_id = v6.scope_id();
                record.data[..16].copy_from_slice(&v6.ip().octets());
            }
        }
        record
    }
}

impl ferronet_address {
    /// A Unix socket name: a path, an abstract name (first byte zero; Linux), or nothing (unnamed).
    pub fn unix(name: &[u8]) -> Result<Self> {
        let mut record = Self { family: FERRONET_FAMILY_UNIX, length: name.len() as u32, ..Self::default() };
        let Some(data) = record.data.get_mut(..name.len()) else {
            return Err(unix_too_long(name.len()));
        };
        data.copy_from_slice(name);
        to_system(&record)?;
        Ok(record)
    }

    /// The IP address and port, if it is one.
    pub fn ip(&self) -> Option<SocketAddr> {
        let port = u16::try_from(self.port).ok()?;
        match (self.family, self.length) {
            (FERRONET_FAMILY_IPV4, 4) => {
                let octets: [u8; 4] = self.data[..4].try_into().ok()?;
                Some(SocketAddrV4::new(Ipv4Addr::from(octets), port).into())
            }
            (FERRONET_FAMILY_IPV6, 16) => {
                let octets: [u8; 16] = self.data[..16].try_into().ok()?;
                Some(SocketAddrV6::new(Ipv6Addr::from(octets), port, 0, self.scope_id).into())
            }
            _ => None,
        }
    }

    /// The bytes of a Unix name, if it is one.
    pub fn name(&self) -> Option<&[u8]> {
        if self.family == FERRONET_FAMILY_UNIX { self.data.get(..self.length as usize) } else { None }
    }
}

impl fmt::Display for ferronet_address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ip) = self.ip() {
            return ip.fmt(f);
        }
        match (self.family, self.name()) {
            (FERRONET_FAMILY_UNIX, Some([])) => f.write_str("unix:(unnamed)"),
            (FERRONET_FAMILY_UNIX, Some([0, name @ ..])) => write!(f, "unix:@{}", name.escape_ascii()),
            (FERRONET_FAMILY_UNIX, Some(path)) => write!(f, "unix:{}", String::from_utf8_lossy(path)),
            (FERRONET_FAMILY_VSOCK, _) => write!(f, "vsock:{}:{}", self.scope_id, self.port),
            _ => write!(f, "(family {}, length {}, port {})", self.family, self.length, self.port),
        }
    }
}

const UNIX_CAPACITY: usize = {
    // SAFETY: an all-zero sockaddr_un is a valid value.
    let address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_path.len()
};

fn unix_too_long(length: usize) -> Error {
    Error::invalid(format!(
        "Unix socket name of {length} bytes: at most {} bytes fit into a path and {UNIX_CAPACITY} into an abstract name; use a shorter name",
        UNIX_CAPACITY - 1
    ))
}

/// The record in the system's form. A record that is not well-formed is refused with the field, its value and the rule.
pub(crate) fn to_system(address: &ferronet_address) -> Result<SockAddr> {
    match address.family {
        FERRONET_FAMILY_IPV4 | FERRONET_FAMILY_IPV6 => ip_to_system(address),
        FERRONET_FAMILY_UNIX => unix_to_system(address),
        FERRONET_FAMILY_VSOCK => vsock_to_system(address),
        family => Err(Error::invalid(format!(
            "address family {family} is unknown; use FERRONET_FAMILY_IPV4 (4), _IPV6 (6), _UNIX (1) or _VSOCK (40)"
        ))),
    }
}

fn ip_to_system(address: &ferronet_address) -> Result<SockAddr> {
    let length = if address.family == FERRONET_FAMILY_IPV4 { 4 } else { 16 };
    if address.length != length {
        return Err(Error::invalid(format!(
            "address of {} bytes in family {}: an IPv4 address has 4 bytes, an IPv6 address 16",
            address.length, address.family
        )));
    }
    if address.family == FERRONET_FAMILY_IPV4 && address.scope_id != 0 {
        return Err(Error::invalid(format!(
            "scope id {} with an IPv4 address: only IPv6 addresses have one; use 0",
            address.scope_id
        )));
    }
    match address.ip() {
        Some(ip) => Ok(ip.into()),
        None => Err(Error::invalid(format!("port {}: a port is a number from 0 to 65535", address.port))),
    }
}

fn unix_to_system(address: &ferronet_address) -> Result<SockAddr> {
    let length = address.length as usize;
    let Some(name) = address.name() else { return Err(unix_too_long(length)) };
    let is_abstract = name.first() == Some(&0);
    if is_abstract && cfg!(not(target_os = "linux")) {
        return Err(Error::invalid("abstract Unix socket name: only Linux has them; use a path"));
    }
    if length + usize::from(!is_abstract && length > 0) > UNIX_CAPACITY {
        return Err(unix_too_long(length));
    }
    if !is_abstract && name.contains(&0) {
        return Err(Error::invalid(format!(
            "Unix socket path {} holds a zero byte; give the path without a terminator (its length is in `length`)",
            crate::text::quoted(name)
        )));
    }
    use std::os::unix::ffi::OsStrExt;
    SockAddr::unix(std::ffi::OsStr::from_bytes(name)).map_err(|error| Error::os(&error, "Unix socket name"))
}

#[cfg(target_os = "linux")]
fn vsock_to_system(address: &ferronet_address) -> Result<SockAddr> {
    Ok(SockAddr::vsock(address.scope_id, address.port))
}

#[cfg(not(target_os = "linux"))]
fn vsock_to_system(_address: &ferronet_address) -> Result<SockAddr> {
    Err(Error::invalid("vsock address: this platform has no vsock; use an IP address or a Unix socket"))
}

/// The system's form as a record. An unnamed Unix socket has length 0.
pub(crate) fn from_system(address: &SockAddr) -> Result<ferronet_address> {
    if let Some(mut ip) = address.as_socket() {
        if crate::fault::take("wrong-address").is_some() {
            ip.set_port(ip.port() ^ 1);
        }
        return Ok(ip.into());
    }
    if i32::from(address.family()) == libc::AF_UNIX {
        return Ok(unix_from_system(address));
    }
    #[cfg(target_os = "linux")]
    if let Some((cid, port)) = address.as_vsock_address() {
        return Ok(ferronet_address { family: FERRONET_FAMILY_VSOCK, port, scope_id: cid, ..Default::default() });
    }
    Err(Error::new(-libc::EAFNOSUPPORT, format!("address of system family {} has no form here", address.family())))
}

fn unix_from_system(address: &SockAddr) -> ferronet_address {
    let offset = std::mem::offset_of!(libc::sockaddr_un, sun_path);
    let length = (address.len() as usize).saturating_sub(offset).min(size_of::<ferronet_address>() - 16);
    // SAFETY: the storage is longer than a sockaddr_un, and `length` bytes of its path are initialised.
    let name = unsafe { std::slice::from_raw_parts(address.as_ptr().cast::<u8>().add(offset), length) };
    // A path ends at its terminator; in an abstract name every byte counts.
    let name = match name.first() {
        Some(0) if cfg!(target_os = "linux") => name,
        _ => name.split(|byte| *byte == 0).next().unwrap_or_default(),
    };
    let mut record = ferronet_address { family: FERRONET_FAMILY_UNIX, length: name.len() as u32, ..Default::default() };
    record.data[..name.len()].copy_from_slice(name);
    record
}

/// Asks the system for an address of a descriptor (`getsockname`, `getpeername`).
pub(crate) fn query(
    call: unsafe extern "C" fn(libc::c_int, *mut libc::sockaddr, *mut libc::socklen_t) -> libc::c_int,
    descriptor: libc::c_int,
) -> std::io::Result<SockAddr> {
    let mut storage = SockAddrStorage::zeroed();
    let mut length = storage.size_of();
    // SAFETY: the storage is writable for `length` bytes.
    let status = unsafe { call(descriptor, (&raw mut storage).cast(), &mut length) };
    if status < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the system has written `length` bytes of a valid address; the rest is zero.
    Ok(unsafe { SockAddr::new(storage, length) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::status::FERRONET_ERR_INVALID_ARGUMENT;

    fn round_trip(record: ferronet_address) {
        assert_eq!(from_system(&to_system(&record).unwrap()).unwrap(), record);
    }

    #[test]
    fn ip_addresses_keep_port_and_scope() {
        for text in ["127.0.0.1:0", "255.255.255.255:65535", "[::1]:80", "[fe80::1%7]:9", "[::ffff:10.0.0.1]:1"] {
            let address: SocketAddr = text.parse().unwrap();
            let record = ferronet_address::from(address);
            assert_eq!(record.ip(), Some(address));
            assert_eq!(record.to_string(), text);
            round_trip(record);
        }
    }

    #[test]
    fn unix_names_keep_their_exact_length() {
        let longest_path = vec![b'p'; UNIX_CAPACITY - 1];
        for name in [&b""[..], b"/tmp/s", &longest_path] {
            let record = ferronet_address::unix(name).unwrap();
            assert_eq!(record.name(), Some(name));
            round_trip(record);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn abstract_names_keep_every_zero_byte() {
        let mut longest = vec![0; UNIX_CAPACITY];
        longest[1] = b'x';
        for name in [&b"\0"[..], b"\0a", b"\0a\0", b"\0a\0\0b\0", &longest] {
            let record = ferronet_address::unix(name).unwrap();
            assert_eq!(record.name(), Some(name));
            round_trip(record);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn vsock_addresses_round_trip() {
        round_trip(ferronet_address { family: FERRONET_FAMILY_VSOCK, port: 70_000, scope_id: 2, ..Default::default() });
    }

    #[test]
    fn refusals_name_the_value_and_the_rule() {
        let v4 = ferronet_address::from("127.0.0.1:1".parse::<SocketAddr>().unwrap());
        let cases = [
            (ferronet_address { family: 3, ..v4 }, "family 3"),
            (ferronet_address { length: 16, ..v4 }, "address of 16 bytes"),
            (ferronet_address { port: 65_536, ..v4 }, "port 65536"),
            (ferronet_address { scope_id: 1, ..v4 }, "scope id 1"),
            (ferronet_address { family: FERRONET_FAMILY_UNIX, length: 113, ..v4 }, "113 bytes"),
            (ferronet_address { family: FERRONET_FAMILY_UNIX, length: 112, data: [b'a'; 112], ..v4 }, "112 bytes"),
            (
                ferronet_address { family: FERRONET_FAMILY_UNIX, length: 3, ..ferronet_address::unix(b"ab").unwrap() },
                "zero byte",
            ),
        ];
        for (record, words) in cases {
            let error = to_system(&record).unwrap_err();
            assert_eq!(error.status, FERRONET_ERR_INVALID_ARGUMENT);
            assert!(error.text.contains(words), "{}", error.text);
        }
        assert!(ferronet_address::unix(&[b'a'; 200]).is_err());
    }
}
