//! One connection: a request at a time, and the length of its answer.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};

const STATUS: &[u8] = b"HTTP/1.1 200 ";
const HEAD_END: &[u8] = b"\r\n\r\n";
/// A head that is longer is an error.
const HEAD_LIMIT: usize = 8192;

/// What a read led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The answer is not whole yet.
    Part,
    /// The answer to this request is whole.
    Whole { request: u64 },
    /// The connection is of no use any more.
    Failed { was_waiting: bool },
}

enum State {
    Free,
    /// The head has not ended; these are its bytes.
    Head,
    /// So many bytes of the body are missing.
    Body(usize),
    Failed,
}

pub(crate) struct Connection {
    /// None once it failed.
    stream: Option<TcpStream>,
    text: Vec<u8>,
    state: State,
    /// The request that is under way, or the next one.
    request: u64,
    head: Vec<u8>,
    /// The last head, and the length of the body that it told: most heads are equal.
    known: (Vec<u8>, usize),
}

impl Connection {
    pub(crate) fn open(port: u16, path: &str, first: u64) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: Some(stream),
            text: format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").into_bytes(),
            state: State::Free,
            request: first,
            head: Vec::new(),
            known: (Vec::new(), 0),
        })
    }

    /// Whether this is the request that the connection would send next, and it could.
    pub(crate) fn is_free_for(&self, request: u64) -> bool {
        matches!(self.state, State::Free) && self.request == request
    }

    pub(crate) fn next_is(&mut self, request: u64) {
        self.request = request;
    }

    /// Sends the request; false when the connection failed.
    pub(crate) fn send(&mut self) -> bool {
        let written = self.stream.as_mut().map(|stream| stream.write(&self.text));
        // A request is much shorter than a send buffer, which is empty here.
        if matches!(written, Some(Ok(count)) if count == self.text.len()) {
            self.head.clear();
            self.state = State::Head;
            return true;
        }
        self.fail();
        false
    }

    /// Reads what is there.
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> Answer {
        let Some(stream) = self.stream.as_mut() else { return Answer::Failed { was_waiting: false } };
        match stream.read(buffer) {
            Ok(count) if count > 0 => self.take(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Answer::Part,
            _ => self.fail(),
        }
    }

    /// Reads what is there. What does not fit into the buffer with the head of its answer is thrown away within the kernel.
    pub(crate) fn receive_or_discard(&mut self, buffer: &mut [u8]) -> Answer {
        if !matches!(self.state, State::Body(_)) {
            let answer = self.receive(buffer);
            if answer != Answer::Part {
                return answer;
            }
        }
        let (State::Body(missing), Some(stream)) = (&mut self.state, &self.stream) else { return Answer::Part };
        // SAFETY: with MSG_TRUNC a TCP socket writes nothing to memory (tcp(7)), so that there need not be any.
        let count = unsafe {
            libc::recv(stream.as_raw_fd(), std::ptr::null_mut(), *missing, libc::MSG_TRUNC | libc::MSG_DONTWAIT)
        };
        match usize::try_from(count) {
            Ok(count) if count == *missing => {
                self.state = State::Free;
                Answer::Whole { request: self.request }
            }
            Ok(count) if count > 0 => {
                *missing -= count;
                Answer::Part
            }
            Err(_) if matches!(io::Error::last_os_error().kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Answer::Part
            }
            _ => self.fail(),
        }
    }

    /// The length of the body that the last whole head told.
    pub(crate) fn body_length(&self) -> usize {
        self.known.1
    }

    fn take(&mut self, mut bytes: &[u8]) -> Answer {
        if let State::Head = self.state {
            if self.head.is_empty() && !self.known.0.is_empty() && bytes.starts_with(&self.known.0) {
                bytes = &bytes[self.known.0.len()..];
                self.state = State::Body(self.known.1);
            } else {
                self.head.extend_from_slice(bytes);
                let Some(end) = self.head.windows(HEAD_END.len()).position(|window| window == HEAD_END) else {
                    return if self.head.len() > HEAD_LIMIT { self.fail() } else { Answer::Part };
                };
                let end = end + HEAD_END.len();
                let Some(length) = content_length(&self.head[..end]) else { return self.fail() };
                bytes = &bytes[bytes.len() - (self.head.len() - end)..];
                self.head.truncate(end);
                self.known = (std::mem::take(&mut self.head), length);
                self.state = State::Body(length);
            }
        }
        match self.state {
            State::Body(missing) if bytes.len() < missing => {
                self.state = State::Body(missing - bytes.len());
                Answer::Part
            }
            State::Body(missing) if bytes.len() == missing => {
                self.state = State::Free;
                Answer::Whole { request: self.request }
            }
            // More than the answer, or bytes that nobody asked for.
            _ => self.fail(),
        }
    }

    fn fail(&mut self) -> Answer {
        let was_waiting = matches!(self.state, State::Head | State::Body(_));
        self.state = State::Failed;
        self.stream = None;
        Answer::Failed { was_waiting }
    }
}

impl AsRawFd for Connection {
    fn as_raw_fd(&self) -> RawFd {
        self.stream.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }
}

/// The length of the body that a head with status 200 tells.
pub(crate) fn content_length(head: &[u8]) -> Option<usize> {
    let lines = std::str::from_utf8(head.starts_with(STATUS).then_some(head)?).ok()?.lines();
    lines.skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";

    /// A connection that has sent its request, and the listener that it waits at.
    fn waiting() -> (Connection, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let mut connection = Connection::open(listener.local_addr().expect("bound").port(), "/", 7).expect("connected");
        assert!(connection.is_free_for(7) && !connection.is_free_for(8));
        assert!(connection.send() && !connection.is_free_for(7));
        (connection, listener)
    }

    #[test]
    fn an_answer_is_whole_in_any_pieces() {
        let answer = [HEAD, b"abc"].concat();
        for first in 1..answer.len() {
            let (mut connection, _listener) = waiting();
            for _ in 0..2 {
                assert_eq!(connection.take(&answer[..first]), Answer::Part, "{first}");
                assert_eq!(connection.take(&answer[first..]), Answer::Whole { request: 7 }, "{first}");
                assert!(connection.send());
            }
            assert_eq!(connection.take(&answer), Answer::Whole { request: 7 });
        }
    }

    #[test]
    fn a_head_that_changes_is_read_again() {
        let (mut connection, _listener) = waiting();
        assert_eq!(connection.take(&[HEAD, b"abc"].concat()), Answer::Whole { request: 7 });
        assert!(connection.send());
        let other = b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx";
        assert_eq!(connection.take(other), Answer::Whole { request: 7 });
    }

    #[test]
    fn wrong_answers_fail_the_connection() {
        let long = [HEAD, b"abcd"].concat();
        let endless = [b'a'; HEAD_LIMIT + 1];
        for wrong in [
            b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".as_slice(),
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
            &long,
            &endless,
        ] {
            let (mut connection, _listener) = waiting();
            assert_eq!(connection.take(wrong), Answer::Failed { was_waiting: true });
            assert!(!connection.send());
            assert_eq!(connection.receive(&mut [0]), Answer::Failed { was_waiting: false });
        }
        let (mut connection, _listener) = waiting();
        assert_eq!(connection.take(&[HEAD, b"abc"].concat()), Answer::Whole { request: 7 });
        assert_eq!(connection.take(b"x"), Answer::Failed { was_waiting: false });
    }
}
