//! What whoever runs `borduel serve` relies on: the log, the measures, how it ends, and who a proxy says is there.

use borduel_testing::http::{Client, Response};
use borduel_testing::server::{ADMIN, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn send(client: &mut Client, method: &str, path: &str, token: &str, body: &Value) -> Response {
    client.send(method, path, token, (!body.is_null()).then_some(body)).unwrap()
}

/// A study of three items that is open, and its organiser's token.
fn study(client: &mut Client) -> String {
    let items =
        json!([{"key": "ash", "title": "Ash"}, {"key": "birch", "title": "Birch"}, {"key": "cedar", "title": "Cedar"}]);
    let made = send(client, "POST", "/v1/studies", ADMIN, &json!({"slug": "trees", "title": "Trees", "items": items}));
    assert_eq!(made.status, 201, "{}", made.text);
    let organiser = made.json()["organiser_token"].as_str().unwrap().to_owned();
    let opened = send(client, "PUT", "/v1/studies/trees/status", &organiser, &json!({"status": "open"}));
    assert_eq!(opened.status, 200, "{}", opened.text);
    organiser
}

/// Joins and answers one question; the voter's token and the response to the answer.
fn vote(client: &mut Client) -> (String, Response) {
    let joined = send(client, "POST", "/v1/studies/trees/voters", "", &json!({"name": "Rosalind Grey"}));
    assert_eq!(joined.status, 201, "{}", joined.text);
    let token = joined.json()["token"].as_str().unwrap().to_owned();
    let asked = send(client, "POST", "/v1/studies/trees/questions", &token, &json!({})).json();
    let q = asked["questions"][0]["q"].as_u64().unwrap();
    let path = format!("/v1/studies/trees/questions/{q}/answer");
    let answered = send(client, "PUT", &path, &token, &json!({"answer": "first", "ms": 800}));
    assert_eq!(answered.status, 200, "{}", answered.text);
    (token, answered)
}

fn database(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("studies.db").display())
}

#[test]
fn every_request_is_in_the_log_and_no_secret_is() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 2>\"$LOG\"", env!("CARGO_BIN_EXE_borduel")]).env("LOG", &log);
    let mut server = Server::start_by(command, &database(folder.path()), 0, &["--log-format", "json"]);
    let client = &mut server.client();
    let organiser = study(client);
    let (voter, answered) = vote(client);
    client.headers = "x-request-id: from-a-proxy-17\r\n".to_owned();
    let wrong = send(client, "GET", "/v1/studies/trees/items", "bd_org_no_such_token_0123456789", &Value::Null);
    assert!(
        wrong.status == 401 && wrong.head.to_lowercase().contains("x-request-id: from-a-proxy-17"),
        "{}",
        wrong.head
    );
    assert_eq!(server.stop(), Some(0));

    let text = std::fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let line = |id: &str| {
        let found: Vec<_> = lines.iter().map(|line| &line["fields"]).filter(|fields| fields["id"] == id).collect();
        assert_eq!(found.len(), 1, "{id} in {text}");
        found[0].clone()
    };
    let id =
        answered.head.to_lowercase().lines().find_map(|line| line.strip_prefix("x-request-id: ").map(str::to_owned));
    let fields = line(&id.unwrap());
    assert_eq!((&fields["method"], &fields["status"], &fields["study"]), (&json!("PUT"), &json!(200), &json!("trees")));
    assert_eq!(fields["route"], "/v1/studies/{slug}/questions/{q}/answer");
    assert!(fields["ms"].as_f64().unwrap() > 0.0);
    assert_eq!(line("from-a-proxy-17")["status"], 401);
    for secret in [ADMIN, &organiser, &voter, "no_such_token", "Rosalind", "127.0.0.1"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn settings_come_from_the_environment_the_token_from_a_file_and_requests_are_not_logged_unless_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let (token, log) = (folder.path().join("token"), folder.path().join("log"));
    let serve = |settings: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
        command.arg("serve").env_remove("BORDUEL_ADMIN_TOKEN").env("BORDUEL_ADMIN_TOKEN_FILE", &token);
        command.env("BORDUEL_DATABASE", database(folder.path())).env("BORDUEL_LISTEN", "127.0.0.1:0");
        command.envs(settings.iter().copied()).stdout(Stdio::piped()).stderr(File::create(&log).unwrap());
        command.spawn().unwrap()
    };
    let refused = |settings: &[(&str, &str)], word: &str| {
        assert_eq!(serve(settings).wait().unwrap().code(), Some(if word == "no such file" { 3 } else { 2 }), "{word}");
        let text = std::fs::read_to_string(&log).unwrap();
        assert!(text.contains(word), "{text}");
    };
    refused(&[], "no such file");
    std::fs::write(&token, "hunter2\n").unwrap();
    refused(&[], "bd_srv_");
    std::fs::write(&token, format!("{ADMIN}\n")).unwrap();
    refused(&[("BORDUEL_ADMIN_TOKEN", ADMIN)], "keep one of them");
    refused(&[("BORDUEL_LOG", "everything")], "requests");

    for (what, lines) in [("off", 0), ("requests", 2)] {
        let mut server = Server::wait(serve(&[("BORDUEL_LOG", what), ("BORDUEL_ALLOW_ORIGIN", "http://a,http://b")]));
        let known = send(&mut server.client(), "GET", "/v1/studies", ADMIN, &Value::Null);
        assert_eq!(known.status, 200, "{}", known.text);
        assert_eq!(server.stop(), Some(0));
        // The request, and that the server ends.
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), lines, "{what}");
    }
}

