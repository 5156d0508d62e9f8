//! The poll backend: epoll or kqueue behind the same records as io_uring.
//!
//! A socket is registered once, edge-triggered, in both directions. Sends and receives are tried at once; what would
//! block waits for the next event. A socket that has used up its share of a pass goes on in the next one, which then
//! does not wait.

#[cfg(target_os = "linux")]
mod epoll;
#[cfg(not(target_os = "linux"))]
mod kqueue;
mod lent;
mod queue;
mod readiness;
mod receive;
mod send;
mod socket;
mod system;

use std::collections::VecDeque;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::backend::Backend;
use super::completions::Completions;
use super::descriptors::Descriptors;
use super::request::Request;
use super::settings::Settings;
use super::slots::Slots;
use super::waker::Waker;
use crate::abi::config::{FERRONET_BACKEND_POLL, ferronet_reactor_info};
use crate::abi::record::*;
use crate::abi::status::*;
use crate::error::{Error, Result};

#[cfg(target_os = "linux")]
use epoll::Poller;
#[cfg(not(target_os = "linux"))]
use kqueue::Poller;
use lent::LentBuffers;
use receive::Read;
use socket::{Shared, Socket};

pub(crate) struct PollBackend {
    poller: Poller,
    waker: Arc<Waker>,
    sockets: Slots<Socket>,
    descriptors: Descriptors,
    shared: Shared,
    /// Sockets that can be served without waiting.
    ready: VecDeque<u32>,
}

// SAFETY: the raw pointers inside name the caller's memory, whose use the reactor's thread rule orders.
unsafe impl Send for PollBackend {}

impl PollBackend {
    /// A backend on the waker that callers already hold, if there is one.
    pub(crate) fn new(settings: &Settings, waker: Option<Arc<Waker>>) -> Result<Self> {
        let poller = Poller::new(waker)?;
        let waker = poller.waker();
        let shared = Shared { lent: LentBuffers::new(settings.lent_capacity as usize), in_flight: 0, syscalls: 0 };
        Ok(Self {
            poller,
            waker,
            sockets: Slots::default(),
            descriptors: Descriptors::default(),
            shared,
            ready: VecDeque::new(),
        })
    }

    /// # Safety
    /// Memory that the record names stays valid until the operation's final completion.
    unsafe fn take(&mut self, record: &ferronet_submission, out: &mut Completions) {
        let result = |result| ferronet_completion {
            user_data: record.user_data,
            result,
            socket: record.socket,
            ..Default::default()
        };
        // SAFETY: by the caller's promise.
        let request = match unsafe { Request::decode(record) } {
            Ok(request) => request,
            Err(status) => return out.push(result(status)),
        };
        if let Request::Lend { identity, address, length } = request {
            if let Err(status) = self.shared.lent.lend(identity, address, length) {
                out.push(result(status));
            }
            return;
        }
        let Some(socket) = self.sockets.get_mut(record.socket) else {
            return out.push(result(FERRONET_ERR_UNKNOWN_SOCKET));
        };
        let user_data = record.user_data;
        let multishot = record.flags & FERRONET_SUBMIT_MULTISHOT != 0;
        let more = record.flags & FERRONET_SUBMIT_MORE != 0;
        let shared = &mut self.shared;
        match request {
            // SAFETY: by the caller's promise.
            Request::Accept => unsafe { socket.await_input(Read::Accept { user_data, multishot }, shared, out) },
            // SAFETY: by the caller's promise.
            Request::Recv { address, length } => unsafe {
                socket.await_input(Read::Own { user_data, address, length }, shared, out)
            },
            // SAFETY: by the caller's promise.
            Request::RecvLent => unsafe { socket.await_input(Read::Lent { user_data, multishot }, shared, out) },
            // SAFETY: by the caller's promise.
            Request::Send(regions) => unsafe { socket.send(user_data, &regions, more, shared, out) },
            Request::Connect(address) => socket.connect(user_data, &address, shared, out),
            Request::Poll { events } => socket.watch(user_data, events, shared, out),
            Request::Shutdown { how } => {
                shared.syscalls += 1;
                out.push(result(system::shutdown(socket.descriptor, how).map_or_else(|errno| -errno, |()| 0)));
            }
            Request::Cancel { target } => {
                let found = socket.cancel(|candidate| target.is_none_or(|target| target == candidate), shared, out);
                out.push(result(found));
            }
            Request::Close => {
                socket.cancel(|_| true, shared, out);
                let descriptor = socket.descriptor;
                self.sockets.remove(record.socket);
                return out.push(result(self.close_descriptor(descriptor)));
            }
            Request::Lend { .. } => return,
        }
        Self::list(&mut self.ready, socket);
    }

    fn close_descriptor(&mut self, descriptor: RawFd) -> i32 {
        self.poller.remove(descriptor);
        self.descriptors.release(descriptor);
        self.shared.syscalls += 2;
        system::close(descriptor).map_or_else(|errno| -errno, |()| 0)
    }

    fn list(ready: &mut VecDeque<u32>, socket: &mut Socket) {
        if !socket.listed && socket.is_ready() {
            socket.listed = true;
            if std::mem::take(&mut socket.starved) {
                ready.push_front(socket.number);
            } else {
                ready.push_back(socket.number);
            }
        }
    }

