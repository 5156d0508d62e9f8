//! The smallest HTTP responder on a reactor: what a transport alone costs, without an HTTP stack.
//!
//! `bare_http PORT BACKEND BODY_SIZE`, with BACKEND `auto`, `io_uring` or `poll`. It answers each request with the same
//! body, looks at nothing but the end of the request, and ends when it is killed.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use ferronet::abi::config::*;
use ferronet::abi::record::*;
use ferronet::reactor::{Reactor, socket};

const BUFFERS: usize = 256;
const BUFFER_SIZE: usize = 4096;
const REQUEST_END: &[u8] = b"\r\n\r\n";

const ACCEPT: u64 = 1;
const RECEIVE: u64 = 2;
const SEND: u64 = 3;
const CLOSE: u64 = 4;

/// Submissions for the next turn.
struct Queue {
    reactor: Reactor,
    queued: u32,
}

impl Queue {
    fn push(&mut self, submission: ferronet_submission) -> Result<(), Box<dyn Error>> {
        if self.queued as usize == self.reactor.submissions().len() {
            // SAFETY: all memory that records name lives until the process ends.
            unsafe { self.reactor.submit(std::mem::take(&mut self.queued)) }?;
        }
        let place = self.queued as usize;
        self.reactor.submissions()[place] = submission;
        self.queued += 1;
        Ok(())
    }

    fn lend(&mut self, memory: &mut [u8], identity: u32) -> Result<(), Box<dyn Error>> {
        let start = identity as usize * BUFFER_SIZE;
        let addr0 = memory[start..][..BUFFER_SIZE].as_mut_ptr() as u64;
        let (len0, arg0) = (BUFFER_SIZE as u32, identity.into());
        self.push(ferronet_submission { op: FERRONET_OP_LEND, addr0, len0, arg0, ..Default::default() })
    }

    fn operate(&mut self, op: u8, flags: u8, socket: u32, user_data: u64) -> Result<(), Box<dyn Error>> {
        self.push(ferronet_submission { op, flags, socket, user_data, ..Default::default() })
    }

    fn receive(&mut self, socket: u32) -> Result<(), Box<dyn Error>> {
        self.operate(FERRONET_OP_RECV, FERRONET_SUBMIT_LENT | FERRONET_SUBMIT_MULTISHOT, socket, RECEIVE)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, port, backend, size] = arguments.as_slice() else {
        return Err("usage: bare_http PORT auto|io_uring|poll BODY_SIZE".into());
    };
    let backend = match backend.as_str() {
        "auto" => FERRONET_BACKEND_AUTO,
        "io_uring" => FERRONET_BACKEND_IO_URING,
        "poll" => FERRONET_BACKEND_POLL,
        other => return Err(format!("backend {other} is unknown; use auto, io_uring or poll").into()),
    };
    let size: usize = size.parse()?;
    let mut answer =
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {size}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + size, b'x');
    let mut memory = vec![0u8; BUFFERS * BUFFER_SIZE];

    let listener = socket::open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM)?;
    ferronet::reactor::option::set(listener, ferronet::abi::option::FERRONET_OPTION_REUSEADDR, 1)?;
    socket::bind(listener, &SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse()?)).into())?;
    socket::listen(listener, 1024)?;
    println!(
        "listening on http:/{}",
        socket::local_address(listener)?.ip().map_or(String::new(), |a| format!("/{a}/"))
    );

    let config = ferronet_reactor_config { backend, lent_capacity: BUFFERS as u32, ..Default::default() };
    let mut queue = Queue { reactor: Reactor::new(&config)?, queued: 0 };
    queue.reactor.start()?;
    let listener = queue.reactor.add(listener)?;
    queue.operate(FERRONET_OP_ACCEPT, FERRONET_SUBMIT_MULTISHOT, listener, ACCEPT)?;
    for identity in 0..BUFFERS as u32 {
        queue.lend(&mut memory, identity)?;
    }
    loop {
        // SAFETY: all memory that records name lives until the process ends.
        let count = unsafe { queue.reactor.turn(std::mem::take(&mut queue.queued), -1) }?;
        for place in 0..count as usize {
            let completion = queue.reactor.completions(count)[place];
            match completion.user_data {
                ACCEPT if completion.result >= 0 => {
                    let socket = queue.reactor.add(completion.result)?;
                    queue.receive(socket)?;
                }
                RECEIVE if completion.flags & FERRONET_COMPLETE_BUFFER != 0 => {
                    let start = completion.buffer as usize * BUFFER_SIZE;
                    let bytes = &memory[start..][..completion.result as usize];
                    let requests = bytes.windows(REQUEST_END.len()).filter(|window| *window == REQUEST_END).count();
                    queue.lend(&mut memory, completion.buffer)?;
                    for _ in 0..requests {
                        queue.push(ferronet_submission {
                            op: FERRONET_OP_SEND,
                            socket: completion.socket,
                            user_data: SEND,
                            addr0: answer.as_ptr() as u64,
                            len0: answer.len() as u32,
                            ..Default::default()
                        })?;
                    }
                    if completion.flags & FERRONET_COMPLETE_MORE == 0 {
                        queue.receive(completion.socket)?;
                    }
                }
                RECEIVE if completion.result == ferronet::abi::status::FERRONET_ERR_NO_BUFFERS => {
                    queue.receive(completion.socket)?;
                }
                RECEIVE => queue.operate(FERRONET_OP_CLOSE, 0, completion.socket, CLOSE)?,
                _ => {}
            }
        }
    }
}
