//! Handles: what a C pointer to an opaque type points at.
//!
//! A handle's memory is never given back to the allocator: freed handles wait in a queue and are used again much later.
//! So a stale pointer finds a handle that says "freed", not foreign memory. (A pointer that is stale for very long may
//! find another handle: defined, though wrong.)

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::codec::Codec;
use super::log::Runtime;
use super::reactor_handle::Loop;
use crate::abi::status::{FERRONET_ERR_CLOSED, FERRONET_ERR_INVALID_HANDLE, FERRONET_ERR_POISONED};
use crate::reactor::{Error, Result};
#[cfg(feature = "tls")]
use crate::tls::{Context, Credential, Session};
use crate::zlib::{Deflate, Inflate};

const MAGIC: u64 = u64::from_le_bytes(*b"FNhandle");
/// Freed handles that wait before the oldest of them is used again.
const REST: usize = 256;

/// What a handle is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Freed = 0,
    Runtime = 1,
    Reactor = 2,
    Deflate = 3,
    Inflate = 4,
    TlsCredential = 5,
    TlsContext = 6,
    TlsSession = 7,
    /// In a question: any kind that lives.
    Any = 8,
}

impl Kind {
    fn of(number: u32) -> Self {
        match number {
            1 => Self::Runtime,
            2 => Self::Reactor,
            3 => Self::Deflate,
            4 => Self::Inflate,
            5 => Self::TlsCredential,
            6 => Self::TlsContext,
            7 => Self::TlsSession,
            _ => Self::Freed,
        }
    }

    /// Parameter name, type, and where it comes from.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Runtime => ("runtime", "ferronet_runtime", "ferronet_attach"),
            Self::Reactor => ("reactor", "ferronet_reactor", "ferronet_reactor_new"),
            Self::Deflate => ("deflate", "ferronet_deflate", "ferronet_deflate_new"),
            Self::Inflate => ("inflate", "ferronet_inflate", "ferronet_inflate_new"),
            Self::TlsCredential => ("credential", "ferronet_tls_credential", "ferronet_tls_credential_new"),
            Self::TlsContext => ("context", "ferronet_tls_context", "ferronet_tls_context_new"),
            Self::TlsSession => ("session", "ferronet_tls_session", "ferronet_tls_session_new"),
            Self::Freed | Self::Any => ("handle", "Ferronet handle", "ferronet_attach or a ferronet_*_new"),
        }
    }
}

pub(super) enum Body {
    None,
    Runtime(Arc<Runtime>),
    Reactor(Box<Loop>),
    Deflate(Box<Codec<Deflate>>),
    Inflate(Box<Codec<Inflate>>),
    #[cfg(feature = "tls")]
    TlsCredential(Box<Credential>),
    #[cfg(feature = "tls")]
    TlsContext(Arc<Context>),
    #[cfg(feature = "tls")]
    TlsSession(Box<Codec<Session>>),
}

/// The magic number comes first, so that behind a pointer to something else no more than eight bytes are read.
#[repr(C)]
pub(super) struct Handle {
    magic: u64,
    kind: AtomicU32,
    poisoned: AtomicBool,
    error: Mutex<String>,
    body: UnsafeCell<Body>,
}

// SAFETY: everything but the body is made for sharing. The body changes only while its handle is made or freed, which
// no other call may overlap (CONVENTIONS.md), and `Loop` and `Codec` guard their own parts.
unsafe impl Sync for Handle {}
// SAFETY: as above; a reactor may be made on one thread and driven by another.
unsafe impl Send for Handle {}

static RESTING: Mutex<VecDeque<&'static Handle>> = Mutex::new(VecDeque::new());

