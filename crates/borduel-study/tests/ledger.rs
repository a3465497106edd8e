//! Logs in real databases: what was stored is there, whoever writes, and whoever tampers is found out.

mod common;

use borduel_study::command::{Change, Finished, Join, Sitting};
use borduel_study::content::Content;
use borduel_study::event::{Answer, By, Inclusion, Kind, Standing, Status};
use borduel_study::ledger::NewStudy;
use borduel_study::verify::verify;
use borduel_study::{Command, Desk, Error, Ledger, Refusal, Reply, State, Studies, desk};
use borduel_testing::database::{databases, sqlite};
use common::{Vote, context, item, set};
use serde_json::json;
use sqlx::{AnyConnection, Connection, Executor};
use std::collections::HashMap;

fn new(slug: &str, title: &str) -> NewStudy {
    NewStudy { slug: slug.to_owned(), title: title.to_owned(), seed: 7, ..NewStudy::default() }
}

async fn study(ledger: &Ledger, slug: &str, items: usize) -> i64 {
    let id = ledger.create(&new(slug, "Tea"), desk::now()).await.unwrap();
    let mut state = None;
    let all = (0..items).map(|i| item(&format!("item-{i}"), "{\"title\":\"x\"}")).collect();
    for command in [Command::Items(all), Command::Status(Status::Open)] {
        ledger.turn(id, &mut state, desk::now(), |turn| turn.decide(&command)).await.unwrap().unwrap();
    }
    id
}

async fn join(desk: &Desk, token: u8) -> u32 {
    let join = Join { name: Some("Ann".into()), ..Join::new(Kind::Anonymous, [token; 32]) };
    match desk.send(Command::Join(join)).await.unwrap() {
        Reply::Joined { voter } => voter,
        other => panic!("{other:?}"),
    }
}

fn answer(voter: u32, q: u32, answer: Answer) -> Command {
    Vote { ms: Some(900), more: true, ..Vote::new(voter, q, answer) }.command()
}

#[tokio::test]
async fn what_one_has_stored_another_reads() {
    for database in databases() {
        let (one, two) = (Ledger::open(&database.url).await.unwrap(), Ledger::open(&database.url).await.unwrap());
        let id = study(&one, "tea", 4).await;
        assert!(matches!(one.create(&new("tea", "x"), 0).await, Err(Error::Taken(_))));
        assert!(matches!(one.create(&new("Tea!", "x"), 0).await, Err(Error::Invalid(_))));
        let (mut a, mut b): (Option<State>, Option<State>) = (None, None);
        // Two writers take turns, each with a state of its own that it brings up to date.
        for round in 0..20_u8 {
            let (ledger, state) = if round % 2 == 0 { (&one, &mut a) } else { (&two, &mut b) };
            let join = Join::new(Kind::Judge, [round; 32]);
            let reply = ledger.turn(id, state, 0, |turn| turn.decide(&Command::Join(join))).await.unwrap().unwrap();
            assert_eq!(reply, Reply::Joined { voter: u32::from(round) });
        }
        let now = one.load(id).await.unwrap();
        assert_eq!(now.encode().unwrap(), b.unwrap().encode().unwrap());
        assert_eq!(one.voter(id, &[3; 32], 0).await.unwrap(), Some((3, 0)));
        assert_eq!(one.voter(id, &[99; 32], 0).await.unwrap(), None);
        one.keep_snapshot(id, now.clone()).await.unwrap();
        let verified = verify(&two, id).await.unwrap();
        assert!(verified.snapshot && verified.events == now.head && verified.entries == 23, "{verified:?}");
        assert_eq!(one.load(id).await.unwrap().encode().unwrap(), now.encode().unwrap());
    }
}

