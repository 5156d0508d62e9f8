//! What the fuzz target begins with, and inputs that once failed.

use crate::driver;

#[test]
fn every_seed_keeps_the_promises() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/safety/tls-seeds");
    let mut seeds: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    let mut kinds = [0; driver::KINDS as usize];
    for seed in seeds {
        println!("{}", seed.display());
        let input = std::fs::read(&seed).unwrap();
        kinds[usize::from(input[0] % driver::KINDS)] += 1;
        driver::run(&input);
    }
    assert!(kinds.iter().all(|&seeds| seeds > 0), "seeds of each kind: {kinds:?}");
}

#[test]
fn mutated_seeds_keep_the_promises() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/safety/tls-seeds");
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize
    };
    for entry in std::fs::read_dir(directory).unwrap() {
        let seed = std::fs::read(entry.unwrap().path()).unwrap();
        for _ in 0..40 {
            let mut input = seed.clone();
            for _ in 0..=random() % 4 {
                let place = random() % input.len();
                match random() % 3 {
                    0 => input[place] ^= 1 << (random() % 8),
                    1 => input[place] = random() as u8,
                    _ => input.truncate(place.max(1)),
                }
            }
            driver::run(&input);
        }
    }
}