#[test]
fn health_is_asked_of_a_server_that_is_there_and_of_one_that_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&database(folder.path()), 0, &[]);
    // Whoever listens everywhere is asked at home.
    let everywhere = format!("0.0.0.0:{}", server.address.port());
    let ask = || {
        let done =
            Command::new(env!("CARGO_BIN_EXE_borduel")).arg("health").env("BORDUEL_LISTEN", &everywhere).output();
        let done = done.unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    assert_eq!(ask(), (Some(0), String::new()));
    assert_eq!(server.stop(), Some(0));
    let (code, said) = ask();
    assert!(code == Some(1) && said.contains("no server answers at 127.0.0.1"), "{code:?}: {said}");
}

#[test]
fn every_measure_is_documented_and_every_documented_one_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&database(folder.path()), 0, &["--metrics", "127.0.0.1:0"]);
    let client = &mut server.client();
    let measures = &mut server.measures();
    assert_eq!(send(client, "GET", "/metrics", ADMIN, &Value::Null).status, 404, "not where everybody is");
    let organiser = study(client);
    vote(client);
    let results = send(client, "GET", "/v1/studies/trees/results", &organiser, &Value::Null);
    assert_eq!(results.status, 200, "{}", results.text);
    // Somebody watches, and somebody else is asked.
    let mut watching = TcpStream::connect(server.address).unwrap();
    write!(watching, "GET /v1/studies/trees/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {organiser}\r\n\r\n")
        .unwrap();
    assert!(watching.read(&mut [0; 64]).unwrap() > 0);
    let joined = send(client, "POST", "/v1/studies/trees/voters", "", &json!({})).json();
    send(client, "POST", "/v1/studies/trees/questions", joined["token"].as_str().unwrap(), &json!({}));

    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/RELIABILITY.md")).unwrap();
    let section = text.split("## Watching a server").nth(1).unwrap().split("\n## ").next().unwrap();
    let documented: BTreeSet<String> =
        section.split('`').filter(|word| word.starts_with("borduel_")).map(str::to_owned).collect();
    // A plan or a snapshot may take a moment, and what never failed is not measured.
    let rare = ["borduel_failed_turns_total", "borduel_snapshot_bytes", "borduel_plan_seconds"];
    let started = Instant::now();
    loop {
        let measured = send(measures, "GET", "/metrics", "", &Value::Null).text;
        let named: BTreeSet<String> = (measured.lines().filter_map(|line| line.strip_prefix("# TYPE ")))
            .filter_map(|line| line.split(' ').next().map(str::to_owned))
            .collect();
        let unknown: Vec<_> = named.difference(&documented).collect();
        assert!(unknown.is_empty(), "measured and not documented: {unknown:?}");
        let missing: Vec<_> = documented.difference(&named).filter(|name| !rare.contains(&name.as_str())).collect();
        if missing.is_empty() {
            assert!(measured.contains("\nborduel_votes_total 1\n"), "{measured}");
            // Two voters were asked about all three pairs, and one of them has answered once.
            assert!(measured.contains("\nborduel_open_questions 5\n"), "{measured}");
            assert!(measured.contains("\nborduel_sse_clients 1\n"), "{measured}");
            assert!(!measured.contains("trees"), "{measured}");
            break;
        }
        assert!(started.elapsed() < Duration::from_mins(1), "documented and not measured: {missing:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(server.stop(), Some(0));
}

/// The exit code of a server that was asked to end; it never comes where it waits for somebody who does not go.
fn ended(server: &mut Server) -> i32 {
    let asked = Instant::now();
    loop {
        if let Some(code) = server.ended() {
            return code;
        }
        assert!(asked.elapsed() < Duration::from_mins(1), "it is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_second_signal_ends_it_at_once_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&database(folder.path()), 0, &[]);
    let client = &mut server.client();
    let organiser = study(client);
    vote(client);
    // Somebody who does not finish: without a second signal the server would wait for it.
    let mut slow = TcpStream::connect(server.address).unwrap();
    write!(
        slow,
        "POST /v1/studies/trees/voters HTTP/1.1\r\nhost: x\r\ncontent-type: \
        application/json\r\ncontent-length: 9\r\n\r\n{{"
    )
    .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    server.signal("-TERM");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(server.ended(), None);
    server.signal("-TERM");
    assert_eq!(ended(&mut server), 0);
    // Nobody has waited until the slow one is refused.
    let mut told = String::new();
    let _ = slow.read_to_string(&mut told);
    assert_eq!(told, "");

    let server = Server::start(&database(folder.path()), 0, &[]);
    let results = send(&mut server.client(), "GET", "/v1/studies/trees/results", &organiser, &Value::Null);
    assert_eq!(results.json()["votes"], 1, "{}", results.text);
}

#[test]
fn behind_a_proxy_joins_are_counted_by_the_address_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let join = |server: &Server, forwarded: &str| {
        let mut client = server.client();
        client.headers = format!("x-forwarded-for: {forwarded}\r\n");
        send(&mut client, "POST", "/v1/studies/trees/voters", "", &json!({})).status
    };
    let trusting = Server::start(&database(folder.path()), 0, &["--trust-proxy", "1", "--join-rate", "2"]);
    study(&mut trusting.client());
    // What a client itself put before the proxy's word does not count.
    let statuses = ["1.1.1.1, 9.8.7.6", "2.2.2.2, 9.8.7.7", "3.3.3.3, 9.8.7.8"].map(|from| join(&trusting, from));
    assert_eq!(statuses, [201, 201, 429]);
    assert_eq!(join(&trusting, "9.9.9.9"), 201);
    drop(trusting);
    let direct = Server::start(&database(folder.path()), 0, &["--join-rate", "2"]);
    assert_eq!(["1.1.1.1", "2.2.2.2", "3.3.3.3"].map(|from| join(&direct, from)), [201, 201, 429]);
}

/// A pipe that nobody reads fills up; the server serves on, and ends when it is asked to.
#[cfg(unix)]
#[test]
fn a_log_that_nobody_reads_keeps_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("log");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 2<>\"$LOG\"", env!("CARGO_BIN_EXE_borduel")]).env("LOG", &pipe);
    let mut server = Server::start_by(command, &database(folder.path()), 0, &[]);
    let client = &mut server.client();
    for _ in 0..1_500 {
        assert_eq!(send(client, "GET", "/healthz", "", &Value::Null).status, 200);
    }
    server.signal("-TERM");
    assert_eq!(ended(&mut server), 0);
}

