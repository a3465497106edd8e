//! Webhooks, over HTTP with the real binary: what is told is signed, told again where it was refused, and told once by
//! however many servers.

use borduel_testing::ask::{FREE, ok, send};
use borduel_testing::database;
use borduel_testing::database::databases;
use borduel_testing::http::Client;
use borduel_testing::server::{ADMIN, Server};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// Somebody who listens: refuses the first message, and takes all that follow. The address, and the head and body of
/// every message.
fn listen() -> (String, Receiver<(String, String)>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook?a=b", listener.local_addr().unwrap());
    let (heard, messages) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut head, mut line) = (String::new(), String::new());
            while stream.read_line(&mut line).unwrap() > 2 {
                head += &std::mem::take(&mut line);
            }
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let status = if number == 0 { "503 Not now" } else { "204 No Content" };
            write!(stream.get_mut(), "HTTP/1.1 {status}\r\nconnection: close\r\n\r\n").unwrap();
            if heard.send((head, String::from_utf8(body).unwrap())).is_err() {
                return;
            }
        }
    });
    (address, messages)
}

/// The next message, whose signature is by this key.
fn hear(messages: &Receiver<(String, String)>, key: &str) -> Value {
    let (head, body) = messages.recv_timeout(Duration::from_mins(3)).unwrap();
    assert!(head.starts_with("POST /hook?a=b HTTP/1.1\r\n"), "{head}");
    let signature = head.lines().find_map(|line| line.strip_prefix("x-borduel-signature: ")).unwrap();
    let (second, signed) = signature.strip_prefix("t=").unwrap().split_once(",sha256=").unwrap();
    let hash = borduel_study::hmac::hmac(key.as_bytes(), &[second.as_bytes(), b".", body.as_bytes()]);
    assert_eq!(signed, borduel_study::hex::text(&hash));
    serde_json::from_str(&body).unwrap()
}

#[test]
fn webhooks_are_told_signed_and_once_by_however_many_servers() {
    for database in databases() {
        let (address, messages) = listen();
        let options = [FREE, &["--private-webhooks"]].concat();
        let mut servers = [0, 1].map(|_| Server::start(&database.url, 0, &options));
        let clients = &mut servers.each_ref().map(Server::client);
        let items = json!([{"key": "tea-0", "title": "Assam"}, {"key": "tea-1", "title": "Sencha"}]);
        let asks = json!([{"key": "age", "question": "?", "answers": [{"text": "young", "most": 1}, {"text": "old"}]}]);
        let settings = json!({"asks": asks, "webhook": address, "stop": "clear"});
        let study = json!({"slug": "told", "title": "Tea", "items": items, "settings": settings, "seed": 1});
        let path = "/v1/studies/told";
        let status = |client: &mut Client, status: &str| {
            ok(client, 200, "PUT", &format!("{path}/status"), ADMIN, json!({ "status": status }));
        };
        ok(&mut clients[0], 201, "POST", "/v1/studies", ADMIN, study);
        status(&mut clients[0], "open");
        let shown = ok(&mut clients[0], 200, "GET", path, ADMIN, Value::Null);
        let key = shown["webhook"]["key"].as_str().unwrap().to_owned();
        // Until the verdict closes the study; a vote may come just then. The first voter fills the quota.
        for voter in 0..200 {
            let (client, age) = (&mut clients[voter % 2], if voter == 0 { "young" } else { "old" });
            let joined = send(client, "POST", &format!("{path}/voters"), "", json!({"attributes": {"age": age}}));
            let Some(token) = joined.json()["token"].as_str().map(str::to_owned) else { break };
            let asked = send(client, "POST", &format!("{path}/questions"), &token, json!({})).json();
            let Some(question) = asked["questions"].as_array().and_then(|all| all.first()).cloned() else { break };
            let answer = if question["first"]["key"] == "tea-0" { "first" } else { "second" };
            let at = format!("{path}/questions/{}/answer", question["q"]);
            send(client, "PUT", &at, &token, json!({ "answer": answer }));
        }
        let mut told = vec![hear(&messages, &key)];
        while told.last().is_some_and(|message| message["event"] != "closed") {
            told.push(hear(&messages, &key));
        }
        // The first one was refused, and came again with its id.
        assert_eq!((&told[0]["event"], &told[0]["id"]), (&json!("quota-full"), &told[1]["id"]));
        assert_eq!(told[0]["quota"], json!({"attribute": "age", "answer": "young"}));
        let verdict = &told[told.len() - 2]["verdict"];
        assert_eq!((&verdict["kind"], &verdict["winners"]), (&json!("clear-winner"), &json!(["tea-0"])));
        // Whoever comes after them tells what is new alone.
        for server in &mut servers {
            server.stop();
        }
        let after = Server::start(&database.url, 0, &options);
        let client = &mut after.client();
        status(client, "open");
        status(client, "closed");
        told.push(hear(&messages, &key));
        assert_eq!(told.last().unwrap()["event"], "closed");
        let ids: HashSet<String> = told[1..].iter().map(|message| message["id"].to_string()).collect();
        assert_eq!(ids.len(), told.len() - 1, "nothing is told twice that was heard: {told:?}");
        let shown = ok(client, 200, "GET", path, ADMIN, Value::Null);
        assert_eq!(shown["webhook"], json!({ "key": key }), "and no problem is left");
        // The key is in no file.
        for file in ["votes.csv", "log.jsonl", "voters.csv"] {
            let sent = send(client, "GET", &format!("{path}/export/{file}"), ADMIN, Value::Null);
            assert!(sent.status == 200 && !sent.text.contains(&key), "{file}: {}", sent.status);
        }
    }
}