/// A network that has joined at one replica as often as it may has done so at the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_together_let_in_no_more_than_one_does() {
    for database in databases() {
        let (one, two) = (Ledger::open(&database.url).await.unwrap(), Ledger::open(&database.url).await.unwrap());
        let id = study(&one, "tea", 3).await;
        let replicas = [Studies::new(one), Studies::new(two)];
        let desks = replicas.each_ref().map(|studies| studies.desk(id));
        let join = async |at: usize, token: u8, network: u32| {
            let (network, kind) = (Some(network), Kind::Anonymous);
            let join = Join { network, per_minute: 2, ..Join::new(kind, [token; 32]) };
            desks[at].send(Command::Join(join)).await
        };
        assert_eq!(join(0, 1, 7).await, Ok(Reply::Joined { voter: 0 }));
        assert_eq!(join(1, 2, 7).await, Ok(Reply::Joined { voter: 1 }));
        for at in [0, 1] {
            assert_eq!(join(at, 3, 7).await, Err(Refusal::NetworkHasty));
        }
        assert_eq!(join(1, 3, 8).await, Ok(Reply::Joined { voter: 2 }), "others are let in");
    }
}

#[tokio::test]
async fn whoever_changes_the_log_is_found_out() {
    for (tamper, word) in [
        ("UPDATE entries SET body = replace(body, 'item-1', 'item-9')", "hash"),
        ("UPDATE entries SET at_ms = at_ms + 1 WHERE first = 1", "hash"),
        ("DELETE FROM entries WHERE first = 2", "missing"),
        // Farther away than what is read at a time, and a log that has lost its end.
        ("UPDATE entries SET first = first + 50000, last = last + 50000 WHERE first > 1", "ends at"),
        ("DELETE FROM entries WHERE first > 1", "ends at"),
        ("UPDATE studies SET head = head + 3", "ends at"),
        ("UPDATE entries SET format = 9 WHERE first = 1", "format 9"),
    ] {
        let database = sqlite();
        let ledger = Ledger::open(&database.url).await.unwrap();
        let id = study(&ledger, "tea", 3).await;
        verify(&ledger, id).await.unwrap();
        let path = database.url.replace("sqlite:", "sqlite://");
        let mut connection = AnyConnection::connect(&path).await.unwrap();
        connection.execute(tamper).await.unwrap();
        let found = verify(&ledger, id).await.unwrap_err().to_string();
        assert!(found.contains(word), "{tamper}: {found}");
        // Neither whoever reads nor whoever writes takes it for another log.
        assert!(ledger.load(id).await.is_err(), "{tamper}");
        assert!(ledger.turn(id, &mut None, 0, |_| ()).await.is_err(), "{tamper}");
    }
}

#[tokio::test]
async fn a_turn_that_does_not_end_leaves_no_transaction_behind() {
    for database in databases() {
        let ledger = Ledger::open(&database.url).await.unwrap();
        let id = study(&ledger, "tea", 3).await;
        let head = ledger.head(id).await.unwrap();
        let other = ledger.clone();
        let turn = async move { other.turn::<()>(id, &mut None, 0, |_| panic!("on purpose")).await };
        assert!(tokio::spawn(turn).await.unwrap_err().is_panic());
        assert_eq!(ledger.head(id).await.unwrap(), head);
        // A study of which there is none fails within its transaction, and so does a name that is taken.
        assert!(matches!(ledger.turn(id + 1, &mut None, 0, |_| ()).await, Err(Error::NoStudy(_))));
        assert!(matches!(ledger.create(&new("tea", "x"), 0).await, Err(Error::Taken(_))));
        // Whoever comes next, on SQLite to the only connection that writes, finds it as it should be.
        let pause = Command::Status(Status::Paused);
        ledger.turn(id, &mut None, 0, |turn| turn.decide(&pause)).await.unwrap().unwrap();
        verify(&ledger, id).await.unwrap();
        ledger.close().await;
        assert!(ledger.turn(id, &mut None, 0, |_| ()).await.is_err(), "it is closed");
    }
}

