//! From completion entries to completion records.

use std::mem::MaybeUninit;

use io_uring::cqueue;

use super::ops::{self, KEY_WAKE, Kind, NONE};
use super::start::{poll_result, status_of};
use super::{Socket, UringBackend};
use crate::abi::option::FERRONET_OPTION_ERROR;
use crate::abi::record::*;
use crate::abi::status::FERRONET_ERR_NO_BUFFERS;
use crate::reactor::completions::Completions;
use crate::reactor::{option, socket};

/// Completion entries that are read at once.
const BATCH: usize = 64;

/// One completion entry.
#[derive(Clone, Copy)]
struct Entry {
    result: i32,
    flags: u32,
}

impl Entry {
    fn more(self) -> bool {
        cqueue::more(self.flags)
    }

    fn nonempty(self) -> u32 {
        if cqueue::sock_nonempty(self.flags) { FERRONET_COMPLETE_NONEMPTY } else { 0 }
    }
}

impl UringBackend {
    /// Reads the kernel's completion entries as far as their records fit into the area of the turn.
    pub(super) fn collect(&mut self, out: &mut Completions) {
        while self.collect_batch(out.room(), out) {}
    }

    /// Reads all completion entries that can be seen.
    pub(super) fn collect_all(&mut self, out: &mut Completions) {
        while self.collect_batch(BATCH, out) {}
    }

    fn collect_batch(&mut self, most: usize, out: &mut Completions) -> bool {
        let mut batch = [const { MaybeUninit::<cqueue::Entry>::uninit() }; BATCH];
        let entries = self.ring.take(&mut batch[..most.min(BATCH)]);
        for entry in entries {
            self.finish(entry.user_data(), Entry { result: entry.result(), flags: entry.flags() }, out);
        }
        !entries.is_empty()
    }

    fn finish(&mut self, key: u64, entry: Entry, out: &mut Completions) {
        if key == KEY_WAKE {
            self.wake_armed = entry.more();
            return;
        }
        if let Some(target) = ops::cancelled_key(key) {
            // A request that is between two states is not found; it is asked for again until it has ended.
            if let Some(index) = self.ops.find(target).filter(|_| entry.result == -libc::ENOENT) {
                self.push_cancel(index);
            }
            return;
        }
        let Some(index) = self.ops.find(key) else { return };
        let op = self.ops.get(index);
        // The thread that submitted has ended, or a worker was interrupted: nobody asked for this.
        let lost = matches!(entry.result, e if e == -libc::ECANCELED || e == -libc::EINTR) && !op.cancelled;
        if lost && op.kind != Kind::Close {
            if op.kind == Kind::Connect {
                // A second connect would only hear that there is one already.
                op.kind = Kind::ConnectWait;
            }
            self.issue_or_fail(index, out);
            return;
        }
        // A cancelled request that a worker was running is interrupted.
        let interrupted = op.cancelled && entry.result == -libc::EINTR;
        let entry = if interrupted { Entry { result: -libc::ECANCELED, ..entry } } else { entry };
        match op.kind {
            Kind::Accept => self.finish_accept(index, entry, out),
            Kind::Recv => {
                let completion = plain(entry.result, entry.nonempty());
                let number = op.socket;
                self.note_drained(number, entry);
                self.complete(index, completion, out);
            }
            Kind::LentByKernel => self.finish_lent(index, entry, out),
            Kind::LentWait => self.finish_lent_wait(index, entry, out),
            Kind::LentRead { buffer, ended } => self.finish_lent_read(index, buffer, ended, entry, out),
            Kind::Send => self.finish_send(index, entry, out),
            Kind::Poll => {
                let result = if entry.result > 0 { poll_result(entry.result) } else { entry.result };
                self.complete(index, plain(result, 0), out);
            }
            Kind::Connect => self.complete(index, plain(entry.result, 0), out),
            Kind::ConnectWait => {
                let number = op.socket;
                let result = if entry.result < 0 { entry.result } else { self.pending_error(number) };
                self.complete(index, plain(result, 0), out);
            }
            Kind::Close => {
                let number = op.socket;
                if let Some(socket) = self.sockets.get_mut(number) {
                    socket.closed = Some(entry.result);
                }
                self.finish_close(number, out);
            }
        }
    }

