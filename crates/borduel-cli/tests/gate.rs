//! Who is let in and what is let out: names that nobody can guess, consent, cookies, origins, live events, and clients
//! that hold places.

use borduel_testing::http::{Client, Response};
use borduel_testing::server::{ADMIN, Server};
use borduel_testing::{database, skip};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

#[expect(clippy::needless_pass_by_value, reason = "bodies are written where they are sent")]
fn send(client: &mut Client, method: &str, path: &str, token: &str, body: Value) -> Response {
    client.send(method, path, token, (!body.is_null()).then_some(&body)).unwrap()
}

/// Makes a study of three items with these settings, in this status; its organiser's token.
fn study(client: &mut Client, slug: &str, status: &str, settings: &Value) -> String {
    let items: Value = ["ash", "birch", "cedar"].iter().map(|key| json!({"key": key, "title": key})).collect();
    let new = json!({"slug": slug, "title": format!("The secret of {slug}"), "items": items, "settings": settings});
    let made = send(client, "POST", "/v1/studies", ADMIN, new);
    assert_eq!(made.status, 201, "{}", made.text);
    if status != "draft" {
        let path = format!("/v1/studies/{slug}/status");
        assert_eq!(send(client, "PUT", &path, ADMIN, json!({"status": "open"})).status, 200);
        assert_eq!(send(client, "PUT", &path, ADMIN, json!({"status": status})).status, 200);
    }
    made.json()["organiser_token"].as_str().unwrap().to_owned()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    let named = |line: &&str| line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    response.head.lines().find(named).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
}

/// What a form sends, from a page of this origin.
fn form(client: &mut Client, path: &str, origin: &str, body: &str) -> Response {
    let before = std::mem::take(&mut client.headers);
    client.headers = format!("{before}{origin}");
    let sent =
        client.send_bytes("POST", path, "", Some((b"application/x-www-form-urlencoded", body.as_bytes()))).unwrap();
    client.headers = before;
    sent
}

