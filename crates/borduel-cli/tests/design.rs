//! `borduel design` as a stranger runs it.

use borduel_testing::output::{err, json, out, run};
use std::collections::BTreeMap;

#[test]
fn a_sheet_is_planned_filled_in_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("items.csv"), "id,name\n1,Tea\n2,Coffee\n3,Cocoa\n4,Mud\n").unwrap();
    let plan = run(folder.path(), &["design", "--items", "items.csv", "--budget", "60"]);
    assert!(plan.status.success() && err(&plan).contains("60 questions"), "{}", err(&plan));
    let sheet = out(&plan);
    assert!(sheet.starts_with("ask,left,right,winner,left_name,right_name\n1,"), "{sheet}");
    assert_eq!(sheet.lines().count(), 61);
    // The first fifty are answered: the lower number wins, except in every fifth question.
    let mut filled = String::new();
    for (at, line) in sheet.lines().enumerate() {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        if (1..=50).contains(&at) {
            fields[3] = if (fields[1] < fields[2]) == (at % 5 != 0) { "left" } else { "right" }.to_owned();
        }
        filled += &(fields.join(",") + "\n");
    }
    std::fs::write(folder.path().join("sheet.csv"), filled).unwrap();
    let report = json(&run(folder.path(), &["rank", "sheet.csv", "--items", "items.csv", "--format", "json"]));
    assert_eq!((report["votes"]["rows_unanswered"].as_u64(), report["votes"]["used"].as_f64()), (Some(10), Some(50.0)));
    assert_eq!(report["items"][0]["name"], "Tea");
    let more = json(&run(
        folder.path(),
        &[
            "design",
            "--items",
            "items.csv",
            "--votes",
            "sheet.csv",
            "--budget",
            "30",
            "--exclude-pair",
            "1,2",
            "--most-per-pair",
            "9",
            "--format",
            "json",
        ],
    ));
    let asks = more["asks"].as_array().unwrap();
    assert_eq!(asks.len(), 30);
    assert!(
        asks.iter()
            .all(|ask| !(ask["left"] == "1" && ask["right"] == "2" || ask["left"] == "2" && ask["right"] == "1"))
    );
    let curve = more["curve"].as_array().unwrap();
    assert!(curve.last().unwrap()["mean"].as_f64() < curve[0]["mean"].as_f64());
    assert_eq!(run(folder.path(), &["design", "--items", "items.csv", "--budget", "0"]).status.code(), Some(2));
    assert_eq!(
        run(folder.path(), &["design", "--items", "items.csv", "--budget", "9", "--exclude-item", "9"]).status.code(),
        Some(2)
    );
}

