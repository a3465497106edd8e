//! One POST to an address of somebody else's: over TLS, to public networks only, and never to where a name leads later.

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Error as Failure, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a message may take, from looking up the name to the answer's first line.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    tls: bool,
    host: String,
    port: u16,
    path: String,
}

impl Target {
    /// The parts of an address.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub(super) fn of(address: &str) -> Result<Self, String> {
        let wrong = || format!("{address:?} is no address that can be posted to");
        let (tls, rest) = match (address.strip_prefix("https://"), address.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(wrong()),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (place, path) = rest.split_at(end);
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        // Whoever has a bracket is an IPv6 address, whose colons are no port.
        let (host, port) = match place.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
            None => (place, if tls { 443 } else { 80 }),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let odd = |c: char| c.is_control() || c.is_whitespace() || "@#\\".contains(c);
        if host.is_empty() || address.contains(odd) || !address.is_ascii() {
            return Err(wrong());
        }
        Ok(Self { tls, host, port, path })
    }
}

/// Posts messages to webhooks.
pub(super) struct Poster {
    /// Whether it may post to private networks, and without TLS.
    private: bool,
    patience: Duration,
    tls: Arc<ClientConfig>,
}

impl Poster {
    pub(super) fn new(private: bool) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        // The provider has suites for the default versions.
        let config = config.map(|config| config.with_root_certificates(roots).with_no_client_auth());
        let tls = config.unwrap_or_else(|error| unreachable!("{error}"));
        Self { private, patience: PATIENCE, tls: Arc::new(tls) }
    }

    /// Posts a body; it is taken when the answer is 2xx.
    ///
    /// # Errors
    /// A sentence that says why it was not.
    pub(super) fn post(&self, to: &Target, signature: &str, body: &str) -> Result<(), String> {
        if !to.tls && !self.private {
            return Err("it is not https://".to_owned());
        }
        let Target { host, port, path, .. } = to;
        let until = Instant::now() + self.patience;
        let failed = |error: Failure| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => format!("{host} took too long"),
            _ => format!("{host} does not answer: {error}"),
        };
        let found =
            (host.as_str(), *port).to_socket_addrs().map_err(|error| format!("{host} was not found: {error}"))?;
        // What was looked at is what is connected to: a name cannot lead elsewhere in between.
        let mut found = found.filter(|found| self.private || is_public(found.ip()));
        let place: SocketAddr = found.next().ok_or_else(|| format!("{host} is in a private network"))?;
        let stream = left(until).and_then(|left| TcpStream::connect_timeout(&place, left)).map_err(failed)?;
        let stream = Hurried { stream, until };
        let name = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {name}:{port}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             user-agent: borduel/{}\r\nx-borduel-signature: {signature}\r\nconnection: close\r\n\r\n{body}",
            body.len(),
            env!("CARGO_PKG_VERSION"),
        );
        let status = if to.tls {
            let server = ServerName::try_from(host.clone()).map_err(|error| format!("{host} is no name: {error}"))?;
            let connection = ClientConnection::new(self.tls.clone(), server).map_err(|error| error.to_string())?;
            exchange(StreamOwned::new(connection, stream), &request)
        } else {
            exchange(stream, &request)
        };
        match status.map_err(failed)? {
            Some(200..=299) => Ok(()),
            Some(status) => Err(format!("{host} answered {status}")),
            None => Err(format!("{host} answered something that is not HTTP")),
        }
    }
}

/// How long there is until then.
fn left(until: Instant) -> Result<Duration, Failure> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// A connection that ends by then, however slowly the other side sends.
struct Hurried {
    stream: TcpStream,
    until: Instant,
}

impl Read for Hurried {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        self.stream.set_read_timeout(Some(left(self.until)?))?;
        self.stream.read(buffer)
    }
}

impl Write for Hurried {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        self.stream.set_write_timeout(Some(left(self.until)?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.stream.flush()
    }
}

/// Sends a request and reads the status of its answer; nothing where there is none.
fn exchange(mut stream: impl Read + Write, request: &str) -> Result<Option<u16>, Failure> {
    stream.write_all(request.as_bytes())?;
    stream.flush()?;
    let (mut head, mut length) = ([0_u8; 64], 0);
    while length < head.len() && !head[..length].contains(&b'\n') {
        match stream.read(&mut head[length..])? {
            0 => break,
            read => length += read,
        }
    }
    let line = String::from_utf8_lossy(&head[..length]).into_owned();
    Ok(line.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)).and_then(|status| status.parse().ok()))
}

/// Whether an address is on the public internet, as far as one can tell by looking at it.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let special = a == 0 || a >= 224 || (a, b, c) == (192, 0, 0) || (a == 198 && (b == 18 || b == 19));
    !(v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_documentation() || shared || special)
}

fn is_public_v6(v6: Ipv6Addr) -> bool {
    let parts = v6.segments();
    // 2000::/3 is what is given out; of that, tunnels lead to an IPv4 address, and some is for examples.
    let given = parts[0] & 0xe000 == 0x2000;
    let tunnel = parts[0] == 0x2002 || (parts[0] == 0x2001 && parts[1] < 0x200);
    let example = (parts[0] == 0x2001 && parts[1] == 0xdb8) || parts[0] & 0xfff0 == 0x3ff0;
    given && !tunnel && !example
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_parts() {
        let target =
            |tls, host: &str, port, path: &str| Target { tls, host: host.to_owned(), port, path: path.to_owned() };
        assert_eq!(Target::of("https://example.org").unwrap(), target(true, "example.org", 443, "/"));
        assert_eq!(Target::of("http://[::1]:8080/a?b=c").unwrap(), target(false, "::1", 8080, "/a?b=c"));
        assert_eq!(Target::of("https://[2a00::1]/x").unwrap(), target(true, "2a00::1", 443, "/x"));
        assert_eq!(Target::of("https://example.org?x").unwrap(), target(true, "example.org", 443, "/?x"));
        for odd in
            ["ftp://x", "https://", "https://a@b", "https://a b", "https://a:b", "https://a/\r\nx: y", "https://ä"]
        {
            assert!(Target::of(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn only_public_networks_are_posted_to() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.0.8",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450:4001:800::200e"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        let poster = Poster::new(false);
        for (address, why) in [
            ("https://127.0.0.1:1/", "private network"),
            ("https://localhost:1/", "private network"),
            ("http://example.org/", "not https"),
        ] {
            let refused = poster.post(&Target::of(address).unwrap(), "", "{}").unwrap_err();
            assert!(refused.contains(why), "{address}: {refused}");
        }
    }

    #[test]
    fn who_sends_slowly_is_left() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        // A byte now and then, for ever: no single one takes long.
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            while stream.write_all(b"H").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let poster = Poster { patience: Duration::from_millis(300), ..Poster::new(true) };
        let refused = poster.post(&Target::of(&address).unwrap(), "", "{}").unwrap_err();
        assert_eq!(refused, "127.0.0.1 took too long");
    }
}
