//! From submission records to requests of the kernel.

use std::io;
use std::ptr;

use io_uring::{opcode, squeue, types};

use super::UringBackend;
use super::buffers::GROUP;
use super::ops::{self, Kind, NONE, Store};
use crate::abi::config::{FERRONET_RING_BUFFER_RING, FERRONET_RING_MULTISHOT_ACCEPT, FERRONET_RING_MULTISHOT_RECV};
use crate::abi::record::*;
use crate::abi::status::{FERRONET_ERR_UNKNOWN_SOCKET, Status};
use crate::fault;
use crate::reactor::completions::Completions;
use crate::reactor::request::{Regions, Request};

/// Wait for readiness before the first attempt (Linux 5.19).
const RECVSEND_POLL_FIRST: u16 = 1 << 0;
/// Receive again and again (Linux 6.0).
const RECV_MULTISHOT: u16 = 1 << 1;

const POLL_EVENTS: [(u32, i16); 5] = [
    (FERRONET_POLL_IN, libc::POLLIN),
    (FERRONET_POLL_OUT, libc::POLLOUT),
    (FERRONET_POLL_RDHUP, libc::POLLRDHUP),
    (FERRONET_POLL_ERR, libc::POLLERR),
    (FERRONET_POLL_HUP, libc::POLLHUP),
];

/// `FERRONET_POLL_*` from the kernel's events.
pub(super) fn poll_result(events: i32) -> i32 {
    let known = POLL_EVENTS.iter().filter(|(_, event)| events & i32::from(*event) != 0);
    known.fold(0, |bits, (bit, _)| bits | *bit as i32)
}

fn poll_events(bits: u32) -> u32 {
    let known = POLL_EVENTS.iter().filter(|(bit, _)| bits & bit != 0);
    known.fold(0, |events, (_, event)| events | *event as u32)
}

/// The status of a request that the kernel did not take.
pub(super) fn status_of(error: &io::Error) -> Status {
    -error.raw_os_error().unwrap_or(libc::EIO)
}

impl UringBackend {
    /// Takes and queues all records. CLOSE is carried out before this returns; other requests wait for `enter`.
    ///
    /// # Safety
    /// Memory that a record names stays valid until the operation's final completion.
    pub(super) unsafe fn start_all(&mut self, records: &[ferronet_submission], out: &mut Completions) {
        for record in records {
            // SAFETY: the caller's promise.
            if let Err(status) = unsafe { self.start_one(record, out) } {
                Self::push_completion(out, record.socket, record.user_data, status);
            }
        }
        // Not only before an `enter`: without deferred task work the kernel takes buffers at any system call.
        self.lent.publish();
        if !self.closings.is_empty() {
            self.finish_closings(out);
        }
    }

