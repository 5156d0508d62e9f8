//! Running out of descriptors, and leaving none behind. Each test runs alone in a process of its own.

use std::net::TcpStream;
use std::time::Duration;

use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(accepting_resumes_when_descriptors_return, nothing_is_left_behind);

const CHILD: &str = "FERRONET_TEST_CHILD";

/// Runs the named test of this module in a process of its own, whose limits and descriptors are its own. True in there.
fn in_own_process(backend: Backend, name: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let test = format!("limits::{}::{name}", backend.module());
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &test, "--test-threads=1", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    false
}

/// Lets the process open so many more descriptors.
fn leave_descriptors(count: u64) {
    let lowest_free = std::fs::File::open("/dev/null").map(|file| std::os::fd::AsRawFd::as_raw_fd(&file)).unwrap();
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is valid for the call.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    limit.rlim_cur = lowest_free as u64 + count;
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}

fn accepting_resumes_when_descriptors_return(backend: Backend) {
    if !in_own_process(backend, "accepting_resumes_when_descriptors_return") {
        return;
    }
    let mut l = Loop::new(backend);
    let (listener, address) = l.listener("127.0.0.1:0");
    let _clients: Vec<_> = (0..5).map(|_| TcpStream::connect(address).unwrap()).collect();
    leave_descriptors(2);
    let mut accepted = 0;
    while accepted < 5 {
        let accept = l.accept(listener);
        if accepted == 4 {
            l.until("the last connection", |seen| seen.iter().any(|c| c.user_data == accept));
        } else {
            assert_eq!(l.result_of(accept), -libc::EMFILE);
        }
        let taken: Vec<_> = l.of(accept).iter().filter(|c| c.result >= 0).map(|c| own(c.result)).collect();
        assert_eq!(taken.len(), (5 - accepted).min(2));
        accepted += taken.len();
    }
    assert_eq!(l.reactor.info().in_flight, 1, "the last accept goes on");
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn nothing_is_left_behind(backend: Backend) {
    if !in_own_process(backend, "nothing_is_left_behind") {
        return;
    }
    use_and_drop(backend);
    let before = (descriptors(), threads());
    (0..20).for_each(|_| use_and_drop(backend));
    // The kernel may close what a ring held a little later.
    for _ in 0..100 {
        if (descriptors(), threads()) == before {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((descriptors(), threads()), before);
}

fn use_and_drop(backend: Backend) {
    let mut l = Loop::new(backend);
    let (listener, address) = l.listener("127.0.0.1:0");
    l.accept(listener);
    let client = l.add(open(FERRONET_FAMILY_IPV4));
    let connect = l.connect(client, &address.into());
    assert_eq!(l.result_of(connect), 0);
    l.until("an accept", |seen| seen.iter().any(|c| c.socket == listener));
    let descriptor = l.seen.iter().find(|c| c.socket == listener).unwrap().result;
    let accepted = l.add(own(descriptor));
    let mut memory = [0; 16];
    let receive = l.receive(accepted, &mut memory);
    let send = l.send(client, b"bytes");
    assert_eq!(l.result_of(send), 5);
    assert_eq!(l.result_of(receive), 5);
    l.lend(0, 64);
    l.receive_lent(accepted, true);
    l.watch(client, FERRONET_POLL_RDHUP);
    l.turn(Some(Duration::ZERO));
    assert_eq!(l.close(listener), 0);
    // The other two are closed with the reactor.
    l.reactor.close(Duration::from_secs(1));
}
