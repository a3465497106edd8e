//! Judges over HTTP: hints that never count, whole pairs for a price, and many answers at once.

use super::{borduel, items, vote, wait_for};
use borduel_testing::ask::{FREE, ok, send};
use borduel_testing::database;
use borduel_testing::http::Client;
use borduel_testing::server::{ADMIN, Server};
use serde_json::{Value, json};

#[test]
fn hints_come_in_as_a_file_and_from_a_judge_and_are_never_counted() {
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, FREE);
    let client = &mut server.client();
    let path = "/v1/studies/tea";
    let made = json!({"slug": "tea", "title": "Tea", "items": items(4), "settings": {"trust": "typical"}});
    let made = ok(client, 201, "POST", "/v1/studies", ADMIN, made);
    let organiser = made["organiser_token"].as_str().unwrap().to_owned();
    ok(client, 200, "PUT", &format!("{path}/status"), &organiser, json!({"status": "open"}));
    let mut csv = "left,right,winner\n".to_owned();
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        csv += &(format!("tea-{i},tea-{j},right\n").repeat(8) + &format!("tea-{j},tea-{i},right\n").repeat(3));
    }
    let import = |client: &mut Client, query: &str| {
        let to = format!("{path}/imports/judge.csv{query}");
        client.send_bytes("PUT", &to, &organiser, Some((b"text/csv".as_slice(), csv.as_bytes()))).unwrap()
    };
    assert_eq!(import(client, "?hint=maybe").status, 400);
    assert_eq!(import(client, "?hint=true").json(), json!({"votes": 66, "changed": true}));
    let both = import(client, "");
    assert!(both.status == 422 && both.text.contains("taken in as a hint"), "{} {}", both.status, both.text);
    // A judge may only be marked so by the organiser, and has a token of its own.
    ok(client, 403, "POST", &format!("{path}/voters"), "", json!({"kind": "hint"}));
    let judge = ok(client, 201, "POST", &format!("{path}/voters"), &organiser, json!({"kind": "hint"}));
    let token = judge["token"].as_str().unwrap();
    let asked = ok(client, 200, "POST", &format!("{path}/questions"), token, json!({"count": 6}));
    let answers: Vec<Value> = asked["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|question| json!({"q": question["q"], "answer": {"soft": 0.75}}))
        .collect();
    assert_eq!(answers.len(), 6);
    ok(client, 200, "POST", &format!("{path}/answers"), token, json!({"answers": answers}));
    for _ in 0..10 {
        assert_eq!(vote(client, path), 6);
    }
    let results = wait_for(|| {
        let results = ok(client, 200, "GET", &format!("{path}/results"), &organiser, Value::Null);
        (results["ranking"].is_object() && results["votes"] == 60).then_some(results)
    });
    assert_eq!((&results["hints"], &results["voters"]), (&json!(72), &json!(10)), "{results}");
    assert_eq!(results["ranking"]["votes"]["used"], 60.0);
    assert_eq!(results["ranking"]["items"][0]["item"], "tea-0", "the votes', not the judge's");
    let told = results["ranking"]["hint"]["text"].as_str().unwrap();
    assert!(told.starts_with("Hints, not counted as votes: ") && told.contains("They guide what is asked"), "{told}");
    let said = results["verdict"]["text"].as_str().unwrap();
    let found = results["verdict"]["kind"] != "not-enough";
    assert!(!found || said.contains("provided that the features are wrong about no item in particular"), "{said}");
    let count = |client: &mut Client, file: &str| {
        send(client, "GET", &format!("{path}/export/{file}"), &organiser, Value::Null).text.lines().count() - 1
    };
    assert_eq!([count(client, "votes.csv"), count(client, "hints.csv")], [60, 72]);
    let voter = judge["voter"].as_u64().unwrap();
    let counted = json!({"state": "active", "votes": "keep"});
    let refused = send(client, "PATCH", &format!("{path}/voters/{voter}"), &organiser, counted);
    assert!(refused.status == 422 && refused.text.contains("never counted as votes"), "{}", refused.text);
    let (done, shown) = borduel(&database.url, &["show", "tea"]);
    assert!(done && shown.contains("\"hints\": 72"), "{shown}");
}

