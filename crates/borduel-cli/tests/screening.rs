//! What organisers of real studies do against voters who do not look, over HTTP with the real binary.

use borduel_testing::ask::{FREE, ok, send};
use borduel_testing::database::sqlite;
use borduel_testing::http::Client;
use borduel_testing::server::{ADMIN, Server};
use serde_json::{Value, json};
use std::process::Command;

/// Makes an open study of so many teas. Its seed decides which questions are gold: with this one both voters below are
/// asked one.
fn open(client: &mut Client, slug: &str, teas: usize, settings: &Value) {
    let items: Value = (0..teas).map(|i| json!({"key": format!("tea-{i}"), "title": format!("Tea {i}")})).collect();
    let study = json!({"slug": slug, "title": slug, "items": items, "settings": settings, "seed": 1});
    ok(client, 201, "POST", "/v1/studies", ADMIN, study);
    ok(client, 200, "PUT", &format!("/v1/studies/{slug}/status"), ADMIN, json!({"status": "open"}));
}

/// Somebody joins, and answers as `choose` says of the keys until nothing more comes; why it ended.
fn vote(client: &mut Client, path: &str, body: Value, choose: impl Fn(&str, &str) -> &'static str) -> (u64, String) {
    let joined = ok(client, 201, "POST", &format!("{path}/voters"), "", body);
    let token = joined["token"].as_str().unwrap().to_owned();
    let mut asked = ok(client, 200, "POST", &format!("{path}/questions"), &token, json!({}));
    loop {
        let next = if asked["next"].is_array() { "next" } else { "questions" };
        let Some(question) = asked[next].as_array().unwrap().first().cloned() else {
            return (joined["voter"].as_u64().unwrap(), asked["done"].as_str().unwrap().to_owned());
        };
        let key = |side: &str| question[side]["key"].as_str().unwrap();
        let answer = json!({"answer": choose(key("first"), key("second")), "ms": 900});
        let at = format!("{path}/questions/{}/answer", question["q"]);
        asked = ok(client, 200, "PUT", &at, &token, answer);
    }
}

#[test]
fn whoever_fails_gold_pairs_is_sent_away() {
    let database = sqlite();
    let server = Server::start(&database.url, 0, FREE);
    let client = &mut server.client();
    open(client, "gold", 4, &json!({}));
    let path = "/v1/studies/gold";
    ok(client, 200, "PUT", &format!("{path}/items/tea-3"), ADMIN, json!({"title": "Tea 3", "enabled": false}));
    let pairs = |worse: &str| json!([{"better": "tea-0", "worse": worse}]);
    let gold = |worse: &str| {
        let gold = json!({"pairs": pairs(worse), "share": 0.5, "may_fail": 0, "then": "away"});
        json!({"settings": {"screened_out": "OUT7", "gold": gold}})
    };
    let refused = send(client, "PATCH", path, ADMIN, gold("tea-9"));
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains("there is no item \\\"tea-9\\\""), "{}", refused.text);
    ok(client, 200, "PATCH", path, ADMIN, gold("tea-3"));
    let lower = |one: &str, two: &str| if one < two { "first" } else { "second" };
    let (good, ended) = vote(client, path, json!({}), lower);
    assert_eq!(ended, "seen-all");
    let decoy = |one: &str, two: &str| match (one, two) {
        ("tea-3", _) => "first",
        (_, "tea-3") => "second",
        _ => "tie",
    };
    let (bad, ended) = vote(client, path, json!({}), decoy);
    assert_eq!(ended, "screened-out");
    let quality = ok(client, 200, "GET", &format!("{path}/voters/quality"), ADMIN, Value::Null);
    let of = |voter: u64| {
        quality["voters"].as_array().unwrap().iter().find(|one| one["voter"] == voter).unwrap()["gold"].clone()
    };
    assert_eq!((of(good), of(bad)), (json!({"answered": 1, "failed": 0}), json!({"answered": 1, "failed": 1})));
    let results = ok(client, 200, "GET", &format!("{path}/results"), ADMIN, Value::Null);
    assert_eq!(results["votes"], 3, "neither gold nor whoever failed it");
    let file = send(client, "GET", &format!("{path}/export/voters.csv"), ADMIN, Value::Null).text;
    assert!(file.contains(&format!("\n{bad},anonymous,screened-out,no,")), "{file}");
}