/// A study that strangers may neither join nor see is to them as one that does not exist, whatever they ask.
#[test]
fn strangers_cannot_tell_studies_apart() {
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, &["--join-rate", "0"]);
    let client = &mut server.client();
    study(client, "draft", "draft", &json!({"results": "public"}));
    study(client, "inner", "open", &json!({"voting": "invited"}));
    study(client, "past", "closed", &json!({"voting": "invited"}));
    let other = study(client, "other", "open", &json!({}));
    let voter = send(client, "POST", "/v1/studies/other/voters", "", json!({})).json();
    let voter = voter["token"].as_str().unwrap().to_owned();
    let asked = [
        ("GET", "/v1/studies/{}", Value::Null),
        ("PATCH", "/v1/studies/{}", json!({"title": "x"})),
        ("PUT", "/v1/studies/{}/status", json!({"status": "open"})),
        ("GET", "/v1/studies/{}/items", Value::Null),
        ("PUT", "/v1/studies/{}/items/ash/image", Value::Null),
        ("GET", "/v1/studies/{}/images/0000000000000000000000000000000000000000000000000000000000000000", Value::Null),
        ("POST", "/v1/studies/{}/voters", json!({})),
        ("POST", "/v1/studies/{}/voters", json!({"kind": "judge"})),
        ("POST", "/v1/studies/{}/voters", json!({"count": 0})),
        ("GET", "/v1/studies/{}/voters/quality", Value::Null),
        ("DELETE", "/v1/studies/{}/voters/0", Value::Null),
        ("POST", "/v1/studies/{}/questions", json!({})),
        ("PUT", "/v1/studies/{}/questions/0/answer", json!({"answer": "first"})),
        ("DELETE", "/v1/studies/{}/questions/0/answer", Value::Null),
        ("POST", "/v1/studies/{}/answers", json!({"answers": [{"q": 0, "answer": "first"}]})),
        ("GET", "/v1/studies/{}/results", Value::Null),
        ("GET", "/v1/studies/{}/live", Value::Null),
        ("GET", "/v1/studies/{}/log", Value::Null),
        ("GET", "/v1/studies/{}/export/votes.csv", Value::Null),
        ("PUT", "/v1/studies/{}/imports/votes.csv", Value::Null),
        ("GET", "/s/{}", Value::Null),
        ("GET", "/s/{}/results", Value::Null),
        ("DELETE", "/v1/studies/{}", Value::Null),
        ("GET", "/s/{}/about", Value::Null),
        ("GET", "/s/{}/preview", Value::Null),
        ("GET", "/s/{}/admin", Value::Null),
        ("GET", "/s/{}/admin/share", Value::Null),
        ("GET", "/s/{}/admin/items", Value::Null),
        ("GET", "/s/{}/admin/voters", Value::Null),
        ("GET", "/s/{}/admin/voters/0", Value::Null),
        ("GET", "/s/{}/admin/log", Value::Null),
        ("GET", "/s/{}/admin/settings", Value::Null),
    ];
    let tokens = ["", "bd_vot_guessed", "bd_org_guessed", "bd_see_guessed", "nonsense", voter.as_str(), other.as_str()];
    for (method, path, body) in asked {
        for token in tokens {
            let mut ask = |slug: &str| {
                let found = send(client, method, &path.replace("{}", slug), token, body.clone());
                assert!(!found.text.contains("The secret"), "{method} {path} {slug} {token}: {}", found.text);
                (found.status, found.text.replace(slug, "it"))
            };
            let none = ask("absent");
            for slug in ["draft", "inner", "past"] {
                assert_eq!(ask(slug), none, "{method} {path} {slug} {token}");
            }
            assert!((400..500).contains(&none.0), "{method} {path}: {none:?}");
        }
    }
    let forms = [
        ("start", ""),
        ("leave", ""),
        ("more", ""),
        ("answer", "q=0&answer=first"),
        ("undo", ""),
        ("comment", "text=x"),
        ("admin/status", "status=closed"),
        ("admin/delete", "sure=inner"),
        ("admin/item", "key=ash&act=disable"),
    ];
    for (path, body) in forms {
        let mut sent = |slug: &str| {
            let sent = form(client, &format!("/s/{slug}/{path}"), "sec-fetch-site: same-origin\r\n", body);
            (sent.status, sent.text.replace(slug, "it"))
        };
        let none = sent("absent");
        assert!(["draft", "inner", "past"].iter().all(|slug| sent(slug) == none), "{path}: {none:?}");
    }
    // Whoever may know is told.
    assert_eq!(send(client, "GET", "/v1/studies/absent", ADMIN, Value::Null).status, 404);
    assert_eq!(send(client, "GET", "/v1/studies/draft", ADMIN, Value::Null).status, 200);
    assert_eq!(send(client, "GET", "/s/other", "", Value::Null).status, 200);
}

#[test]
fn whoever_joins_agrees_joins_once_and_only_what_is_open() {
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, &["--join-rate", "0"]);
    let client = &mut server.client();
    let organiser = study(client, "tea", "open", &json!({"consent": "My votes are published."}));
    let path = "/v1/studies/tea/voters";
    let refused = send(client, "POST", path, "", json!({}));
    assert!(refused.status == 422 && refused.text.contains("agree"), "{}", refused.text);
    assert_eq!(send(client, "POST", path, "", json!({"agree": false})).status, 422);
    let joined = send(client, "POST", path, "", json!({"agree": true}));
    assert_eq!(joined.status, 201, "{}", joined.text);
    let token = joined.json()["token"].as_str().unwrap().to_owned();
    // Whoever has joined does not become somebody else, whether blocked or not.
    assert_eq!(send(client, "POST", path, &token, json!({"agree": true})).status, 409);
    let block = json!({"state": "blocked", "votes": "aside"});
    assert_eq!(send(client, "PATCH", &format!("{path}/0"), &organiser, block).status, 200);
    assert_eq!(send(client, "POST", path, &token, json!({"agree": true})).status, 409);
    assert_eq!(send(client, "POST", "/v1/studies/tea/questions", &token, json!({})).status, 403);
    // Who was invited agrees on the page before the first pair.
    let invited = send(client, "POST", path, &organiser, json!({})).json();
    client.headers = format!("cookie: borduel-voter-tea={}\r\n", invited["token"].as_str().unwrap());
    let page = send(client, "GET", "/s/tea", "", Value::Null);
    assert!(page.status == 200 && page.text.contains("My votes are published."), "{}", page.text);
    let here = "sec-fetch-site: same-origin\r\n";
    assert_eq!(form(client, "/s/tea/start", here, "").status, 422);
    assert_eq!(form(client, "/s/tea/start", here, "agree=yes").status, 303);
    client.headers.clear();
    // What is not open is not joined.
    for (status, code) in [("paused", 409), ("closed", 409), ("archived", 410)] {
        let set = send(client, "PUT", "/v1/studies/tea/status", &organiser, json!({"status": status}));
        assert_eq!(set.status, 200, "{}", set.text);
        assert_eq!(send(client, "POST", path, "", json!({"agree": true})).status, code, "{status}");
        assert_eq!(form(client, "/s/tea/start", here, "agree=yes").status, code, "{status}");
    }
    let shown = send(client, "GET", "/v1/studies/tea", &organiser, Value::Null).json();
    assert_eq!(shown["voters"], 2, "{shown}");
}