    /// The outcome of a connect, negated; 0 is success.
    fn pending_error(&mut self, number: u32) -> i32 {
        self.ring.count_syscall();
        let descriptor = self.sockets.get(number).map_or(-1, |socket| socket.descriptor);
        match option::get(descriptor, FERRONET_OPTION_ERROR) {
            Ok(0) => socket::peer_address(descriptor).map_or(-libc::ENOTCONN, |_| 0),
            Ok(errno) => -(errno as i32),
            Err(error) => error.status,
        }
    }

    /// Whether the next receive had better wait for readiness at once.
    fn note_drained(&mut self, number: u32, entry: Entry) {
        if let Some(socket) = self.sockets.get_mut(number) {
            socket.drained = entry.result > 0 && entry.nonempty() == 0;
        }
    }

    /// Pushes a result of an operation that goes on if it is a multishot one, whether the kernel goes on by itself
    /// (`more`) or not: then it is started again.
    fn complete_and_go_on(
        &mut self,
        index: u32,
        more: bool,
        mut completion: ferronet_completion,
        out: &mut Completions,
    ) {
        let op = self.ops.get(index);
        let goes_on = more || op.has(FERRONET_SUBMIT_MULTISHOT) && !op.cancelled && self.issue(index).is_ok();
        if goes_on {
            completion.flags |= FERRONET_COMPLETE_MORE;
        }
        self.complete(index, completion, out);
    }

    fn finish_accept(&mut self, index: u32, entry: Entry, out: &mut Completions) {
        if entry.result < 0 {
            self.complete(index, plain(entry.result, 0), out);
        } else if self.shutting_down {
            // Nobody will read the record: the connection would stay open for ever.
            // SAFETY: the descriptor is new, and nothing else owns it.
            unsafe { libc::close(entry.result) };
            if !entry.more() {
                self.complete(index, plain(-libc::ECANCELED, 0), out);
            }
        } else {
            self.complete_and_go_on(index, entry.more(), plain(entry.result, 0), out);
        }
    }

    fn finish_lent(&mut self, index: u32, entry: Entry, out: &mut Completions) {
        let buffer = cqueue::buffer_select(entry.flags);
        match (entry.result, buffer) {
            (1.., Some(buffer)) => {
                self.lent.release(buffer);
                let op = self.ops.get(index);
                op.sent += 1;
                if let Some(socket) = self.sockets.get_mut(op.socket) {
                    if entry.nonempty() == 0 {
                        socket.scarce = 0;
                    }
                    socket.greedy = socket.scarce > self.lent.known();
                }
                self.complete_and_go_on(index, entry.more(), with_buffer(entry, buffer), out);
            }
            (result, buffer) => {
                let op = self.ops.get(index);
                if result == -libc::ENOBUFS
                    && let Some(socket) = self.sockets.get_mut(op.socket)
                {
                    (socket.scarce, socket.greedy) = (self.lent.known() + 1, op.sent > 0);
                }
                if let Some(buffer) = buffer {
                    self.lent.put_back(buffer);
                }
                let result = if result == -libc::ENOBUFS { FERRONET_ERR_NO_BUFFERS } else { result };
                self.complete(index, plain(result, 0), out);
            }
        }
    }

