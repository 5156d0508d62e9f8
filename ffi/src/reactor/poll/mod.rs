//! The poll backend: epoll or kqueue.

use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use super::backend::Backend;
use super::completions::Completions;
use super::error::{Error, Result};
use super::settings::Settings;
use super::waker::Waker;
use crate::abi::config::{FERRONET_BACKEND_POLL, ferronet_reactor_info};
use crate::abi::record::ferronet_submission;
use crate::abi::status::FERRONET_ERR_UNKNOWN_SOCKET;

pub(crate) struct PollBackend {
    waker: Arc<Waker>,
}

impl PollBackend {
    pub(crate) fn new(_settings: &Settings, waker: Option<Arc<Waker>>) -> Result<Self> {
        let waker = match waker {
            Some(waker) => waker,
            None => Arc::new(Waker::new()?),
        };
        Ok(Self { waker })
    }
}

impl Backend for PollBackend {
    fn start(&mut self) -> Result<()> {
        Ok(())
    }

    unsafe fn submit(&mut self, _records: &[ferronet_submission], _out: &mut Completions) {}

    unsafe fn poll(
        &mut self,
        _records: &[ferronet_submission],
        _timeout: Option<Duration>,
        _out: &mut Completions,
    ) -> Result<()> {
        Ok(())
    }

    fn add(&mut self, _descriptor: RawFd) -> Result<u32> {
        Ok(1)
    }

    fn remove(&mut self, socket: u32) -> Result<()> {
        Err(Error::new(FERRONET_ERR_UNKNOWN_SOCKET, format!("socket {socket} is unknown to this reactor")))
    }

    fn close(&mut self, _bound: Duration, _out: &mut Completions) -> u64 {
        0
    }

    fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    fn idle(&self) -> bool {
        true
    }

    fn describe(&self, info: &mut ferronet_reactor_info) {
        info.backend = FERRONET_BACKEND_POLL;
    }
}