#[test]
fn a_cookie_is_out_of_the_reach_of_scripts_and_other_sites() {
    let database = database::sqlite();
    let kept = |server: &Server, path: &str| {
        let sent = form(&mut server.client(), path, "sec-fetch-site: same-origin\r\n", "");
        assert_eq!(sent.status, 303, "{}", sent.text);
        let cookie = header(&sent, "set-cookie").unwrap().to_owned();
        let (named, flags) = cookie.split_once("; ").unwrap();
        let (name, token) = named.split_once('=').unwrap();
        assert!(token.starts_with("bd_vot_"), "{cookie}");
        (name.to_owned(), flags.to_owned())
    };
    let plain = Server::start(&database.url, 0, &["--join-rate", "0"]);
    study(&mut plain.client(), "tea", "open", &json!({"embed": true}));
    let year = "Path=/; Max-Age=31536000; HttpOnly";
    assert_eq!(kept(&plain, "/s/tea/start"), ("borduel-voter-tea".into(), format!("{year}; SameSite=Lax")));
    drop(plain);
    let secure = ["--join-rate", "0", "--public-url", "https://votes.example"];
    let secure = Server::start_at(&database.url, &secure);
    let name = "__Host-borduel-voter-tea".to_owned();
    assert_eq!(kept(&secure, "/s/tea/start"), (name.clone(), format!("{year}; SameSite=Lax; Secure")));
    let framed = format!("{year}; SameSite=None; Secure; Partitioned");
    assert_eq!(kept(&secure, "/s/tea/start?embed"), (name, framed));
    // Tokens of links: the same, and no cookie for one that is not known.
    let client = &mut secure.client();
    let here = "sec-fetch-site: same-origin\r\n";
    let entered = form(client, "/session", here, &format!("token={ADMIN}"));
    let cookie = header(&entered, "set-cookie").unwrap();
    assert_eq!(cookie, format!("__Host-borduel-admin={ADMIN}; {year}; SameSite=Lax; Secure"));
    let unknown = form(client, "/session", here, "token=bd_org_guessed&slug=tea");
    assert_eq!((unknown.status, header(&unknown, "set-cookie")), (401, None));
    // A cookie opens pages; what changes something under /v1 needs more.
    client.headers = format!("cookie: __Host-borduel-admin={ADMIN}\r\n");
    assert_eq!(send(client, "GET", "/s/tea/admin", "", Value::Null).status, 200);
    assert_eq!(send(client, "POST", "/v1/studies", "", json!({"title": "x"})).status, 401);
    assert_eq!(send(client, "PUT", "/v1/studies/tea/status", "", json!({"status": "closed"})).status, 401);
}