/// A sheet in contexts: every pair where both can be shown, contexts alike, what was asked there before counted.
#[test]
fn a_sheet_in_contexts_is_balanced_filled_in_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let design = |flags: &str| run(folder.path(), &["design"].into_iter().chain(flags.split(' ')).collect::<Vec<_>>());
    write("items.csv", "id,name\n1,Tea\n2,Coffee\n3,Cocoa\n4,Mud\n");
    let prompts: Vec<String> = (0..10).map(|at| format!("p{at},What about {at}?\n")).collect();
    write("prompts.csv", &format!("id,text\n{}", prompts.concat()));
    let plan = design("--items items.csv --contexts prompts.csv --budget 240");
    assert!(plan.status.success() && err(&plan).contains("Asked in 10 of 10 contexts, 24 to 24"), "{}", err(&plan));
    let sheet = out(&plan);
    let head = "ask,context,context_text,left,right,winner,left_name,right_name\n1,p";
    assert!(sheet.starts_with(head) && sheet.contains(",What about 7?,"), "{sheet}");
    // Of six pairs each is asked as often in every prompt, give or take one.
    let mut times: BTreeMap<(String, String, String), u32> = BTreeMap::new();
    let mut filled = String::new();
    for (at, line) in sheet.lines().enumerate() {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        if at > 0 {
            let [a, b] = [&fields[3], &fields[4]].map(String::clone);
            let pair = if a < b { (a, b) } else { (b, a) };
            *times.entry((fields[1].clone(), pair.0, pair.1)).or_default() += 1;
            fields[5] = if (fields[3] < fields[4]) == (at % 5 != 0) { "left" } else { "right" }.to_owned();
        }
        filled += &(fields.join(",") + "\n");
    }
    let (least, most) = (times.values().min().unwrap(), times.values().max().unwrap());
    assert!(times.len() == 60 && most - least <= 1, "{times:?}");
    write("sheet.csv", &filled);
    let report = json(&run(folder.path(), &["rank", "sheet.csv", "--items", "items.csv", "--format", "json"]));
    assert_eq!((report["contexts"]["seen"].as_u64(), report["votes"]["used"].as_f64()), (Some(10), Some(240.0)));
    assert_eq!(report["contexts"]["about"], "such");
    // The same seed gives the same bytes, and without contexts nothing is different from before.
    assert_eq!(out(&design("--items items.csv --contexts prompts.csv --budget 240 -q")), sheet);
    let strip = |text: &str| -> Vec<String> {
        let kept = |line: &str| {
            line.split(',')
                .enumerate()
                .filter(|(at, _)| ![1, 2].contains(at))
                .map(|(_, x)| x.to_owned() + ",")
                .collect()
        };
        text.lines().map(kept).collect()
    };
    let plain: Vec<String> =
        out(&design("--items items.csv --budget 240 -q")).lines().map(|line| line.to_owned() + ",").collect();
    assert_eq!(strip(&sheet), plain);
    // Votes on five of the prompts: the others come first.
    let some: Vec<&str> = filled
        .lines()
        .enumerate()
        .filter(|(at, line)| *at == 0 || line.split(',').nth(1).unwrap() < "p5")
        .map(|(_, line)| line)
        .collect();
    write("some.csv", &(some.join("\n") + "\n"));
    let more = design("--items items.csv --votes some.csv --contexts prompts.csv --budget 24 --format json");
    let asks = json(&more)["asks"].as_array().unwrap().clone();
    assert!(asks.len() == 24 && asks.iter().all(|ask| ask["context"].as_str().unwrap() >= "p5"), "{asks:?}");
    let note = err(&design("--votes some.csv --budget 9"));
    assert!(note.contains("the votes are on 5 contexts; with --contexts FILE"), "{note}");
    // Mud has something to show on p0 alone, and Cocoa nothing there: they are never asked together.
    let content = |item: u32, prompt: u32| format!("{item},p{prompt},answer {item} to {prompt}\n");
    let shown = |item: u32, prompt: u32| (item == 4) == (prompt == 0) || (item < 3 && prompt == 0);
    let contents: String =
        (1..=4).flat_map(|item| (0..10).filter(move |p| shown(item, *p)).map(move |p| content(item, p))).collect();
    write("contents.csv", &format!("item,context,text\n{contents}"));
    let few = design("--items items.csv --contexts prompts.csv --contents contents.csv --budget 60");
    let sheet = out(&few);
    assert!(few.status.success() && sheet.lines().count() == 61, "{}", err(&few));
    for line in sheet.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = fields[1].trim_start_matches('p');
        for (item, text) in [(3, 8), (4, 9)] {
            assert_eq!(fields[text], format!("answer {} to {number}", fields[item]), "{line}");
        }
        assert!(!(fields[3..5].contains(&"4") && fields[3..5].contains(&"3")), "{line}");
    }
    // Two worlds that nothing joins, and what else is wrong, are refused by name.
    write("apart.csv", "item,context,text\n1,p0,a\n2,p0,b\n3,p1,c\n4,p1,d\n");
    for (flags, code, words) in [
        (
            "--items items.csv --contexts prompts.csv --contents apart.csv --budget 9",
            3,
            "\"1\" and \"3\" cannot be compared, even through others",
        ),
        ("--items items.csv --contents contents.csv --budget 9", 2, "--contexts"),
        ("--items items.csv --contexts none.csv --budget 9", 3, "none.csv"),
    ] {
        let refused = design(flags);
        assert_eq!(refused.status.code(), Some(code), "{flags}: {}", err(&refused));
        assert!(err(&refused).contains(words), "{flags}: {}", err(&refused));
    }
}

