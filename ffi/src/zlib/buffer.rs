//! Whole streams at once, with states that the calling thread keeps: a new state costs about 10 microseconds.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use super::deflate::{Deflate, DeflateConfig};
use super::inflate::{Inflate, InflateConfig};
use super::{Flush, State};
use crate::abi::status::{FERRONET_ERR_DATA, FERRONET_ERR_TOO_SMALL};
use crate::error::{Error, Result};

/// States of each kind that a thread keeps; small and large bodies of two formats.
const KEPT: usize = 4;

thread_local! {
    static DEFLATE: RefCell<Vec<Deflate>> = const { RefCell::new(Vec::new()) };
    static INFLATE: RefCell<Vec<Inflate>> = const { RefCell::new(Vec::new()) };
}

/// Compresses the input as one stream, and returns the bytes written. [`super::bound`] has the room that always suffices.
///
/// # Errors
/// A setting out of range; `FERRONET_ERR_TOO_SMALL` when the output has no room for the whole stream.
pub fn deflate_buffer(config: DeflateConfig, input: &[u8], output: &mut [MaybeUninit<u8>]) -> Result<usize> {
    let mut config = config;
    config.expected_length = input.len() as u64;
    let shape = config.shape()?;
    let kept = DEFLATE.with_borrow_mut(|kept| {
        kept.iter().position(|deflate| deflate.current_shape() == shape).map(|index| kept.swap_remove(index))
    });
    let mut deflate = match kept {
        Some(mut deflate) => {
            deflate.reset(Some(config))?;
            deflate
        }
        None => Deflate::new(config)?,
    };
    let capacity = output.len();
    let progress = deflate.process(input, output, Flush::Finish)?;
    if progress.state == State::End {
        DEFLATE.with_borrow_mut(|kept| keep(kept, deflate));
        return Ok(progress.produced);
    }
    // The state goes with what it has left, which may be much.
    Err(Error::new(
        FERRONET_ERR_TOO_SMALL,
        format!(
            "the output has room for {capacity} bytes, which {} bytes of input do not fit: provide ferronet_deflate_bound bytes",
            input.len()
        ),
    ))
}

/// Decompresses the input, which must be one whole stream, and returns the bytes written.
///
/// # Errors
/// As for [`Inflate::process`]; `FERRONET_ERR_TOO_SMALL` when the output has no room for all of it; `FERRONET_ERR_DATA`
/// when bytes follow the stream.
pub fn inflate_buffer(config: InflateConfig, input: &[u8], output: &mut [MaybeUninit<u8>]) -> Result<usize> {
    let mut inflate = match INFLATE.with_borrow_mut(Vec::pop) {
        Some(mut inflate) => {
            inflate.reset(Some(config))?;
            inflate
        }
        None => Inflate::new(config)?,
    };
    let capacity = output.len();
    let (mut consumed, mut produced) = (0usize, 0usize);
    let outcome = loop {
        let room = if produced < capacity { &mut output[produced..] } else { &mut [MaybeUninit::uninit()] };
        match inflate.process(&input[consumed..], room, Flush::Finish) {
            Err(error) => break Err(error),
            Ok(progress) if produced == capacity && progress.produced > 0 => {
                let text = format!(
                    "the output has room for {capacity} bytes, but the stream has more: provide more room, or use a stream"
                );
                break Err(Error::new(FERRONET_ERR_TOO_SMALL, text));
            }
            Ok(progress) => {
                consumed += progress.consumed;
                produced += progress.produced;
                if progress.state == State::End {
                    break Ok(());
                }
            }
        }
    };
    INFLATE.with_borrow_mut(|kept| keep(kept, inflate));
    outcome?;
    if consumed < input.len() {
        return Err(Error::new(
            FERRONET_ERR_DATA,
            format!("the stream ends at byte {consumed}, but the input has {}: pass the stream alone", input.len()),
        ));
    }
    Ok(produced)
}

fn keep<T>(kept: &mut Vec<T>, state: T) {
    if kept.len() == KEPT {
        kept.remove(0);
    }
    kept.push(state);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::super::Format;
    use super::*;

    #[test]
    fn a_thread_keeps_nothing_of_what_did_not_fit() {
        let input: Vec<u8> = (0..1u32 << 16).flat_map(|n| n.wrapping_mul(0x9e37_79b1).to_le_bytes()).collect();
        let mut output = vec![MaybeUninit::uninit(); 300_000];
        for room in [1_000, 300_000] {
            let outcome = deflate_buffer(DeflateConfig::new(Format::Gzip), &input, &mut output[..room]);
            assert_eq!(outcome.is_ok(), room > 1_000);
            let kept = DEFLATE.with_borrow(|kept| kept.iter().map(Deflate::undelivered).sum::<usize>());
            assert_eq!(kept, 0);
        }
    }
}
