//! Taking connections: so many at a time, each with little time and room to say what it wants.
//!
//! `axum::serve` waits for ever for a head that never comes, and takes whatever connects.

use crate::limit::{Place, Places};
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_service::Service as _;

/// The most bytes of a head, and of what is read of a body at a time.
const BUFFER: usize = 64 * 1024;
/// Files that are needed for anything but connections.
const OTHER_FILES: u64 = 256;

/// What clients may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The most connections at a time; whoever comes then waits.
    pub(crate) connections: u32,
    /// The most of one network; whoever comes then is let go at once.
    pub(crate) each: u32,
    /// How long a client may take for the head of a request, and be silent between two requests.
    pub(crate) silence: Duration,
}

impl Bounds {
    /// As many connections as the system allows, up to 8,192; half of them for one network, unless all come by a proxy.
    pub(crate) fn of_system(proxy: bool) -> Self {
        let connections = system::files().map_or(512, |files| files.saturating_sub(OTHER_FILES).clamp(16, 8_192));
        let connections = connections as u32;
        let each = if proxy { connections } else { connections / 2 };
        Self { connections, each, silence: Duration::from_secs(30) }
    }
}

/// Serves until `stopping`, and then what is under way.
pub(crate) async fn serve(listener: TcpListener, router: Router, mut stopping: watch::Receiver<bool>, bounds: Bounds) {
    let places = Arc::new(Semaphore::new(bounds.connections as usize));
    let networks = Places::new(usize::MAX, bounds.each as usize);
    loop {
        let (talking, stopped) = (router.clone(), stopping.clone());
        let next = async {
            // The places are never closed.
            let place = places.clone().acquire_owned().await.ok()?;
            Some((accept(&listener).await, place))
        };
        tokio::select! {
            next = next => {
                let Some(((stream, peer), place)) = next else { break };
                if let Some(own) = networks.take(peer.ip()) {
                    tokio::spawn(talk(stream, peer, talking, stopped, bounds.silence, (place, own)));
                }
            }
            _ = stopping.wait_for(|stopping| *stopping) => break,
        }
    }
    drop(listener);
    // All places are free when all connections have ended.
    let _ = places.acquire_many(bounds.connections).await;
}

/// The next client.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(client) => return client,
            // It has gone already.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
                ) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be taken for a second");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Serves one connection to its end.
async fn talk(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    mut stopping: watch::Receiver<bool>,
    silence: Duration,
    _places: (OwnedSemaphorePermit, Place),
) {
    // An answer leaves at once, however small; where that cannot be had it leaves a little later.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(silence).max_buf_size(BUFFER);
    let mut talking = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // A client that talks nonsense, is silent or goes away is of no interest.
        _ = talking.as_mut() => return,
        _ = stopping.wait_for(|stopping| *stopping) => {}
    }
    talking.as_mut().graceful_shutdown();
    let _ = talking.await;
}

#[cfg(unix)]
mod system {
    use rustix::process::{Resource, getrlimit, setrlimit};

    /// How many files this process may have open: as many as it may ask for. Where it may not, what it has already
    /// stays.
    pub(super) fn files() -> Option<u64> {
        let mut limit = getrlimit(Resource::Nofile);
        let before = limit.current;
        limit.current = limit.maximum;
        if setrlimit(Resource::Nofile, limit).is_err() { before } else { limit.current.or(Some(u64::MAX)) }
    }
}

#[cfg(not(unix))]
mod system {
    /// There is no such limit here.
    pub(super) fn files() -> Option<u64> {
        Some(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::time::Instant;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    const SILENCE: Duration = Duration::from_millis(300);

    async fn start(connections: u32, each: u32) -> (SocketAddr, watch::Sender<bool>, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let router =
            Router::new().route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }));
        let bounds = Bounds { connections, each, silence: SILENCE };
        (address, stop, tokio::spawn(serve(listener, router, stopping, bounds)))
    }

    async fn said(mut client: TcpStream, text: &str) -> String {
        let mut answer = String::new();
        // A connection that the server resets has said what it has said.
        let _ = client.write_all(text.as_bytes()).await;
        let _ = client.read_to_string(&mut answer).await;
        answer
    }

    #[tokio::test]
    async fn who_is_silent_is_let_go_and_who_waits_is_served() {
        let (address, stop, serving) = start(2, 2).await;
        let silent = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        let started = Instant::now();
        let halves = silent.map(|client| said(client, "GET / HTTP/1.1\r\nhost: x\r\nname: "));
        let third = async {
            let client = TcpStream::connect(address).await.unwrap();
            let from = client.local_addr().unwrap().to_string();
            (said(client, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await, from)
        };
        let (half, (answer, from)) = tokio::join!(futures_util::future::join_all(halves), third);
        assert!(half.iter().all(|answer| !answer.contains("200 OK")));
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with(&from), "{answer}");
        assert!(started.elapsed() >= SILENCE, "both places were taken until then");
        stop.send_replace(true);
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_head_without_end_is_refused_and_an_end_ends_those_who_rest() {
        let (address, stop, serving) = start(2, 2).await;
        let long = format!("GET / HTTP/1.1\r\nhost: x\r\nname: {}", "x".repeat(2 * BUFFER));
        let answer = said(TcpStream::connect(address).await.unwrap(), &long).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
        let mut resting = TcpStream::connect(address).await.unwrap();
        resting.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert!(resting.read(&mut [0; 1024]).await.unwrap() > 0);
        stop.send_replace(true);
        serving.await.unwrap();
        assert!(TcpStream::connect(address).await.is_err());
    }

    #[tokio::test]
    async fn one_network_does_not_take_all_connections() {
        let (address, stop, serving) = start(8, 2).await;
        let ask = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let held = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        assert_eq!(said(TcpStream::connect(address).await.unwrap(), ask).await, "", "let go at once");
        drop(held);
        while !said(TcpStream::connect(address).await.unwrap(), ask).await.starts_with("HTTP/1.1 200 OK") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.send_replace(true);
        serving.await.unwrap();
    }

    #[test]
    fn there_is_room_for_connections() {
        let (direct, behind) = (Bounds::of_system(false), Bounds::of_system(true));
        assert!(direct.connections >= 16 && direct.each == direct.connections / 2 && behind.each == behind.connections);
    }
}