#[test]
fn a_form_comes_from_a_page_of_this_server_or_not_at_all() {
    let database = database::sqlite();
    let server = Server::start_at(&database.url, &["--join-rate", "0", "--public-url", "https://votes.example"]);
    let client = &mut server.client();
    study(client, "tea", "open", &json!({}));
    let own = format!("origin: http://{}\r\n", server.address);
    for (origin, status) in [
        ("sec-fetch-site: same-origin\r\n", 303),
        (own.as_str(), 303),
        ("origin: https://votes.example\r\n", 303),
        ("", 403),
        ("origin: null\r\n", 403),
        ("origin: https://evil.example\r\n", 403),
        ("origin: https://votes.example.evil.example\r\n", 403),
        ("sec-fetch-site: cross-site\r\n", 403),
        ("sec-fetch-site: same-site\r\n", 403),
        ("sec-fetch-site: none\r\n", 403),
        // What a browser says itself counts for more than what it says of the page.
        ("sec-fetch-site: cross-site\r\norigin: https://votes.example\r\n", 403),
    ] {
        let sent = form(client, "/s/tea/start", origin, "");
        assert_eq!((sent.status, header(&sent, "set-cookie").is_some()), (status, status == 303), "{origin:?}");
    }
}

/// The events of a stream, one by one: the name, the id and the data; and whether its end was told.
struct Events(BufReader<TcpStream>, bool);

impl Events {
    fn open(server: SocketAddr, path: &str, token: &str) -> (String, Self) {
        let mut stream = TcpStream::connect(server).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let token = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\n{token}\r\n").unwrap();
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).unwrap() > 0, "{head}");
        }
        (head.to_lowercase(), Self(lines, false))
    }

    /// The next event; nothing when the stream has ended.
    fn next(&mut self) -> Option<(String, String, Value)> {
        let (mut name, mut id, mut data) = (String::new(), String::new(), Value::Null);
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            // The last chunk of all is empty; a connection that is cut off has none.
            self.1 |= line == "0\r\n";
            match line.trim_end().split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("data", value)) => data = serde_json::from_str(value).unwrap(),
                _ if line == "\n" && !name.is_empty() => return Some((name, id, data)),
                _ => {}
            }
        }
    }
}

#[test]
fn whoever_follows_a_study_is_told_of_votes_and_results_until_the_server_ends() {
    let database = database::sqlite();
    let mut server = Server::start(&database.url, 0, &["--join-rate", "0"]);
    let client = &mut server.client();
    let organiser = study(client, "tea", "open", &json!({}));
    let (head, mut events) = Events::open(server.address, "/v1/studies/tea/live", &organiser);
    assert!(head.starts_with("http/1.1 200") && head.contains("content-type: text/event-stream"), "{head}");
    assert!(head.contains("x-accel-buffering: no"), "a proxy that gathers would keep events: {head}");
    let (name, id, data) = events.next().unwrap();
    assert_eq!((name.as_str(), &data["votes"], &data["status"]), ("head", &json!(0), &json!("open")));
    assert_eq!(id, data["head"].to_string());
    let voter = send(client, "POST", "/v1/studies/tea/voters", "", json!({})).json();
    let token = voter["token"].as_str().unwrap();
    let asked = send(client, "POST", "/v1/studies/tea/questions", token, json!({})).json();
    let q = &asked["questions"][0]["q"];
    let answered =
        send(client, "PUT", &format!("/v1/studies/tea/questions/{q}/answer"), token, json!({"answer": "first"}));
    assert_eq!(answered.status, 200);
    let (mut counted, mut computed) = (None, None);
    while counted.is_none() || computed.is_none() {
        let (name, id, data) = events.next().expect("the stream goes on");
        match name.as_str() {
            "head" if data["votes"] == 1 => counted = Some((data["voters"].clone(), data["open_questions"].clone())),
            "results" if data["votes"] == 1 => computed = Some(id.parse().ok() == data["head"].as_u64()),
            _ => {}
        }
    }
    assert_eq!(counted, Some((json!(1), json!(2))));
    assert_eq!(computed, Some(true));
    // Not for everybody, unless results are.
    assert!(Events::open(server.address, "/v1/studies/tea/live", token).0.starts_with("http/1.1 403"));
    let public = json!({"settings": {"results": "public"}});
    assert_eq!(send(client, "PATCH", "/v1/studies/tea", &organiser, public).status, 200);
    assert!(Events::open(server.address, "/v1/studies/tea/live", token).0.starts_with("http/1.1 200"));
    server.signal("-TERM");
    while events.next().is_some() {}
    assert!(events.1, "it ends by itself, and is not cut off with the last orders");
}

