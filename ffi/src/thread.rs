//! A number for each thread, cheap to ask for and never that of another thread, even after the first has ended; and
//! whether the process was forked.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// The calling thread's number; never 0. Unlike `std::thread::current` it allocates nothing.
#[inline]
pub(crate) fn number() -> u64 {
    NUMBER.with(|number| if number.get() == 0 { assign(number) } else { number.get() })
}

#[cold]
fn assign(number: &Cell<u64>) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    number.set(NEXT.fetch_add(1, Ordering::Relaxed));
    number.get()
}

/// How often this process and its ancestors forked since the library was first asked.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Changes in a child process. Counted from the first call of `watch_forks` on.
#[inline]
pub(crate) fn forks() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// Has `forks` count from now on.
pub(crate) fn watch_forks() {
    extern "C" fn count() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler touches nothing but a number, and the system drops it when the library is unloaded. Want of
        // memory is no reason to refuse anything here: then forks are not noticed.
        unsafe { libc::pthread_atfork(None, None, Some(count)) };
    });
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_kept_and_never_shared() {
        let here = number();
        assert_eq!(number(), here);
        let mut numbers: Vec<u64> = (0..20).filter_map(|_| std::thread::spawn(number).join().ok()).collect();
        numbers.push(here);
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 21);
        assert!(!numbers.contains(&0));
    }
}
