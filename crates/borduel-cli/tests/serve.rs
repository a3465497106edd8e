//! `borduel serve` and `borduel study`: the whole story over HTTP, with the real binary, on both databases.

use borduel_testing::ask::{FREE, ok, send};
use borduel_testing::database;
use borduel_testing::database::databases;
use borduel_testing::http::Client;
use borduel_testing::server::{ADMIN, Server};
use serde_json::{Value, json};
use std::process::Command;

#[path = "serve/judges.rs"]
mod judges;

fn borduel(database: &str, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
    let done = command.args(["study", "--database", database]).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.success(), text)
}

fn items(k: usize) -> Value {
    (0..k).map(|i| json!({"key": format!("tea-{i}"), "title": format!("Tea {i}")})).collect()
}

/// A voter who prefers lower numbers answers all its questions.
fn vote(client: &mut Client, path: &str) -> u32 {
    let joined = ok(client, 201, "POST", &format!("{path}/voters"), "", json!({}));
    let token = joined["token"].as_str().unwrap().to_owned();
    let mut answered = 0;
    loop {
        let sitting = ok(client, 200, "POST", &format!("{path}/questions"), &token, json!({}));
        let Some(question) = sitting["questions"].as_array().unwrap().first().cloned() else {
            assert!(sitting["done"].is_string(), "{sitting}");
            return answered;
        };
        let number = |side: &str| question[side]["key"].as_str().unwrap()[4..].parse::<u32>().unwrap();
        let answer = if number("first") < number("second") { "first" } else { "second" };
        let q = question["q"].as_u64().unwrap();
        let taken = ok(
            client,
            200,
            "PUT",
            &format!("{path}/questions/{q}/answer"),
            &token,
            json!({"answer": answer, "ms": 800}),
        );
        assert_eq!(taken["repeated"], false);
        answered += 1;
    }
}

