//! Clients that vote while something goes wrong, and everything that they were told held against the log afterwards.

use borduel::stream::stream;
use borduel_study::state::Phase;
use borduel_study::verify::verify;
use borduel_study::{Answer, Event, Ledger};
use borduel_testing::database::Database;
use borduel_testing::http::{Client, Response};
use borduel_testing::server::{ADMIN, Server};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) const FREE: &[&str] = &["--voter-rate", "0", "--join-rate", "0"];
pub(crate) const PATH: &str = "/v1/studies/tea";

/// An answer that was acknowledged: which, when it was first sent, and when the client knew.
struct Told {
    q: u32,
    answer: Answer,
    sent: Instant,
    known: Instant,
}

/// What one client was told, and how often it had to ask again.
#[derive(Default)]
struct History {
    acknowledged: Vec<Told>,
    repeated: u64,
    failures: u64,
}

pub(crate) fn number(name: &str, default: u64) -> u64 {
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

/// The opposite side.
fn other(answer: Answer) -> Answer {
    if answer == Answer::First { Answer::Second } else { Answer::First }
}

/// Votes until it is told to stop, and counts what is acknowledged; where two questions are asked about each pair, the
/// second is answered the other way round.
fn vote(servers: &[SocketAddr], number: usize, several: bool, stop: &AtomicBool, count: &AtomicUsize) -> History {
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
            let answer = if chance.below(2) == 0 { Answer::First } else { Answer::Second };
            let body = if several {
                json!({"answers": {"better": {"answer": answer}, "hotter": {"answer": other(answer)}}})
            } else {
                json!({ "answer": answer })
            };
            let path = format!("{PATH}/questions/{q}/answer");
            let sent = Instant::now();
            let taken = insist(&mut clients, &mut at, &mut history, ("PUT", &path, &token, &body));
            assert_eq!(taken.status, 200, "{}", taken.text);
            let taken = taken.json();
            history.repeated += u64::from(taken["repeated"] == true);
            history.acknowledged.push(Told { q: q as u32, answer, sent, known: Instant::now() });
            count.fetch_add(1, Ordering::Relaxed);
            open = taken["next"].clone();
        }
    }
    history
}

/// The number of the event by which each question was answered.
async fn places(ledger: &Ledger, study: i64) -> HashMap<u32, u64> {
    let (mut places, mut head) = (HashMap::new(), 0);
    loop {
        let entries = ledger.entries(study, head).await.unwrap();
        let Some(last) = entries.last() else { return places };
        head = last.last;
        for entry in &entries {
            for (number, event) in (entry.first..).zip(entry.events().unwrap()) {
                if let Event::Answered { q, .. } = event {
                    assert!(places.insert(q, number).is_none(), "question {q} was answered twice");
                }
            }
        }
    }
}

/// Lets clients vote at so many replicas, in so many contexts (and then by two questions about each pair), while
/// `trouble` happens, then holds what they were told against the log.
pub(crate) fn survive(
    database: &Database,
    (replicas, contexts): (usize, usize),
    trouble: impl FnOnce(&mut Vec<Server>),
) {
    let servers = (0..replicas).map(|_| Server::start(&database.url, 0, FREE)).collect();
    survive_at(database, servers, contexts, trouble);
}

