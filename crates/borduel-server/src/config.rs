//! How a server is to run.

use std::net::SocketAddr;

/// How a server is to run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The database, `sqlite:FILE` or `postgres://…`.
    pub database: String,
    /// The address on which the server listens.
    pub listen: SocketAddr,
    /// Where Prometheus finds its measures; nowhere unless given.
    pub metrics: Option<SocketAddr>,
    /// What links begin with; `http://` and where it listens unless given.
    pub public_url: Option<String>,
    /// How many proxies stand before it, whose X-Forwarded-For is believed.
    pub trust_proxy: usize,
    /// The origins, such as `https://example.org`, whose pages may use `/v1` with a bearer token; none unless given.
    pub allow_origin: Vec<String>,
    /// What is in the log.
    pub log: Log,
    /// How the log is written.
    pub log_format: LogFormat,
    /// The token of the server's administrator; made at the first start unless given.
    pub admin_token: Option<String>,
    /// Whether webhooks may be addresses of private networks, and without TLS.
    pub private_webhooks: bool,
    /// How often anybody may ask.
    pub rates: Rates,
}

/// How often anybody may ask; 0 for no limit.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Requests a second of a voter, in bursts of four times as many.
    pub voter: u32,
    /// Requests a second of a judge, in bursts of four times as many.
    pub judge: u32,
    /// Voters a minute who join a study from one network.
    pub join: u32,
}

impl Default for Rates {
    fn default() -> Self {
        // A lecture hall behind one address joins within a minute.
        Self { voter: 5, judge: 50, join: 600 }
    }
}

/// What is in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Log {
    /// Only what goes wrong.
    Off,
    /// What goes wrong, and every request.
    #[default]
    Requests,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people to read.
    #[default]
    Text,
    /// A line of JSON an event.
    Json,
}