impl Handle {
    /// A new handle around the body.
    pub(super) fn make(body: Body) -> &'static Self {
        let kind = match &body {
            Body::None => Kind::Freed,
            Body::Runtime(_) => Kind::Runtime,
            Body::Reactor(_) => Kind::Reactor,
            Body::Deflate(_) => Kind::Deflate,
            Body::Inflate(_) => Kind::Inflate,
            #[cfg(feature = "tls")]
            Body::TlsCredential(_) => Kind::TlsCredential,
            #[cfg(feature = "tls")]
            Body::TlsContext(_) => Kind::TlsContext,
            #[cfg(feature = "tls")]
            Body::TlsSession(_) => Kind::TlsSession,
        };
        let mut resting = RESTING.lock().unwrap_or_else(PoisonError::into_inner);
        let rested = if resting.len() > REST { resting.pop_front() } else { None };
        drop(resting);
        let handle = rested.unwrap_or_else(|| {
            Box::leak(Box::new(Self {
                magic: MAGIC,
                kind: AtomicU32::new(Kind::Freed as u32),
                poisoned: AtomicBool::new(false),
                error: Mutex::new(String::new()),
                body: UnsafeCell::new(Body::None),
            }))
        });
        handle.set_error("");
        handle.poisoned.store(false, Ordering::Relaxed);
        // SAFETY: a resting or new handle has no other user.
        unsafe { *handle.body.get() = body };
        handle.kind.store(kind as u32, Ordering::Release);
        handle
    }

    /// The handle behind a pointer from C, if it is one of that kind and lives.
    #[inline]
    pub(super) fn resolve(pointer: *const Self, kind: Kind) -> Result<&'static Self> {
        let plausible = !pointer.is_null() && pointer.is_aligned();
        // SAFETY: CONVENTIONS.md asks for pointers from this library (whose handles are never unmapped) or to other
        // readable objects; the magic number tells them apart.
        if plausible && unsafe { (&raw const (*pointer).magic).read() } == MAGIC {
            // SAFETY: the magic number says that it is a handle, and handles live for ever.
            let handle = unsafe { &*pointer };
            let found = Kind::of(handle.kind.load(Ordering::Acquire));
            if found == kind || (kind == Kind::Any && found != Kind::Freed) {
                return Ok(handle);
            }
            return Err(Self::refuse(kind, Some(found)));
        }
        Err(if pointer.is_null() { null(kind) } else { Self::refuse(kind, None) })
    }

    #[cold]
    fn refuse(kind: Kind, found: Option<Kind>) -> Error {
        let (name, expected, origin) = kind.words();
        match found {
            Some(Kind::Freed) => Error::new(
                FERRONET_ERR_CLOSED,
                format!("{name} was freed before; pass a handle from {origin} that still lives"),
            ),
            Some(other) => Error::new(
                FERRONET_ERR_INVALID_HANDLE,
                format!("{name} is a {}, but a {expected} is needed: pass one from {origin}", other.words().1),
            ),
            None => Error::new(
                FERRONET_ERR_INVALID_HANDLE,
                format!("{name} points to something that is no {expected}: pass one from {origin}"),
            ),
        }
    }

    /// Begins to end the handle. Of several calls that try it at once, by mistake, one gets it; the others find it freed.
    pub(super) fn claim(&'static self, kind: Kind) -> Result<Ending> {
        let live = kind as u32;
        match self.kind.compare_exchange(live, Kind::Freed as u32, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(Ending { handle: self, kind: live }),
            Err(found) => Err(Self::refuse(kind, Some(Kind::of(found)))),
        }
    }

    /// Ends the handle, of which nothing has to be looked at before, and gives its body to the caller.
    pub(super) fn end(&'static self) -> Result<Body> {
        let kind = Kind::of(self.kind.load(Ordering::Acquire));
        if kind == Kind::Freed {
            return Err(Self::refuse(Kind::Any, Some(kind)));
        }
        self.claim(kind).map(Ending::finish)
    }

    #[inline]
    pub(super) fn body(&self) -> &Body {
        // SAFETY: the body is replaced only by `make` and by an `Ending`, which no call on the handle overlaps: other calls
        // that end it do not reach the body.
        unsafe { &*self.body.get() }
    }

    /// The runtime that the handle belongs to; none while the handle is being ended.
    pub(super) fn runtime(&self) -> Option<Arc<Runtime>> {
        if Kind::of(self.kind.load(Ordering::Acquire)) == Kind::Freed {
            return None;
        }
        match self.body() {
            Body::Runtime(runtime) => Some(Arc::clone(runtime)),
            Body::Reactor(reactor) => Some(Arc::clone(reactor.runtime())),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn check_poison(&self) -> Result<()> {
        if self.is_poisoned() {
            return Err(Error::new(
                FERRONET_ERR_POISONED,
                "an earlier call on this handle ended in a panic, so its state is unknown: free it and make a new one",
            ));
        }
        Ok(())
    }

    #[inline]
    pub(super) fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Acquire)
    }

    pub(super) fn poison(&self) {
        self.poisoned.store(true, Ordering::Release);
    }

    pub(super) fn set_error(&self, text: &str) {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.clear();
        error.push_str(text);
    }

    pub(super) fn with_error<R>(&self, read: impl FnOnce(&str) -> R) -> R {
        read(&self.error.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A handle that is being ended, which no other call finds; dropped without `finish`, it is as it was.
pub(super) struct Ending {
    handle: &'static Handle,
    kind: u32,
}

impl Ending {
    /// Ends the handle and gives its body to the caller.
    pub(super) fn finish(self) -> Body {
        let handle = self.handle;
        std::mem::forget(self);
        // SAFETY: the claim has taken the handle from every other call.
        let body = unsafe { std::mem::replace(&mut *handle.body.get(), Body::None) };
        // A handle stays for ever, and with it the longest text that it ever had.
        *handle.error.lock().unwrap_or_else(PoisonError::into_inner) = String::new();
        RESTING.lock().unwrap_or_else(PoisonError::into_inner).push_back(handle);
        body
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.handle.kind.store(self.kind, Ordering::Release);
    }
}

#[cold]
fn null(kind: Kind) -> Error {
    let (name, _, origin) = kind.words();
    Error::invalid(format!("{name} is NULL; pass a handle from {origin}"))
}
