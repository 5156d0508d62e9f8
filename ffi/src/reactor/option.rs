//! Socket options: one table of what each is called in the system, what values it takes and where it applies.

use std::io;
use std::os::fd::RawFd;

use libc::c_int;

use super::address;
use crate::abi::option::*;
use crate::abi::status::FERRONET_ERR_UNSUPPORTED_OPTION;
use crate::error::{Error, Result};

/// How a value crosses.
#[derive(Clone, Copy)]
enum Form {
    /// 0 or 1.
    Switch,
    /// An integer of the system's `int`, read back without sign.
    Number { least: i64, most: i64, unit: &'static str },
    /// Seconds in a `struct linger`; -1 is off.
    Linger,
    /// An errno that reading clears.
    Error,
}

/// What an option is called in the system.
struct Spec {
    option: i32,
    form: Form,
    /// Level and name on an IPv4 socket, and on every other kind but IPv6.
    name: (c_int, c_int),
    /// Level and name on an IPv6 socket, where they differ.
    name6: Option<(c_int, c_int)>,
    /// The option belongs to IPv6 sockets alone.
    only6: bool,
}

const INT: i64 = i32::MAX as i64;

const fn spec(option: i32, form: Form, level: c_int, name: c_int) -> Spec {
    Spec { option, form, name: (level, name), name6: None, only6: false }
}

const fn ip(option: i32, form: Form, name: c_int, name6: c_int) -> Spec {
    Spec { option, form, name: (libc::IPPROTO_IP, name), name6: Some((libc::IPPROTO_IPV6, name6)), only6: false }
}

const fn number(least: i64, most: i64, unit: &'static str) -> Form {
    Form::Number { least, most, unit }
}

#[cfg(any(target_os = "macos", target_os = "ios"))]
mod system {
    pub(super) const LINGER: libc::c_int = libc::SO_LINGER_SEC;
    pub(super) const KEEPIDLE: libc::c_int = libc::TCP_KEEPALIVE;
}
#[cfg(not(any(target_os = "macos", target_os = "ios")))]
mod system {
    pub(super) const LINGER: libc::c_int = libc::SO_LINGER;
    pub(super) const KEEPIDLE: libc::c_int = libc::TCP_KEEPIDLE;
}

#[cfg(target_os = "linux")]
const CORK: c_int = libc::TCP_CORK;
#[cfg(not(target_os = "linux"))]
const CORK: c_int = libc::TCP_NOPUSH;

/// Options of every supported platform.
const SPECS: &[Spec] = &[
    spec(FERRONET_OPTION_RCVBUF, number(1, INT, "bytes"), libc::SOL_SOCKET, libc::SO_RCVBUF),
    spec(FERRONET_OPTION_SNDBUF, number(1, INT, "bytes"), libc::SOL_SOCKET, libc::SO_SNDBUF),
    spec(FERRONET_OPTION_KEEPALIVE, Form::Switch, libc::SOL_SOCKET, libc::SO_KEEPALIVE),
    spec(FERRONET_OPTION_REUSEADDR, Form::Switch, libc::SOL_SOCKET, libc::SO_REUSEADDR),
    spec(FERRONET_OPTION_REUSEPORT, Form::Switch, libc::SOL_SOCKET, libc::SO_REUSEPORT),
    spec(FERRONET_OPTION_LINGER, Form::Linger, libc::SOL_SOCKET, system::LINGER),
    spec(FERRONET_OPTION_BROADCAST, Form::Switch, libc::SOL_SOCKET, libc::SO_BROADCAST),
    spec(FERRONET_OPTION_ERROR, Form::Error, libc::SOL_SOCKET, libc::SO_ERROR),
    ip(FERRONET_OPTION_TOS, number(0, 255, "as the traffic class byte"), libc::IP_TOS, libc::IPV6_TCLASS),
    Spec { only6: true, ..spec(FERRONET_OPTION_V6ONLY, Form::Switch, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY) },
    spec(FERRONET_OPTION_TCP_NODELAY, Form::Switch, libc::IPPROTO_TCP, libc::TCP_NODELAY),
    spec(FERRONET_OPTION_TCP_CORK, Form::Switch, libc::IPPROTO_TCP, CORK),
    spec(FERRONET_OPTION_TCP_KEEPIDLE, number(1, 32_767, "seconds"), libc::IPPROTO_TCP, system::KEEPIDLE),
    spec(FERRONET_OPTION_TCP_KEEPINTVL, number(1, 32_767, "seconds"), libc::IPPROTO_TCP, libc::TCP_KEEPINTVL),
    spec(FERRONET_OPTION_TCP_KEEPCNT, number(1, 127, "probes"), libc::IPPROTO_TCP, libc::TCP_KEEPCNT),
    spec(FERRONET_OPTION_TCP_FASTOPEN, number(0, INT, "pending connections"), libc::IPPROTO_TCP, libc::TCP_FASTOPEN),
];

/// Options of this platform alone.
#[cfg(target_os = "linux")]
const OWN_SPECS: &[Spec] = &[
    spec(FERRONET_OPTION_BUSY_POLL, number(0, INT, "microseconds"), libc::SOL_SOCKET, libc::SO_BUSY_POLL),
    ip(FERRONET_OPTION_FREEBIND, Form::Switch, libc::IP_FREEBIND, libc::IPV6_FREEBIND),
    ip(FERRONET_OPTION_TRANSPARENT, Form::Switch, libc::IP_TRANSPARENT, libc::IPV6_TRANSPARENT),
    spec(FERRONET_OPTION_BIND_ADDRESS_NO_PORT, Form::Switch, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT),
    spec(FERRONET_OPTION_TCP_USER_TIMEOUT, number(0, INT, "milliseconds"), libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT),
    spec(FERRONET_OPTION_TCP_QUICKACK, Form::Switch, libc::IPPROTO_TCP, libc::TCP_QUICKACK),
    spec(
        FERRONET_OPTION_TCP_NOTSENT_LOWAT,
        number(0, u32::MAX as i64, "bytes"),
        libc::IPPROTO_TCP,
        libc::TCP_NOTSENT_LOWAT,
    ),
    spec(FERRONET_OPTION_TCP_DEFER_ACCEPT, number(0, INT, "seconds"), libc::IPPROTO_TCP, libc::TCP_DEFER_ACCEPT),
    spec(FERRONET_OPTION_TCP_FASTOPEN_CONNECT, Form::Switch, libc::IPPROTO_TCP, libc::TCP_FASTOPEN_CONNECT),
];
#[cfg(target_os = "macos")]
const OWN_SPECS: &[Spec] =
    &[spec(FERRONET_OPTION_TCP_NOTSENT_LOWAT, number(0, INT, "bytes"), libc::IPPROTO_TCP, 0x201)];
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const OWN_SPECS: &[Spec] = &[];

/// Sets an option (`FERRONET_OPTION_*`). A refusal names the option, the value, the rule and the remedy.
pub fn set(descriptor: RawFd, option: i32, value: i64) -> Result<()> {
    let spec = find(option)?;
    match spec.form {
        Form::Switch if value != 0 && value != 1 => {
            return Err(Error::invalid(format!("{} = {value}: it is a switch; use 0 or 1", name(option))));
        }
        Form::Number { least, most, unit } if value < least || value > most => {
            return Err(Error::invalid(format!(
                "{} = {value}: use a number from {least} to {most} ({unit})",
                name(option)
            )));
        }
        Form::Linger if !(-1..=65_535).contains(&value) => {
            return Err(Error::invalid(format!(
                "{} = {value}: use seconds from 0 to 65535, or -1 for off",
                name(option)
            )));
        }
        Form::Error => {
            return Err(Error::invalid(format!("{} = {value}: it can only be read", name(option))));
        }
        _ => {}
    }
    let (level, number, dual_stack) = place(descriptor, spec)?;
    if crate::fault::take("option-ignored").is_some() {
        return Ok(());
    }
    let outcome = if let Form::Linger = spec.form {
        let linger = libc::linger { l_onoff: c_int::from(value >= 0), l_linger: value.max(0) as c_int };
        set_system(descriptor, level, number, &linger)
    } else {
        set_system(descriptor, level, number, &(value as c_int))
    };
    outcome.map_err(|error| refusal(option, Some(value), &error))?;
    if option == FERRONET_OPTION_TOS && dual_stack && cfg!(target_os = "linux") {
        // IPv4 traffic of a dual stack socket has its own byte; a socket that is bound to IPv6 alone has none.
        let _ = set_system(descriptor, libc::IPPROTO_IP, libc::IP_TOS, &(value as c_int));
    }
    Ok(())
}

/// Reads an option (`FERRONET_OPTION_*`) as the system reports it: Linux doubles buffer sizes.
pub fn get(descriptor: RawFd, option: i32) -> Result<i64> {
    let spec = find(option)?;
    let (level, number, _) = place(descriptor, spec)?;
    let fail = |error: io::Error| refusal(option, None, &error);
    match spec.form {
        Form::Linger => {
            let mut linger = libc::linger { l_onoff: 0, l_linger: 0 };
            get_system(descriptor, level, number, &mut linger).map_err(fail)?;
            Ok(if linger.l_onoff == 0 { -1 } else { i64::from(linger.l_linger) })
        }
        form => {
            let mut value: c_int = 0;
            get_system(descriptor, level, number, &mut value).map_err(fail)?;
            Ok(if let Form::Switch = form { i64::from(value != 0) } else { i64::from(value as u32) })
        }
    }
}

/// Sets an option by the system's own level and name.
pub fn set_raw(descriptor: RawFd, level: i32, name: i32, value: &[u8]) -> Result<()> {
    // SAFETY: the value is readable for its length.
    let status =
        unsafe { libc::setsockopt(descriptor, level, name, value.as_ptr().cast(), value.len() as libc::socklen_t) };
    if status < 0 {
        return Err(Error::last_os(format!("socket option level {level}, name {name}, {} bytes", value.len())));
    }
    Ok(())
}

/// Reads an option by the system's own level and name, and returns its length.
pub fn get_raw(descriptor: RawFd, level: i32, name: i32, value: &mut [u8]) -> Result<usize> {
    let mut length = value.len() as libc::socklen_t;
    // SAFETY: the value is writable for `length` bytes.
    let status = unsafe { libc::getsockopt(descriptor, level, name, value.as_mut_ptr().cast(), &mut length) };
    if status < 0 {
        return Err(Error::last_os(format!("socket option level {level}, name {name}, into {} bytes", value.len())));
    }
    Ok(length as usize)
}

fn find(option: i32) -> Result<&'static Spec> {
    if let Some(spec) = SPECS.iter().chain(OWN_SPECS).find(|spec| spec.option == option) {
        return Ok(spec);
    }
    let text = if OPTIONS.iter().any(|(number, _)| *number == option) {
        format!("{}: this platform has no such option", name(option))
    } else {
        format!("socket option {option} is unknown; use a FERRONET_OPTION_* number, or set it by level and name")
    };
    Err(Error::new(FERRONET_ERR_UNSUPPORTED_OPTION, text))
}

