//! Bugs on purpose: a checker that does not notice them checks nothing.

use std::hint::black_box;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("out-of-bounds") => out_of_bounds(),
        Some("leak") => leak(),
        Some("race") => race(),
        other => {
            eprintln!("out-of-bounds, leak or race, not {other:?}");
            std::process::exit(2);
        }
    }
}

fn out_of_bounds() {
    let bytes = Box::new([1u8; 16]);
    let behind = black_box(bytes.as_ptr()).wrapping_add(black_box(16));
    // SAFETY: there is none: this is the bug.
    println!("{}", unsafe { *behind });
}

fn leak() {
    // On a thread of its own, whose stack does not keep the address.
    std::thread::spawn(|| std::mem::forget(black_box(vec![1u8; 4096]))).join().ok();
}

struct Shared(*mut u64);

// SAFETY: there is none: this is the bug.
unsafe impl Send for Shared {}

fn race() {
    let count = Box::into_raw(Box::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let shared = Shared(count);
            std::thread::spawn(move || {
                let shared = shared;
                for _ in 0..1000 {
                    // SAFETY: there is none: another thread does the same.
                    unsafe { *black_box(shared.0) += 1 };
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap_or_default());
    // SAFETY: the threads have ended.
    println!("{}", unsafe { Box::from_raw(count) });
}
