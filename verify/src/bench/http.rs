//! The few requests that the harness makes itself.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use ferronet_bench_load::tls::Client;
use ferronet_packaging::Result;
use sha2::{Digest, Sha256};

use super::row::Route;

/// Requests a path and returns the body.
///
/// # Errors
/// When the server does not answer, or answers with anything but 200.
pub fn get(port: u16, path: &str) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    let mut chunk = vec![0; 65_536];
    loop {
        if let Some((head, body)) = split(&answer)
            && body.len() >= content_length(head)?
        {
            return Ok(body[..content_length(head)?].to_vec());
        }
        match stream.read(&mut chunk)? {
            0 => return Err(format!("port {port} closed {path} after {} bytes", answer.len()).into()),
            count => answer.extend_from_slice(&chunk[..count]),
        }
    }
}

/// Checks that the server serves the document; returns what a TLS client
/// that offered every group got, nothing without TLS.
///
/// # Errors
/// When the length or the digest differs.
pub fn validate(tls: bool, port: u16, route: Route) -> Result<String> {
    let (chosen, body) = if tls {
        let (open, body) = Client::new(port, route.path, true, false)?.open()?;
        let chosen = open.negotiated.clone();
        open.close()?;
        (chosen, body)
    } else {
        (String::new(), get(port, route.path)?)
    };
    let digest: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    if body.len() == route.length && digest == route.digest {
        return Ok(chosen);
    }
    Err(format!(
        "{} is {} bytes with SHA-256 {digest}, not {} with {}",
        route.path,
        body.len(),
        route.length,
        route.digest
    )
    .into())
}

fn split(answer: &[u8]) -> Option<(&str, &[u8])> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some((std::str::from_utf8(&answer[..end]).ok()?, &answer[end + 4..]))
}

fn content_length(head: &str) -> Result<usize> {
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    if status.split_whitespace().nth(1) != Some("200") {
        return Err(format!("the server answered {status}").into());
    }
    let value = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim())
    });
    Ok(value.ok_or("the server sent no content-length")?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn serve(answer: &'static str) -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("listener");
        let port = listener.local_addr().expect("address").port();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("client");
            let mut request = [0; 512];
            let _ = stream.read(&mut request);
            stream.write_all(answer.as_bytes()).expect("answer");
        });
        port
    }

    #[test]
    fn a_right_body_passes() {
        let port = serve("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!");
        validate(false, port, super::super::row::HELLO).expect("the body is right");
    }

    #[test]
    fn an_altered_body_is_refused() {
        let port = serve("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World?");
        assert!(validate(false, port, super::super::row::HELLO).expect_err("altered").to_string().contains("SHA-256"));
    }

    #[test]
    fn an_error_status_is_refused() {
        let port = serve("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
        assert!(get(port, "/").expect_err("503").to_string().contains("503 Busy"));
    }

    #[test]
    fn a_cut_body_is_refused() {
        let port = serve("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello");
        assert!(get(port, "/").is_err());
    }
}
