//! The frozen records of the shared memory areas: submissions, completions, regions and addresses.
#![allow(non_camel_case_types)]

/// One operation that the caller asks for. 64 bytes, frozen since revision 1.
///
/// Written by the caller into the submission area, read by `ferronet_reactor_turn` and `ferronet_reactor_submit` on the
/// same thread. Fields that an operation does not use must be zero. Memory that a record names stays the caller's, and
/// must stay valid and (for a send) unchanged until the operation's final completion; an address record or a region
/// array is copied before the call returns.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_submission {
    /// One of the `FERRONET_OP_*` values.
    pub op: u8,
    /// `FERRONET_SUBMIT_*` bits.
    pub flags: u8,
    /// Must be zero.
    pub reserved0: u16,
    /// The socket, as returned by `ferronet_reactor_add`; zero for operations without one.
    pub socket: u32,
    /// Echoed in every completion of this operation. Unique among the operations in flight on one socket.
    pub user_data: u64,
    /// Address of the first region, of the region array, or of a `ferronet_address`.
    pub addr0: u64,
    /// Bytes of the first region, entries of the region array, poll events, or shutdown direction.
    pub len0: u32,
    /// Bytes of the second region of a send.
    pub len1: u32,
    /// Address of the second region of a send.
    pub addr1: u64,
    /// CANCEL: `user_data` of the target. LEND: identity of the buffer (0 to 65,535).
    pub arg0: u64,
    /// Must be zero.
    pub reserved1: [u64; 2],
}

/// One result. 32 bytes, frozen since revision 1. Valid until the next `ferronet_reactor_turn`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_completion {
    /// `user_data` of the submission.
    pub user_data: u64,
    /// Bytes moved, accepted descriptor, poll events, 0, or a negative status.
    pub result: i32,
    /// `FERRONET_COMPLETE_*` bits.
    pub flags: u32,
    /// The socket of the submission.
    pub socket: u32,
    /// Identity of the lent buffer that holds the bytes, when `FERRONET_COMPLETE_BUFFER` is set.
    pub buffer: u32,
    /// With a buffer: offset of the bytes in it. Failed send: bytes that were sent before the failure.
    pub extra: u64,
}

/// One memory region of a gathered send. 16 bytes, frozen since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ferronet_region {
    /// Address of the first byte.
    pub addr: u64,
    /// Bytes.
    pub len: u64,
}

/// A socket address in a form that is the same on every platform. 128 bytes, frozen since revision 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ferronet_address {
    /// One of the `FERRONET_FAMILY_*` values.
    pub family: u32,
    /// Port in host byte order (vsock: port).
    pub port: u32,
    /// IPv6 scope id (vsock: context id); 0 otherwise.
    pub scope_id: u32,
    /// Valid bytes in `data`: 4, 16, or the length of a Unix path or abstract name.
    pub length: u32,
    /// IP address in network byte order, or the Unix name (an abstract name begins with a zero byte).
    pub data: [u8; 112],
}

impl Default for ferronet_address {
    fn default() -> Self {
        Self { family: 0, port: 0, scope_id: 0, length: 0, data: [0; 112] }
    }
}

/// Accepts connections on a listening socket; result: the new descriptor, owned by the caller. On a socket that does not
/// listen it ends at once, whatever else waits there; so does a RECV on one that listens. Since revision 1.
pub const FERRONET_OP_ACCEPT: u8 = 1;
/// Connects; `addr0` names a `ferronet_address`. Result: EALREADY while another CONNECT of the socket is under way,
/// EISCONN on a stream socket that is, or was, connected; a datagram socket gets another peer. Since revision 1.
pub const FERRONET_OP_CONNECT: u8 = 2;
/// Receives into `addr0`/`len0`, or into lent buffers with `FERRONET_SUBMIT_LENT`. Result 0 is the end of the stream, or
/// that the receiving direction was shut down and what had come before is received (datagram sockets, too).
/// Receives of one socket run in the order of their records, one after the other; so do sends.
/// Since revision 1.
pub const FERRONET_OP_RECV: u8 = 3;
/// Sends one or two regions whole: one completion, whose result is the sum, a negative status, or fewer bytes after a
/// cancel. Since revision 1.
pub const FERRONET_OP_SEND: u8 = 4;
/// Sends `len0` (at most 1,024) regions named by a `ferronet_region` array at `addr0`; completes like SEND.
/// Since revision 1.
pub const FERRONET_OP_SEND_GATHER: u8 = 5;
/// Waits for the `FERRONET_POLL_*` events in `len0`; result: the events that occurred. Since revision 1.
pub const FERRONET_OP_POLL: u8 = 6;
/// Shuts down the direction in `len0` (`FERRONET_SHUTDOWN_*`). Since revision 1.
pub const FERRONET_OP_SHUTDOWN: u8 = 7;
/// Cancels all operations of the socket, closes its descriptor and frees its number; completes last of them.
/// Since revision 1.
pub const FERRONET_OP_CLOSE: u8 = 8;
/// Cancels the operation with `user_data` = `arg0` on the socket, or all with `FERRONET_SUBMIT_ALL`; result: operations
/// found. Since revision 1.
pub const FERRONET_OP_CANCEL: u8 = 9;
/// Lends the buffer `addr0`/`len0` with identity `arg0`. It has no completion unless it is refused. Since revision 1.
pub const FERRONET_OP_LEND: u8 = 10;