#[test]
fn plans_need_no_list_of_items_and_refuse_what_is_ambiguous_or_empty() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("items.csv", "id,name\n1,Tea\n2,Tea\n3,Cocoa\n");
    write("votes.csv", "winner,loser\nTea,Mud\nMud,Cocoa\nTea,Cocoa\nCocoa,Tea\nCocoa,Mud\n");
    write("tiny.csv", "id,feat_x,feat_y\na,1e-320,1\nb,0,2\nc,1e308,3\n");
    let design = |flags: &str| run(folder.path(), &["design"].into_iter().chain(flags.split(' ')).collect::<Vec<_>>());
    // The items are those of the votes; questions on a pair that is asked often are spread, and it is said.
    let plan = design("--votes votes.csv --budget 900 --format csv");
    assert!(plan.status.success(), "{}", err(&plan));
    assert!(err(&plan).contains("Most often comes \""), "{}", err(&plan));
    let pairs: Vec<(String, String)> = out(&plan)
        .lines()
        .skip(1)
        .map(|line| {
            let mut pair: Vec<&str> = line.split(',').skip(1).take(2).collect();
            pair.sort_unstable();
            (pair[0].to_owned(), pair[1].to_owned())
        })
        .collect();
    assert_eq!(pairs.len(), 900);
    let longest = pairs.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap();
    assert!(longest < 20, "{longest} times running");
    for (flags, code, words) in [
        ("--budget 9", 2, "--items"),
        ("--items items.csv --budget 9 --exclude-item Tea", 2, "is the name of 2 items: call them by their ids (1, 2)"),
        ("--items items.csv --budget 9 --exclude-item 1 --exclude-item 2 --exclude-item 3", 3, "nothing to ask"),
        ("--items tiny.csv --budget 9 --exclude-item d", 2, "is not in the list of items"),
    ] {
        let refused = design(flags);
        assert_eq!(refused.status.code(), Some(code), "{flags}: {}", err(&refused));
        assert!(err(&refused).contains(words), "{flags}: {}", err(&refused));
    }
    assert!(design("--items tiny.csv --budget 9").status.success());
}

/// Of questions that are equally good one is taken: which, must not hang on the order of a file.
#[test]
fn plans_do_not_depend_on_the_order_of_items_or_votes() {
    let folder = tempfile::tempdir().unwrap();
    let planned = |reversed: bool, features: bool, votes: bool| {
        let mut items: Vec<String> = (0..9)
            .map(|i| format!("i{i}{}", if features { format!(",{},{}", i * i % 7, i % 4) } else { String::new() }))
            .collect();
        let mut pairs: Vec<String> = (0..8).map(|i| format!("i{i},i{}", i + 1)).collect();
        if reversed {
            items.reverse();
            pairs.reverse();
        }
        let head = if features { "id,feat_x,feat_y" } else { "id" };
        std::fs::write(folder.path().join("items.csv"), format!("{head}\n{}\n", items.join("\n"))).unwrap();
        std::fs::write(folder.path().join("votes.csv"), format!("winner,loser\n{}\n", pairs.join("\n"))).unwrap();
        let mut flags = vec!["design", "--budget", "14", "--format", "json", "-q"];
        if votes {
            flags.extend(["--votes", "votes.csv"]);
        }
        if features || !votes {
            flags.extend(["--items", "items.csv"]);
        }
        let plan = run(folder.path(), &flags);
        assert!(plan.status.success(), "{}", err(&plan));
        out(&plan)
    };
    for (features, votes) in [(false, false), (true, false), (false, true), (true, true)] {
        assert_eq!(planned(false, features, votes), planned(true, features, votes), "{features} {votes}");
    }
}

