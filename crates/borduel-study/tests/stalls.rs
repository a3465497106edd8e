//! Nobody waits for what somebody else does: turns that cannot begin, exports, snapshots. And nothing is left of
//! whoever is erased.

mod common;

use borduel_study::command::{Chunk, ImportedVote, Join};
use borduel_study::event::{Answer, By, Inclusion, Kind, Standing, Status};
use borduel_study::ledger::NewStudy;
use borduel_study::settings::Model;
use borduel_study::verify::verify;
use borduel_study::{Command, Desk, Error, Ledger, Reply, Settings, Studies, desk};
use borduel_testing::database::{Database, databases, sqlite};
use common::{Vote, cpu, item, set};
use futures_util::FutureExt;
use serde_json::json;
use sqlx::{AnyConnection, Connection, Executor, Row};
use std::time::Duration;

fn new(slug: &str, items: usize) -> NewStudy {
    let items = (0..items).map(|i| item(&format!("item-{i}"), "{\"title\":\"x\"}")).collect();
    NewStudy { slug: slug.to_owned(), title: "Tea".to_owned(), seed: 7, items, ..NewStudy::default() }
}

async fn open(database: &Database, items: usize) -> (Studies, Desk) {
    let studies = Studies::new(Ledger::open(&database.url).await.unwrap());
    let id = studies.ledger().create(&new("tea", items), desk::now()).await.unwrap();
    let desk = studies.desk(id);
    desk.send(Command::Status(Status::Open)).await.unwrap();
    (studies, desk)
}

async fn join(desk: &Desk, token: u8, name: &str) -> u32 {
    let name = Some(name.to_owned());
    let join = Join { name, ..Join::new(Kind::Named, [token; 32]) };
    match desk.send(Command::Join(join)).await.unwrap() {
        Reply::Joined { voter } => voter,
        other => panic!("{other:?}"),
    }
}

/// So many votes of one file.
async fn import(desk: &Desk, votes: usize) {
    let vote = |i: usize| {
        let answer = if i.is_multiple_of(3) { Answer::Second } else { Answer::First };
        ImportedVote {
            criterion: 0,
            voter: Some((i % 50) as u32),
            first: (i % 3) as u16,
            second: (i % 3) as u16 + 1,
            context: None,
            answer,
        }
    };
    for from in (0..votes).step_by(5_000) {
        let votes_of_chunk = (from..votes.min(from + 5_000)).map(vote).collect();
        let (name, rows) = ("file".to_owned(), votes as u64);
        let chunk =
            Chunk { name, hash: [7; 32], rows, voters: 50, hint: false, from: from as u64, votes: votes_of_chunk };
        desk.send(Command::Import(Box::new(chunk))).await.unwrap();
    }
}

