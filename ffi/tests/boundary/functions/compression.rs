//! The functions of compression.

use super::*;

fn deflate_and_free() -> i32 {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    let status = unsafe { ferronet_deflate_new(null(), &mut stream) };
    // SAFETY: the stream is new.
    if status < 0 { status } else { unsafe { ferronet_deflate_free(stream) } }
}

fn inflate_and_free() -> i32 {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    let status = unsafe { ferronet_inflate_new(null(), &mut stream) };
    // SAFETY: the stream is new.
    if status < 0 { status } else { unsafe { ferronet_inflate_free(stream) } }
}

/// An empty stream, and the room for it.
static EMPTY: [u8; 2] = [3, 0];

fn whole(call: impl FnOnce(*mut c_void) -> i64) -> i64 {
    call([0u8; 64].as_mut_ptr().cast()).min(0)
}

#[allow(unused_unsafe, reason = "some functions are safe to call")]
pub const COMPRESSION: &[Function] = &[
    function!(ferronet_deflate_bound, Nothing, |_h| ferronet_deflate_bound(10).min(0), [], OK),
    function!(
        ferronet_deflate_buffer,
        Nothing,
        |_h| whole(|room| ferronet_deflate_buffer(null(), null(), 0, room, 64)),
        [
            |_h| whole(|room| ferronet_deflate_buffer(null(), null(), 1, room, 64)),
            |_h| ferronet_deflate_buffer(null(), null(), 0, null_mut(), 64)
        ],
        OK
    ),
    function!(ferronet_deflate_free, Deflate, |h| ferronet_deflate_free(h.cast()), [], OK),
    function!(
        ferronet_deflate_new,
        Nothing,
        |_h| deflate_and_free(),
        [|_h| ferronet_deflate_new(null(), null_mut())],
        OK
    ),
    function!(
        ferronet_deflate_process,
        Deflate,
        |h| ferronet_deflate_process(h.cast(), null(), null(), 0, sized!(ferronet_codec_progress)),
        [
            |h| ferronet_deflate_process(h.cast(), null(), null(), 0, null_mut()),
            |h| ferronet_deflate_process(h.cast(), &nowhere(1), null(), 0, sized!(ferronet_codec_progress)),
            |h| ferronet_deflate_process(h.cast(), null(), &nowhere(1), 0, sized!(ferronet_codec_progress))
        ],
        OK
    ),
    function!(ferronet_deflate_reset, Deflate, |h| ferronet_deflate_reset(h.cast(), null()), [], OK),
    function!(
        ferronet_deflate_set_dictionary,
        Deflate,
        |h| ferronet_deflate_set_dictionary(h.cast(), null(), 0),
        [|h| ferronet_deflate_set_dictionary(h.cast(), null(), 2)],
        OK
    ),
    function!(
        ferronet_inflate_buffer,
        Nothing,
        |_h| whole(|room| ferronet_inflate_buffer(null(), EMPTY.as_ptr().cast(), 2, room, 64)),
        [
            |_h| whole(|room| ferronet_inflate_buffer(null(), null(), 2, room, 64)),
            |_h| ferronet_inflate_buffer(null(), EMPTY.as_ptr().cast(), 2, null_mut(), 64)
        ],
        OK
    ),
    function!(ferronet_inflate_free, Inflate, |h| ferronet_inflate_free(h.cast()), [], OK),
    function!(
        ferronet_inflate_new,
        Nothing,
        |_h| inflate_and_free(),
        [|_h| ferronet_inflate_new(null(), null_mut())],
        OK
    ),
    function!(
        ferronet_inflate_process,
        Inflate,
        |h| ferronet_inflate_process(h.cast(), null(), null(), 0, sized!(ferronet_codec_progress)),
        [
            |h| ferronet_inflate_process(h.cast(), null(), null(), 0, null_mut()),
            |h| ferronet_inflate_process(h.cast(), &nowhere(1), null(), 0, sized!(ferronet_codec_progress)),
            |h| ferronet_inflate_process(h.cast(), null(), &nowhere(1), 0, sized!(ferronet_codec_progress))
        ],
        OK
    ),
    function!(ferronet_inflate_reset, Inflate, |h| ferronet_inflate_reset(h.cast(), null()), [], OK),
    function!(
        ferronet_inflate_set_dictionary,
        Inflate,
        |h| ferronet_inflate_set_dictionary(h.cast(), EMPTY.as_ptr().cast(), 2),
        [|h| ferronet_inflate_set_dictionary(h.cast(), null(), 2)],
        OK
    ),
];

/// A new compression stream.
pub fn deflate() -> *mut c_void {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    assert_eq!(unsafe { ferronet_deflate_new(null(), &mut stream) }, 0, "{}", last_error(null_mut()));
    stream.cast()
}

/// A new decompression stream.
pub fn inflate() -> *mut c_void {
    let mut stream = null_mut();
    // SAFETY: the pointer names a local; NULL asks for the defaults.
    assert_eq!(unsafe { ferronet_inflate_new(null(), &mut stream) }, 0, "{}", last_error(null_mut()));
    stream.cast()
}