/// How often each item is asked about in a plan.
fn asked(plan: &serde_json::Value) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for ask in plan["asks"].as_array().unwrap() {
        for side in ["left", "right"] {
            *times.entry(ask[side].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    times
}

#[test]
fn a_hint_guides_which_pairs_are_asked_and_is_no_vote() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("items.csv", "id\nash\nelm\nfir\nyew\n");
    write("scores.csv", "item,score\nyew,9\nash,5\nelm,4\nfir,3\n");
    let mut judge = "winner,loser,count\n".to_owned();
    let mut people = "voter,left,right,winner\n".to_owned();
    for (n, (a, b)) in [("ash", "elm"), ("ash", "fir"), ("ash", "yew"), ("elm", "fir"), ("yew", "elm"), ("yew", "fir")]
        .into_iter()
        .enumerate()
    {
        judge += &format!("{a},{b},30\n{b},{a},{}\n", 9 + n);
        (0..12).for_each(|voter| {
            people += &format!("v{voter},{a},{b},{}\n", if (voter + n) % 4 == 0 { "right" } else { "left" });
        });
    }
    write("judge.csv", &judge);
    write("people.csv", &people);
    let plan = |more: &[&str]| {
        let common = ["design", "--items", "items.csv", "--budget", "60", "--format", "json", "--quiet"];
        json(&run(folder.path(), &[&common, more].concat()))
    };
    let even = plan(&[]);
    assert!(even.get("hints").is_none() && even.get("trust").is_none());
    for (hint, votes) in [("scores.csv", None), ("judge.csv", Some(249.0))] {
        let hinted = plan(&["--hint", hint]);
        let first = if votes.is_some() { "ash" } else { "yew" };
        assert!(asked(&hinted)[first] > asked(&even)[first], "{:?} {:?}", asked(&hinted), asked(&even));
        let told = &hinted["hints"][0];
        assert_eq!((&told["file"], &told["items"], told["votes"].as_f64()), (&hint.into(), &4.into(), votes));
        assert_eq!(hinted["trust"], "checked");
        assert!(hinted["items"][0]["score"].is_null());
    }
    // Beside votes it changes what is asked, and neither scores nor who may be best.
    let beside = plan(&["--votes", "people.csv", "--hint", "judge.csv", "--hint", "scores.csv", "--trust", "model"]);
    let alone = plan(&["--votes", "people.csv"]);
    let scores = |plan: &serde_json::Value| {
        plan["items"].as_array().unwrap().iter().map(|item| item["score"].as_f64()).collect::<Vec<_>>()
    };
    assert_eq!((scores(&beside), &beside["contenders"]), (scores(&alone), &alone["contenders"]));
    assert_ne!(asked(&beside), asked(&alone));
    let common = ["design", "--items", "items.csv", "--budget", "60", "--format", "table"];
    let text = out(&run(folder.path(), &[&common[..], &["--hint", "judge.csv", "--trust", "model"]].concat()));
    assert!(
        text.contains("judge.csv says what to ask first and counts as no vote; it is believed altogether."),
        "{text}"
    );
    assert!(text.contains("No width rests on it.\n") && text.contains("taken for the leader"), "{text}");
    // Neither people's own votes, nor a goal to which it cannot guide, nor trust in nothing.
    write("again.csv", &people);
    for (more, code, why) in [
        (&["--votes", "people.csv", "--hint", "people.csv"][..], 2, "votes need a file of their own"),
        (&["--votes", "people.csv", "--hint", "again.csv"], 3, "who is among the voters"),
        (&["--hint", "judge.csv", "--goal", "all"], 2, "goes with the goal winner"),
        (&["--trust", "model"], 2, "--hint"),
        (&["--hint", "nowhere.csv"], 3, "nowhere.csv"),
    ] {
        let refused = run(folder.path(), &[&common[..], more].concat());
        assert!(refused.status.code() == Some(code) && err(&refused).contains(why), "{more:?}: {}", err(&refused));
    }
}
