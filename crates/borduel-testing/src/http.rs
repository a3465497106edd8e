//! Just enough of an HTTP client to vote with: one connection, kept open, JSON in and out.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A client of one server.
pub struct Client {
    server: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
    /// Further headers of every request, each with its line end.
    pub headers: String,
}

/// The response to a request.
#[derive(Debug)]
pub struct Response {
    /// The HTTP status of the response.
    pub status: u16,
    /// The line of the status and the headers.
    pub head: String,
    /// The body of the response.
    pub text: String,
}

impl Response {
    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }
}

impl Client {
    /// A client of the server at this address.
    pub fn new(server: SocketAddr) -> Self {
        Self { server, connection: None, headers: String::new() }
    }

    /// Sends a request; after an error the connection is opened anew.
    pub fn send(&mut self, method: &str, path: &str, token: &str, body: Option<&Value>) -> io::Result<Response> {
        let body = body.map(|body| (b"application/json".as_slice(), body.to_string().into_bytes()));
        self.send_bytes(method, path, token, body.as_ref().map(|(kind, body)| (*kind, &body[..])))
    }

    /// The same with any body and its type.
    pub fn send_bytes(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<(&[u8], &[u8])>,
    ) -> io::Result<Response> {
        let response = self.exchange(method, path, token, body);
        if response.is_err() {
            self.connection = None;
        }
        response
    }

    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<(&[u8], &[u8])>,
    ) -> io::Result<Response> {
        if self.connection.is_none() {
            let stream = TcpStream::connect_timeout(&self.server, Duration::from_secs(5))?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(Duration::from_secs(20)))?;
            self.connection = Some(BufReader::with_capacity(16 * 1024, stream));
        }
        let connection = self.connection.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n{}", self.server, self.headers).into_bytes();
        if !token.is_empty() {
            request.extend(format!("authorization: Bearer {token}\r\n").bytes());
        }
        if let Some((kind, body)) = body {
            request.extend(b"content-type: ");
            request.extend(kind);
            request.extend(format!("\r\ncontent-length: {}\r\n", body.len()).bytes());
        }
        request.extend(b"\r\n");
        request.extend(body.map_or(&[][..], |(_, body)| body));
        connection.get_mut().write_all(&request)?;
        read_response(connection)
    }
}

fn read_response(connection: &mut impl BufRead) -> io::Result<Response> {
    let broken = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if connection.read_line(&mut head)? == 0 {
            return Err(broken());
        }
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
    let header = |name: &str| {
        let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let mut body = Vec::new();
    if header("transfer-encoding").is_some() {
        loop {
            let mut size = String::new();
            connection.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim(), 16).map_err(|_| broken())?;
            let mut chunk = vec![0; size + 2];
            connection.read_exact(&mut chunk)?;
            if size == 0 {
                break;
            }
            body.extend(&chunk[..size]);
        }
    } else {
        let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        body.resize(length, 0);
        connection.read_exact(&mut body)?;
    }
    Ok(Response { status, head, text: String::from_utf8_lossy(&body).into_owned() })
}
