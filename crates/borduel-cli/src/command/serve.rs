//! `borduel serve`: the server of live studies.

use crate::failure::Failure;
use borduel_server::{Config, Error, Log, Rates};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;

/// Where studies are kept unless told otherwise.
pub(super) const DATABASE: &str = "sqlite:borduel.db";

/// Serve live studies
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Where studies are kept: sqlite:FILE or postgres://…
    #[arg(long, env = "BORDUEL_DATABASE", default_value = DATABASE, hide_env_values = true, value_name = "ADDRESS")]
    database: String,
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// What links begin with, where a proxy stands before the server
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// How many proxies stand before the server: X-Forwarded-For is believed as far as they wrote it
    #[arg(long, default_value_t = 0, value_name = "N")]
    trust_proxy: usize,
    /// An origin, such as https://example.org, whose pages may use /v1 with a bearer token; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// How the log is written on standard error
    #[arg(long, value_enum, default_value = "text")]
    log: LogChoice,
    /// Requests a second of one voter, in bursts of four times as many; 0 for no limit
    #[arg(long, default_value_t = Rates::default().voter, value_name = "N")]
    voter_rate: u32,
    /// Requests a second of one judge, in bursts of four times as many; 0 for no limit
    #[arg(long, default_value_t = Rates::default().judge, value_name = "N")]
    judge_rate: u32,
    /// Voters a minute who join a study from one network; 0 for no limit
    #[arg(long, default_value_t = Rates::default().join, value_name = "N")]
    join_rate: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogChoice {
    /// Lines for people
    Text,
    /// A JSON object a line
    Json,
}

/// Runs the command.
pub(super) fn main(arguments: &Serve) -> Result<(), Failure> {
    let config = Config {
        database: arguments.database.clone(),
        listen: arguments.listen,
        public_url: arguments.public_url.clone(),
        trust_proxy: arguments.trust_proxy,
        allow_origin: arguments.allow_origin.clone(),
        log: match arguments.log {
            LogChoice::Text => Log::Text,
            LogChoice::Json => Log::Json,
        },
        admin_token: std::env::var("BORDUEL_ADMIN_TOKEN").ok().filter(|token| !token.is_empty()),
        rates: Rates { voter: arguments.voter_rate, judge: arguments.judge_rate, join: arguments.join_rate },
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Failure::Internal(error.to_string()))?;
    runtime.block_on(borduel_server::serve(config, std::io::stdout())).map_err(|error| match error {
        Error::Study(error) => error.into(),
        Error::Listen { .. } | Error::AdminToken | Error::Origin(_) => Failure::Usage(error.to_string()),
        other => Failure::Internal(other.to_string()),
    })
}