/// The same at servers that run already.
pub(crate) fn survive_at(
    database: &Database,
    mut servers: Vec<Server>,
    contexts: usize,
    trouble: impl FnOnce(&mut Vec<Server>),
) {
    let (clients, replicas) = (number("BORDUEL_CLIENTS", 24) as usize, servers.len());
    let enough = 20 * clients / 24;
    let items: Vec<Value> = (0..40).map(|i| json!({"key": format!("tea-{i}"), "title": "Tea"})).collect();
    let several = contexts > 0;
    let mut settings = json!({"questions_per_voter": 40});
    if several {
        let asked = |key: &str| json!({"key": key, "question": format!("Which is {key}?")});
        settings["criteria"] = json!([asked("better"), asked("hotter")]);
    }
    let study = json!({"slug": "tea", "title": "Tea", "items": items, "settings": settings});
    let first = &mut servers[0].client();
    assert_eq!(first.send("POST", "/v1/studies", ADMIN, Some(&study)).unwrap().status, 201);
    let pots: Vec<Value> = (0..contexts).map(|c| json!({"key": format!("pot-{c}"), "text": "How is it?"})).collect();
    let added = first.send("POST", &format!("{PATH}/contexts"), ADMIN, Some(&json!({"contexts": pots}))).unwrap();
    assert_eq!(added.status, 201, "{}", added.text);
    assert_eq!(
        first.send("PUT", &format!("{PATH}/status"), ADMIN, Some(&json!({"status": "open"}))).unwrap().status,
        200
    );
    let addresses: Vec<SocketAddr> = servers.iter().map(|server| server.address).collect();
    let (stop, count, started) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)), Instant::now());
    let voters: Vec<_> = (0..clients)
        .map(|number| {
            let (addresses, stop, count) = (addresses.clone(), stop.clone(), count.clone());
            std::thread::spawn(move || vote(&addresses, number, several, &stop, &count))
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    trouble(&mut servers);
    let over = Instant::now();
    std::thread::sleep(Duration::from_millis(500));
    // A machine that is busy with other things has more time; one that stands still is found out below.
    while count.load(Ordering::Relaxed) <= enough && over.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(50));
    }
    stop.store(true, Ordering::Relaxed);
    let histories: Vec<History> = voters.into_iter().map(|voter| voter.join().unwrap()).collect();
    let seconds = started.elapsed().as_secs_f64();
    servers.iter_mut().for_each(|server| assert_eq!(server.stop(), Some(0)));

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (state, verified, places) = runtime.block_on(async {
        let ledger = opened(&database.url).await;
        let study = ledger.study("tea").await.unwrap().unwrap();
        let places = places(&ledger, study.id).await;
        (ledger.load(study.id).await.unwrap(), verify(&ledger, study.id).await.unwrap(), places)
    });
    let acknowledged: usize = histories.iter().map(|history| history.acknowledged.len()).sum();
    let mut seen = HashSet::new();
    let mut told: Vec<&Told> = histories.iter().flat_map(|history| &history.acknowledged).collect();
    for Told { q, answer, .. } in &told {
        let question = &state.questions[*q as usize];
        assert!(seen.insert(*q), "question {q} was acknowledged twice");
        assert_eq!((question.phase, question.answer()), (Phase::Answered, *answer), "question {q}");
        let both: Vec<Answer> = state.graded_answers(*q).into_iter().map(|said| said.answer).collect();
        assert_eq!(both.get(1).copied(), several.then(|| other(*answer)), "question {q}");
    }
    // What was acknowledged before another was sent stands before it.
    told.sort_unstable_by_key(|one| places[&one.q]);
    let mut latest = None;
    for one in told {
        assert!(latest.is_none_or(|sent| sent <= one.known), "question {} stands too late in the log", one.q);
        latest = latest.max(Some(one.sent));
    }
    // At the end nobody was in flight: what is stored is what was acknowledged, nothing more and nothing less.
    assert_eq!(verified.answers as usize, acknowledged);
    for voter in &state.voters {
        let asked = voter.questions.iter().map(|&q| &state.questions[q as usize]);
        let mut pairs: Vec<_> = asked.map(|question| (question.pair(), question.context())).collect();
        assert!(pairs.iter().all(|(_, context)| context.is_some() == (contexts > 0)), "asked without a context");
        pairs.sort_unstable();
        assert!(pairs.windows(2).all(|two| two[0] != two[1]), "a voter saw a pair twice in a context");
    }
    let sum = |of: fn(&History) -> u64| histories.iter().map(of).sum::<u64>();
    println!(
        "{replicas} replica(s), {contexts} contexts, {clients} clients, {seconds:.0} s: {acknowledged} acknowledged, \
         none lost, none twice; {} repeated, {} failures seen by clients; {} events in {} commits",
        sum(|history| history.repeated),
        sum(|history| history.failures),
        verified.events,
        verified.entries
    );
    assert!(acknowledged > enough, "hardly anything was voted: {acknowledged}");
}

/// The ledger; another test may restart its database at this very moment.
async fn opened(url: &str) -> Ledger {
    for _ in 0..50 {
        if let Ok(ledger) = Ledger::open(url).await {
            return ledger;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ledger::open(url).await.unwrap()
}