#[test]
fn voters_say_something_about_themselves_and_files_have_it() {
    let database = sqlite();
    let server = Server::start(&database.url, 0, FREE);
    let client = &mut server.client();
    let asks = json!([
        {"key": "age", "question": "How old?", "answers": [{"text": "young", "most": 2}, {"text": "old"}]},
        {"key": "tea", "question": "Tea?", "answers": [{"text": "yes"}, {"text": "no", "out": true}]},
    ]);
    open(client, "people", 3, &json!({"asks": asks, "over_quota": "FULL9"}));
    let path = "/v1/studies/people";
    let lower = |one: &str, two: &str| if one < two { "first" } else { "second" };
    let refused = send(client, "POST", &format!("{path}/voters"), "", json!({"attributes": {"age": "young"}}));
    assert!(refused.status == 422 && refused.text.contains("attributes.tea is missing"), "{}", refused.text);
    let about = |age: &str, tea: &str| json!({"attributes": {"age": age, "tea": tea}});
    for age in ["young", "old", "young"] {
        vote(client, path, about(age, "yes"), lower);
    }
    let state = |client: &mut Client, body: Value| {
        ok(client, 201, "POST", &format!("{path}/voters"), "", body)["state"].clone()
    };
    assert_eq!(state(client, about("young", "yes")), "over-quota");
    assert_eq!(state(client, about("old", "no")), "screened-out");
    assert_eq!(state(client, about("old", "yes")), "active");
    // Whoever is invited is described by the organiser, or says it.
    let invited = ok(client, 201, "POST", &format!("{path}/voters"), ADMIN, json!({"kind": "invited"}));
    let (voter, token) = (&invited["voter"], invited["token"].as_str().unwrap().to_owned());
    assert_eq!(send(client, "POST", &format!("{path}/questions"), &token, json!({})).status, 422);
    let said = ok(client, 200, "PUT", &format!("{path}/voters/{voter}/attributes"), &token, about("old", "yes"));
    assert_eq!(said["state"], "active");
    ok(client, 200, "POST", &format!("{path}/questions"), &token, json!({}));
    let other = send(client, "PUT", &format!("{path}/voters/0/attributes"), &token, about("old", "yes"));
    assert_eq!(other.status, 404, "nobody speaks for others");
    let export = |client: &mut Client, file: &str| {
        send(client, "GET", &format!("{path}/export/{file}"), ADMIN, Value::Null).text
    };
    let rows: Vec<Value> =
        export(client, "votes.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.iter().filter(|row| row["age"] == "young" && row["tea"] == "yes").count(), 6);
    assert_eq!(rows.iter().filter(|row| row["age"] == "old").count(), 3);
    // `rank` reads them, and compares by what was said.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("votes.csv"), export(client, "votes.csv")).unwrap();
    let rank = Command::new(env!("CARGO_BIN_EXE_borduel"))
        .current_dir(folder.path())
        .args(["rank", "votes.csv", "--by", "age", "--format", "json"])
        .output()
        .unwrap();
    let found: Value =
        serde_json::from_slice(&rank.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&rank.stderr)));
    let text = found.to_string();
    assert!(text.contains("young") && text.contains("old"), "{text}");
    // The same for programs, without a file: for the organiser, and of attributes that there are.
    let by = format!("{path}/results/by/age");
    let found = ok(client, 200, "GET", &by, ADMIN, Value::Null);
    assert_eq!((&found["attribute"], found["items"].as_array().unwrap().len()), (&json!("age"), 3), "{found}");
    assert_eq!(found["groups"], json!([{"value": "young", "votes": 6}, {"value": "old", "votes": 3}]), "{found}");
    for item in found["items"].as_array().unwrap() {
        let scores = item["scores"].as_array().unwrap();
        assert!(scores.len() == 2 && item["p"].as_f64().is_some(), "{item}");
        assert!(scores.iter().all(|score| score["low"].as_f64() <= score["borda"].as_f64()), "{item}");
    }
    assert_eq!(send(client, "GET", &by, &token, Value::Null).status, 403);
    let other = send(client, "GET", &format!("{path}/results/by/shoe"), ADMIN, Value::Null);
    assert!(other.status == 404 && other.text.contains("known: age, tea"), "{}", other.text);
}