/// Go on after the first result: further completions follow, each but the last with `FERRONET_COMPLETE_MORE`.
/// Since revision 1.
pub const FERRONET_SUBMIT_MULTISHOT: u8 = 1;
/// Receive into a lent buffer. Since revision 1.
pub const FERRONET_SUBMIT_LENT: u8 = 2;
/// CANCEL: every operation of the socket. Since revision 1.
pub const FERRONET_SUBMIT_ALL: u8 = 4;
/// SEND: more data follows soon (MSG_MORE). Since revision 1.
pub const FERRONET_SUBMIT_MORE: u8 = 8;

/// The operation goes on; this is not its final completion. Since revision 1.
pub const FERRONET_COMPLETE_MORE: u32 = 1;
/// `buffer` and `extra` name a lent buffer; it is the caller's again unless `FERRONET_COMPLETE_BUFFER_MORE` is set.
/// Since revision 1.
pub const FERRONET_COMPLETE_BUFFER: u32 = 2;
/// The library keeps the lent buffer, and will put further bytes behind these. Since revision 1.
pub const FERRONET_COMPLETE_BUFFER_MORE: u32 = 4;
/// The socket is known to have more bytes to receive. Since revision 1.
pub const FERRONET_COMPLETE_NONEMPTY: u32 = 8;

/// Bytes to read, or a connection to accept. Since revision 1.
pub const FERRONET_POLL_IN: u32 = 1;
/// Room to write. Since revision 1.
pub const FERRONET_POLL_OUT: u32 = 2;
/// The peer closed its sending side, or the connection is gone. Reported even if not asked for. Since revision 1.
pub const FERRONET_POLL_RDHUP: u32 = 4;
/// An error is pending on the socket. Reported even if not asked for. Since revision 1.
pub const FERRONET_POLL_ERR: u32 = 8;
/// Both directions are closed. Reported even if not asked for. Since revision 1.
pub const FERRONET_POLL_HUP: u32 = 16;

/// Shut down receiving. Since revision 1.
pub const FERRONET_SHUTDOWN_READ: u32 = 0;
/// Shut down sending: the peer reads end of stream. Since revision 1.
pub const FERRONET_SHUTDOWN_WRITE: u32 = 1;
/// Shut down both directions. Since revision 1.
pub const FERRONET_SHUTDOWN_BOTH: u32 = 2;

/// Unix socket name. Since revision 1.
pub const FERRONET_FAMILY_UNIX: u32 = 1;
/// IPv4. Since revision 1.
pub const FERRONET_FAMILY_IPV4: u32 = 4;
/// IPv6. Since revision 1.
pub const FERRONET_FAMILY_IPV6: u32 = 6;
/// vsock. Since revision 1.
pub const FERRONET_FAMILY_VSOCK: u32 = 40;

/// A byte stream. Since revision 1.
pub const FERRONET_SOCKET_STREAM: u32 = 1;
/// Datagrams. Since revision 1.
pub const FERRONET_SOCKET_DATAGRAM: u32 = 2;

const _: () = {
    assert!(size_of::<ferronet_submission>() == 64);
    assert!(size_of::<ferronet_completion>() == 32);
    assert!(size_of::<ferronet_region>() == 16);
    assert!(size_of::<ferronet_address>() == 128);
};
