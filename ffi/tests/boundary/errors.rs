//! Texts of failed calls: kept per handle and per thread, cut where they must be, and complete in what they say.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use ferronet::abi::config::ferronet_reactor_config;
use ferronet::abi::info::{FERRONET_ABI_FLOOR, FERRONET_ABI_REVISION, ferronet_attach_params};
use ferronet::abi::status::*;
use ferronet::boundary::reactor::*;
use ferronet::boundary::runtime::*;
use ferronet::boundary::socket::ferronet_socket_open;
use ferronet::boundary::status::ferronet_last_error;

use crate::functions::*;

fn submit(reactor: *mut c_void, count: u32) -> i32 {
    // SAFETY: a count above the capacity names no record.
    unsafe { ferronet_reactor_submit(reactor.cast(), count) }
}

#[test]
fn a_handle_keeps_its_own_text() {
    let (one, other) = (started(), started());
    assert_eq!(last_error(one), "");
    assert_eq!(submit(one, 70_000), FERRONET_ERR_INVALID_ARGUMENT);
    let text = last_error(one);
    assert!(text.contains("70000") && text.contains("1024"), "{text}");
    assert_eq!(last_error(other), "");
    assert_eq!(submit(one, 0), 0);
    assert_eq!(last_error(one), text, "a success leaves the text of the last failure");
    free(one);
    free(other);
}

#[test]
fn the_text_of_a_handle_is_readable_on_every_thread() {
    let handle = started();
    assert_eq!(submit(handle, 70_000), FERRONET_ERR_INVALID_ARGUMENT);
    let here = last_error(handle);
    assert_eq!(on_another_thread(handle, |handle| last_error(handle)), here);
    free(handle);
}

#[test]
fn calls_without_a_handle_keep_a_text_for_each_thread() {
    assert!(ferronet_socket_open(99, 1) < 0);
    let here = last_error(null());
    assert!(here.contains("99"), "{here}");
    let there =
        on_another_thread(null_mut(), |_| (last_error(null()), ferronet_socket_open(4, 77), last_error(null())));
    assert_eq!(there.0, "");
    assert!(there.1 < 0 && there.2.contains("77"), "{}", there.2);
    assert_eq!(last_error(null()), here);
}

#[test]
fn a_text_is_cut_and_always_ends_with_a_zero_byte() {
    let handle = started();
    assert_eq!(submit(handle, 70_000), FERRONET_ERR_INVALID_ARGUMENT);
    let whole = last_error(handle);
    for capacity in 0..whole.len() + 3 {
        let mut buffer = vec![0xffu8; whole.len() + 8];
        // SAFETY: the buffer is larger than the capacity.
        let length = unsafe { ferronet_last_error(handle, buffer.as_mut_ptr().cast::<c_char>(), capacity as u64) };
        assert_eq!(length, whole.len() as i64, "capacity {capacity}");
        let kept = whole.len().min(capacity.saturating_sub(1));
        assert_eq!(&buffer[..kept], &whole.as_bytes()[..kept]);
        if capacity > 0 {
            assert_eq!(buffer[kept], 0, "capacity {capacity}");
        }
        assert!(
            buffer[capacity.min(kept + 1)..].iter().all(|&byte| byte == 0xff),
            "capacity {capacity}: written behind it"
        );
    }
    // SAFETY: without capacity the buffer may be NULL.
    assert_eq!(unsafe { ferronet_last_error(handle, null_mut(), 0) }, whole.len() as i64);
    free(handle);
}

#[test]
fn many_threads_may_read_and_replace_a_text() {
    let handle = started();
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let sent = Sent(handle);
            std::thread::spawn(move || {
                let sent = sent;
                for _ in 0..500 {
                    let text = last_error(sent.0);
                    assert!(text.is_empty() || text.contains("7000"), "{text}");
                }
            })
        })
        .collect();
    for i in 0..500 {
        assert_eq!(submit(handle, 70_000 + i % 10), FERRONET_ERR_INVALID_ARGUMENT);
    }
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    free(handle);
}

#[test]
fn a_caller_below_the_floor_is_told_both_numbers() {
    let params = ferronet_attach_params { built_for_revision: FERRONET_ABI_FLOOR - 1, ..params() };
    // SAFETY: both pointers name locals.
    assert_eq!(unsafe { ferronet_attach(&params, &mut null_mut()) }, FERRONET_ERR_ABI);
    let text = last_error(null());
    let wanted = format!(
        "built_for_revision is {}, but this library (ABI revision {FERRONET_ABI_REVISION}) serves callers from {FERRONET_ABI_FLOOR} on",
        FERRONET_ABI_FLOOR - 1
    );
    assert!(text.starts_with(&wanted), "{text}");
}

#[test]
fn a_caller_of_a_later_revision_is_served() {
    let params = ferronet_attach_params { built_for_revision: FERRONET_ABI_REVISION + 7, ..params() };
    let mut runtime = null_mut();
    // SAFETY: both pointers name locals.
    assert_eq!(unsafe { ferronet_attach(&params, &mut runtime) }, 0);
    free(runtime.cast());
}