#[test]
fn of_several_questions_each_verdict_is_told_with_its_question() {
    let database = database::sqlite();
    let (address, messages) = listen();
    let server = Server::start(&database.url, 0, &[FREE, &["--private-webhooks"]].concat());
    let client = &mut server.client();
    let asked = |key: &str| json!({"key": key, "question": format!("Which is {key}?")});
    let items = json!([{"key": "tea-0", "title": "Assam"}, {"key": "tea-1", "title": "Sencha"}]);
    let settings = json!({"criteria": [asked("hotter"), asked("greener")], "webhook": address, "stop": "clear"});
    let study = json!({"slug": "told", "title": "Tea", "items": items, "settings": settings, "seed": 1});
    let path = "/v1/studies/told";
    ok(client, 201, "POST", "/v1/studies", ADMIN, study);
    ok(client, 200, "PUT", &format!("{path}/status"), ADMIN, json!({ "status": "open" }));
    let key = ok(client, 200, "GET", path, ADMIN, Value::Null)["webhook"]["key"].as_str().unwrap().to_owned();
    for _ in 0..200 {
        let joined = send(client, "POST", &format!("{path}/voters"), "", json!({})).json();
        let Some(token) = joined["token"].as_str().map(str::to_owned) else { break };
        let asked = send(client, "POST", &format!("{path}/questions"), &token, json!({})).json();
        let Some(question) = asked["questions"].as_array().and_then(|all| all.first()).cloned() else { break };
        let (best, other) = if question["first"]["key"] == "tea-0" { ("first", "second") } else { ("second", "first") };
        let at = format!("{path}/questions/{}/answer", question["q"]);
        let answers = json!({"hotter": {"answer": best}, "greener": {"answer": other}});
        send(client, "PUT", &at, &token, json!({ "answers": answers }));
    }
    let mut told = vec![hear(&messages, &key)];
    while told.last().is_some_and(|message| message["event"] != "closed") {
        told.push(hear(&messages, &key));
    }
    // The last of each question; the first message was refused, and came twice.
    let last = |key: &str| {
        told.iter().rev().find(|message| message["verdict"]["criterion"] == key).unwrap()["verdict"].clone()
    };
    for (key, winner) in [("hotter", "tea-0"), ("greener", "tea-1")] {
        let verdict = last(key);
        assert_eq!((&verdict["kind"], &verdict["winners"]), (&json!("clear-winner"), &json!([winner])));
        assert_eq!(verdict["question"], format!("Which is {key}?"));
    }
    let ids: HashSet<String> = told[1..].iter().map(|message| message["id"].to_string()).collect();
    assert_eq!(ids.len(), told.len() - 1, "nothing is told twice that was heard: {told:?}");
    let shown = ok(client, 200, "GET", &format!("{path}/results"), ADMIN, Value::Null);
    assert_eq!((&shown["criterion"], &shown["criteria"][1]["winners"]), (&json!("hotter"), &json!(["tea-1"])));
}

#[test]
fn what_leads_into_a_private_network_is_not_posted_and_said() {
    let database = database::sqlite();
    let (address, messages) = listen();
    let server = Server::start(&database.url, 0, FREE);
    let client = &mut server.client();
    let settings = json!({ "webhook": address.replace("http:", "https:") });
    let items = json!([{"title": "Assam"}, {"title": "Sencha"}]);
    let study = json!({"slug": "told", "title": "Tea", "items": items, "settings": settings});
    ok(client, 201, "POST", "/v1/studies", ADMIN, study);
    for status in ["open", "closed"] {
        ok(client, 200, "PUT", "/v1/studies/told/status", ADMIN, json!({ "status": status }));
    }
    let problem = || {
        let study = ok(&mut server.client(), 200, "GET", "/v1/studies/told", ADMIN, Value::Null);
        study["webhook"]["problem"].as_str().map(str::to_owned)
    };
    let problem = (0..1200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        problem()
    });
    assert_eq!(problem.unwrap(), "127.0.0.1 is in a private network");
    assert!(messages.try_recv().is_err());
    for odd in ["ftp://x", "https://", "https:///x", "https://a@b/", "https://a/#b", "https://a b", "nowhere"] {
        let refused = send(client, "PATCH", "/v1/studies/told", ADMIN, json!({"settings": {"webhook": odd}}));
        assert_eq!(refused.status, 422, "{odd}");
        assert!(refused.text.contains("settings.webhook"), "{}", refused.text);
    }
}
