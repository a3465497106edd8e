//! `kill -9` under load: every acknowledged vote is there exactly once, with its answer, in its order.
//!
//! A few kills here; `BORDUEL_KILLS=100 cargo nextest run -p borduel-cli --test crash --no-capture` is the long one, whose
//! figures stand in docs/RELIABILITY.md.

#[path = "../../borduel-study/tests/common/database.rs"]
mod database;
#[path = "common/http.rs"]
mod http;
#[path = "common/server.rs"]
mod server;

use borduel::stream::stream;
use borduel_study::state::Phase;
use borduel_study::verify::verify;
use borduel_study::{Answer, Ledger};
use database::{Database, skip};
use http::{Client, Response};
use serde_json::{Value, json};
use server::{ADMIN, Server};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FREE: &[&str] = &["--voter-rate", "0", "--join-rate", "0"];
const PATH: &str = "/v1/studies/tea";

/// What one client was told: in which order its answers were acknowledged, and how often it had to ask again.
#[derive(Default)]
struct History {
    acknowledged: Vec<(u32, Answer)>,
    repeated: u64,
    failures: u64,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Sends until it is answered with anything but "not now", to one server after the other.
fn insist(
    clients: &mut [Client],
    at: &mut usize,
    history: &mut History,
    request: (&str, &str, &str, &Value),
) -> Response {
    let (method, path, token, body) = request;
    loop {
        match clients[*at].send(method, path, token, Some(body)) {
            Ok(response) if response.status != 503 => return response,
            _ => {
                history.failures += 1;
                *at = (*at + 1) % clients.len();
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// Votes until it is told to stop.
fn vote(servers: &[SocketAddr], number: usize, stop: &AtomicBool) -> History {
    let mut clients: Vec<Client> = servers.iter().map(|&server| Client::new(server)).collect();
    let (mut at, mut history) = (number % servers.len(), History::default());
    let mut chance = stream(number as u64, &[9]);
    while !stop.load(Ordering::Relaxed) {
        let joined =
            insist(&mut clients, &mut at, &mut history, ("POST", &format!("{PATH}/voters"), "", &json!({}))).json();
        let Some(token) = joined["token"].as_str().map(str::to_owned) else { panic!("{joined}") };
        let asked = insist(
            &mut clients,
            &mut at,
            &mut history,
            ("POST", &format!("{PATH}/questions"), &token, &json!({"count": 2})),
        );
        let mut open = asked.json()["questions"].clone();
        while let Some(q) = open[0]["q"].as_u64().filter(|_| !stop.load(Ordering::Relaxed)) {
            let (word, answer) =
                if chance.below(2) == 0 { ("first", Answer::First) } else { ("second", Answer::Second) };
            let path = format!("{PATH}/questions/{q}/answer");
            let taken = insist(&mut clients, &mut at, &mut history, ("PUT", &path, &token, &json!({"answer": word})));
            assert_eq!(taken.status, 200, "{}", taken.text);
            let taken = taken.json();
            history.repeated += u64::from(taken["repeated"] == true);
            history.acknowledged.push((q as u32, answer));
            open = taken["next"].clone();
        }
    }
    history
}

/// Lets clients vote at so many replicas while `trouble` happens, then holds what they were told against the log.
fn survive(database: &Database, replicas: usize, trouble: impl FnOnce(&mut Vec<Server>)) {
    let servers = (0..replicas).map(|_| Server::start(&database.url, 0, FREE)).collect();
    survive_at(database, servers, trouble);
}

/// The same at servers that run already.
fn survive_at(database: &Database, mut servers: Vec<Server>, trouble: impl FnOnce(&mut Vec<Server>)) {
    let (clients, replicas) = (number("BORDUEL_CLIENTS", 24) as usize, servers.len());
    let items: Vec<Value> = (0..40).map(|i| json!({"key": format!("tea-{i}"), "title": "Tea"})).collect();
    let study = json!({"slug": "tea", "title": "Tea", "items": items, "settings": {"questions_per_voter": 40}});
    let first = &mut servers[0].client();
    assert_eq!(first.send("POST", "/v1/studies", ADMIN, Some(&study)).unwrap().status, 201);
    assert_eq!(
        first.send("PUT", &format!("{PATH}/status"), ADMIN, Some(&json!({"status": "open"}))).unwrap().status,
        200
    );
    let addresses: Vec<SocketAddr> = servers.iter().map(|server| server.address).collect();
    let (stop, started) = (Arc::new(AtomicBool::new(false)), Instant::now());
    let voters: Vec<_> = (0..clients)
        .map(|number| {
            let (addresses, stop) = (addresses.clone(), stop.clone());
            std::thread::spawn(move || vote(&addresses, number, &stop))
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    trouble(&mut servers);
    std::thread::sleep(Duration::from_millis(500));
    stop.store(true, Ordering::Relaxed);
    let histories: Vec<History> = voters.into_iter().map(|voter| voter.join().unwrap()).collect();
    let seconds = started.elapsed().as_secs_f64();
    servers.iter_mut().for_each(|server| assert_eq!(server.stop(), Some(0)));

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (state, verified) = runtime.block_on(async {
        let ledger = Ledger::open(&database.url).await.unwrap();
        let study = ledger.study("tea").await.unwrap().unwrap();
        (ledger.load(study.id).await.unwrap(), verify(&ledger, study.id).await.unwrap())
    });
    let acknowledged: usize = histories.iter().map(|history| history.acknowledged.len()).sum();
    let mut seen = std::collections::HashSet::new();
    for (q, answer) in histories.iter().flat_map(|history| &history.acknowledged) {
        let question = &state.questions[*q as usize];
        assert!(seen.insert(*q), "question {q} was acknowledged twice");
        assert_eq!((question.phase, question.answer()), (Phase::Answered, *answer), "question {q}");
    }
    // At the end nobody was in flight: what is stored is what was acknowledged, nothing more and nothing less.
    assert_eq!(verified.answers as usize, acknowledged);
    for voter in &state.voters {
        let mut pairs: Vec<_> = voter.questions.iter().map(|&q| state.questions[q as usize].pair()).collect();
        pairs.sort_unstable();
        assert!(pairs.windows(2).all(|two| two[0] != two[1]), "a voter saw a pair twice");
    }
    let sum = |of: fn(&History) -> u64| histories.iter().map(of).sum::<u64>();
    println!(
        "{replicas} replica(s), {clients} clients, {seconds:.0} s: {acknowledged} acknowledged, none lost, none twice; {} repeated, {} failures seen by clients; {} events in {} commits",
        sum(|history| history.repeated),
        sum(|history| history.failures),
        verified.events,
        verified.entries
    );
    assert!(acknowledged > 20 * clients / 24, "hardly anything was voted: {acknowledged}");
}

/// Kills a random server so many times, at random moments, and starts it again at once.
fn kills(servers: &mut [Server], url: &str) {
    let mut chance = stream(number("BORDUEL_SEED", 1), &[4]);
    for _ in 0..number("BORDUEL_KILLS", 3) {
        std::thread::sleep(Duration::from_millis(100 + chance.below(1_500) as u64));
        let at = chance.below(servers.len());
        servers[at].kill();
        let port = servers[at].address.port();
        servers[at] = Server::start(url, port, FREE);
    }
}

#[test]
fn killed_again_and_again_on_sqlite() {
    let database = database::sqlite();
    survive(&database, 1, |servers| kills(servers, &database.url));
}

#[test]
fn killed_again_and_again_on_postgres_with_two_and_three_replicas() {
    for replicas in [2, 3] {
        let Some(database) = database::postgres() else {
            return skip("kills on PostgreSQL", "not started by crates/borduel-study/tests/with-postgres");
        };
        survive(&database, replicas, |servers| kills(servers, &database.url));
    }
}

/// A replica that hangs, perhaps in its turn: others wait for its lock for 5 s at most and then say 503; it comes back and knows what it
/// has missed.
#[test]
fn a_replica_that_hangs_stops_nobody() {
    let Some(database) = database::postgres() else {
        return skip("a hanging replica", "not started by crates/borduel-study/tests/with-postgres");
    };
    survive(&database, 2, |servers| {
        for _ in 0..number("BORDUEL_STOPS", 1) {
            servers[0].signal("-STOP");
            std::thread::sleep(Duration::from_secs(12));
            servers[0].signal("-CONT");
            std::thread::sleep(Duration::from_secs(1));
        }
    });
}

/// Nothing fits on the disk any more, then there is room again: votes are refused in between, and it goes on by itself. The limit on the
/// size of a process's files stands for the size of a disk.
#[test]
fn a_full_disk_refuses_and_goes_on_when_there_is_room() {
    let database = database::sqlite();
    let by = |blocks: &str| {
        let mut command = Command::new("bash");
        // Whoever ignores the signal is told by the write that failed.
        command.args([
            "-c",
            &format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\""),
            env!("CARGO_BIN_EXE_borduel"),
        ]);
        command
    };
    let server = Server::start_by(by("400"), &database.url, 0, FREE);
    survive_at(&database, vec![server], |servers| {
        let size = || {
            database
                .folder
                .as_ref()
                .map(|folder| folder.path().join("test.db-wal"))
                .and_then(|file| file.metadata().ok())
                .map_or(0, |file| file.len())
        };
        let begun = Instant::now();
        while size() < 390 * 1024 {
            assert!(begun.elapsed() < Duration::from_mins(1), "the disk does not fill: {} bytes", size());
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_secs(2));
        // Nothing more is taken, and what is refused is refused with 503.
        let mut client = servers[0].client();
        let refused = client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap();
        assert_eq!(refused.status, 503, "{}", refused.text);
        let freed = Command::new("prlimit")
            .args(["--pid", &servers[0].id().to_string(), "--fsize=unlimited"])
            .status()
            .unwrap();
        assert!(freed.success());
        std::thread::sleep(Duration::from_secs(3));
        let taken = client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap();
        assert_eq!(taken.status, 201, "{}", taken.text);
    });
}

/// The power goes: whatever was not synced is lost. What was acknowledged is there.
#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let (database, shadow) = (database::sqlite(), tempfile::tempdir().unwrap());
    let disk = database.folder.as_ref().unwrap().path().canonicalize().unwrap();
    let library = shadow.path().join("powercut.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/powercut.c");
    let made =
        Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    if !made.is_ok_and(|code| code.success()) {
        return skip("power cuts", "there is no C compiler");
    }
    let kept = shadow.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    let start = |port: u16| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
        command.env("LD_PRELOAD", &library).env("BORDUEL_DISK", &disk).env("BORDUEL_SHADOW", &kept);
        Server::start_by(command, &database.url, port, FREE)
    };
    let mut lost = 0;
    survive_at(&database, vec![start(0)], |servers| {
        let mut chance = stream(number("BORDUEL_SEED", 1), &[5]);
        for _ in 0..number("BORDUEL_CUTS", 5) {
            std::thread::sleep(Duration::from_millis(100 + chance.below(900) as u64));
            servers[0].kill();
            for file in std::fs::read_dir(&disk).unwrap().map(Result::unwrap) {
                let synced = std::fs::read(kept.join(file.file_name())).ok();
                let before = std::fs::read(file.path()).unwrap();
                lost += u64::from(file.path().ends_with("test.db-wal") && synced.as_ref() != Some(&before));
                std::fs::remove_file(file.path()).unwrap();
            }
            for file in std::fs::read_dir(&kept).unwrap().map(Result::unwrap) {
                let name = file.file_name();
                if !name.to_string_lossy().ends_with(".draft") {
                    std::fs::copy(file.path(), disk.join(name)).unwrap();
                }
            }
            let port = servers[0].address.port();
            servers[0] = start(port);
        }
    });
    assert!(kept.join("test.db-wal").exists(), "nothing was ever synced");
    println!("the log file was another than it had been synced when the power went {lost} times");
}

#[test]
fn the_database_is_restarted_under_load() {
    let (Some(database), Ok(restart)) = (database::postgres(), std::env::var("BORDUEL_POSTGRES_RESTART")) else {
        return skip("a database that restarts", "not started by crates/borduel-study/tests/with-postgres");
    };
    survive(&database, 2, |_| {
        let done = Command::new("sh").args(["-c", &restart]).status().unwrap();
        assert!(done.success());
        std::thread::sleep(Duration::from_secs(2));
    });
}
