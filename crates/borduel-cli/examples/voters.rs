//! Voters without end: how many votes a server takes a second, and how long a voter waits.
//!
//!     cargo run --profile studies --features studies --example voters -- 127.0.0.1:8080 200 30 400
//!
//! 200 voters for 30 seconds, each with a pause after every answer that is 400 ms on average (0: none) and anything
//! from half to one and a half times that: with pauses that are all alike, everybody whom one commit has answered comes
//! back at the same moment, and after a while all voters vote in step, as no people do. The server must be started with
//! `--voter-rate 0 --join-rate 0`, and the admin token be in BORDUEL_ADMIN_TOKEN. A vote is one request: the answer is
//! stored, and the reply brings the next question. With several addresses (A,B) voters are spread over these replicas.
//! With a database in place of the server's address, what is measured is the same row inserted one by one, each in a
//! transaction of its own: the floor that any server stands on.

use borduel::stream::stream;
use borduel_study::ledger::NewStudy;
use borduel_study::{Ledger, desk};
use borduel_testing::http::Client;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let target = arguments.first().ok_or("usage: voters ADDRESS:PORT,…|DATABASE [VOTERS] [SECONDS] [PAUSE_MS]")?;
    let (voters, seconds, pause) = (number(1, 200)?, number(2, 30)?, number(3, 400)?);
    let end = Instant::now() + Duration::from_secs(seconds);
    if target.contains("://") || target.starts_with("sqlite:") {
        return plain(target, end);
    }
    let servers = target.split(',').map(str::parse).collect::<Result<Vec<SocketAddr>, _>>()?;
    let admin = std::env::var("BORDUEL_ADMIN_TOKEN")?;
    let slug = format!("load-{}", std::process::id());
    let path = format!("/v1/studies/{slug}");
    let items: Vec<Value> =
        (0..100).map(|i| json!({"key": format!("item-{i}"), "title": format!("Item {i}")})).collect();
    let study =
        json!({"slug": slug, "title": "Load", "items": items, "settings": {"questions_per_voter": 30, "tie": false}});
    let mut client = Client::new(servers[0]);
    for (method, path, body) in
        [("POST", "/v1/studies".to_owned(), study), ("PUT", format!("{path}/status"), json!({"status": "open"}))]
    {
        let response = client.send(method, &path, &admin, Some(&body))?;
        if response.status >= 300 {
            return Err(response.text.into());
        }
    }
    let started = Instant::now();
    let threads: Vec<_> = (0..voters)
        .map(|number| {
            let (path, server) = (path.clone(), servers[number as usize % servers.len()]);
            std::thread::spawn(move || vote(server, &path, number, end, Duration::from_millis(pause)))
        })
        .collect();
    let mut waits = Vec::new();
    for thread in threads {
        waits.extend(thread.join().map_err(|_| "a voter panicked")??);
    }
    let seconds = started.elapsed().as_secs_f64();
    waits.sort_unstable();
    let quantile =
        |share: f64| waits.get((waits.len() as f64 * share) as usize).copied().unwrap_or_default().as_secs_f64() * 1e3;
    println!(
        "{voters} voters, pause {pause} ms, {seconds:.1} s: {} votes, {:.0} a second, p50 {:.1} ms, p99 {:.1} ms, \
         longest {:.1} ms",
        waits.len(),
        waits.len() as f64 / seconds,
        quantile(0.5),
        quantile(0.99),
        quantile(0.999_999)
    );
    Ok(())
}

/// One voter after the other, until the end; how long each answer took.
fn vote(server: SocketAddr, path: &str, number: u64, end: Instant, pause: Duration) -> Result<Vec<Duration>, String> {
    let mut client = Client::new(server);
    let mut chance = stream(number, &[]);
    let mut waits = Vec::new();
    let mut send = |method: &str, path: &str, token: &str, body: &Value| {
        let response = client.send(method, path, token, Some(body)).map_err(|error| error.to_string())?;
        if response.status < 300 { Ok(response.json()) } else { Err(response.text) }
    };
    // Not all at once.
    std::thread::sleep(pause.mul_f64((number as f64 * 0.618) % 1.0));
    while Instant::now() < end {
        let joined = send("POST", &format!("{path}/voters"), "", &json!({}))?;
        let token = joined["token"].as_str().unwrap_or_default().to_owned();
        let mut open = send("POST", &format!("{path}/questions"), &token, &json!({"count": 1}))?["questions"].clone();
        while let Some(q) = open[0]["q"].as_u64().filter(|_| Instant::now() < end) {
            let begun = Instant::now();
            let answer = if (q + number).is_multiple_of(3) { "second" } else { "first" };
            let taken =
                send("PUT", &format!("{path}/questions/{q}/answer"), &token, &json!({"answer": answer, "ms": 900}))?;
            waits.push(begun.elapsed());
            open = taken["next"].clone();
            std::thread::sleep(pause.mul_f64(0.5 + chance.uniform()));
        }
    }
    Ok(waits)
}

/// One row a transaction, one after the other.
fn plain(database: &str, end: Instant) -> Result<(), Box<dyn std::error::Error>> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let ledger = Ledger::open(database).await?;
        let study = NewStudy {
            slug: format!("plain-{}", std::process::id()),
            title: "Plain".to_owned(),
            seed: 1,
            ..NewStudy::default()
        };
        let study = ledger.create(&study, desk::now()).await?;
        let (started, mut rows, mut number) = (Instant::now(), 0_u64, 0_u64);
        while Instant::now() < end {
            number += 1;
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_le_bytes());
            ledger
                .add_token(
                    &hash,
                    "plain",
                    study,
                    "a row of about the size of a vote, in a transaction of its own",
                    (0, None),
                )
                .await?;
            rows += 1;
        }
        println!("{rows} rows, {:.0} a second", rows as f64 / started.elapsed().as_secs_f64());
        Ok(())
    })
}