#[test]
fn a_study_from_its_first_request_to_its_verdict() {
    for database in databases() {
        let mut server = Server::start(&database.url, 0, FREE);
        let client = &mut server.client();
        let made = ok(
            client,
            201,
            "POST",
            "/v1/studies",
            ADMIN,
            json!({"slug": "tea", "title": "Which tea?", "items": items(4)}),
        );
        let organiser = made["organiser_token"].as_str().unwrap().to_owned();
        assert!(made["links"]["results"].as_str().unwrap().ends_with("/v1/studies/tea/results"));
        let path = "/v1/studies/tea";
        // Before it is open, nobody but its organiser knows of it and lets somebody in.
        ok(client, 404, "POST", &format!("{path}/voters"), "", json!({}));
        let early = ok(client, 201, "POST", &format!("{path}/voters"), &organiser, json!({}));
        let early = early["token"].as_str().unwrap();
        ok(client, 409, "POST", &format!("{path}/questions"), early, json!({}));
        ok(client, 200, "PUT", &format!("{path}/status"), &organiser, json!({"status": "open"}));
        for _ in 0..20 {
            assert_eq!(vote(client, path), 6, "all pairs of four items");
        }
        // The verdict is reached at one of the looks, which are taken beside the log.
        let results = wait_for(|| {
            let results = ok(client, 200, "GET", &format!("{path}/results"), &organiser, Value::Null);
            (results["verdict"]["kind"] == "clear-winner").then_some(results)
        });
        assert_eq!((results["votes"].as_u64(), &results["verdict"]["winners"]), (Some(120), &json!(["tea-0"])));
        assert_eq!(results["ranking"]["items"][0]["item"], "tea-0");
        // One verdict, in one sentence, wherever it stands.
        for part in ["kind", "text", "winners"] {
            assert_eq!(results["ranking"]["verdict"][part], results["verdict"][part], "{part}");
        }
        assert_eq!(results["ranking"]["votes"]["used"], 120.0);
        assert!(results["computed_at"].as_str().unwrap().ends_with('Z'), "{results}");
        ok(client, 401, "GET", &format!("{path}/results"), "", Value::Null);

        // What is exported is what rank reads, and what was imported elsewhere counts the same.
        let csv = send(client, "GET", &format!("{path}/export/votes.csv"), &organiser, Value::Null).text;
        assert_eq!(csv.lines().count(), 121, "{csv}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("votes.csv");
        std::fs::write(&file, &csv).unwrap();
        let ranked = Command::new(env!("CARGO_BIN_EXE_borduel"))
            .args(["rank", "--sequential", "--format", "json"])
            .arg(&file)
            .output()
            .unwrap();
        let ranked: Value = serde_json::from_slice(&ranked.stdout).unwrap();
        same(&ranked["items"][0]["borda"], &results["ranking"]["items"][0]["borda"]);
        ok(client, 201, "POST", "/v1/studies", ADMIN, json!({"slug": "copy", "title": "Copy", "items": items(4)}));
        let import = |client: &mut Client, bytes: &[u8]| {
            let kind = b"text/csv".as_slice();
            client.send_bytes("PUT", "/v1/studies/copy/imports/votes.csv", ADMIN, Some((kind, bytes))).unwrap()
        };
        assert_eq!(import(client, csv.as_bytes()).json(), json!({"votes": 120, "changed": true}));
        assert_eq!(import(client, csv.as_bytes()).json(), json!({"votes": 120, "changed": false}));
        let other = csv.clone() + csv.lines().last().unwrap() + "\n";
        assert_eq!(import(client, other.as_bytes()).status, 409);
        let copy = wait_for(|| {
            let copy = ok(client, 200, "GET", "/v1/studies/copy/results", ADMIN, Value::Null);
            copy["ranking"].is_object().then_some(copy)
        });
        same(&copy["ranking"]["items"][0]["borda"], &results["ranking"]["items"][0]["borda"]);

        // Beside the running server, on the same database.
        let (done, text) = borduel(&database.url, &["verify", "tea"]);
        assert!(done && text.contains("tea is whole") && text.contains("120 votes count"), "{text}");
        assert!(borduel(&database.url, &["close", "tea"]).0);
        wait_for(|| (ok(client, 200, "GET", path, &organiser, Value::Null)["status"] == "closed").then_some(()));
        assert_eq!(server.stop(), Some(0), "it ends when it is asked to");
        let again = Server::start(&database.url, 0, FREE);
        let shown = ok(&mut again.client(), 200, "GET", path, &organiser, Value::Null);
        assert_eq!((shown["votes"].as_u64(), shown["status"].as_str()), (Some(120), Some("closed")));
    }
}

/// The same estimate and interval, but for the order in which votes were summed.
fn same(one: &Value, other: &Value) {
    for part in ["estimate", "low", "high"] {
        let (one, other) = (one[part].as_f64().unwrap(), other[part].as_f64().unwrap());
        assert!((one - other).abs() < 1e-9, "{part}: {one} {other}");
    }
}

fn join(client: &mut Client, path: &str) -> String {
    let joined = ok(client, 201, "POST", &format!("{path}/voters"), "", json!({}));
    joined["token"].as_str().unwrap().to_owned()
}

fn wait_for<T>(mut there: impl FnMut() -> Option<T>) -> T {
    for _ in 0..300 {
        if let Some(found) = there() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("it did not come within 30 s");
}

#[test]
fn what_is_not_allowed_is_refused_in_words() {
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, &["--join-rate", "5"]);
    let client = &mut server.client();
    let path = "/v1/studies/tea";
    let made = ok(client, 201, "POST", "/v1/studies", ADMIN, json!({"slug": "tea", "title": "Tea", "items": items(3)}));
    let organiser = made["organiser_token"].as_str().unwrap().to_owned();
    ok(client, 200, "PUT", &format!("{path}/status"), &organiser, json!({"status": "open"}));
    let (one, two) = (join(client, path), join(client, path));
    let asked = ok(client, 200, "POST", &format!("{path}/questions"), &one, json!({"count": 1}));
    let q = asked["questions"][0]["q"].as_u64().unwrap();
    let answer = format!("{path}/questions/{q}/answer");
    let cases = [
        (401, "POST", "/v1/studies", "", json!({"title": "x"})),
        (401, "POST", "/v1/studies", "bd_srv_wrong", json!({"title": "x"})),
        (403, "POST", "/v1/studies", organiser.as_str(), json!({"title": "x"})),
        (409, "POST", "/v1/studies", ADMIN, json!({"slug": "tea", "title": "x"})),
        (422, "POST", "/v1/studies", ADMIN, json!({"slug": "Tea!", "title": "x"})),
        (422, "POST", "/v1/studies", ADMIN, json!({"title": "x", "colour": "red"})),
        (
            422,
            "POST",
            "/v1/studies",
            ADMIN,
            json!({"title": "x", "items": [{"key": "a", "title": "A"}, {"key": "a", "title": "B"}]}),
        ),
        (422, "POST", "/v1/studies", ADMIN, json!({"title": "x", "settings": {"ahead": 99}})),
        (404, "GET", "/v1/studies/coffee", ADMIN, Value::Null),
        (404, "GET", "/nowhere", "", Value::Null),
        (405, "DELETE", "/v1/studies", ADMIN, Value::Null),
        (404, "PUT", answer.as_str(), two.as_str(), json!({"answer": "first"})),
        (401, "PUT", answer.as_str(), "bd_vot_forged", json!({"answer": "first"})),
        (422, "PUT", answer.as_str(), one.as_str(), json!({"answer": "both-bad"})),
        (422, "PUT", answer.as_str(), one.as_str(), json!({"answer": {"soft": 0.5}})),
        (422, "PUT", answer.as_str(), one.as_str(), json!({"answer": "first", "comment": "!"})),
        (404, "PUT", "/v1/studies/tea/questions/x/answer", one.as_str(), json!({"answer": "first"})),
        (403, "GET", "/v1/studies/tea/results", one.as_str(), Value::Null),
        (403, "POST", "/v1/studies/tea/voters", "", json!({"kind": "judge"})),
        (422, "PUT", "/v1/studies/tea/status", organiser.as_str(), json!({"status": "ajar"})),
        (422, "POST", "/v1/studies/tea/voters", organiser.as_str(), json!([])),
        (422, "PATCH", path, organiser.as_str(), json!({"title": "a\u{0}b"})),
        (404, "GET", "/v1/studies/tea%00", organiser.as_str(), Value::Null),
        (400, "GET", "/v1/studies/%ff/items", organiser.as_str(), Value::Null),
    ];
    for (status, method, target, token, body) in cases {
        let response = send(client, method, target, token, body.clone());
        assert_eq!(response.status, status, "{method} {target} {body}: {}", response.text);
        assert!(response.head.to_lowercase().contains("content-type: application/problem+json"), "{}", response.head);
        let problem = response.json();
        let kind = problem["type"].as_str().unwrap().to_owned();
        assert!(!problem["detail"].as_str().unwrap().is_empty());
        assert_eq!(send(client, "GET", &kind, "", Value::Null).status, 200, "{kind} has a page");
    }
    // The same answer again is the same, another one is refused, a body that is none is malformed.
    assert_eq!(ok(client, 200, "PUT", &answer, &one, json!({"answer": "first"}))["repeated"], false);
    assert_eq!(ok(client, 200, "PUT", &answer, &one, json!({"answer": "first"}))["repeated"], true);
    ok(client, 409, "PUT", &answer, &one, json!({"answer": "second"}));
    let again = ok(client, 200, "DELETE", &answer, &one, Value::Null)["again"].clone();
    assert_eq!(again["first"]["key"], asked["questions"][0]["first"]["key"], "the pair comes again");
    let malformed = client.send_bytes("PUT", &answer, &one, Some((b"application/json", b"{"))).unwrap();
    assert_eq!(malformed.status, 400);
    assert_eq!(client.send_bytes("PUT", &answer, &one, Some((b"text/plain", b"{}"))).unwrap().status, 415);
    let long = json!({"answer": "first", "comment": "x".repeat(20_000)}).to_string();
    assert_eq!(
        client.send_bytes("PUT", &answer, &one, Some((b"application/json", long.as_bytes()))).unwrap().status,
        413
    );
    // Whoever is refused while still sending, for its length or its type, hears why and may go on.
    let huge = vec![b'x'; 20 << 20];
    for (kind, status) in [("application/json", 413), ("text/plain", 415)] {
        let refused = client.send_bytes("PUT", &answer, &one, Some((kind.as_bytes(), &huge))).unwrap();
        assert_eq!(refused.status, status, "{}", refused.text);
        assert_eq!(send(client, "GET", "/healthz", "", Value::Null).status, 200);
    }
    // A settings change that rests on an old reading is refused.
    let tag = json!({"settings": {"ahead": 2}});
    ok(client, 200, "PATCH", path, &organiser, tag);
    // A flood of joins from one network is refused with a time to wait.
    let flood =
        (0..10).map(|_| send(client, "POST", &format!("{path}/voters"), "", json!({}))).find(|r| r.status == 429);
    assert!(flood.expect("a limit").head.to_lowercase().contains("retry-after"));
    // A voter erases itself and is not known any more.
    let voter = 1;
    ok(client, 404, "DELETE", &format!("{path}/voters/0"), &two, Value::Null);
    ok(client, 200, "DELETE", &format!("{path}/voters/{voter}"), &two, Value::Null);
    let gone = send(client, "POST", &format!("{path}/questions"), &two, json!({})).status;
    assert!(gone == 401 || gone == 403, "{gone}");
}

#[test]
fn the_command_line_does_it_all_without_a_server() {
    let database = database::sqlite();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let run = |arguments: &[&str]| {
        let (done, text) = borduel(&database.url, arguments);
        assert!(done, "{arguments:?}: {text}");
        text
    };
    let list = file("items.csv", "id,name\na,Ash\nb,Birch\nc,Cedar\n");
    let made =
        run(&["create", "trees", "--title", "Trees", "--items", &list, "--set", "stop=verdict", "--set", "ahead=2"]);
    assert!(made.contains("3 items") && made.contains("bd_org_"), "{made}");
    assert!(run(&["list"]).contains("trees"));
    run(&["open", "trees"]);
    let tokens = run(&["invite", "trees", "--count", "2", "--owns", "b"]);
    assert_eq!(tokens.lines().count(), 2);
    assert!(tokens.contains("bd_vot_"));
    let votes = file("old.csv", "left,right,winner,voter\na,b,left,x\nb,c,right,x\nAsh,Cedar,tie,y\n");
    assert!(run(&["import", "trees", &votes]).contains("3 votes, taken in"));
    assert!(run(&["import", "trees", &votes]).contains("were in already"));
    let shown: Value = serde_json::from_str(&run(&["show", "trees"])).unwrap();
    assert_eq!((shown["votes"].as_u64(), shown["settings"]["ahead"].as_u64()), (Some(3), Some(2)));
    assert_eq!(run(&["export", "trees", "votes.csv"]).lines().count(), 4);
    // What came without voters goes out without, and is ranked as it was.
    run(&["create", "nameless", "--items", &list]);
    run(&["open", "nameless"]);
    let nameless = file("nameless.csv", "left,right,winner\na,b,left\nb,c,right\na,c,left\nc,a,left\nb,a,right\n");
    run(&["import", "nameless", &nameless]);
    let exported = file("exported.csv", &run(&["export", "nameless", "votes.csv"]));
    let ranked = |votes: &str| {
        let done =
            Command::new(env!("CARGO_BIN_EXE_borduel")).args(["rank", votes, "--format", "csv"]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    };
    assert_eq!(ranked(&exported), ranked(&nameless));
    assert!(run(&["items", "trees", "--disable", "b"]).contains("b,Birch,,,no"));
    assert_eq!(run(&["export", "trees", "votes.csv"]).lines().count(), 2, "votes on b count no longer");
    run(&["items", "trees", "--enable", "b"]);
    assert!(run(&["erase", "trees", "2"]).contains("erased"));
    let shown: Value = serde_json::from_str(&run(&["show", "trees"])).unwrap();
    assert_eq!(shown["votes"], 1, "the erased voter's two votes are gone");
    assert!(run(&["verify", "trees"]).contains("trees is whole"));
    let copy = folder.path().join("copy.db");
    run(&["backup", copy.to_str().unwrap()]);
    let (done, text) = borduel(&format!("sqlite:{}", copy.display()), &["verify", "trees"]);
    assert!(done, "{text}");
    run(&["token", "trees", "--label", "me"]);
    let listed = run(&["token", "trees", "--list"]);
    assert_eq!(listed.lines().count(), 2);
    let mine = listed.lines().find(|line| line.ends_with("me")).unwrap();
    run(&["token", "trees", "--revoke", mine.split('\t').next().unwrap()]);
    assert!(run(&["token", "trees", "--list"]).contains("revoked"));
    run(&["pause", "trees"]);
    run(&["close", "trees"]);
    for (arguments, word) in [
        (vec!["show", "bushes"], "no study"),
        (vec!["create", "trees"], "already"),
        (vec!["create", "x", "--set", "colour=red"], "colour"),
        (vec!["import", "trees", &list], "items.csv"),
        (vec!["erase", "trees", "77"], "77"),
    ] {
        let (done, text) = borduel(&database.url, &arguments);
        assert!(!done && text.contains(word), "{arguments:?}: {text}");
    }
}

/// Two models and three prompts, one of them without an answer of the second, as a table.
const ANSWERS: &str = "\
prompt,tea-0,tea-1
Why?,Because.,Therefore.
How?,Like this.,
\"A long prompt, with a comma\",One.,Two.
";

#[test]
fn contexts_from_a_table_to_votes_and_back() {
    for database in databases() {
        let mut server = Server::start(&database.url, 0, FREE);
        let client = &mut server.client();
        let path = "/v1/studies/tea";
        let settings = json!({"own_contents": true, "contexts_are": "prompts"});
        let study = json!({"slug": "tea", "title": "Tea", "items": items(2), "settings": settings});
        ok(client, 201, "POST", "/v1/studies", ADMIN, study);
        let upload = |client: &mut Client, bytes: &[u8]| {
            let body = Some((b"application/octet-stream".as_slice(), bytes));
            client.send_bytes("PUT", &format!("{path}/contents"), ADMIN, body).unwrap()
        };
        let kept = upload(client, ANSWERS.as_bytes());
        assert_eq!(kept.json(), json!({"items": 0, "contexts": 3, "contents": 5}), "{}", kept.text);
        assert_eq!(upload(client, ANSWERS.as_bytes()).json()["contexts"], 0);
        let head = ok(client, 200, "GET", path, ADMIN, Value::Null)["head"].clone();
        assert_eq!(upload(client, ANSWERS.as_bytes()).status, 200);
        let shown = ok(client, 200, "GET", path, ADMIN, Value::Null);
        assert_eq!((&shown["head"], &shown["contexts"]), (&head, &json!(3)), "the same again changes nothing");
        let more = json!({"contexts": [{"text": "What for?"}, {"key": "late", "title": "Late", "enabled": false}]});
        let keys = ok(client, 201, "POST", &format!("{path}/contexts"), ADMIN, more);
        assert_eq!(keys, json!({"keys": ["what-for", "late"]}));
        let listed = ok(client, 200, "GET", &format!("{path}/contexts?limit=2"), ADMIN, Value::Null);
        assert_eq!((&listed["contexts"][1]["title"], &listed["contexts"][1]["contents"]), (&json!("How?"), &json!(1)));
        let rest = format!("{path}/contexts?limit=9&after={}", listed["next"].as_str().unwrap());
        let rest = ok(client, 200, "GET", &rest, ADMIN, Value::Null);
        assert_eq!((rest["contexts"].as_array().unwrap().len(), &rest["next"]), (3, &Value::Null));
        let contents = ok(client, 200, "GET", &format!("{path}/contents?limit=3"), ADMIN, Value::Null);
        assert_eq!((contents["contents"].as_array().unwrap().len(), &contents["next"]), (3, &json!("2-0")));
        let contents = ok(client, 200, "GET", &format!("{path}/contents?after=2-0"), ADMIN, Value::Null);
        assert_eq!(contents["contents"][1]["text"], "Two.");

        // Both answer two prompts: that is all there is to ask, with what they answered.
        ok(client, 200, "PUT", &format!("{path}/status"), ADMIN, json!({"status": "open"}));
        let token = join(client, path);
        let sitting = ok(client, 200, "POST", &format!("{path}/questions"), &token, json!({"count": 9}));
        let questions = sitting["questions"].as_array().unwrap();
        assert_eq!((questions.len(), &sitting["goal"]), (2, &json!(2)));
        for question in questions {
            let long = question["context"]["title"] == "A long prompt, with a comma";
            let said = |key: &str| match (key, long) {
                ("tea-0", true) => "One.",
                ("tea-0", false) => "Because.",
                (_, true) => "Two.",
                (_, false) => "Therefore.",
            };
            for side in ["first", "second"] {
                assert_eq!(question[side]["text"], said(question[side]["key"].as_str().unwrap()), "{question}");
            }
            let q = &question["q"];
            ok(client, 200, "PUT", &format!("{path}/questions/{q}/answer"), &token, json!({"answer": "first"}));
        }
        // What was asked about stays, unless it is a correction.
        let other = ANSWERS.replace("Because.", "Never mind.");
        assert!(upload(client, other.as_bytes()).text.contains("correction"));
        let corrected = client
            .send_bytes(
                "PUT",
                &format!("{path}/contents?correction=true"),
                ADMIN,
                Some((b"application/octet-stream".as_slice(), other.as_bytes())),
            )
            .unwrap();
        assert_eq!(corrected.status, 200, "{}", corrected.text);

        // The verdict says what it is about.
        (0..11).for_each(|_| assert_eq!(vote(client, path), 2));
        let results = wait_for(|| {
            let results = ok(client, 200, "GET", &format!("{path}/results"), ADMIN, Value::Null);
            (results["verdict"]["look"].is_u64() && results["any_time"].is_object()).then_some(results)
        });
        assert!(
            results["verdict"]["text"].as_str().unwrap().contains(", on these 2 prompts"),
            "{}",
            results["verdict"]
        );
        assert_eq!(results["any_time"]["contexts"]["about"], "these", "{}", results["any_time"]);

        let export = |client: &mut Client, name: &str| {
            send(client, "GET", &format!("{path}/export/{name}"), ADMIN, Value::Null).text
        };
        let votes = export(client, "votes.csv");
        assert!(votes.starts_with("question,asked_at,answered_at,left,right,context,winner,"), "{votes}");
        assert!(votes.contains(",why,") || votes.contains(",Why?,"), "{votes}");
        assert_eq!(export(client, "contexts.csv").lines().count(), 6);
        assert!(export(client, "contents.csv").contains("Never mind."));
        // The files make the same study elsewhere.
        ok(client, 201, "POST", "/v1/studies", ADMIN, json!({"slug": "copy", "title": "Copy", "items": items(2)}));
        for file in ["contexts.csv", "contents.csv"] {
            let (bytes, kind) = (export(client, file), b"text/csv".as_slice());
            let taken = client.send_bytes("PUT", "/v1/studies/copy/contents", ADMIN, Some((kind, bytes.as_bytes())));
            assert_eq!(taken.unwrap().status, 200, "{file}");
        }
        let copied = send(client, "GET", "/v1/studies/copy/export/contents.csv", ADMIN, Value::Null).text;
        assert_eq!(copied, export(client, "contents.csv"));
        let (done, text) = borduel(&database.url, &["verify", "tea"]);
        assert!(done && text.contains("tea is whole") && text.contains("24 votes count"), "{text}");
        assert_eq!(server.stop(), Some(0));
    }
}
