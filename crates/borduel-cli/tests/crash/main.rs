//! `kill -9` under load, and other faults: every acknowledged vote is there exactly once, with its answer, in its
//! order.
//!
//! A few kills here; `BORDUEL_KILLS=100 cargo nextest run -p borduel-cli --test crash --no-capture` is the long one,
//! whose figures stand in docs/RELIABILITY.md.

mod survive;

use borduel::stream::stream;
use borduel_testing::http::Client;
use borduel_testing::server::Server;
use borduel_testing::{database, skip};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use survive::{FREE, PATH, number, survive, survive_at};

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
    for contexts in [0, 5] {
        let database = database::sqlite();
        survive(&database, (1, contexts), |servers| kills(servers, &database.url));
    }
}

#[test]
fn killed_again_and_again_on_postgres_with_two_and_three_replicas() {
    for (replicas, contexts) in [(2, 5), (3, 0)] {
        let Some(database) = database::postgres() else {
            return skip("kills on PostgreSQL", "not started by crates/borduel-study/tests/with-postgres");
        };
        survive(&database, (replicas, contexts), |servers| kills(servers, &database.url));
    }
}

/// A replica that hangs, perhaps in its turn: others wait for its lock for 5 s at most and then say 503; it comes back
/// and knows what it has missed.
#[test]
fn a_replica_that_hangs_stops_nobody() {
    let Some(database) = database::postgres() else {
        return skip("a hanging replica", "not started by crates/borduel-study/tests/with-postgres");
    };
    survive(&database, (2, 0), |servers| {
        for _ in 0..number("BORDUEL_STOPS", 1) {
            servers[0].signal("-STOP");
            std::thread::sleep(Duration::from_secs(12));
            servers[0].signal("-CONT");
            std::thread::sleep(Duration::from_secs(1));
        }
    });
}

/// Nothing fits on the disk any more, then there is room again: votes are refused in between, and it goes on by itself.
/// The limit on the size of a process's files stands for the size of a disk.
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
    survive_at(&database, vec![server], 0, |servers| {
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
        // Nothing more is taken, what is refused is refused with 503, and it says so, as soon as the voters have filled
        // what a checkpoint may still make free.
        let mut client = servers[0].client();
        let ready = |client: &mut Client| client.send("GET", "/readyz", "", None).unwrap().status;
        let refused =
            |client: &mut Client| client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap().status;
        let begun = Instant::now();
        while (refused(&mut client), ready(&mut client)) != (503, 503) {
            assert!(begun.elapsed() < Duration::from_mins(1), "it does not say that the disk is full");
            std::thread::sleep(Duration::from_millis(300));
        }
        assert_eq!(client.send("GET", "/healthz", "", None).unwrap().status, 200);
        let freed = Command::new("prlimit")
            .args(["--pid", &servers[0].id().to_string(), "--fsize=unlimited"])
            .status()
            .unwrap();
        assert!(freed.success());
        std::thread::sleep(Duration::from_secs(3));
        let taken = client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap();
        assert_eq!(taken.status, 201, "{}", taken.text);
        assert_eq!(ready(&mut client), 200);
    });
}

/// Makes the disk that loses, waits and fails; whether there is a compiler.
fn make_disk(library: &Path) -> bool {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/powercut.c");
    let made = Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(library).arg(source).arg("-ldl").status();
    made.is_ok_and(|code| code.success())
}