    /// # Safety
    /// As for `start_all`.
    unsafe fn start_one(&mut self, record: &ferronet_submission, out: &mut Completions) -> Result<(), Status> {
        // SAFETY: the caller's promise.
        let request = unsafe { Request::decode(record) }?;
        if let Request::Lend { identity, address, length } = request {
            return self.lent.lend(identity, address, length);
        }
        let open = self.sockets.get(record.socket).filter(|socket| socket.closing.is_none());
        let descriptor = open.ok_or(FERRONET_ERR_UNKNOWN_SOCKET)?.descriptor;
        match request {
            Request::Recv { address, length } => {
                let index = self.new_op(Kind::Recv, record);
                let op = self.ops.get(index);
                (op.address, op.length) = (address, length);
                self.line_up(index, out);
            }
            Request::Send(regions) => self.start_send(record, regions, out),
            Request::RecvLent => {
                let by_kernel = self.has(FERRONET_RING_BUFFER_RING);
                let index = self.new_op(if by_kernel { Kind::LentByKernel } else { Kind::LentWait }, record);
                self.line_up(index, out);
            }
            Request::Accept => {
                if let Some(errno) = fault::take("accept") {
                    return Err(-(errno as i32));
                }
                let index = self.new_op(Kind::Accept, record);
                self.issue_or_fail(index, out);
            }
            Request::Connect(address) => {
                let index = self.new_op(Kind::Connect, record);
                let store = self.ops.get(index).store();
                let length = (address.len() as usize).min(size_of_val(&store.address));
                // SAFETY: both sides hold at least `length` bytes, and do not overlap.
                unsafe {
                    let to = ptr::from_mut(&mut store.address).cast::<u8>();
                    ptr::copy_nonoverlapping(address.as_ptr().cast::<u8>(), to, length);
                }
                store.address_length = length as libc::socklen_t;
                self.issue_or_fail(index, out);
            }
            Request::Poll { events } => {
                let index = self.new_op(Kind::Poll, record);
                self.ops.get(index).length = poll_events(events);
                self.issue_or_fail(index, out);
            }
            Request::Shutdown { how } => {
                // The kernel's own SHUTDOWN request runs later on a worker thread. What was queued before goes first.
                if how != libc::SHUT_RD {
                    self.send_without_waiting(record.socket, out);
                }
                self.submit_queued().map_err(|error| status_of(&error))?;
                self.ring.count_syscall();
                // SAFETY: no pointer is passed.
                if unsafe { libc::shutdown(descriptor, how) } < 0 {
                    return Err(status_of(&io::Error::last_os_error()));
                }
                Self::push_completion(out, record.socket, record.user_data, 0);
            }
            Request::Close => self.start_close(record, out),
            Request::Cancel { target } => {
                let found = self.cancel(record.socket, target, out);
                Self::push_completion(out, record.socket, record.user_data, found);
            }
            Request::Lend { .. } => {}
        }
        Ok(())
    }

    /// A new operation of a socket that exists.
    pub(super) fn new_op(&mut self, kind: Kind, record: &ferronet_submission) -> u32 {
        let mut none = NONE;
        let first = self.sockets.get_mut(record.socket).map_or(&mut none, |socket| &mut socket.first);
        self.ops.insert(kind, record.socket, record.user_data, record.flags, first)
    }

    fn start_send(&mut self, record: &ferronet_submission, regions: Regions<'_>, out: &mut Completions) {
        let index = self.new_op(Kind::Send, record);
        let op = self.ops.get(index);
        let mut filled = regions.iter();
        let first = filled.next().unwrap_or_default();
        (op.address, op.length, op.total) = (first.addr, first.len as u32, first.len);
        let mut second = filled.next();
        if second.is_some() {
            let mut total = first.len;
            let store = op.store();
            store.first = 0;
            store.regions.push(iovec(first));
            while let Some(region) = second {
                total += region.len;
                store.regions.push(iovec(region));
                second = filled.next();
            }
            (op.address, op.length, op.total) = (0, 0, total);
        }
        self.line_up(index, out);
    }

    /// Starts an operation of a direction now, or when those before it have ended.
    fn line_up(&mut self, index: u32, out: &mut Completions) {
        let op = self.ops.get(index);
        let Some(line) = self.sockets.get_mut(op.socket).and_then(|socket| socket.line(op.kind)) else { return };
        if line.current == NONE {
            line.current = index;
            self.issue_or_fail(index, out);
        } else {
            line.waiting.push_back(index);
        }
    }

    /// Sends what waits behind other sends, as far as there is room: it was asked for before what comes now.
    pub(super) fn send_without_waiting(&mut self, number: u32, out: &mut Completions) {
        let waiting = |this: &Self| this.sockets.get(number).map_or(0, |socket| socket.sends.waiting.len());
        let mut left = waiting(self);
        while left > 0 {
            let outcome = self.enter(0, true, None);
            self.collect_all(out);
            let now = waiting(self);
            if now == left && !outcome.is_err_and(|error| error.raw_os_error() == Some(libc::EINTR)) {
                return;
            }
            left = now;
        }
    }

