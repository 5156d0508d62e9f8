//! The functions of compression: values out of range, regions, threads, and what the texts say.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ferronet::abi::record::ferronet_region;
use ferronet::abi::status::*;
use ferronet::abi::zlib::*;
use ferronet::boundary::zlib::*;

use crate::functions::*;

fn deflate_config() -> ferronet_deflate_config {
    ferronet_deflate_config { size: size_of::<ferronet_deflate_config>() as u32, ..Default::default() }
}

fn inflate_config() -> ferronet_inflate_config {
    ferronet_inflate_config { size: size_of::<ferronet_inflate_config>() as u32, ..Default::default() }
}

fn region(bytes: &[u8]) -> ferronet_region {
    ferronet_region { addr: bytes.as_ptr() as u64, len: bytes.len() as u64 }
}

fn room(bytes: &mut [u8]) -> ferronet_region {
    ferronet_region { addr: bytes.as_mut_ptr() as u64, len: bytes.len() as u64 }
}

fn progress() -> ferronet_codec_progress {
    ferronet_codec_progress { size: size_of::<ferronet_codec_progress>() as u32, ..Default::default() }
}

#[test]
fn every_setting_out_of_range_is_named() {
    let deflate = [
        (ferronet_deflate_config { format: FERRONET_CODEC_AUTO, ..deflate_config() }, "format is 4"),
        (ferronet_deflate_config { level: -1, ..deflate_config() }, "level is -1"),
        (ferronet_deflate_config { level: 12, ..deflate_config() }, "level is 12"),
        (ferronet_deflate_config { window_bits: 8, ..deflate_config() }, "window_bits is 8"),
        (ferronet_deflate_config { memory_level: 10, ..deflate_config() }, "memory_level is 10"),
        (ferronet_deflate_config { strategy: 5, ..deflate_config() }, "strategy is 5"),
    ];
    for (config, expected) in deflate {
        let mut stream = null_mut();
        // SAFETY: the pointers name locals.
        let status = unsafe { ferronet_deflate_new(&config, &mut stream) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
        assert!(last_error(null()).starts_with(expected), "{}", last_error(null()));
        // SAFETY: as above; the memory is empty.
        let status = unsafe { ferronet_deflate_buffer(&config, null(), 0, null_mut(), 0) };
        assert_eq!(name(status), "FERRONET_ERR_INVALID_ARGUMENT");
        let stream = crate::functions::deflate();
        // SAFETY: as above.
        let status = unsafe { ferronet_deflate_reset(stream.cast(), &config) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
        assert!(last_error(stream).starts_with(expected), "{}", last_error(stream));
        free(stream);
    }
    let inflate = [
        (ferronet_inflate_config { format: 5, ..inflate_config() }, "format is 5"),
        (ferronet_inflate_config { flags: 4, ..inflate_config() }, "flags is 4"),
        (ferronet_inflate_config { window_bits: 16, ..inflate_config() }, "window_bits is 16"),
        (ferronet_inflate_config { reserved: 1, ..inflate_config() }, "reserved is 1"),
    ];
    for (config, expected) in inflate {
        let stream = crate::functions::inflate();
        // SAFETY: the pointers name locals.
        let status = unsafe { ferronet_inflate_reset(stream.cast(), &config) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
        assert!(last_error(stream).starts_with(expected), "{}", last_error(stream));
        free(stream);
    }
    for flush in [1, 5, u32::MAX] {
        let stream = crate::functions::deflate();
        // SAFETY: the pointers name locals.
        let status = unsafe { ferronet_deflate_process(stream.cast(), null(), null(), flush, &mut progress()) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
        assert!(last_error(stream).starts_with(&format!("flush is {flush}")), "{}", last_error(stream));
        free(stream);
    }
}

#[test]
fn every_level_and_format_round_trips_through_the_functions() {
    let document = b"a document that is a document that is a document".repeat(20);
    for format in [FERRONET_CODEC_GZIP, FERRONET_CODEC_ZLIB, FERRONET_CODEC_RAW] {
        for level in 0..=11 {
            let config = ferronet_deflate_config { format, level, ..deflate_config() };
            let (mut packed, mut result) = ([0u8; 4096], [0u8; 4096]);
            // SAFETY: the pointers name locals with the room that is stated.
            let (length, back) = unsafe {
                let length =
                    ferronet_deflate_buffer(&config, document.as_ptr().cast(), 960, packed.as_mut_ptr().cast(), 4096);
                let back = ferronet_inflate_buffer(
                    null(),
                    packed.as_ptr().cast(),
                    length.unsigned_abs(),
                    result.as_mut_ptr().cast(),
                    4096,
                );
                (length, back)
            };
            assert!(length > 0 && length <= ferronet_deflate_bound(960), "{}", last_error(null()));
            assert_eq!(back, 960, "{}", last_error(null()));
            assert_eq!(result[..960], document[..]);
        }
    }
}

#[test]
fn progress_has_totals_checksum_and_members() {
    let stream = deflate();
    let mut packed = [0u8; 100];
    let (mut done, output) = (progress(), room(&mut packed));
    // SAFETY: the pointers name locals.
    let status = unsafe {
        ferronet_deflate_process(stream.cast(), &region(b"123456789"), &output, FERRONET_FLUSH_FINISH, &mut done)
    };
    assert_eq!(status, 0, "{}", last_error(stream));
    // The check value of CRC-32.
    assert_eq!(
        (done.state, done.consumed, done.total_in, done.checksum, done.members),
        (FERRONET_CODEC_END, 9, 9, 0xcbf4_3926, 1)
    );
    assert_eq!((done.size as usize, done.produced), (size_of::<ferronet_codec_progress>(), done.total_out));
    let packed = packed[..done.produced as usize].repeat(3);
    free(stream);
    let stream = inflate();
    let config = ferronet_inflate_config { flags: FERRONET_INFLATE_CONCATENATED, ..inflate_config() };
    // SAFETY: as above.
    assert_eq!(unsafe { ferronet_inflate_reset(stream.cast(), &config) }, 0);
    let mut at = 0;
    for member in 1..=3 {
        let mut result = [0u8; 100];
        let (mut done, output) = (progress(), room(&mut result));
        // SAFETY: as above.
        let status = unsafe {
            ferronet_inflate_process(stream.cast(), &region(&packed[at..]), &output, FERRONET_FLUSH_FINISH, &mut done)
        };
        assert_eq!(status, 0, "{}", last_error(stream));
        let state = if member < 3 { FERRONET_CODEC_NEEDS_OUTPUT } else { FERRONET_CODEC_END };
        assert_eq!((done.state, done.produced, done.members, done.checksum), (state, 9, member, 0xcbf4_3926));
        assert_eq!(result[..9], *b"123456789");
        at += done.consumed as usize;
    }
    assert_eq!(at, packed.len());
    free(stream);
}

#[test]
fn regions_that_overlap_are_refused() {
    let mut memory = [b'x'; 100];
    let whole = room(&mut memory);
    for (from, length, to, capacity) in [(0, 50, 49, 50), (49, 50, 0, 50), (0, 100, 0, 100), (10, 1, 0, 100)] {
        let stream = deflate();
        let input = ferronet_region { addr: whole.addr + from, len: length };
        let output = ferronet_region { addr: whole.addr + to, len: capacity };
        // SAFETY: the regions lie within a local.
        let status = unsafe { ferronet_deflate_process(stream.cast(), &input, &output, 0, &mut progress()) };
        assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
        assert!(last_error(stream).contains("overlap"), "{}", last_error(stream));
        free(stream);
    }
    let stream = deflate();
    let (input, output) = (ferronet_region { len: 50, ..whole }, ferronet_region { addr: whole.addr + 50, len: 50 });
    // SAFETY: as above.
    assert_eq!(unsafe { ferronet_deflate_process(stream.cast(), &input, &output, 0, &mut progress()) }, 0);
    let endless = ferronet_region { len: u64::MAX, ..whole };
    // SAFETY: no memory has this length, so that it is refused.
    let status = unsafe { ferronet_deflate_process(stream.cast(), &endless, null(), 0, &mut progress()) };
    assert_eq!(name(status.into()), "FERRONET_ERR_INVALID_ARGUMENT");
    free(stream);
}

#[test]
fn an_error_is_kept_until_a_reset_and_the_output_is_not_written() {
    let stream = inflate();
    let mut result = [0u8; 16];
    let output = room(&mut result);
    let mut done = ferronet_codec_progress { consumed: 77, ..progress() };
    for _ in 0..2 {
        // SAFETY: the pointers name locals.
        let status =
            unsafe { ferronet_inflate_process(stream.cast(), &region(b"\x1f\x8b\x07\0"), &output, 0, &mut done) };
        assert_eq!(name(status.into()), "FERRONET_ERR_DATA");
        assert_eq!(done.consumed, 77, "written although the call failed");
        assert!(last_error(stream).starts_with("invalid gzip data at byte "), "{}", last_error(stream));
    }
    // SAFETY: as above.
    let status = unsafe {
        ferronet_inflate_reset(stream.cast(), null());
        ferronet_inflate_process(stream.cast(), &region(&[3, 0]), &output, FERRONET_FLUSH_FINISH, &mut done)
    };
    assert_eq!((status, done.state), (0, FERRONET_CODEC_END));
    free(stream);
}

#[test]
fn a_stream_may_move_between_threads_but_not_be_shared() {
    let stream = deflate();
    let process = |stream: *mut c_void| {
        // SAFETY: the pointers name locals; the stream serves one thread at a time.
        unsafe { ferronet_deflate_process(stream.cast(), null(), null(), 0, &mut progress()) }
    };
    assert_eq!(process(stream), 0);
    assert_eq!(on_another_thread(stream, process), 0);
    let mut busy = 0;
    // Long enough for the other thread to come in between.
    let large: Vec<u8> = (0..8u32 << 20).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
    std::thread::scope(|scope| {
        let (sent, large) = (Sent(stream), &large);
        let worker = scope.spawn(move || {
            let sent = sent;
            let mut packed = vec![0u8; 16 << 20];
            let (input, output) = (region(large), room(&mut packed));
            loop {
                // SAFETY: as above.
                let status = unsafe { ferronet_deflate_process(sent.0.cast(), &input, &output, 0, &mut progress()) };
                if status != FERRONET_ERR_BUSY {
                    return status;
                }
            }
        });
        while !worker.is_finished() {
            // SAFETY: a stream in use is refused.
            match unsafe { ferronet_deflate_reset(stream.cast(), null()) } {
                0 => {}
                status => {
                    assert_eq!(status, FERRONET_ERR_BUSY);
                    busy += 1;
                    // SAFETY: as above.
                    assert_eq!(unsafe { ferronet_deflate_free(stream.cast()) }, FERRONET_ERR_BUSY);
                    break;
                }
            }
        }
        let _ = worker.join();
    });
    assert!(busy > 0, "the two calls never met");
    free(stream);
}

#[test]
fn the_bound_never_overflows() {
    assert_eq!(ferronet_deflate_bound(u64::MAX), i64::MAX);
    assert_eq!(ferronet_deflate_bound(0), 23);
}
