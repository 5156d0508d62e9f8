//! Waking a sleeping loop from any thread: one word, and one kernel write per sleeping-to-awake edge.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::error::Result;

/// The loop runs; nobody has asked it to wake.
const AWAKE: u32 = 0;
/// The loop waits in the kernel, or is about to.
const SLEEPING: u32 = 1;
/// A wake-up was asked for and has not been seen by the loop.
const NOTIFIED: u32 = 2;

/// Who sleeps and who was notified.
#[derive(Debug)]
pub(crate) struct WakeWord(AtomicU32);

impl WakeWord {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(AWAKE))
    }

    /// Asks the loop to wake. True for the one caller that has to write to the kernel.
    pub(crate) fn notify(&self) -> bool {
        self.0.swap(NOTIFIED, Ordering::SeqCst) == SLEEPING
    }

    /// Says that the loop is about to wait. False if it was notified before: then it must not wait.
    pub(crate) fn sleep(&self) -> bool {
        if self.0.compare_exchange(AWAKE, SLEEPING, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            return true;
        }
        // Read and written in one: what was done before the notification is seen after it.
        self.0.swap(AWAKE, Ordering::SeqCst);
        false
    }

    /// Says that the loop does not wait, or no longer. True if it was notified meanwhile.
    pub(crate) fn awake(&self) -> bool {
        // A notification that comes right after this look is for the next wait.
        self.0.load(Ordering::Relaxed) != AWAKE && self.0.swap(AWAKE, Ordering::SeqCst) == NOTIFIED
    }
}

#[derive(Debug)]
enum Signal {
    #[cfg(target_os = "linux")]
    Event(std::os::fd::OwnedFd),
    #[cfg(not(target_os = "linux"))]
    Poller(std::sync::Arc<polling::Poller>),
}

/// Wakes one reactor. Shared by `Arc` and usable from any thread; the descriptor behind it is closed when the last
/// holder drops it, so that a late wake-up never writes into a reused descriptor.
#[derive(Debug)]
pub struct Waker {
    word: WakeWord,
    signal: Signal,
    writes: AtomicU64,
}

impl Waker {
    /// A waker over a new eventfd (non-blocking, close-on-exec).
    #[cfg(target_os = "linux")]
    pub(crate) fn new() -> Result<Self> {
        use std::os::fd::FromRawFd;
        // SAFETY: no pointer is passed.
        let descriptor = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if descriptor < 0 {
            return Err(crate::error::Error::last_os("eventfd for wake-ups"));
        }
        // SAFETY: the descriptor is new, and nothing else owns it.
        let event = unsafe { std::os::fd::OwnedFd::from_raw_fd(descriptor) };
        Ok(Self { word: WakeWord::new(), signal: Signal::Event(event), writes: AtomicU64::new(0) })
    }

    /// A waker that notifies a poller.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(poller: std::sync::Arc<polling::Poller>) -> Result<Self> {
        Ok(Self { word: WakeWord::new(), signal: Signal::Poller(poller), writes: AtomicU64::new(0) })
    }

    /// Makes the loop return from its wait, or not wait the next time. Any thread, any number of times; harmless after
    /// the reactor was closed. Wake-ups before the loop has looked collapse into one.
    pub fn wake(&self) {
        if crate::fault::take("no-wake").is_some() {
            return;
        }
        if self.word.notify() {
            self.writes.fetch_add(1, Ordering::Relaxed);
            self.signal();
        }
    }

    /// How often `wake` had to write to the kernel.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Called by the loop before it waits. False: it was notified, and must not wait.
    pub(crate) fn sleep(&self) -> bool {
        self.word.sleep()
    }

    /// Called by the loop after each pass, waiting or not. True: it was notified.
    pub(crate) fn awake(&self) -> bool {
        self.word.awake()
    }

    #[cfg(target_os = "linux")]
    fn signal(&self) {
        let Signal::Event(event) = &self.signal;
        let one = 1u64.to_ne_bytes();
        loop {
            // SAFETY: the buffer holds 8 bytes, and the descriptor is open as long as `self` lives.
            let written =
                unsafe { libc::write(std::os::fd::AsRawFd::as_raw_fd(event), one.as_ptr().cast(), one.len()) };
            // EAGAIN means that the counter is full: the descriptor is readable all the same.
            if written >= 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return;
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn signal(&self) {
        let Signal::Poller(poller) = &self.signal;
        // A failed notification leaves the word notified: the loop sees it before it waits the next time.
        let _ = poller.notify();
    }

    /// The eventfd, for registration.
    #[cfg(target_os = "linux")]
    pub(crate) fn descriptor(&self) -> std::os::fd::RawFd {
        let Signal::Event(event) = &self.signal;
        std::os::fd::AsRawFd::as_raw_fd(event)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_write_per_edge() {
        let word = WakeWord::new();
        assert!(!word.notify(), "the loop is awake");
        assert!(!word.notify());
        assert!(!word.sleep(), "a notification before the wait is not lost");
        assert!(word.sleep());
        assert!(word.notify(), "the sleeping loop needs a write");
        assert!(!word.notify(), "the second one does not");
        assert!(word.awake());
        assert!(word.sleep());
        assert!(!word.awake());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn writes_once_however_many_threads_wake() {
        let waker = std::sync::Arc::new(Waker::new().unwrap());
        assert!(waker.sleep());
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let waker = waker.clone();
                std::thread::spawn(move || (0..1000).for_each(|_| waker.wake()))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(waker.writes(), 1);
        assert!(waker.awake());
    }
}

#[cfg(all(test, loom))]
mod interleavings {
    use loom::sync::atomic::AtomicBool;
    use loom::sync::{Arc, Condvar, Mutex};

    use super::*;

    const WAKERS: usize = 2;

    /// What the wakers leave for the loop, and the event that ends its wait.
    struct Shared {
        word: WakeWord,
        tasks: [AtomicBool; WAKERS],
        event: Mutex<(usize, usize)>,
        written: Condvar,
    }

    /// `RUSTFLAGS="--cfg loom" cargo test --release --lib interleavings`
    #[test]
    fn no_notification_is_lost_and_none_is_written_twice() {
        loom::model(|| {
            let shared = Arc::new(Shared {
                word: WakeWord::new(),
                tasks: std::array::from_fn(|_| AtomicBool::new(false)),
                event: Mutex::new((0, 0)),
                written: Condvar::new(),
            });
            let threads: Vec<_> = (0..WAKERS)
                .map(|index| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        shared.tasks[index].store(true, Ordering::Relaxed);
                        if shared.word.notify() {
                            let mut event = shared.event.lock().unwrap();
                            event.0 += 1;
                            event.1 += 1;
                            shared.written.notify_one();
                        }
                    })
                })
                .collect();
            let mut waits = 0;
            while !shared.tasks.iter().all(|task| task.load(Ordering::Relaxed)) {
                if shared.word.sleep() {
                    waits += 1;
                    let mut event = shared.event.lock().unwrap();
                    while event.0 == 0 {
                        event = shared.written.wait(event).unwrap();
                    }
                    event.0 = 0;
                }
                shared.word.awake();
            }
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert!(shared.event.lock().unwrap().1 <= waits);
        });
    }
}