    /// Queues the operation's request; if that is impossible, the operation ends with the reason.
    pub(super) fn issue_or_fail(&mut self, index: u32, out: &mut Completions) {
        if let Err(error) = self.issue(index) {
            let op = self.ops.get(index);
            let extra = if op.kind == Kind::Send { op.sent } else { 0 };
            let result = status_of(&error);
            self.complete(index, ferronet_completion { result, extra, ..Default::default() }, out);
        }
    }

    /// Queues the request for the operation's present state.
    pub(super) fn issue(&mut self, index: u32) -> io::Result<()> {
        let key = self.ops.key(index);
        let features = self.features;
        let op = self.ops.get(index);
        let Some(socket) = self.sockets.get(op.socket) else {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        };
        let descriptor = types::Fd(socket.descriptor);
        let multishot = |feature: u64| op.flags & FERRONET_SUBMIT_MULTISHOT != 0 && features & feature != 0;
        let entry = match op.kind {
            Kind::Accept if multishot(FERRONET_RING_MULTISHOT_ACCEPT) => {
                opcode::AcceptMulti::new(descriptor).flags(libc::SOCK_CLOEXEC).build()
            }
            Kind::Accept => {
                opcode::Accept::new(descriptor, ptr::null_mut(), ptr::null_mut()).flags(libc::SOCK_CLOEXEC).build()
            }
            Kind::Connect => {
                let store = op.store();
                opcode::Connect::new(descriptor, ptr::from_ref(&store.address).cast(), store.address_length).build()
            }
            Kind::ConnectWait => opcode::PollAdd::new(descriptor, libc::POLLOUT as u32).build(),
            Kind::Recv => {
                let wait_first = if socket.drained && self.poll_first { RECVSEND_POLL_FIRST } else { 0 };
                opcode::Recv::new(descriptor, op.address as *mut u8, op.length).ioprio(wait_first).build()
            }
            Kind::LentByKernel => {
                // The kernel picks a buffer before it looks for bytes: without any, a quiet socket would end at once. And it
                // receives as soon as it sees the request, before it serves those that have waited.
                let wait_first = if self.lent.held() == 0 || socket.greedy { RECVSEND_POLL_FIRST } else { 0 };
                // On a datagram socket the kernel's own repetition never hears that reading was shut down.
                let scarce = socket.scarce > self.lent.known();
                let repeated = multishot(FERRONET_RING_MULTISHOT_RECV) && !socket.datagram && !scarce;
                let again = if repeated { RECV_MULTISHOT } else { 0 };
                opcode::Recv::new(descriptor, ptr::null_mut(), 0)
                    .ioprio(wait_first | again)
                    .buf_group(GROUP)
                    .build()
                    .flags(squeue::Flags::BUFFER_SELECT)
            }
            Kind::LentWait => opcode::PollAdd::new(descriptor, (libc::POLLIN | libc::POLLRDHUP) as u32).build(),
            Kind::LentRead { .. } => {
                opcode::Recv::new(descriptor, op.address as *mut u8, op.length).flags(libc::MSG_DONTWAIT).build()
            }
            Kind::Send => {
                let more = if op.has(FERRONET_SUBMIT_MORE) { libc::MSG_MORE } else { 0 };
                let flags = libc::MSG_WAITALL | libc::MSG_NOSIGNAL | more;
                if op.address != 0 || op.total == 0 {
                    opcode::Send::new(descriptor, op.address as *const u8, op.length).flags(flags).build()
                } else {
                    let store: &mut Store = op.store();
                    ops::point_message(store);
                    opcode::SendMsg::new(descriptor, ptr::from_ref(&store.message)).flags(flags as u32).build()
                }
            }
            Kind::Poll => opcode::PollAdd::new(descriptor, op.length).build(),
            Kind::Close => opcode::Close::new(descriptor).build(),
        };
        op.submitted = true;
        // SAFETY: the entry points to the operation's store, whose address is fixed and which lives until the final
        // completion, or to memory that the caller of `submit` or `poll` keeps valid until then.
        unsafe { self.push(entry.user_data(key)) }
    }