#[test]
fn people_are_invited_by_name() {
    let (database, folder) = (sqlite(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let items = file("items.csv", "id\nash\nelm\n");
    study(&database.url, &["create", "trees", "--items", &items]);
    let names = file("names.txt", "Ada Lovelace\n\n  Grace Hopper \r\n");
    let links =
        study(&database.url, &["invite", "trees", "--names", &names, "--public-url", "https://votes.example.org"]);
    let rows: Vec<Vec<&str>> = links.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.iter().map(|row| row[2]).collect::<Vec<_>>(), ["Ada Lovelace", "Grace Hopper"]);
    let long = file("long.txt", &format!("Ada\n{}\n", "x".repeat(101)));
    for (names, said) in
        [(long, "line 2"), (file("none.txt", "\n"), "write one a line"), ("absent".to_owned(), "no such file")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
        let done = command.args(["study", "--database", &database.url, "invite", "trees", "--names", &names]);
        let done = done.output().unwrap();
        let words = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.code() == Some(3) && words.contains(said), "{words}");
    }
    // The same by the server, beside those who are there.
    let server = Server::start(&database.url, 0, FREE);
    let client = &mut server.client();
    let path = "/v1/studies/trees";
    let made = ok(client, 201, "POST", &format!("{path}/voters"), ADMIN, json!({"names": ["Alan Turing", "Ada"]}));
    assert_eq!(made["voters"].as_array().unwrap().iter().map(|one| &one["voter"]).collect::<Vec<_>>(), [2, 3]);
    let people = send(client, "GET", &format!("{path}/export/people.csv"), ADMIN, Value::Null).text;
    let known = ["0,Ada Lovelace,", "1,Grace Hopper,", "2,Alan Turing,", "3,Ada,"];
    assert!(known.iter().all(|start| people.lines().any(|line| line.starts_with(start))), "{people}");
    for wrong in [json!({"names": [""]}), json!({"names": ["a"], "count": 1}), json!({"names": ["a"], "kind": "judge"})]
    {
        let refused = send(client, "POST", &format!("{path}/voters"), ADMIN, wrong);
        assert!(refused.status == 422 && refused.text.contains("names are 1 to 1000 people"), "{}", refused.text);
    }
}