/// Raises the limit on open files as far as it may be; where it may not, what there is may do.
#[cfg(unix)]
fn many_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    let _ = setrlimit(Resource::Nofile, files);
}

#[cfg(unix)]
#[test]
fn one_network_does_not_take_all_live_streams() {
    many_files();
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, &[]);
    study(&mut server.client(), "tea", "open", &json!({"results": "public"}));
    let follow = || Events::open(server.address, "/v1/studies/tea/live", "");
    let all: Vec<_> = (0..520).map(|_| follow()).collect();
    let followed = all.iter().filter(|(head, _)| head.starts_with("http/1.1 200")).count();
    let refused = all.iter().filter(|(head, _)| head.starts_with("http/1.1 503")).count();
    assert_eq!((followed, refused), (512, 8));
    assert_eq!(send(&mut server.client(), "GET", "/s/tea/results", "", Value::Null).status, 200);
    drop(all);
    let begun = Instant::now();
    while !follow().0.starts_with("http/1.1 200") {
        assert!(begun.elapsed() < Duration::from_secs(30), "places come back");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Clients that send a byte of what they announce hold connections, not places: nobody else notices them.
#[cfg(unix)]
#[test]
fn slow_clients_take_nobodys_place() {
    many_files();
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, &["--join-rate", "0"]);
    let client = &mut server.client();
    study(client, "tea", "open", &json!({}));
    for (length, path) in [(2, "/v1/studies/tea/voters"), (20_000, "/v1/studies")] {
        let slow: Vec<TcpStream> = (0..1_100)
            .map(|_| {
                let mut stream = TcpStream::connect(server.address).unwrap();
                let kind = "content-type: application/json";
                write!(stream, "POST {path} HTTP/1.1\r\nhost: x\r\n{kind}\r\ncontent-length: {length}\r\n\r\n{{")
                    .unwrap();
                stream
            })
            .collect();
        std::thread::sleep(Duration::from_millis(500));
        for (method, path, body, status) in [
            ("GET", "/healthz", Value::Null, 200),
            ("GET", "/readyz", Value::Null, 200),
            ("GET", "/s/tea", Value::Null, 200),
            ("POST", "/v1/studies/tea/voters", json!({}), 201),
        ] {
            let answered = send(client, method, path, "", body);
            assert_eq!(answered.status, status, "{path} while {} wait: {}", slow.len(), answered.text);
        }
    }
}

/// Who joins from a network is counted in the log, which all replicas read.
#[test]
fn replicas_together_let_in_no_more_than_one_does() {
    let Some(database) = database::postgres() else {
        return skip("joining at two replicas", "not started by crates/borduel-study/tests/with-postgres");
    };
    let replicas = [0; 2].map(|port| Server::start(&database.url, port, &["--join-rate", "2"]));
    study(&mut replicas[0].client(), "tea", "open", &json!({}));
    let [one, two] = &mut replicas.each_ref().map(Server::client);
    let join = |client: &mut Client| send(client, "POST", "/v1/studies/tea/voters", "", json!({})).status;
    assert_eq!([join(one), join(one), join(one)], [201, 201, 429]);
    // The other has let nobody in yet.
    assert_eq!(form(two, "/s/tea/start", "sec-fetch-site: same-origin\r\n", "").status, 429);
    assert_eq!(join(two), 429);
}