/// The power goes: whatever was not synced is lost. What was acknowledged is there.
#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let (database, shadow) = (database::sqlite(), tempfile::tempdir().unwrap());
    let disk = database.folder.as_ref().unwrap().path().canonicalize().unwrap();
    let library = shadow.path().join("powercut.so");
    if !make_disk(&library) {
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
    survive_at(&database, vec![start(0)], 3, |servers| {
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
    survive(&database, (2, 0), |_| {
        let done = Command::new("sh").args(["-c", &restart]).status().unwrap();
        assert!(done.success());
        std::thread::sleep(Duration::from_secs(2));
    });
}

/// A disk that takes its time, and now and then says that it could not: nobody is told that a vote is stored while it
/// is not known to be.
#[test]
fn a_disk_that_cannot_sync_is_not_believed() {
    let (database, shadow) = (database::sqlite(), tempfile::tempdir().unwrap());
    let (library, broken) = (shadow.path().join("powercut.so"), shadow.path().join("broken"));
    if !make_disk(&library) {
        return skip("a disk that cannot sync", "there is no C compiler");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
    command.env("LD_PRELOAD", &library).env("BORDUEL_SYNC_MS", "3").env("BORDUEL_SYNC_BROKEN", &broken);
    survive_at(&database, vec![Server::start_by(command, &database.url, 0, FREE)], 0, |servers| {
        let mut client = servers[0].client();
        for _ in 0..number("BORDUEL_BREAKS", 3) {
            std::fs::write(&broken, "").unwrap();
            std::thread::sleep(Duration::from_millis(700));
            let refused = client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap();
            assert_eq!(refused.status, 503, "{}", refused.text);
            std::fs::remove_file(&broken).unwrap();
            std::thread::sleep(Duration::from_millis(700));
            let taken = client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap();
            assert_eq!(taken.status, 201, "{}", taken.text);
        }
    });
}

/// A disk that can only be read: votes are refused, and whoever asks whether the server is ready hears that it is not,
/// until it is.
#[test]
fn a_disk_that_can_only_be_read_is_noticed() {
    let (database, shadow) = (database::sqlite(), tempfile::tempdir().unwrap());
    let (library, only) = (shadow.path().join("powercut.so"), shadow.path().join("only"));
    if !make_disk(&library) {
        return skip("a disk that can only be read", "there is no C compiler");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
    let disk = database.folder.as_ref().unwrap().path().canonicalize().unwrap();
    command.env("LD_PRELOAD", &library).env("BORDUEL_DISK", disk).env("BORDUEL_READ_ONLY", &only);
    survive_at(&database, vec![Server::start_by(command, &database.url, 0, FREE)], 0, |servers| {
        let mut client = servers[0].client();
        let mut both = |wanted: (u16, u16)| {
            let begun = Instant::now();
            loop {
                let ready = client.send("GET", "/readyz", "", None).unwrap().status;
                let joined = client.send("POST", &format!("{PATH}/voters"), "", Some(&json!({}))).unwrap().status;
                assert_eq!(client.send("GET", "/healthz", "", None).unwrap().status, 200);
                if (ready, joined) == wanted {
                    return;
                }
                assert!(begun.elapsed() < Duration::from_mins(1), "{ready} and {joined}, not {wanted:?}");
                std::thread::sleep(Duration::from_millis(100));
            }
        };
        both((200, 201));
        std::fs::write(&only, "").unwrap();
        both((503, 503));
        std::fs::remove_file(&only).unwrap();
        both((200, 201));
    });
}

/// All sessions of the database are ended again and again.
#[test]
fn sessions_that_the_database_ends_are_opened_again() {
    let Some(database) = database::postgres() else {
        return skip("sessions that are ended", "not started by crates/borduel-study/tests/with-postgres");
    };
    survive(&database, (2, 0), |_| {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid \
            <> pg_backend_pid()";
        for _ in 0..number("BORDUEL_ENDS", 5) {
            // Another test restarts this very database: for a moment there is nobody who could end anything.
            let ended = (0..50).any(|_| {
                let done = Command::new("psql").args([&database.url, "-q", "-t", "-c", end]).output().unwrap();
                done.status.success() || {
                    std::thread::sleep(Duration::from_millis(200));
                    false
                }
            });
            assert!(ended, "psql cannot end sessions");
            std::thread::sleep(Duration::from_millis(400));
        }
    });
}