fn name(option: i32) -> &'static str {
    OPTIONS.iter().find(|(number, _)| *number == option).map_or("socket option", |(_, name)| name)
}

/// Level and name on this socket, and whether it is an IPv6 one.
fn place(descriptor: RawFd, spec: &Spec) -> Result<(c_int, c_int, bool)> {
    if spec.name6.is_none() && !spec.only6 {
        return Ok((spec.name.0, spec.name.1, false));
    }
    let local = address::query(libc::getsockname, descriptor).map_err(|error| refusal(spec.option, None, &error))?;
    let (level, number) = match (i32::from(local.family()), spec.name6) {
        (libc::AF_INET6, Some(name6)) => name6,
        (libc::AF_INET6, None) => spec.name,
        (libc::AF_INET, _) if !spec.only6 => spec.name,
        (family, _) => {
            let wanted = if spec.only6 { "an IPv6 socket" } else { "an IPv4 or IPv6 socket" };
            return Err(Error::new(
                FERRONET_ERR_UNSUPPORTED_OPTION,
                format!("{}: it needs {wanted}, and this one is of system family {family}", name(spec.option)),
            ));
        }
    };
    Ok((level, number, i32::from(local.family()) == libc::AF_INET6))
}

fn refusal(option: i32, value: Option<i64>, error: &io::Error) -> Error {
    let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
    let name = name(option);
    match error.raw_os_error() {
        Some(libc::ENOPROTOOPT | libc::EOPNOTSUPP) => Error::new(
            FERRONET_ERR_UNSUPPORTED_OPTION,
            format!(
                "{name}{value}: this kind of socket or this kernel has no such option ({error}); set it only where it applies"
            ),
        ),
        Some(libc::EPERM | libc::EACCES) => Error::os(
            error,
            format!(
                "{name}{value}: it needs a privilege that the process lacks (CAP_NET_ADMIN on Linux); leave it out or grant it"
            ),
        ),
        Some(libc::EINVAL) => {
            Error::os(error, format!("{name}{value}: the system refuses this value in the socket's present state"))
        }
        _ => Error::os(error, format!("{name}{value}")),
    }
}

fn set_system<T>(descriptor: RawFd, level: c_int, name: c_int, value: &T) -> io::Result<()> {
    // SAFETY: the value is readable for its size.
    let status = unsafe {
        libc::setsockopt(descriptor, level, name, (&raw const *value).cast(), size_of::<T>() as libc::socklen_t)
    };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn get_system<T>(descriptor: RawFd, level: c_int, name: c_int, value: &mut T) -> io::Result<()> {
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value is writable for its size; the callers use plain C types.
    let status = unsafe { libc::getsockopt(descriptor, level, name, (&raw mut *value).cast(), &mut length) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
#[path = "option_tests.rs"]
mod tests;