/// A judge with a price answers whole pairs over the API, a pair on every context, and results say what that saved.
#[test]
fn a_judge_with_a_price_answers_whole_pairs_over_the_api() {
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, FREE);
    let client = &mut server.client();
    let path = "/v1/studies/tea";
    let settings = json!({"about": "these", "judge_price": 0.02, "questions_per_voter": 18});
    let made = json!({"slug": "tea", "title": "Tea", "items": items(4), "settings": settings});
    let made = ok(client, 201, "POST", "/v1/studies", ADMIN, made);
    let organiser = made["organiser_token"].as_str().unwrap().to_owned();
    let contexts: Vec<Value> = ["hot", "iced", "milk"].map(|key| json!({"key": key, "text": key})).to_vec();
    ok(client, 201, "POST", &format!("{path}/contexts"), &organiser, json!({"contexts": contexts}));
    ok(client, 200, "PUT", &format!("{path}/status"), &organiser, json!({"status": "open"}));
    let judge = ok(client, 201, "POST", &format!("{path}/voters"), &organiser, json!({"kind": "hint"}));
    let token = judge["token"].as_str().unwrap();
    // All that it is asked as long as something pays; the first plan comes beside the study.
    let mut asked: Vec<(String, String)> = Vec::new();
    let mut answer_all = |client: &mut Client| {
        let sitting = ok(client, 200, "POST", &format!("{path}/questions"), token, json!({"count": 20}));
        assert!(sitting["done"].is_null(), "{sitting}");
        let questions = sitting["questions"].as_array().unwrap();
        let key = |question: &Value, of: &str| question[of]["key"].as_str().unwrap().to_owned();
        for question in questions {
            let (first, second) = (key(question, "first"), key(question, "second"));
            asked.push((format!("{first} {second}"), key(question, "context")));
            let answer = if (first.len() + key(question, "context").len()) % 2 == 0 { "first" } else { "second" };
            let q = question["q"].as_u64().unwrap();
            ok(client, 200, "PUT", &format!("{path}/questions/{q}/answer"), token, json!({"answer": answer}));
        }
        questions.len()
    };
    wait_for(|| (answer_all(client) > 0).then_some(()));
    while answer_all(client) > 0 {}
    for _ in 0..6 {
        assert_eq!(vote(client, path), 18);
    }
    let results = wait_for(|| {
        let results = ok(client, 200, "GET", &format!("{path}/results"), &organiser, Value::Null);
        (results["ranking"].is_object() && results["votes"] == 108).then_some(results)
    });
    let pairs: std::collections::BTreeSet<_> = asked.iter().map(|(pair, _)| pair).collect();
    let once: std::collections::BTreeSet<_> = asked.iter().collect();
    assert_eq!((once.len(), 3 * pairs.len()), (asked.len(), asked.len()), "{asked:?}");
    assert_eq!(results["hints"], asked.len());
    let (cost, saves) = (&results["hints_paid"]["cost"], &results["hints_paid"]["saves"]);
    assert!((cost.as_f64().unwrap() - 0.02 * asked.len() as f64).abs() < 1e-9 && saves.as_f64().unwrap() >= 0.0);
    let told = results["ranking"]["hint"]["text"].as_str().unwrap();
    assert!(told.contains("They cost as much as ") && told.contains(" votes of people, and saved about "), "{told}");
}

#[test]
fn judges_answer_many_at_once() {
    let database = database::sqlite();
    let mut server = Server::start(&database.url, 0, &[FREE, &["--metrics", "127.0.0.1:0"]].concat());
    let client = &mut server.client();
    let path = "/v1/studies/tea";
    ok(
        client,
        201,
        "POST",
        "/v1/studies",
        ADMIN,
        json!({"slug": "tea", "title": "Tea", "items": items(5), "settings": {"repeat": "swapped"}}),
    );
    ok(client, 200, "PUT", &format!("{path}/status"), ADMIN, json!({"status": "open"}));
    let judge = ok(client, 201, "POST", &format!("{path}/voters"), ADMIN, json!({"kind": "judge", "owns": ["tea-4"]}));
    let judge = judge["token"].as_str().unwrap().to_owned();
    let asked = ok(client, 200, "POST", &format!("{path}/questions"), &judge, json!({"count": 64}));
    let questions = asked["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 12, "six pairs both ways");
    let mut answers: Vec<Value> = questions.iter().map(|q| json!({"q": q["q"], "answer": {"soft": 0.75}})).collect();
    answers.push(json!({"q": 999, "answer": "first"}));
    let taken = ok(client, 200, "POST", &format!("{path}/answers"), &judge, json!({"answers": answers}));
    let taken = taken["answers"].as_array().unwrap();
    assert_eq!(taken.iter().filter(|one| one["stored"] == true).count(), 12);
    assert_eq!(taken[12]["problem"]["status"], 404);
    let quality = ok(client, 200, "GET", &format!("{path}/voters/quality"), ADMIN, Value::Null);
    assert_eq!((&quality["voters"][0]["votes"], &quality["next"]), (&json!(12), &Value::Null));
    let rest = ok(client, 200, "GET", &format!("{path}/voters/quality?after=0"), ADMIN, Value::Null);
    assert_eq!(rest["voters"], json!([]));
    // Lists come in parts.
    let (mut keys, mut after) = (Vec::new(), String::new());
    loop {
        let part = ok(client, 200, "GET", &format!("{path}/items?limit=2{after}"), ADMIN, Value::Null);
        keys.extend(part["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap().to_owned()));
        let Some(next) = part["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(keys, ["tea-0", "tea-1", "tea-2", "tea-3", "tea-4"]);
    ok(client, 422, "GET", &format!("{path}/items?after=coffee"), ADMIN, Value::Null);
    // Health, measures, and the interface as it describes itself.
    assert_eq!(send(client, "GET", "/healthz", "", Value::Null).status, 200);
    assert_eq!(send(client, "GET", "/readyz", "", Value::Null).status, 200);
    let measures = send(&mut server.measures(), "GET", "/metrics", "", Value::Null).text;
    assert!(measures.contains("borduel_votes_total 12") && measures.contains("borduel_commit_seconds"), "{measures}");
    let openapi = ok(client, 200, "GET", "/openapi.json", "", Value::Null);
    assert!(openapi["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut ids: Vec<&str> = openapi["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    let operations = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), operations, "an operation's id is its own: {ids:?}");
    // The description is in the repository, so that whoever changes the interface sees it.
    let known: Value = serde_json::from_str(include_str!("../../../borduel-server/openapi.json")).unwrap();
    assert_eq!(openapi, known, "if that is meant, store what /openapi.json says as crates/borduel-server/openapi.json");
}
