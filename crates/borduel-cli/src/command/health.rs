//! `borduel health`: asks a running server whether it is ready, for images and machines without curl.

use borduel_lab::failure::Failure;
use clap::Args;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ask a running server whether it is ready
#[derive(Debug, Args)]
pub(super) struct Health {
    /// Where it listens
    #[arg(long, env = "BORDUEL_LISTEN", default_value = super::serve::LISTEN, value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
}

/// Runs the command.
pub(super) fn main(arguments: &Health) -> Result<(), Failure> {
    let mut address = arguments.listen;
    // Whoever listens everywhere is here too.
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    match status(address) {
        Ok(200) => Ok(()),
        Ok(status) => Err(Failure::Internal(format!("the server at {address} is not ready: it answered {status}"))),
        Err(error) => Err(Failure::Internal(format!(
            "no server answers at {address} ({error}): start one with `borduel serve`, or name it with --listen"
        ))),
    }
}

/// What `/readyz` answers.
fn status(address: SocketAddr) -> io::Result<u16> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    let status = head.strip_prefix(b"HTTP/1.1 ").and_then(|status| std::str::from_utf8(status).ok()?.parse().ok());
    status.ok_or_else(|| io::Error::other("that is no HTTP"))
}