#[test]
fn a_missing_feature_is_named() {
    let params = ferronet_attach_params { required_features: 1 << 40, ..params() };
    // SAFETY: both pointers name locals.
    assert_eq!(unsafe { ferronet_attach(&params, &mut null_mut()) }, FERRONET_ERR_FEATURE);
    assert!(last_error(null()).contains("feature unknown (bit 40)"), "{}", last_error(null()));
}

#[test]
fn a_configuration_out_of_range_is_named_with_its_value() {
    let runtime = runtime();
    let config = ferronet_reactor_config { submission_capacity: 1_000, ..config() };
    // SAFETY: the pointers name locals.
    let status = unsafe { ferronet_reactor_new(runtime.cast(), &config, &mut null_mut()) };
    assert_eq!(status, FERRONET_ERR_INVALID_ARGUMENT);
    assert!(last_error(runtime).contains("1000"), "{}", last_error(runtime));
    free(runtime);
}

#[test]
fn times_and_levels_out_of_range_are_named_with_their_values() {
    let (reactor, runtime) = (started(), runtime());
    // SAFETY: the handles live, and no record is submitted.
    unsafe {
        assert_eq!(ferronet_reactor_turn(reactor.cast(), 0, -2), i64::from(FERRONET_ERR_INVALID_ARGUMENT));
        assert!(last_error(reactor).contains("-2"), "{}", last_error(reactor));
        assert_eq!(ferronet_reactor_close(reactor.cast(), -3), i64::from(FERRONET_ERR_INVALID_ARGUMENT));
        assert!(last_error(reactor).contains("-3"), "{}", last_error(reactor));
        for level in [-1, 5, i32::MIN, i32::MAX] {
            assert_eq!(ferronet_log_set(runtime.cast(), level, None, null_mut()), FERRONET_ERR_INVALID_ARGUMENT);
            assert!(last_error(runtime).contains(&level.to_string()), "{}", last_error(runtime));
        }
    }
    free(reactor);
    free(runtime);
}

#[test]
fn a_call_during_another_one_is_busy() {
    let runtime = runtime();
    let config = ferronet_reactor_config { flags: ferronet::abi::config::FERRONET_REACTOR_ANY_THREAD, ..config() };
    let mut handle = null_mut();
    // SAFETY: the pointers name locals.
    unsafe {
        assert_eq!(ferronet_reactor_new(runtime.cast(), &config, &mut handle), 0);
        assert_eq!(ferronet_reactor_start(handle), 0);
    }
    let sent = Sent(handle.cast());
    let waiting = std::thread::spawn(move || {
        let sent = sent;
        loop {
            // SAFETY: no record is submitted.
            match unsafe { ferronet_reactor_turn(sent.0.cast(), 0, -1) } {
                // The other thread's attempts may come in between.
                busy if busy == i64::from(FERRONET_ERR_BUSY) => std::thread::yield_now(),
                status => return status,
            }
        }
    });
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while submit(handle.cast(), 0) != FERRONET_ERR_BUSY {
        assert!(std::time::Instant::now() < deadline, "the turn on the other thread never began");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(last_error(handle.cast()).contains("only ferronet_reactor_wake may overlap it"));
    // SAFETY: the handle lives.
    assert_eq!(unsafe { ferronet_reactor_wake(handle) }, 0);
    assert_eq!(waiting.join().unwrap(), 0);
    free(handle.cast());
    free(runtime);
}

#[test]
fn many_threads_may_wake_until_the_reactor_is_freed() {
    for backend in BACKENDS {
        let handle = started_on(backend);
        let wakers: Vec<_> = (0..4)
            .map(|_| {
                let sent = Sent(handle);
                std::thread::spawn(move || {
                    let sent = sent;
                    for _ in 0..2_000 {
                        // SAFETY: the reactor is freed after this thread has ended.
                        assert_eq!(unsafe { ferronet_reactor_wake(sent.0.cast()) }, 0);
                    }
                })
            })
            .collect();
        // SAFETY: no record is submitted.
        unsafe {
            for _ in 0..200 {
                assert_eq!(ferronet_reactor_turn(handle.cast(), 0, 100_000), 0);
            }
            assert_eq!(ferronet_reactor_close(handle.cast(), 0), 0);
        }
        wakers.into_iter().for_each(|waker| waker.join().unwrap());
        free(handle);
    }
}

#[test]
fn a_thread_that_ends_has_no_text() {
    use std::sync::mpsc;

    struct AsksOnDrop(mpsc::Sender<i64>);

    impl Drop for AsksOnDrop {
        fn drop(&mut self) {
            // SAFETY: no byte is asked for.
            self.0.send(unsafe { ferronet_last_error(null(), null_mut(), 0) }).unwrap();
        }
    }

    thread_local! {
        static EARLIER: std::cell::RefCell<Option<AsksOnDrop>> = const { std::cell::RefCell::new(None) };
    }
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        // The text is made after this, and therefore destroyed before it.
        EARLIER.set(Some(AsksOnDrop(sender)));
        assert!(ferronet_socket_open(99, 1) < 0);
    });
    thread.join().unwrap();
    assert!(receiver.recv().unwrap() >= 0);
}
