//! Signals without end, and resets at every point of a connection's life.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ferronet::abi::record::*;

use crate::harness::*;

both_backends!(signals_lose_no_byte, a_reset_at_every_step_ends_every_operation);

extern "C" fn ignore(_signal: libc::c_int) {}

fn signals_lose_no_byte(backend: Backend) {
    // SAFETY: an all-zero action is valid; the handler does nothing, and no SA_RESTART lets calls end with EINTR.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ignore as *const () as usize;
        libc::sigaction(libc::SIGUSR2, &action, std::ptr::null_mut())
    };
    assert_eq!(installed, 0);
    let mut l = Loop::new(backend);
    let (socket, mut peer) = l.pair();
    // SAFETY: no pointer is passed.
    let target = unsafe { libc::pthread_self() };
    let done = AtomicBool::new(false);
    let bytes = pattern(3_000_000);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                // SAFETY: the thread lives until this scope ends.
                unsafe { libc::pthread_kill(target, libc::SIGUSR2) };
                std::thread::sleep(Duration::from_micros(20));
            }
        });
        let echo = scope.spawn(|| {
            let received = read_exactly(&mut peer, bytes.len());
            write_all(&mut peer, &received);
        });
        let send = l.send(socket, &bytes);
        assert_eq!(l.result_of(send), bytes.len() as i32);
        let mut received = Vec::new();
        let mut memory = vec![0; 50_000];
        while received.len() < bytes.len() {
            let receive = l.receive(socket, &mut memory);
            let count = l.result_of(receive);
            assert!(count > 0, "{count}");
            received.extend_from_slice(&memory[..count as usize]);
        }
        done.store(true, Ordering::Release);
        echo.join().unwrap();
        assert!(received == bytes, "the bytes differ");
    });
}

/// What the reactor does with the connection when the reset comes.
const STEPS: [&str; 8] =
    ["nothing", "receive", "lent receive", "send", "watch", "half close", "cancel", "close in the same call"];

fn a_reset_at_every_step_ends_every_operation(backend: Backend) {
    for step in STEPS {
        for settled in [false, true] {
            let mut l = Loop::new(backend);
            l.lend(0, 4096);
            let (near, peer) = tcp_pair();
            small_send_buffer(&near);
            let socket = l.add(near);
            let mut memory = vec![0; 1000];
            let large = pattern(8_000_000);
            let mut operations = Vec::new();
            match step {
                "receive" | "cancel" => operations.push(l.receive(socket, &mut memory)),
                "lent receive" => operations.push(l.receive_lent(socket, true)),
                "send" => operations.push(l.send(socket, &large)),
                "watch" => operations.push(l.watch(socket, FERRONET_POLL_RDHUP)),
                "half close" => operations.push(l.shutdown(socket, FERRONET_SHUTDOWN_WRITE)),
                _ => {}
            }
            if settled {
                l.idle(Duration::from_millis(5));
            }
            reset(peer);
            match step {
                "cancel" => _ = l.cancel_all(socket),
                "close in the same call" => operations.push(l.send(socket, b"late")),
                _ => {}
            }
            let close_now = step == "close in the same call";
            let late = (!close_now).then(|| l.receive(socket, &mut memory[500..]));
            operations.extend(late);
            if !close_now {
                operations.iter().for_each(|&operation| _ = l.end_of(operation));
                let failed = operations.iter().any(|&operation| {
                    let result = l.result_of(operation);
                    [-libc::ECONNRESET, -libc::EPIPE].contains(&result) || step == "watch" && result > 0
                });
                assert!(failed, "{step}, settled {settled}: nobody heard of the reset: {:?}", l.seen);
            }
            assert_eq!(l.close(socket), 0, "{step}");
            operations.iter().for_each(|&operation| _ = l.end_of(operation));
            let info = l.reactor.info();
            assert_eq!((info.in_flight, info.sockets), (0, 0), "{step}");
        }
    }
}

fn reset(peer: TcpStream) {
    reset_on_close(&peer);
    drop(peer);
}