/// Locks a study as a replica that hangs in its turn does.
async fn hang(database: &Database) -> AnyConnection {
    let mut other = AnyConnection::connect(&database.url.replace("sqlite:", "sqlite://")).await.unwrap();
    if database.folder.is_some() {
        other.execute("BEGIN IMMEDIATE").await.unwrap();
    } else {
        other.execute("BEGIN; SELECT head FROM studies FOR UPDATE").await.unwrap();
    }
    other
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_hangs_in_its_turn_keeps_nobody_from_reading() {
    for database in databases() {
        let (studies, desk) = open(&database, 3).await;
        let head = desk.read(|state| state.head).await.unwrap();
        let other = hang(&database).await;
        let writer = desk.clone();
        let pause = tokio::spawn(async move { writer.send(Command::Status(Status::Paused)).await });
        // While the turn waits to begin, and after it has given up, whoever reads does not wait at all.
        let at_once = || desk.read(|state| state.head).now_or_never().expect("nobody waits").unwrap();
        while !pause.is_finished() {
            assert!(at_once() >= head);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(pause.await.unwrap().is_err(), "nothing was stored");
        assert!(at_once() >= head, "the state was kept");
        // Whoever comes to the study for the first time waits for the log, and not for the turn.
        let late = Studies::new(Ledger::open(&database.url).await.unwrap());
        let late_desk = late.desk(desk.study());
        let writer = late_desk.clone();
        let tick = tokio::spawn(async move { writer.send(Command::Tick).await });
        assert!(late_desk.read(|state| state.head).await.unwrap() >= head);
        assert!(!tick.is_finished(), "that waits still");
        drop(other);
        let _ = tick.await.unwrap();
        desk.send(Command::Status(Status::Paused)).await.unwrap();
        verify(studies.ledger(), desk.study()).await.unwrap();
    }
}

/// A commit that takes as long as somebody likes: whoever reads meanwhile reads what was committed before, at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_reads_does_not_wait_for_a_commit() {
    let Some(database) = borduel_testing::database::postgres() else {
        return borduel_testing::skip("commits that wait", "not started by with-postgres");
    };
    let (studies, desk) = open(&database, 3).await;
    // The turn has decided and waits in the middle of being stored, as on a disk that is slow: what it writes to is
    // locked.
    let mut other = AnyConnection::connect(&database.url).await.unwrap();
    other.execute("BEGIN; LOCK TABLE entries IN SHARE MODE").await.unwrap();
    let writer = desk.clone();
    let pause = tokio::spawn(async move { writer.send(Command::Status(Status::Paused)).await });
    let waits = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'entries'::regclass \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let waiting = async |other: &mut AnyConnection| other.fetch_one(waits).await.unwrap().get::<i64, _>(0);
    while waiting(&mut other).await == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let status = desk.read(|state| state.status).now_or_never().expect("nobody waits").unwrap();
    assert_eq!(status, Status::Open, "nothing of what may yet fail is seen");
    assert!(!pause.is_finished());
    other.execute("COMMIT").await.unwrap();
    pause.await.unwrap().unwrap();
    assert_eq!(desk.read(|state| state.status).await.unwrap(), Status::Paused, "whoever was told sees it");
    verify(studies.ledger(), desk.study()).await.unwrap();
}

#[tokio::test]
async fn a_study_is_made_whole_or_not_at_all() {
    let database = sqlite();
    let ledger = Ledger::open(&database.url).await.unwrap();
    let mut other = AnyConnection::connect(&database.url.replace("sqlite:", "sqlite://")).await.unwrap();
    for table in ["tokens", "contents", "entries"] {
        let fault =
            format!("CREATE TRIGGER fault BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'on purpose'); END");
        other.execute(sqlx::AssertSqlSafe(fault)).await.unwrap();
        let made = NewStudy { organiser: Some(([1; 32], "organiser")), ..new("tea", 2) };
        assert!(matches!(ledger.create(&made, 0).await, Err(Error::Database { .. })), "{table}");
        assert_eq!(ledger.study("tea").await.unwrap(), None, "{table}");
        assert_eq!(ledger.token(&[1; 32], 0).await.unwrap(), None, "{table}");
        other.execute("DROP TRIGGER fault").await.unwrap();
    }
    let odd = NewStudy { settings: Settings { model: Model::Features, ..Settings::default() }, ..new("tea", 2) };
    assert!(matches!(ledger.create(&odd, 0).await, Err(Error::Refused(why)) if why.to_string().contains("features")));
    let made = NewStudy { organiser: Some(([1; 32], "organiser")), ..new("tea", 2) };
    let id = ledger.create(&made, 0).await.unwrap();
    assert_eq!(ledger.load(id).await.unwrap().items.len(), 2);
    assert_eq!(ledger.token(&[1; 32], 0).await.unwrap(), Some(("organiser".to_owned(), id)));
    assert_eq!(verify(&ledger, id).await.unwrap().entries, 1);
}

#[tokio::test]
async fn snapshots_are_kept_as_a_study_grows_and_when_its_desk_goes() {
    for database in databases() {
        let (studies, desk) = open(&database, 4).await;
        let (ledger, id) = (studies.ledger().clone(), desk.study());
        import(&desk, 2_000).await;
        assert!(ledger.snapshot(id, u64::MAX >> 1).await.unwrap().is_none(), "not before 5,000 events");
        import_more(&desk, "more").await;
        let kept = async {
            loop {
                if let Some(state) = ledger.snapshot(id, u64::MAX >> 1).await.unwrap() {
                    return state.head;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let kept = tokio::time::timeout(Duration::from_secs(20), kept).await.expect("a snapshot is kept");
        assert!(kept > 5_000, "{kept}");
        assert!(verify(&ledger, id).await.unwrap().snapshot);
        // The last event of all stands in the one that is kept when the desk goes.
        join(&desk, 9, "last").await;
        drop(desk);
        studies.close(Duration::from_secs(20)).await;
        let ledger = Ledger::open(&database.url).await.unwrap();
        let (head, _) = ledger.head(id).await.unwrap();
        assert_eq!(ledger.snapshot(id, head).await.unwrap().unwrap().head, head);
    }
}

/// A thousand votes of another file.
async fn import_more(desk: &Desk, name: &str) {
    let vote = ImportedVote { criterion: 0, voter: None, first: 0, second: 1, context: None, answer: Answer::Tie };
    let (name, votes) = (name.to_owned(), vec![vote; 1_000]);
    let chunk = Chunk { name, hash: [8; 32], rows: 1_000, voters: 0, hint: false, from: 0, votes };
    desk.send(Command::Import(Box::new(chunk))).await.unwrap();
}

/// All on one thread: what this thread computes, everybody waits for.
#[tokio::test(flavor = "current_thread")]
async fn exports_and_snapshots_are_written_beside_those_who_wait() {
    let database = sqlite();
    let (studies, desk) = open(&database, 4).await;
    import(&desk, 100_000).await;
    let state = desk.copy().await.unwrap();
    let clock = cpu();
    let bytes = state.encode().unwrap();
    let packing = cpu().saturating_sub(clock);
    assert!(bytes.len() > 500_000);
    let clock = cpu();
    studies.ledger().keep_snapshot(desk.study(), state).await.unwrap();
    let waited = cpu().saturating_sub(clock);
    assert!(waited < packing / 2, "{waited:?} of {packing:?}");

    // The events of this log, read as an export reads them.
    let (clock, mut after, mut events) = (cpu(), 0, 0);
    loop {
        let entries = studies.ledger().entries(desk.study(), after).await.unwrap();
        let Some(last) = entries.last() else { break };
        after = last.last;
        assert!(entries.iter().map(|entry| entry.body.len()).sum::<usize>() < 4_000_000, "a few megabytes at a time");
        events += entries.iter().map(|entry| entry.events().unwrap().len()).sum::<usize>();
    }
    let reading = cpu().saturating_sub(clock);
    assert_eq!(events as u64, after);
    for name in ["votes.csv", "votes.jsonl", "log.jsonl"] {
        // What others do on the machine adds to the time, and takes nothing off: the least of three tells.
        let mut waited = Duration::MAX;
        for _ in 0..3 {
            let (clock, mut size, mut parts) = (cpu(), 0, 0);
            let mut export = studies.export(&desk, name, None).await.unwrap().unwrap();
            while let Some(part) = export.part().await.unwrap() {
                assert!(part.len() < 8_000_000, "{name}: a part of {} bytes", part.len());
                size += part.len();
                parts += 1;
            }
            waited = waited.min(cpu().saturating_sub(clock));
            assert!(size > 5_000_000 && parts > 5, "{name}: {size} bytes in {parts} parts");
        }
        assert!(waited < reading / 3, "{name}: {waited:?} of {reading:?}");
    }
    assert!(studies.export(&desk, "secrets.txt", None).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_an_erased_voter_is_left_in_the_files() {
    let database = sqlite();
    let (studies, desk) = open(&database, 30).await;
    desk.send(set(&json!({"comment": true, "questions_per_voter": 300}))).await.unwrap();
    let (mut voters, mut stream) = (Vec::new(), borduel_rank::stream::stream(3, &[1]));
    for number in 0..12_u8 {
        voters.push(join(&desk, number, &format!("Name{number:02}X")).await);
    }
    // Comments of all lengths, in turn and again, so that the rows of a page move to others.
    for round in 0..40 {
        for (number, &voter) in voters.iter().enumerate() {
            let Ok(Reply::Questions(sitting)) = desk.send(Command::Ask { voter, count: 1 }).await else { panic!() };
            let length = [5, 50, 300, 1_500][stream.below(4)];
            let comment = Some(format!("Words{number:02}X{}", "a".repeat(length)));
            let (q, answer) = (sitting.questions[0].q, Answer::Tie);
            desk.send(Vote { comment, ..Vote::new(voter, q, answer) }.command()).await.unwrap();
            if round % 3 == 0 {
                let text = format!("Words{number:02}X{}", "b".repeat([10, 1_900][stream.below(2)]));
                desk.send(Command::Comment { voter, text }).await.unwrap();
            }
        }
    }
    let path = database.folder.as_ref().unwrap().path().join("test.db");
    let found = |number: usize| {
        let all = ["", "-wal", "-shm"].map(|end| std::fs::read(format!("{}{end}", path.display())).unwrap_or_default());
        let count = |word: &str| -> usize {
            all.iter().map(|file| file.windows(word.len()).filter(|at| *at == word.as_bytes()).count()).sum()
        };
        (count(&format!("Name{number:02}X")), count(&format!("Words{number:02}X")))
    };
    for number in [0, 5, 11] {
        assert!(found(number).0 > 0 && found(number).1 > 0);
        let (voter, standing, votes) = (voters[number], Standing::Withdrawn, Inclusion::Keep);
        desk.send(Command::Voter { voter, standing, votes, by: By::Voter }).await.unwrap();
        assert_eq!(found(number), (0, 0), "of voter {number}");
    }
    // All others are as they were.
    let (ledger, id) = (studies.ledger(), desk.study());
    assert_eq!((ledger.names(id).await.unwrap().len(), ledger.notes(id).await.unwrap().len()), (9, 9 * 40));
    assert_eq!(ledger.voter(id, &[1; 32], 0).await.unwrap(), Some((voters[1], 0)));
    // Somebody who reads meanwhile only delays it to the next turn.
    let mut reader = AnyConnection::connect(&database.url.replace("sqlite:", "sqlite://")).await.unwrap();
    reader.execute("BEGIN; SELECT COUNT(*) FROM notes").await.unwrap();
    let (voter, standing, votes) = (voters[3], Standing::Withdrawn, Inclusion::Keep);
    desk.send(Command::Voter { voter, standing, votes, by: By::Voter }).await.unwrap();
    assert_eq!(ledger.notes(id).await.unwrap().len(), 8 * 40);
    reader.execute("COMMIT").await.unwrap();
    desk.send(Command::Tick).await.unwrap();
    assert_eq!(found(3), (0, 0));
    verify(ledger, id).await.unwrap();
}