/// An organiser shares the study and its results by tokens, and takes them back; voters are listed without names.
#[test]
fn tokens_are_made_listed_and_revoked_and_voters_are_listed() {
    let database = database::sqlite();
    let server = Server::start(&database.url, 0, &[]);
    let client = &mut server.client();
    let asks = json!([{"key": "age", "question": "How old?", "answers": [{"text": "young"}, {"text": "old"}]}]);
    let owner = study(client, "tea", "open", &json!({ "asks": asks }));
    let tokens = "/v1/studies/tea/tokens";
    let mut make = |kind: &str| {
        let made = send(client, "POST", tokens, &owner, json!({"kind": kind, "label": "Ada", "expires_in": 3600}));
        assert_eq!(made.status, 201, "{}", made.text);
        let field = |name: &str| made.json()[name].as_str().unwrap().to_owned();
        (field("id"), field("token"))
    };
    let (viewer, organiser) = (make("viewer"), make("organiser"));
    let mut status = |path: &str, token: &str| send(client, "GET", path, token, Value::Null).status;
    assert_eq!([&viewer, &organiser].map(|one| status("/v1/studies/tea/results", &one.1)), [200, 200]);
    assert_eq!([&viewer, &organiser].map(|one| status(tokens, &one.1)), [403, 200]);
    let listed = send(client, "GET", tokens, &organiser.1, Value::Null);
    assert!(!listed.text.contains("bd_"), "{}", listed.text);
    let all = listed.json()["tokens"].as_array().unwrap().clone();
    let shown = all.iter().find(|token| token["id"] == viewer.0.as_str()).unwrap();
    assert_eq!((&shown["kind"], &shown["label"]), (&json!("viewer"), &json!("Ada")));
    assert!(shown["expires_at"].is_string() && all.len() == 3, "{all:?}");
    let mut revoke = |id: &str| send(client, "DELETE", &format!("{tokens}/{id}"), &owner, Value::Null).status;
    assert_eq!([revoke(&viewer.0), revoke("0123456789ab")], [204, 404]);
    assert_eq!(send(client, "GET", "/v1/studies/tea/results", &viewer.1, Value::Null).status, 401);
    for age in ["young", "old"] {
        let join = json!({"attributes": {"age": age}});
        assert_eq!(send(client, "POST", "/v1/studies/tea/voters", "", join).status, 201);
    }
    let first = send(client, "GET", "/v1/studies/tea/voters?limit=1", &owner, Value::Null).json();
    let known = json!({
        "voter": 0, "kind": "anonymous", "state": "active", "counted": true, "answered": 0,
        "attributes": {"age": "young"},
    });
    assert_eq!((&first["voters"], &first["next"]), (&json!([known]), &json!("0")));
    let rest = send(client, "GET", "/v1/studies/tea/voters?after=0", &owner, Value::Null).json();
    assert_eq!((&rest["voters"][0]["voter"], &rest["next"]), (&json!(1), &Value::Null));
    assert_eq!(send(client, "GET", "/v1/studies/tea/voters", "", Value::Null).status, 401);
}

#[test]
fn pages_of_other_origins_may_ask_only_where_the_server_was_told_so() {
    let database = database::sqlite();
    let asked = |server: &Server, origin: &str| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head =
            format!("host: x\r\norigin: {origin}\r\naccess-control-request-method: PUT\r\nconnection: close\r\n");
        write!(stream, "OPTIONS /v1/studies HTTP/1.1\r\n{head}\r\n").unwrap();
        std::io::read_to_string(stream).unwrap().to_lowercase()
    };
    let closed = Server::start(&database.url, 0, &[]);
    assert!(!asked(&closed, "https://example.org").contains("access-control-allow"));
    drop(closed);
    let open = Server::start(&database.url, 0, &["--allow-origin", "https://example.org"]);
    let said = asked(&open, "https://example.org");
    assert!(said.contains("access-control-allow-origin: https://example.org\r\n"), "{said}");
    assert!(said.contains("authorization") && !said.contains("credentials"), "{said}");
    assert!(!asked(&open, "https://evil.example").contains("access-control-allow-origin"));
    let wrong = Command::new(env!("CARGO_BIN_EXE_borduel")).args(["serve", "--allow-origin", "*"]).output().unwrap();
    assert!(!wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("is no origin"), "{wrong:?}");
}
