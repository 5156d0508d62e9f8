//! The metadata block, and what the running system allows.

use ferronet::abi::config::*;
use ferronet::abi::features::*;
use ferronet::abi::info::*;
use ferronet::abi::layout::FINGERPRINT;
use ferronet::boundary::abi::ferronet_abi;
use ferronet::boundary::runtime::ferronet_probe;

use crate::functions::on_another_thread;

fn text(field: &[u8]) -> &str {
    let end = field.iter().position(|&byte| byte == 0).expect("a text ends with a zero byte");
    assert!(field[end..].iter().all(|&byte| byte == 0), "a text is padded with zero bytes");
    std::str::from_utf8(&field[..end]).unwrap()
}

#[test]
fn the_block_says_what_was_built() {
    // SAFETY: the block is constant.
    let info = unsafe { &*ferronet_abi() };
    assert_eq!(info.magic.to_le_bytes(), *b"FNAB");
    assert_eq!(info.struct_size as usize, size_of::<ferronet_abi_info>());
    assert_eq!((info.abi_revision, info.abi_floor), (FERRONET_ABI_REVISION, FERRONET_ABI_FLOOR));
    assert!(info.abi_floor <= info.abi_revision);
    assert_eq!(info.layout_fingerprint, FINGERPRINT);
    assert_eq!(text(&info.version), env!("CARGO_PKG_VERSION"));
    assert!(text(&info.target).starts_with(std::env::consts::ARCH), "{}", text(&info.target));
    assert!(!text(&info.build_id).is_empty());
    assert_eq!(info.flags & FERRONET_ABI_TEST_HOOKS != 0, cfg!(feature = "test-hooks"));
    assert_eq!(info.flags & FERRONET_ABI_DEBUG != 0, cfg!(debug_assertions));
    assert_eq!(info.features_built & FERRONET_FEATURE_EPOLL != 0, cfg!(target_os = "linux"));
}

#[test]
fn the_block_is_the_same_on_every_thread() {
    let there = on_another_thread(std::ptr::null_mut(), |_| ferronet_abi() as usize);
    assert_eq!(ferronet_abi() as usize, there);
}

#[test]
fn what_the_system_allows_was_built_and_the_rest_has_a_reason() {
    let mut caps = ferronet_caps { size: size_of::<ferronet_caps>() as u32, ..Default::default() };
    // SAFETY: the structure has the size that it states.
    assert_eq!(unsafe { ferronet_probe(&mut caps) }, 0);
    assert_eq!(caps.available & !BUILT, 0, "available, but not built");
    let poll = FERRONET_FEATURE_EPOLL | FERRONET_FEATURE_KQUEUE;
    for (bits, reason) in [(FERRONET_FEATURE_IO_URING, caps.uring_reason), (poll, caps.poll_reason)] {
        assert_eq!(caps.available & bits != 0, reason == FERRONET_REASON_NONE, "{caps:?}");
    }
    if cfg!(target_os = "linux") {
        assert!(caps.kernel_version >> 16 >= 3, "{caps:?}");
    }
}
