//! `borduel serve`: the server of live studies.

use borduel_lab::failure::Failure;
use borduel_server::{Config, Error, Log, LogFormat, Rates};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where studies are kept unless told otherwise.
pub(super) const DATABASE: &str = "sqlite:borduel.db";
/// Where the server listens unless told otherwise.
pub(super) const LISTEN: &str = "127.0.0.1:8080";

/// Serve live studies
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Where studies are kept: sqlite:FILE or postgres://…
    #[arg(long, env = "BORDUEL_DATABASE", default_value = DATABASE, hide_env_values = true, value_name = "ADDRESS")]
    database: String,
    /// Where to listen
    #[arg(long, env = "BORDUEL_LISTEN", default_value = LISTEN, value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Where Prometheus finds /metrics: an address that others do not reach
    #[arg(long, env = "BORDUEL_METRICS", value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
    /// What links begin with, where a proxy stands before the server
    #[arg(long, env = "BORDUEL_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    public_url: Option<String>,
    /// How many proxies stand before the server: X-Forwarded-For is believed as far as they wrote it
    #[arg(long, env = "BORDUEL_TRUST_PROXY", default_value_t = 0, value_name = "N")]
    trust_proxy: usize,
    /// An origin, such as https://example.org, whose pages may use /v1 with a bearer token; several with commas between
    #[arg(long, env = "BORDUEL_ALLOW_ORIGIN", value_delimiter = ',', value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// A file whose only line is the administrator's token; it may also be in BORDUEL_ADMIN_TOKEN, and is made
    /// otherwise
    #[arg(long, env = "BORDUEL_ADMIN_TOKEN_FILE", value_name = "FILE")]
    admin_token_file: Option<PathBuf>,
    /// Let webhooks of studies lead into private networks and to http:// addresses too
    #[arg(long, env = "BORDUEL_PRIVATE_WEBHOOKS")]
    private_webhooks: bool,
    /// What is in the log on standard error
    #[arg(long, env = "BORDUEL_LOG", value_enum, default_value = "requests")]
    log: LogChoice,
    /// How the log is written
    #[arg(long, env = "BORDUEL_LOG_FORMAT", value_enum, default_value = "text")]
    log_format: FormatChoice,
    /// Requests a second of one voter, in bursts of four times as many; 0 for no limit
    #[arg(long, env = "BORDUEL_VOTER_RATE", default_value_t = Rates::default().voter, value_name = "N")]
    voter_rate: u32,
    /// Requests a second of one judge, in bursts of four times as many; 0 for no limit
    #[arg(long, env = "BORDUEL_JUDGE_RATE", default_value_t = Rates::default().judge, value_name = "N")]
    judge_rate: u32,
    /// Voters a minute who join a study from one network, at all servers of a database together; 0 for no limit
    #[arg(long, env = "BORDUEL_JOIN_RATE", default_value_t = Rates::default().join, value_name = "N")]
    join_rate: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogChoice {
    /// Only what goes wrong
    Off,
    /// Every request too
    Requests,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatChoice {
    /// Lines for people
    Text,
    /// A JSON object a line
    Json,
}

/// An address that links can begin with.
pub(super) fn public_url(text: &str) -> Result<String, String> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let fits = |c: char| c.is_ascii_graphic() && !"?#\"<>\\^`{|}".contains(c);
    if host.is_empty() || host.starts_with(':') || !text.chars().all(fits) {
        return Err("it must be an address such as https://votes.example.org, without ? and #".to_owned());
    }
    Ok(text.to_owned())
}

/// Runs the command.
pub(super) fn main(arguments: &Serve) -> Result<(), Failure> {
    let config = Config {
        database: arguments.database.clone(),
        listen: arguments.listen,
        metrics: arguments.metrics,
        public_url: arguments.public_url.clone(),
        trust_proxy: arguments.trust_proxy,
        allow_origin: arguments.allow_origin.clone(),
        log: match arguments.log {
            LogChoice::Off => Log::Off,
            LogChoice::Requests => Log::Requests,
        },
        log_format: match arguments.log_format {
            FormatChoice::Text => LogFormat::Text,
            FormatChoice::Json => LogFormat::Json,
        },
        admin_token: admin_token(arguments.admin_token_file.as_deref())?,
        private_webhooks: arguments.private_webhooks,
        rates: Rates { voter: arguments.voter_rate, judge: arguments.judge_rate, join: arguments.join_rate },
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Failure::Internal(error.to_string()))?;
    runtime.block_on(borduel_server::serve(config, std::io::stdout())).map_err(|error| match error {
        Error::Study(error) => error.into(),
        Error::Listen { .. } | Error::AdminToken | Error::Origin(_) => Failure::Usage(error.to_string()),
        other => Failure::Internal(other.to_string()),
    })
}

/// The administrator's token, if one is given: from a file or from the environment, never from the command line, which
/// everybody sees.
fn admin_token(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let named = std::env::var("BORDUEL_ADMIN_TOKEN").ok().filter(|token| !token.is_empty());
    let Some(file) = file else { return Ok(named) };
    if named.is_some() {
        let text =
            "the admin token is both in BORDUEL_ADMIN_TOKEN and in a file (--admin-token-file): keep one of them";
        return Err(Failure::Usage(text.to_owned()));
    }
    let text = std::fs::read_to_string(file).map_err(|error| Failure::reading(file, &error))?;
    Ok(Some(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_also_a_variable_of_the_environment() {
        let command = Serve::augment_args(clap::Command::new("serve"));
        for argument in command.get_arguments() {
            let flag = argument.get_long().unwrap();
            let variable = format!("BORDUEL_{}", flag.replace('-', "_").to_uppercase());
            assert_eq!(argument.get_env().and_then(|name| name.to_str()), Some(&*variable), "--{flag}");
        }
    }

    #[test]
    fn links_begin_with_an_address() {
        for good in ["https://votes.example.org", "http://localhost:8080/studies/", "https://[::1]:8443"] {
            assert_eq!(public_url(good).as_deref(), Ok(good));
        }
        for bad in
            ["notaurl", "", "https://", "https:///x", "ftp://x", "https://x y", "https://x?y", "http://x#y", "//x"]
        {
            assert!(public_url(bad).is_err(), "{bad}");
        }
    }
}