/// A voter who jumps between replicas and sends every answer twice; what was acknowledged.
async fn sit(id: i64, number: u8, replicas: [Studies; 2]) -> HashMap<u32, Answer> {
    let desks = replicas.map(|studies| studies.desk(id));
    let voter = join(&desks[0], number).await;
    let mut acknowledged: HashMap<u32, Answer> = HashMap::new();
    for round in 0..12_usize {
        // The voter jumps between replicas.
        let desk = &desks[(round + usize::from(number)) % 2];
        let Reply::Questions(Sitting { questions, .. }) = desk.send(Command::Ask { voter, count: 2 }).await.unwrap()
        else {
            panic!()
        };
        let q = questions[0].q;
        let said = if (q + u32::from(number)).is_multiple_of(3) { Answer::First } else { Answer::Second };
        // It sends every answer twice, the second time to the other replica.
        for (time, desk) in [desk, &desks[(round + usize::from(number) + 1) % 2]].into_iter().enumerate() {
            let reply = desk.send(answer(voter, q, said)).await.unwrap();
            assert!(matches!(reply, Reply::Answered { repeated, .. } if repeated == (time == 1)));
        }
        assert!(acknowledged.insert(q, said).is_none());
    }
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_voters_at_two_replicas_lose_nothing_and_count_nothing_twice() {
    for database in databases() {
        let ledger = Ledger::open(&database.url).await.unwrap();
        let id = study(&ledger, "tea", 8).await;
        let replicas = [Studies::new(ledger), Studies::new(Ledger::open(&database.url).await.unwrap())];
        let voters: Vec<_> = (0..10).map(|number| tokio::spawn(sit(id, number, replicas.clone()))).collect();
        let mut all = HashMap::new();
        for voter in voters {
            all.extend(voter.await.unwrap());
        }
        assert_eq!(all.len(), 120);
        // Plans and looks are made beside the votes, and may come a moment later.
        for _ in 0..300 {
            let state = replicas[0].desk(id).copy().await.unwrap();
            if state.judged.is_some() && state.plan.number > 0 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        for studies in &replicas {
            studies.desk(id).send(Command::Tick).await.unwrap();
        }
        let states = [replicas[0].desk(id).copy().await.unwrap(), replicas[1].desk(id).copy().await.unwrap()];
        for (q, said) in &all {
            assert_eq!(states[0].questions[*q as usize].answer(), *said);
        }
        assert_eq!(states[0].votes, 120);
        let at = |state: &State| (state.head, state.encode().unwrap());
        // Plans and looks may have come in between; whoever is behind catches up to the same bytes.
        if states[0].head == states[1].head {
            assert!(at(&states[0]) == at(&states[1]));
        }
        assert!(states[0].plan.number > 0 || states[1].plan.number > 0, "a plan was made beside the log");
        assert!(states.iter().any(|state| state.judged.is_some()), "a look was taken");
        let verified = verify(replicas[0].ledger(), id).await.unwrap();
        assert_eq!(verified.answers, 120);
        for studies in replicas {
            studies.close(std::time::Duration::from_secs(10)).await;
        }
    }
}

#[tokio::test]
async fn a_voter_is_erased_and_the_log_stays_whole() {
    // Also where pairs are compared in contexts.
    let both = [0_usize, 2].into_iter().flat_map(|contexts| databases().into_iter().map(move |base| (base, contexts)));
    for (database, contexts) in both {
        let studies = Studies::new(Ledger::open(&database.url).await.unwrap());
        let id = study(studies.ledger(), &format!("tea-{contexts}"), 3).await;
        let desk = studies.desk(id);
        if contexts > 0 {
            let new = (0..contexts).map(|c| context(&format!("context-{c}"), "text")).collect();
            desk.send(Command::Contexts(new)).await.unwrap();
        }
        let asked = 3 * contexts.max(1);
        desk.send(set(&json!({"comment": true}))).await.unwrap();
        let voter = join(&desk, 1).await;
        for _ in 0..asked {
            let Reply::Questions(sitting) = desk.send(Command::Ask { voter, count: 1 }).await.unwrap() else {
                panic!()
            };
            let q = sitting.questions[0].q;
            let comment = Some("my words".to_owned());
            desk.send(Vote { comment, ..Vote::new(voter, q, Answer::Tie) }.command()).await.unwrap();
        }
        let Reply::Questions(sitting) = desk.send(Command::Ask { voter, count: 1 }).await.unwrap() else { panic!() };
        assert_eq!(sitting.done, Some(Finished::SeenAll));
        let ledger = studies.ledger();
        assert_eq!((ledger.names(id).await.unwrap().len(), ledger.notes(id).await.unwrap().len()), (1, asked));
        let (standing, votes) = (Standing::Withdrawn, Inclusion::Aside);
        desk.send(Command::Voter { voter, standing, votes, by: By::Voter }).await.unwrap();
        assert_eq!((ledger.names(id).await.unwrap().len(), ledger.notes(id).await.unwrap().len()), (0, 0));
        assert_eq!(ledger.voter(id, &[1; 32], 0).await.unwrap(), None);
        assert_eq!(desk.read(|state| state.votes).await.unwrap(), 0);
        assert!(desk.send(Command::Ask { voter, count: 1 }).await.is_err());
        verify(ledger, id).await.unwrap();
        // Nothing personal was ever in the log.
        for entry in ledger.entries(id, 0).await.unwrap() {
            assert!(!entry.body.contains("Ann") && !entry.body.contains("my words"), "{}", entry.body);
        }
    }
}

#[tokio::test]
async fn tokens_end_and_are_revoked() {
    for database in databases() {
        let ledger = Ledger::open(&database.url).await.unwrap();
        let id = study(&ledger, "tea", 2).await;
        ledger.add_token(&[5; 32], "organiser", id, "me", (1_000, Some(2_000))).await.unwrap();
        assert_eq!(ledger.token(&[5; 32], 1_500).await.unwrap(), Some(("organiser".to_owned(), id)));
        assert_eq!(ledger.token(&[5; 32], 2_000).await.unwrap(), None);
        assert!(!ledger.revoke(&[5; 32], 0, 1_600).await.unwrap(), "not a token of the server");
        assert!(ledger.revoke(&[5; 32], id, 1_600).await.unwrap());
        assert_eq!(ledger.token(&[5; 32], 1_700).await.unwrap(), None);
        assert_eq!(ledger.tokens(id).await.unwrap()[0].revoked, 1_600);
        assert_eq!(ledger.count_tokens("organiser").await.unwrap(), 0);
    }
}

#[tokio::test]
async fn what_one_database_cannot_hold_none_takes_and_nobody_else_suffers() {
    for database in databases() {
        let studies = Studies::new(Ledger::open(&database.url).await.unwrap());
        let ledger = studies.ledger();
        let id = study(ledger, "tea", 4).await;
        let desk = studies.desk(id);
        desk.send(set(&json!({"comment": true}))).await.unwrap();
        let (good, bad) = (join(&desk, 1).await, join(&desk, 2).await);
        let mut tickets = Vec::new();
        for voter in [good, bad] {
            let Reply::Questions(sitting) = desk.send(Command::Ask { voter, count: 1 }).await.unwrap() else {
                panic!()
            };
            tickets.push(sitting.questions[0].q);
        }
        let said = |voter: u32, q: u32, comment: &str| {
            let comment = Some(comment.to_owned());
            Vote { comment, ..Vote::new(voter, q, Answer::First) }.command()
        };
        // In one turn with somebody else's vote.
        let (nul, fine) =
            tokio::join!(desk.send(said(bad, tickets[1], "a\0b")), desk.send(said(good, tickets[0], "line\nline")));
        assert!(matches!(nul, Err(Refusal::Invalid(why)) if why.contains("U+0000")));
        assert!(fine.is_ok(), "{fine:?}");
        let named = Join { name: Some("A\0nn".into()), ..Join::new(Kind::Named, [3; 32]) };
        assert!(matches!(desk.send(Command::Join(named)).await, Err(Refusal::Invalid(_))));
        assert!(matches!(ledger.create(&new("x", "a\0"), 0).await, Err(Error::Invalid(_))));
        let title = Command::Set(Change { title: Some("a\0".to_owned()), ..Change::default() });
        assert!(matches!(desk.send(title).await, Err(Refusal::Invalid(_))));
        assert!(matches!(ledger.add_token(&[8; 32], "viewer", id, "\0", (0, None)).await, Err(Error::Invalid(_))));
        assert_eq!(ledger.study("tea\0").await.unwrap(), None);
        assert_eq!(ledger.studies("tea\0", 10).await.unwrap(), vec![]);
        assert_eq!(ledger.studies("\0", 10).await.unwrap().len(), 1);
        verify(ledger, id).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_that_is_remembered_ends_when_it_should() {
    let database = sqlite();
    let studies = Studies::new(Ledger::open(&database.url).await.unwrap());
    let id = study(studies.ledger(), "tea", 2).await;
    let expires = Some(desk::now() + 700);
    let join = Join { expires, ..Join::new(Kind::Invited, [1; 32]) };
    studies.desk(id).send(Command::Join(join)).await.unwrap();
    assert_eq!(studies.voter(id, &[1; 32]).await.unwrap(), Some(0));
    tokio::time::sleep(std::time::Duration::from_millis(750)).await;
    assert_eq!(studies.voter(id, &[1; 32]).await.unwrap(), None);
}

/// How the sessions of a database are encrypted, as PostgreSQL says.
fn encrypted(url: &str) -> String {
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap();
    let server = std::env::var("BORDUEL_POSTGRES").unwrap();
    let query = format!(
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = '{name}' AND \
         backend_type = 'client backend'"
    );
    let said = std::process::Command::new("psql").args([&server, "-qtAc", &query]).output().unwrap();
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn connections_to_postgres_are_encrypted_where_it_can_and_checked_where_that_is_asked_for() {
    let (Some(database), Ok(ca)) = (borduel_testing::database::postgres(), std::env::var("BORDUEL_POSTGRES_CA")) else {
        return borduel_testing::skip("TLS to PostgreSQL", "not started by with-postgres, or without openssl");
    };
    let other = tempfile::NamedTempFile::new().unwrap();
    let made = std::process::Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
        .args(["-subj", "/CN=somebody-else", "-keyout", "/dev/null", "-out"])
        .arg(other.path())
        .output();
    assert!(made.unwrap().status.success());
    let (url, wrong) = (&database.url, other.path().display());
    for (address, ssl) in [
        (url.clone(), "t"),
        (format!("{url}?sslmode=require"), "t"),
        (format!("{url}?sslmode=verify-full&sslrootcert={ca}"), "t"),
        (format!("{url}?sslmode=disable"), "f"),
    ] {
        let ledger = Ledger::open(&address).await.unwrap();
        ledger.probe(1).await.unwrap();
        assert_eq!(encrypted(url), ssl, "{address}");
        ledger.close().await;
    }
    for refused in [
        format!("{url}?sslmode=verify-full"),
        format!("{url}?sslmode=verify-full&sslrootcert={wrong}"),
        format!("{url}?sslmode=verify-full&sslrootcert={ca}").replace("127.0.0.1", "localhost"),
    ] {
        let error = Ledger::open(&refused).await.unwrap_err().to_string();
        assert!(error.contains("certificate"), "{refused}: {error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_and_its_copy_are_for_whoever_made_them() {
    use std::os::unix::fs::PermissionsExt;
    let database = sqlite();
    let folder = database.folder.as_ref().unwrap().path();
    let ledger = Ledger::open(&database.url).await.unwrap();
    study(&ledger, "tea", 3).await;
    let copy = folder.join("copy.db");
    ledger.backup(copy.to_str().unwrap()).await.unwrap();
    let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
    for name in ["test.db", "test.db-wal", "test.db-shm", "copy.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert!(ledger.backup(copy.to_str().unwrap()).await.is_err(), "nothing is overwritten");
    ledger.close().await;
    // What its owner has decided stays.
    std::fs::set_permissions(folder.join("test.db"), PermissionsExt::from_mode(0o640)).unwrap();
    let again = Ledger::open(&database.url).await.unwrap();
    again.probe(1).await.unwrap();
    assert_eq!((mode("test.db"), mode("test.db-wal")), (0o640, 0o640));
}

#[tokio::test]
async fn a_database_that_only_reads_is_noticed() {
    let Some(database) = borduel_testing::database::postgres() else {
        return borduel_testing::skip("a PostgreSQL that only reads", "not started by with-postgres");
    };
    let ledger = Ledger::open(&database.url).await.unwrap();
    ledger.probe(1).await.unwrap();
    let name = database.url.rsplit('/').next().unwrap();
    let set = |on: &str| {
        let server = std::env::var("BORDUEL_POSTGRES").unwrap();
        let only = format!("ALTER DATABASE {name} SET default_transaction_read_only = {on}");
        let again = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        let done = std::process::Command::new("psql").args([&server, "-qtA", "-c", &only, "-c", &again]).output();
        assert!(done.unwrap().status.success());
    };
    set("on");
    // The first finds its session ended, the second that nothing is taken.
    assert!(ledger.probe(2).await.is_err());
    let error = ledger.probe(3).await.unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    set("off");
    let _ = ledger.probe(4).await;
    ledger.probe(5).await.unwrap();
}

#[tokio::test]
async fn a_deleted_study_is_gone_with_everything_and_no_other_is() {
    for database in databases() {
        let studies = Studies::new(Ledger::open(&database.url).await.unwrap());
        let ledger = studies.ledger();
        let (gone, kept) = (study(ledger, "tea", 4).await, study(ledger, "trees", 4).await);
        for (mark, id) in [(1, gone), (2, kept)] {
            let desk = studies.desk(id);
            desk.send(Command::Status(Status::Open)).await.unwrap();
            join(&desk, 1).await;
            ledger.add_token(&[mark; 32], "organiser", id, "mine", (0, None)).await.unwrap();
            ledger.keep_snapshot(id, desk.copy().await.unwrap()).await.unwrap();
        }
        studies.delete("tea").await.unwrap();
        assert!(matches!(studies.id("tea").await, Err(Error::NoStudy(_))));
        assert!(matches!(ledger.load(gone).await, Err(Error::NoStudy(_))));
        assert!(ledger.names(gone).await.unwrap().is_empty() && ledger.tokens(gone).await.unwrap().is_empty());
        assert!(matches!(studies.delete("tea").await, Err(Error::NoStudy(_))));
        let there = studies.desk(kept).copy().await.unwrap();
        assert_eq!((there.voters.len(), ledger.names(kept).await.unwrap().len()), (1, 1));
        // The name is free again.
        study(ledger, "tea", 2).await;
    }
}

#[tokio::test]
async fn what_is_rejected_is_deleted_and_what_is_taken_stays() {
    for database in databases() {
        let ledger = Ledger::open(&database.url).await.unwrap();
        let id = study(&ledger, "tea", 3).await;
        let studies = Studies::new(ledger);
        let desk = studies.desk(id);
        desk.send(set(&json!({ "suggestions": true }))).await.unwrap();
        let voter = join(&desk, 1).await;
        let Reply::Questions(sitting) = desk.send(Command::Ask { voter, count: 1 }).await.unwrap() else { panic!() };
        desk.send(answer(voter, sitting.questions[0].q, Answer::First)).await.unwrap();
        for title in ["Mate", "Spam"] {
            let content = Content { title: title.to_owned(), ..Content::default() }.suggestion().unwrap();
            desk.send(Command::Suggest { voter, content }).await.unwrap();
        }
        let waiting = desk.suggestions().await.unwrap();
        let titles: Vec<&str> = waiting.iter().map(|(_, _, content)| content.title.as_str()).collect();
        assert_eq!(titles, ["Mate", "Spam"]);
        let hashes =
            desk.read(|state| state.suggestions.iter().map(|one| one.content).collect::<Vec<_>>()).await.unwrap();
        let mate = waiting[0].2.item("mate", Vec::new(), false).unwrap();
        desk.send(Command::Weigh { suggestion: 0, item: Some(mate) }).await.unwrap();
        desk.send(Command::Weigh { suggestion: 1, item: None }).await.unwrap();
        assert!(desk.suggestions().await.unwrap().is_empty());
        let kept = async |at: usize| studies.ledger().content(id, &hashes[at]).await.unwrap().is_some();
        assert_eq!((kept(0).await, kept(1).await), (true, false));
        assert_eq!(desk.items().await.unwrap().last().unwrap().2.title, "Mate");
    }
}