    fn finish_lent_wait(&mut self, index: u32, entry: Entry, out: &mut Completions) {
        let op = self.ops.get(index);
        if op.cancelled || entry.result < 0 {
            let result = if op.cancelled { -libc::ECANCELED } else { entry.result };
            self.complete(index, plain(result, 0), out);
            return;
        }
        let Some((identity, buffer)) = self.lent.pick() else {
            self.complete(index, plain(FERRONET_ERR_NO_BUFFERS, 0), out);
            return;
        };
        let datagram = self.sockets.get(op.socket).is_some_and(|socket| socket.datagram);
        op.kind = Kind::LentRead { buffer: identity, ended: datagram && entry.result & libc::POLLRDHUP as i32 != 0 };
        (op.address, op.length) = (buffer.address, buffer.length);
        if let Err(error) = self.issue(index) {
            self.lent.put_back(identity);
            self.complete(index, plain(status_of(&error), 0), out);
        }
    }

    fn finish_lent_read(&mut self, index: u32, buffer: u16, ended: bool, entry: Entry, out: &mut Completions) {
        self.ops.get(index).kind = Kind::LentWait;
        if entry.result > 0 {
            self.lent.release(buffer);
            self.complete_and_go_on(index, false, with_buffer(entry, buffer), out);
            return;
        }
        self.lent.put_back(buffer);
        let op = self.ops.get(index);
        match entry.result {
            error if error == -libc::EAGAIN && !op.cancelled && ended => self.complete(index, plain(0, 0), out),
            error if error == -libc::EAGAIN && !op.cancelled => self.issue_or_fail(index, out),
            error if error == -libc::EAGAIN => self.complete(index, plain(-libc::ECANCELED, 0), out),
            result => self.complete(index, plain(result, 0), out),
        }
    }

    fn finish_send(&mut self, index: u32, entry: Entry, out: &mut Completions) {
        let op = self.ops.get(index);
        let moved = u64::from(entry.result.max(0) as u32);
        op.sent += moved;
        let sent = op.sent;
        let result = match entry.result {
            _ if sent == op.total && entry.result >= 0 => sent as i32,
            1.. if !op.cancelled => {
                if op.address != 0 {
                    op.address += moved;
                    op.length -= moved as u32;
                } else {
                    ops::advance(op.store(), moved);
                }
                self.issue_or_fail(index, out);
                return;
            }
            0.. => sent as i32,
            error if error == -libc::ECANCELED && sent > 0 => sent as i32,
            error => error,
        };
        let extra = if result < 0 { sent } else { 0 };
        self.complete(index, ferronet_completion { result, extra, ..Default::default() }, out);
    }

    /// Pushes a completion of an operation; the final one also ends it.
    pub(super) fn complete(&mut self, index: u32, completion: ferronet_completion, out: &mut Completions) {
        let op = self.ops.get(index);
        let (number, user_data, kind) = (op.socket, op.user_data, op.kind);
        out.push(ferronet_completion { user_data, socket: number, ..completion });
        if completion.flags & FERRONET_COMPLETE_MORE != 0 {
            return;
        }
        let Some(socket) = self.sockets.get_mut(number) else {
            self.ops.remove(index, &mut { NONE });
            return;
        };
        self.ops.remove(index, &mut socket.first);
        let closing = socket.closing.is_some();
        if let Some(line) = socket.line(kind).filter(|line| line.current == index) {
            line.current = NONE;
            self.next_in_line(number, kind, out);
        }
        if closing && kind != Kind::Close {
            self.finish_close(number, out);
        }
    }

    /// Completes the CLOSE of a socket once it is the only operation left and the descriptor is closed.
    pub(super) fn finish_close(&mut self, number: u32, out: &mut Completions) {
        let Some(&Socket { closing: Some(index), closed: Some(result), first, .. }) = self.sockets.get(number) else {
            return;
        };
        if first != index || self.ops.next(index) != NONE {
            return;
        }
        self.complete(index, plain(result, 0), out);
        self.sockets.remove(number);
    }
}

fn plain(result: i32, flags: u32) -> ferronet_completion {
    ferronet_completion { result, flags, ..Default::default() }
}

fn with_buffer(entry: Entry, buffer: u16) -> ferronet_completion {
    let flags = FERRONET_COMPLETE_BUFFER | entry.nonempty();
    ferronet_completion { result: entry.result, flags, buffer: buffer.into(), ..Default::default() }
}