#[test]
fn settings_change_only_for_whoever_has_seen_them_and_votes_change_no_tag() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&database(folder.path()), 0, &[]);
    let client = &mut server.client();
    let organiser = study(client);
    let tag = |response: &Response| {
        let line = response.head.lines().find_map(|line| line.strip_prefix("etag: ").map(str::to_owned));
        line.unwrap_or_else(|| panic!("no tag in {}", response.head))
    };
    let read = tag(&send(client, "GET", "/v1/studies/trees", &organiser, &Value::Null));
    assert_eq!(vote(client).1.status, 200);
    assert_eq!(tag(&send(client, "GET", "/v1/studies/trees", &organiser, &Value::Null)), read, "a vote is no setting");
    let mut change = |tag: &str, settings: Value| {
        client.headers = if tag.is_empty() { String::new() } else { format!("if-match: {tag}\r\n") };
        let response =
            send(client, "PATCH", "/v1/studies/trees", &organiser, &json!({"title": "Teas", "settings": settings}));
        client.headers.clear();
        response
    };
    // Two organisers have read the same; the second to write is told, and nothing of the first is lost.
    let first = change(&read, json!({"ahead": 2}));
    assert_eq!((first.status, &first.json()["settings"]["ahead"]), (200, &json!(2)), "{}", first.text);
    assert_eq!(first.json()["title"], "Teas");
    let second = change(&read, json!({"comment": true}));
    assert_eq!(second.status, 412, "{}", second.text);
    assert_eq!(change("nonsense", json!({"comment": true})).status, 412);
    let now = tag(&first);
    assert_ne!(now, read);
    for known in [now.as_str(), "*", ""] {
        let changed = change(known, json!({"comment": true})).json();
        assert_eq!((&changed["settings"]["ahead"], &changed["settings"]["comment"]), (&json!(2), &json!(true)));
    }
}