    /// Starts the operation that waits first in the line of that kind, now that none is under way.
    pub(super) fn next_in_line(&mut self, number: u32, kind: Kind, out: &mut Completions) {
        loop {
            let Some(line) = self.sockets.get_mut(number).and_then(|socket| socket.line(kind)) else { return };
            let Some(index) = line.waiting.pop_front() else { return };
            line.current = index;
            match self.issue(index) {
                Ok(()) => return,
                Err(error) => {
                    if let Some(line) = self.sockets.get_mut(number).and_then(|socket| socket.line(kind)) {
                        line.current = NONE;
                    }
                    let result = status_of(&error);
                    self.complete(index, ferronet_completion { result, ..Default::default() }, out);
                }
            }
        }
    }

    /// Cancels the operations of a socket with this `user_data`, or all; returns how many there were.
    pub(super) fn cancel(&mut self, number: u32, target: Option<u64>, out: &mut Completions) -> i32 {
        let mut found = 0;
        if target.is_none() {
            found += self.cancel_waiting(number, out);
        }
        let mut index = self.sockets.get(number).map_or(NONE, |socket| socket.first);
        while index != NONE {
            let next = self.ops.next(index);
            if target.is_none_or(|target| self.ops.get(index).user_data == target) {
                found += 1;
                self.cancel_op(index, number, out);
            }
            index = next;
        }
        found
    }

    /// Ends the operations of a socket that the kernel does not have; returns how many there were.
    pub(super) fn cancel_waiting(&mut self, number: u32, out: &mut Completions) -> i32 {
        let Some(socket) = self.sockets.get_mut(number) else { return 0 };
        let mut found = 0;
        for index in socket.take_waiting() {
            found += 1;
            self.complete(index, ferronet_completion { result: -libc::ECANCELED, ..Default::default() }, out);
        }
        found
    }

    fn cancel_op(&mut self, index: u32, number: u32, out: &mut Completions) {
        let op = self.ops.get(index);
        if op.cancelled {
            return;
        }
        op.cancelled = true;
        if op.submitted {
            self.push_cancel(index);
            return;
        }
        if let Some(line) = self.sockets.get_mut(number).and_then(|socket| socket.line(op.kind)) {
            line.waiting.retain(|&waiting| waiting != index);
        }
        self.complete(index, ferronet_completion { result: -libc::ECANCELED, ..Default::default() }, out);
    }

    /// Asks the kernel to cancel an operation. An answer comes only if that failed.
    pub(super) fn push_cancel(&mut self, index: u32) {
        let key = self.ops.key(index);
        let entry = opcode::AsyncCancel::new(key).build().user_data(ops::cancel_key(key));
        let entry = entry.flags(squeue::Flags::SKIP_SUCCESS);
        // What cannot be queued now is a cancel that came too late: the operation ends by itself, or with its socket.
        // SAFETY: the entry points to no memory.
        let _ = unsafe { self.push(entry) };
    }
}

fn iovec(region: ferronet_region) -> libc::iovec {
    libc::iovec { iov_base: region.addr as *mut libc::c_void, iov_len: region.len as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poll_events_translate_both_ways() {
        for bit in 0..5 {
            assert_eq!(poll_result(poll_events(1 << bit) as i32), 1 << bit);
        }
        assert_eq!(poll_events(FERRONET_POLL_IN | FERRONET_POLL_RDHUP), (libc::POLLIN | libc::POLLRDHUP) as u32);
        assert_eq!(poll_result(libc::POLLIN as i32 | 0x4000), FERRONET_POLL_IN as i32);
    }
}