/// Runs `borduel study` and returns what it prints.
fn study(database: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
    let done = command.args(["study", "--database", database]).args(arguments).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn what_a_study_took_in_comes_out_and_goes_into_another_one() {
    let (database, folder) = (sqlite(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let items = file("items.csv", "id,name\nash,Ash\nelm,Elm\nyew,Yew\n");
    // Who skipped is not kept: of the others it is.
    let votes = "left,right,winner,voter\nash,elm,left,ann\nelm,yew,right,bob\nash,yew,left,ann\nash,elm,skip,bob\n";
    let nameless = "left,right,winner\nash,elm,left\nelm,yew,right\nash,yew,skip\n";
    for (name, votes, named) in [("named", votes, true), ("nameless", nameless, false)] {
        let votes = file(&format!("{name}.csv"), votes);
        let (one, two) = (format!("{name}-one"), format!("{name}-two"));
        for slug in [&one, &two] {
            study(&database.url, &["create", slug, "--items", &items]);
        }
        study(&database.url, &["import", &one, &votes]);
        let out = study(&database.url, &["export", &one, "votes.csv"]);
        assert_eq!(out.lines().skip(1).all(|line| line.split(',').nth(6) != Some("")), named, "{out}");
        study(&database.url, &["import", &two, &file("out.csv", &out)]);
        let counted = |slug: &str| {
            let shown: Value = serde_json::from_str(&study(&database.url, &["show", slug])).unwrap();
            shown["votes"].clone()
        };
        assert_eq!(counted(&one), counted(&two), "{name}");
    }
}

#[test]
fn invitations_are_links_where_the_address_is_known() {
    let (database, folder) = (sqlite(), tempfile::tempdir().unwrap());
    let items = folder.path().join("items.csv");
    std::fs::write(&items, "id\nash\nelm\n").unwrap();
    study(&database.url, &["create", "trees", "--items", items.to_str().unwrap()]);
    let link = study(&database.url, &["invite", "trees", "--public-url", "https://votes.example.org/"]);
    assert!(link.starts_with("0\thttps://votes.example.org/s/trees#token=bd_vot_"), "{link}");
    assert!(study(&database.url, &["invite", "trees"]).starts_with("1\tbd_vot_"));
    let judge = study(&database.url, &["invite", "trees", "--judge", "--public-url", "https://votes.example.org"]);
    assert!(judge.starts_with("2\tbd_jud_"), "{judge}");
}

/// Asks until it holds: results are made beside the votes.
fn wait_for<T>(mut there: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = there() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("it did not come within a minute");
}

#[test]
fn sixty_voters_of_one_network_do_not_make_a_winner_unnoticed() {
    let database = sqlite();
    let server = Server::start(&database.url, 0, &[FREE, &["--trust-proxy", "1"]].concat());
    let client = &mut server.client();
    open(client, "even", 4, &json!({}));
    let path = "/v1/studies/even";
    let from = |client: &mut Client, address: &str| client.headers = format!("x-forwarded-for: {address}\r\n");
    // 200 people from 200 places, of whom each says the opposite of the one before: nothing is better than anything.
    for voter in 0..200_u32 {
        from(client, &format!("10.1.{voter}.9"));
        let lower = |one: &str, two: &str| if (one < two) == (voter % 2 == 0) { "first" } else { "second" };
        vote(client, path, json!({}), lower);
    }
    let look = |client: &mut Client, votes: u64| {
        wait_for(|| {
            let found = ok(client, 200, "GET", &format!("{path}/results"), ADMIN, Value::Null);
            let checks = found["ranking"]["checks"].as_array()?;
            let check = checks.iter().find(|check| check["name"] == "networks")?.clone();
            (found["votes"] == votes && found["verdict"]["votes"].as_u64()? * 33 > votes * 32)
                .then(|| (found["verdict"]["kind"].as_str().unwrap().to_owned(), check))
        })
    };
    let (kind, check) = look(client, 1200);
    assert!(kind != "clear-winner" && kind != "good-enough", "{kind}");
    assert_eq!(check["ok"], true, "{check}");
    assert!(check["text"].as_str().unwrap().contains("no network brought more than one voter of 200"), "{check}");
    // One person joins sixty times, and always prefers the first tea.
    for voter in 0..60_u32 {
        from(client, &format!("203.0.113.{voter}"));
        let first = |one: &str, two: &str| match (one, two) {
            ("tea-0", _) => "first",
            (_, "tea-0") => "second",
            (one, two) if (one < two) == (voter % 2 == 0) => "first",
            _ => "second",
        };
        vote(client, path, json!({}), first);
    }
    let (kind, check) = look(client, 1560);
    assert!(kind == "clear-winner" || kind == "good-enough", "the winner that they made: {kind}");
    assert_eq!(check["ok"], false, "{check}");
    let text = check["text"].as_str().unwrap();
    assert!(text.contains("60 of 260 voters came from one network, with 23 % of the votes"), "{text}");
    // The report and the files say so, and no file has an address.
    let export = |client: &mut Client, file: &str| {
        send(client, "GET", &format!("{path}/export/{file}"), ADMIN, Value::Null).text
    };
    assert!(export(client, "report.html").contains("60 of 260 voters came from one network"));
    let voters = export(client, "voters.csv");
    assert_eq!(voters.lines().filter(|line| line.ends_with(",201")).count(), 60, "{voters}");
    for file in ["voters.csv", "votes.csv", "log.jsonl"] {
        assert!(!export(client, file).contains("203.0.113"), "{file}");
    }
    // Whoever wants to keep that from happening can.
    ok(client, 200, "PATCH", path, ADMIN, json!({"settings": {"per_network": 60}}));
    let refused = send(client, "POST", &format!("{path}/voters"), "", json!({}));
    assert!(refused.status == 403 && refused.text.contains("from one network"), "{}", refused.text);
    from(client, "203.0.114.1");
    ok(client, 201, "POST", &format!("{path}/voters"), "", json!({}));
    // And where sixty of one place are expected, they are no burst.
    let found = wait_for(|| {
        let found = ok(client, 200, "GET", &format!("{path}/results"), ADMIN, Value::Null);
        let checks = found["ranking"]["checks"].as_array()?;
        checks.iter().find(|check| check["name"] == "networks" && check["ok"] == true).cloned()
    });
    assert!(found["text"].as_str().unwrap().contains("no network brought more than 60 voters of"), "{found}");
}
