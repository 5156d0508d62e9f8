//! A network of a command's own, so that neither other programs nor earlier tests use up its ports.

use std::io;
use std::process::Command;

/// Gives `command` a network that holds a loopback interface and nothing else, where the system allows that; otherwise
/// the command shares the network of its caller.
///
/// A closed connection keeps its port for a minute, and the tests of the reactor make thousands of them.
pub fn isolate(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: between fork and exec only system calls are made, on memory of this stack.
        unsafe { command.pre_exec(|| enter().map(|_| ())) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Moves the calling thread, and what it starts from now on, into a new network and switches its loopback interface on.
/// Returns false where the system does not allow that.
#[cfg(target_os = "linux")]
pub(crate) fn enter() -> io::Result<bool> {
    // SAFETY: no pointer is passed.
    if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
        return Ok(false);
    }
    // SAFETY: no pointer is passed.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all zero is a valid value of this structure of numbers.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, letter) in request.ifr_name.iter_mut().zip(b"lo") {
        *place = *letter as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request lives across the call, which only reads it.
    let switched = unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request) };
    let outcome = if switched == 0 { Ok(true) } else { Err(io::Error::last_os_error()) };
    // SAFETY: the descriptor was opened above and is used no more.
    unsafe { libc::close(socket) };
    outcome
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    /// Set in the process that one of the tests starts from its own executable.
    const INSIDE: &str = "FERRONET_ISOLATED";

    #[test]
    fn loopback_works_in_both_families_and_the_callers_ports_are_not_there() {
        if let Ok(port) = std::env::var(INSIDE) {
            for address in ["127.0.0.1:0", "[::1]:0"] {
                let listener = TcpListener::bind(address).expect("loopback is up");
                TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
            }
            let port: u16 = port.parse().expect("a port");
            println!("the caller's port answers: {}", TcpStream::connect(("127.0.0.1", port)).is_ok());
            return;
        }
        let outside = TcpListener::bind("127.0.0.1:0").expect("bound");
        let port = outside.local_addr().expect("bound").port();
        let mut command = Command::new(std::env::current_exe().expect("known"));
        command.args([concat!(
            module_path!(),
            "::loopback_works_in_both_families_and_the_callers_ports_are_not_there"
        )
        .split_once("::")
        .expect("inside the crate")
        .1]);
        command.args(["--exact", "--nocapture"]).env(INSIDE, port.to_string());
        isolate(&mut command);
        let output = command.output().expect("started");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        // SAFETY: geteuid has no precondition.
        let allowed = unsafe { libc::geteuid() } == 0;
        assert!(
            text.contains("the caller's port answers: ") && (!allowed || text.contains("answers: false")),
            "{text}"
        );
    }
}