    /// Waits unless something is at hand, and takes the events in. Neither a signal nor the late write of a wake-up that
    /// an earlier pass has seen already ends the wait.
    fn wait(&mut self, timeout: Option<Duration>, out: &mut Completions) -> Result<()> {
        let may_wait = timeout != Some(Duration::ZERO) && self.ready.is_empty() && out.is_empty();
        if !may_wait || !self.waker.sleep() {
            self.wait_once(Some(Duration::ZERO), out)?;
            return Ok(());
        }
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut left = timeout;
        loop {
            let ended = self.wait_once(left, out)?;
            left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if ended || left == Some(Duration::ZERO) || !self.waker.sleep() {
                return Ok(());
            }
        }
    }

    /// One system call. True if there is a reason to return: a socket's event or a wake-up.
    fn wait_once(&mut self, timeout: Option<Duration>, out: &mut Completions) -> Result<bool> {
        let waited = self.poller.wait(timeout);
        let notified = self.waker.awake();
        self.shared.syscalls += waited?;
        Ok(self.collect(out) || notified)
    }

    /// Takes in the events of a wait. True if one was a socket's.
    fn collect(&mut self, out: &mut Completions) -> bool {
        let mut of_a_socket = false;
        for index in 0..self.poller.filled() {
            let event = self.poller.event(index);
            if event.number == 0 {
                continue;
            }
            // An event of a socket that is gone has no one to go to.
            if let Some(socket) = self.sockets.get_mut(event.number) {
                of_a_socket = true;
                socket.report(event.state, &mut self.shared, out);
                Self::list(&mut self.ready, socket);
            }
        }
        of_a_socket
    }

    /// Serves each listed socket once.
    ///
    /// # Safety
    /// Memory of the operations in flight is valid.
    unsafe fn serve(&mut self, out: &mut Completions) {
        for _ in 0..self.ready.len() {
            if out.room() == 0 {
                return;
            }
            let Some(socket) = self.ready.pop_front().and_then(|number| self.sockets.get_mut(number)) else { continue };
            socket.listed = false;
            // SAFETY: by the caller's promise.
            unsafe {
                socket.write(&mut self.shared, out);
                socket.read(&mut self.shared, out);
            }
            Self::list(&mut self.ready, socket);
        }
    }
}

impl Backend for PollBackend {
    fn start(&mut self) -> Result<()> {
        Ok(())
    }

    unsafe fn submit(&mut self, records: &[ferronet_submission], out: &mut Completions) {
        for record in records {
            // SAFETY: by the caller's promise.
            unsafe { self.take(record, out) };
        }
    }

    unsafe fn poll(
        &mut self,
        records: &[ferronet_submission],
        timeout: Option<Duration>,
        out: &mut Completions,
    ) -> Result<()> {
        // SAFETY: by the caller's promise.
        unsafe { self.submit(records, out) };
        if out.room() > 0 {
            self.wait(timeout, out)?;
        }
        // SAFETY: by the caller's promise.
        unsafe { self.serve(out) };
        Ok(())
    }

    fn add(&mut self, descriptor: RawFd) -> Result<u32> {
        let datagram = self.descriptors.take(descriptor, true)?;
        system::prepare(descriptor);
        let Ok(number) = self.sockets.insert(Socket::new(0, descriptor, datagram)) else {
            self.descriptors.release(descriptor);
            return Err(Error::new(
                FERRONET_ERR_LIMIT,
                format!("a reactor holds at most {} sockets; use another one", Slots::<Socket>::LIMIT),
            ));
        };
        if let Some(socket) = self.sockets.get_mut(number) {
            socket.number = number;
        }
        if let Err(error) = self.poller.add(descriptor, number) {
            self.sockets.remove(number);
            self.descriptors.release(descriptor);
            return Err(error);
        }
        Ok(number)
    }

    fn remove(&mut self, socket: u32) -> Result<()> {
        let Some(found) = self.sockets.get(socket) else {
            return Err(Error::new(
                FERRONET_ERR_UNKNOWN_SOCKET,
                format!("remove: socket {socket} is unknown to this reactor"),
            ));
        };
        match found.in_flight() {
            0 => {}
            count => {
                return Err(Error::new(
                    FERRONET_ERR_BUSY,
                    format!(
                        "remove: socket {socket} has {count} operations in flight; cancel them and take their completions first"
                    ),
                ));
            }
        }
        self.poller.remove(found.descriptor);
        self.descriptors.release(found.descriptor);
        self.sockets.remove(socket);
        Ok(())
    }

    fn close(&mut self, _bound: Duration, out: &mut Completions) -> u64 {
        for number in self.sockets.numbers() {
            if let Some(mut socket) = self.sockets.remove(number) {
                socket.cancel(|_| true, &mut self.shared, out);
                self.close_descriptor(socket.descriptor);
            }
        }
        self.ready.clear();
        self.shared.lent.clear();
        self.shared.in_flight
    }

    fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    fn idle(&self) -> bool {
        self.sockets.is_empty() && self.shared.in_flight == 0
    }

    fn describe(&self, info: &mut ferronet_reactor_info) {
        info.backend = FERRONET_BACKEND_POLL;
        info.sockets = self.sockets.len() as u64;
        info.in_flight = self.shared.in_flight;
        info.lent = self.shared.lent.len() as u64;
        info.syscalls = self.shared.syscalls;
    }
}
