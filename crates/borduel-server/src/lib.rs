//! `borduel serve`: the HTTP interface of live studies.
//!
//! Programs use `/v1`, described by `/openapi.json` and, for people, `/docs`, both made from the code; people use the
//! pages. The server keeps nothing of its own: any number of replicas may serve the same database.

// One request that panics is answered with an error, and may not end the studies of everybody else.
#[cfg(panic = "abort")]
compile_error!("live studies need panics that can be caught: build with `--profile studies` in place of `--release`");

mod api;
mod api_result;
mod app;
mod auth;
mod body;
mod bundle;
mod compute;
mod config;
mod cookie;
mod criterion;
mod faces;
mod hooks;
mod limit;
mod links;
mod listen;
mod log;
mod measure;
mod openapi;
mod origins;
mod outcome;
mod pack;
mod pages;
mod problem;
mod proof_of_work;
mod router;
mod unmarked;
mod zip;

pub use config::{Config, Log, LogFormat, Rates};
pub use openapi::openapi;

use app::App;
use borduel_study::token::{self, Scope};
use borduel_study::{Ledger, Studies, desk};
use listen::Bounds;
use metrics_exporter_prometheus::PrometheusBuilder;
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Why an address is not to be had, and which one may be.
fn not_listening(listen: SocketAddr, source: &std::io::Error) -> String {
    use std::io::ErrorKind::{AddrInUse, AddrNotAvailable, PermissionDenied};
    let (ip, port) = (listen.ip(), listen.port());
    match source.kind() {
        AddrInUse => {
            let next = SocketAddr::new(ip, port.checked_add(1).unwrap_or(0));
            format!("port {port} of {ip} is in use by another program: take another one, such as --listen {next}")
        }
        PermissionDenied => {
            let free = SocketAddr::new(ip, 8080);
            format!("port {port} of {ip} is for administrators: take one from 1024 on, such as --listen {free}")
        }
        AddrNotAvailable => {
            format!("this machine has no address {ip}: --listen 0.0.0.0:{port} listens on all that it has")
        }
        _ => format!("{listen} cannot be listened on ({source}): take another address or port with --listen"),
    }
}

/// How long what waits may take when the server ends.
const LAST_ORDERS: Duration = Duration::from_secs(10);

/// Why a server could not start, or ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A study or its database could not be opened.
    #[error(transparent)]
    Study(#[from] borduel_study::Error),
    /// The server cannot listen on its address.
    #[error("{}", not_listening(*listen, source))]
    Listen {
        /// The address that could not be listened on.
        listen: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// An administrator's token that is none.
    #[error("the admin token must begin with bd_srv_ and have at least 32 characters: leave it out to have one made")]
    AdminToken,
    /// An origin that is none.
    #[error("{0:?} is no origin: it is https:// or http://, a host, and perhaps a port, with nothing after it")]
    Origin(String),
    /// Something of the system.
    #[error("the server cannot run: {0}")]
    System(String),
}

/// Runs a server until it is told to end. What to know is written to `out`: where it listens, and once the admin token.
///
/// # Errors
/// A database or an address that cannot be used.
pub async fn serve(config: Config, mut out: impl Write) -> Result<(), Error> {
    let system = |error: &dyn std::fmt::Display| Error::System(error.to_string());
    let log = log::start(config.log, config.log_format).map_err(|error| system(&error))?;
    let lines = log.0.clone();
    // Rankings are computed here, by threads that give way to everybody who votes. A second server in one process
    // shares the first one's.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1));
    let _ = pool.start_handler(|_| borduel_study::low_priority::give_way()).build_global();
    let recorder = PrometheusBuilder::new().build_recorder();
    let prometheus = recorder.handle();
    // A second server in one process would share the first one's measures.
    let _ = metrics::set_global_recorder(recorder);
    tokio::spawn(measure::keep_small(prometheus.clone(), measure::UPKEEP));
    let origins = origins::read(&config.allow_origin).map_err(Error::Origin)?;
    let ledger = Ledger::open(&config.database).await?;
    let listen = config.listen;
    let listener = TcpListener::bind(listen).await.map_err(|source| Error::Listen { listen, source })?;
    let address = listener.local_addr().map_err(|error| system(&error))?;
    let measures = match config.metrics {
        Some(listen) => Some(TcpListener::bind(listen).await.map_err(|source| Error::Listen { listen, source })?),
        None => None,
    };
    let url = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let url = url.trim_end_matches('/');
    let say = |out: &mut dyn Write, text: String| writeln!(out, "{text}").and_then(|()| out.flush());
    let told = say(&mut out, format!("borduel serves {} at {url}", ledger.address()));
    told.map_err(|error| system(&error))?;
    if let Some(token) = admin_token(&ledger, config.admin_token.as_deref()).await? {
        let text = format!("admin token, shown this once: {token}\nlink: {url}/new#token={token}");
        say(&mut out, text).map_err(|error| system(&error))?;
    }
    let (stop, stopping) = watch::channel(false);
    if let Some(measures) = measures {
        let address = measures.local_addr().map_err(|error| system(&error))?;
        say(&mut out, format!("measures at http://{address}/metrics")).map_err(|error| system(&error))?;
        let bounds = Bounds { connections: 16, each: 16, ..Bounds::of_system(true) };
        tokio::spawn(listen::serve(measures, router::measures(prometheus), stopping.clone(), bounds));
    }
    let studies = Studies::new(ledger);
    let app = App::new(&config, url, studies.clone(), stopping.clone());
    tokio::spawn(async move {
        signal().await;
        tracing::info!("ending: no new requests, what waits is finished");
        stop.send_replace(true);
        signal().await;
        // Whoever says it twice means it: nothing acknowledged is lost.
        lines.finish();
        std::process::exit(0);
    });
    let hooks = tokio::spawn(hooks::run(app.clone(), config.private_webhooks, stopping.clone()));
    let served = listen::serve(
        listener,
        router::router(app, origins),
        stopping.clone(),
        Bounds::of_system(config.trust_proxy > 0),
    );
    let mut late = stopping;
    let deadline = async move {
        let _ = late.wait_for(|stopping| *stopping).await;
        tokio::time::sleep(LAST_ORDERS).await;
    };
    tokio::select! {
        () = served => {}
        () = deadline => tracing::warn!("some connections did not end in time"),
    }
    let _ = tokio::time::timeout(LAST_ORDERS, hooks).await;
    studies.close(LAST_ORDERS).await;
    Ok(())
}

/// Keeps the given admin token, or makes one if there is none; what is to be shown.
async fn admin_token(ledger: &Ledger, given: Option<&str>) -> Result<Option<String>, Error> {
    let keep = async |token: &str| {
        ledger.add_token(&token::hash(token), auth::ADMIN, 0, "administrator", (desk::now(), None)).await
    };
    match given {
        Some(token) if Scope::of(token) != Some(Scope::Admin) || token.len() < 32 => Err(Error::AdminToken),
        Some(token) => {
            keep(token).await?;
            Ok(None)
        }
        None if ledger.count_tokens(auth::ADMIN).await? > 0 => Ok(None),
        None => {
            let (token, _) = token::new(Scope::Admin)?;
            keep(&token).await?;
            Ok(Some(token))
        }
    }
}

/// Waits for Ctrl-C or SIGTERM.
async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
