//! What is known of a socket's state between two waits.

/// A receive or an accept may succeed.
pub(super) const READABLE: u8 = 1;
/// A send may succeed.
pub(super) const WRITABLE: u8 = 2;
/// The peer closed its sending side.
pub(super) const PEER_CLOSED: u8 = 4;
/// Both directions are closed.
pub(super) const HUNG_UP: u8 = 8;
/// An error is pending.
pub(super) const FAILED: u8 = 16;
/// Urgent data has been announced: reads stop at its mark.
pub(super) const URGENT: u8 = 32;

/// In any of these states a short read says nothing about what is left.
pub(super) const READ_TO_THE_END: u8 = PEER_CLOSED | HUNG_UP | FAILED | URGENT;
/// What a socket may be when nothing has been tried on it.
pub(super) const UNTRIED: u8 = READABLE | WRITABLE;

/// One event of a wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// The socket's number; 0 for the waker.
    pub(super) number: u32,
    /// Bits of this module.
    pub(super) state: u8,
}
