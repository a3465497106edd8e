//! `borduel find` with more than items: contexts to ask in, and hints of judges.

mod common;

use common::find::{home, items, rows, run};
use common::{User, answer};
use serde_json::Value;

/// A judge that writes down what it reads, and likes smaller items.
const WRITES_DOWN: &str = r#"while read -r line; do
printf '%s\n' "$line" >> asked.jsonl
q=${line#*\"q\":}; q=${q%%,*}
l=${line#*\"left\":\"}; l=${l%%\"*}
r=${line#*\"right\":\"}; r=${r%%\"*}
if [ "$l" -lt "$r" ]; then a=left; else a=right; fi
printf '{"q": %s, "answer": "%s"}\n' "$q" "$a"
done
"#;

#[test]
fn questions_are_asked_in_contexts_where_both_items_have_something_to_show() {
    let user = User::new();
    user.write("items.csv", &items());
    user.write("judge.sh", WRITES_DOWN);
    user.write("contexts.csv", "id,text\nk8s,How do pods talk?\nsql,\"Joins, please\"\ngit,\n");
    // Item 4 has a text for all contexts and one of its own; item 3 has nothing to show on git.
    let mut contents = "item,context,text\n4,,always\n4,sql,of four\n3,k8s,three\n3,sql,three\n".to_owned();
    for (item, context) in (0..3).flat_map(|item| ["k8s", "sql", "git"].map(|context| (item, context))) {
        contents += &format!("{item},{context},{item} on {context}\n");
    }
    user.write("contents.csv", &contents);
    let with = ["--contexts", "contexts.csv", "--contents", "contents.csv"];
    let first = run(&user, &[&with[..], &["--budget", "40", "--open", "1", "--until", "clear"]].concat());
    let asked = std::fs::read_to_string(user.path("asked.jsonl")).unwrap();
    let asked: Vec<Value> = asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut times = std::collections::BTreeMap::new();
    for question in &asked {
        let of = |key: &str| question[key].as_str();
        let (left, right, context) = (of("left").unwrap(), of("right").unwrap(), of("context").unwrap());
        *times.entry((left.min(right).to_owned(), left.max(right).to_owned(), context.to_owned())).or_insert(0) += 1;
        let text = match context {
            "k8s" => Some("How do pods talk?"),
            "sql" => Some("Joins, please"),
            _ => None,
        };
        assert_eq!(of("context_text"), text);
        for (item, key) in [(left, "left_text"), (right, "right_text")] {
            let shown = match (item, context) {
                ("4", "sql") => "of four".to_owned(),
                ("4", _) => "always".to_owned(),
                ("3", "git") => panic!("there is nothing to show: {question}"),
                ("3", _) => "three".to_owned(),
                _ => format!("{item} on {context}"),
            };
            assert_eq!(of(key), Some(shown.as_str()), "{question}");
        }
    }
    // A pair goes through its contexts before it comes back to one.
    for ((left, right, _), most) in &times {
        let contexts = if left == "3" || right == "3" { 2 } else { 3 };
        let of_pair: Vec<i32> =
            times.iter().filter(|(key, _)| (&key.0, &key.1) == (left, right)).map(|x| *x.1).collect();
        let least = if of_pair.len() < contexts { 0 } else { of_pair.iter().copied().min().unwrap() };
        assert!(most - least <= 1, "{left} and {right}: {of_pair:?}");
    }
    assert!(first.out.contains("on these 3 contexts"), "{}", first.out);
    assert!(first.out.contains("Fewer than 8 contexts hardly speak for others"), "{}", first.out);
    let log = std::fs::read_to_string(user.path("log.csv")).unwrap();
    assert!(log.starts_with("question,left,right,winner,context\n1,"), "{log}");
    // It goes on; and is not touched without its contexts, or with others.
    let next =
        run(&user, &[&with[..], &["--budget", "50", "--voter", "ann", "--about", "such", "--until", "clear"]].concat());
    assert!(next.out.contains("on contexts like these (3 seen)"), "{}", next.out);
    assert!(!next.out.contains("hardly speak"), "such were asked for: {}", next.out);
    let log = std::fs::read_to_string(user.path("log.csv")).unwrap();
    assert!(log.starts_with("question,left,right,winner,voter,context\n1,") && log.contains(",this judge,"), "{log}");
    let refused = run(&user, &[]);
    assert!(refused.code == 3 && refused.err.contains("name them with --contexts"), "{}", refused.err);
    user.write("contexts.csv", "id\nk8s\ngit\n");
    let refused = run(&user, &["--contexts", "contexts.csv"]);
    assert!(refused.code == 3 && refused.err.contains("is not one of --contexts"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(user.path("log.csv")).unwrap(), log);
    for (contexts, contents, says) in [
        ("name,id\n", "item,context,text\n", "at least one context"),
        ("id\na\na\n", "item,context,text\n", "twice"),
        ("what\na\n", "item,context,text\n", "has no column"),
        ("id\na\n", "item,context,text\n9,a,x\n", "content 1"),
        ("id\na\n", "item,context,text\n1,b,x\n", "is not one of --contexts"),
        ("id\na\n", "item,context,text\n1,a,\n", "neither text nor link nor image"),
        ("id\na\n", "item,context,text\n1,a,x\n1,a,y\n", "the second of"),
        ("id\na\n", "item,context,text\n1,a,x\n", "cannot be compared, even through others"),
    ] {
        user.write("contexts.csv", contexts);
        user.write("contents.csv", contents);
        let refused =
            answer(&user.command("find --items items.csv --votes other.csv --judge cat").args(with).output().unwrap());
        assert!(refused.code != 0 && refused.err.contains(says), "{says}: {}", refused.err);
    }
}

/// A context without a text is told by its name; a content is a text, or else a link, or else a picture.
#[test]
fn names_links_and_pictures_stand_where_there_is_no_text() {
    let user = User::new();
    user.write("items.csv", &items());
    user.write("judge.sh", WRITES_DOWN);
    user.write("contexts.csv", "id,name,text\nk8s,Kubernetes,How do pods talk?\nsql,Databases,\ngit,git,\nraw,,\n");
    let mut contents = "item,context,image,link,text\n".to_owned();
    for context in ["k8s", "sql", "git", "raw"] {
        contents += &format!("0,{context},{context}.png,https://x/{context},zero\n1,{context},a.png,https://y,\n");
        contents += &format!("2,{context},shot/{context}.png,,\n3,{context},,https://z/{context},\n");
    }
    user.write("contents.csv", &(contents + "4,,always.png,,\n"));
    let with = ["--contexts", "contexts.csv", "--contents", "contents.csv", "--budget", "60", "--open", "1"];
    let done = run(&user, &[&with[..], &["--until", "clear"]].concat());
    assert!([0, 4].contains(&done.code), "{}", done.err);
    let asked = std::fs::read_to_string(user.path("asked.jsonl")).unwrap();
    let mut told = std::collections::BTreeSet::new();
    for line in asked.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let context = question["context"].as_str().unwrap().to_owned();
        let said = match context.as_str() {
            "k8s" => Some("How do pods talk?"),
            "sql" => Some("Databases"),
            // A name that is the id says nothing more.
            _ => None,
        };
        assert_eq!(question.get("context_text").and_then(Value::as_str), said, "{question}");
        for side in ["left", "right"] {
            let item = question[side].as_str().unwrap().to_owned();
            let shown = match item.as_str() {
                "0" => "zero".to_owned(),
                "1" => "https://y".to_owned(),
                "2" => format!("shot/{context}.png"),
                "3" => format!("https://z/{context}"),
                _ => "always.png".to_owned(),
            };
            assert_eq!(question[format!("{side}_text")], shown, "{question}");
            told.insert((item, context.clone()));
        }
    }
    assert_eq!(told.len(), 20, "every item was shown in every context");
    // Contexts may be called by their names alone, and have links or pictures.
    for (contexts, said) in [("name,link\nk8s,https://k\n", "https://k"), ("id,image\nk8s,k.png\n", "k.png")] {
        for file in ["log.csv", "asked.jsonl"] {
            std::fs::remove_file(user.path(file)).unwrap();
        }
        user.write("contexts.csv", contexts);
        run(&user, &["--contexts", "contexts.csv", "--budget", "1", "--open", "1"]);
        let asked = std::fs::read_to_string(user.path("asked.jsonl")).unwrap();
        let question: Value = serde_json::from_str(asked.lines().next().unwrap()).unwrap();
        assert_eq!((&question["context"], &question["context_text"]), (&"k8s".into(), &said.into()));
        assert!(question.get("left_text").is_none(), "{question}");
    }
}

/// Ten thousand contexts, with an answer in each already: the next questions are asked soon, and where their pair was
/// not asked before.
#[test]
#[cfg(unix)]
fn ten_thousand_contexts_are_asked_in_soon() {
    let user = home(1);
    let (mut contexts, mut log) = ("id,text\n".to_owned(), "question,left,right,winner,context\n".to_owned());
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))).collect();
    let mut seen = std::collections::BTreeSet::new();
    for c in 0..10_000 {
        contexts += &format!("c{c},What is {c}?\n");
        let (i, j) = pairs[c * 7 % 10];
        let (left, right) = if c % 2 == 0 { (i, j) } else { (j, i) };
        // Nobody is better than anybody else.
        log += &format!("{},{left},{right},{},c{c}\n", c + 1, if c / 20 % 2 == 0 { "left" } else { "right" });
        seen.insert((i.to_string(), j.to_string(), format!("c{c}")));
    }
    user.write("contexts.csv", &contexts);
    user.write("log.csv", &log);
    let find = "find --items items.csv --votes log.csv --contexts contexts.csv --judge 'sh judge.sh' --open 1";
    let line = format!("\"$0\" {find} --until clear --margin 0.1 --budget 10060; times >&2");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_borduel")]).current_dir(user.path("."));
    let found = answer(&command.output().unwrap());
    assert!(found.out.contains("on contexts like these (10,000 seen)"), "{}{}", found.out, found.err);
    let rows = rows(&user);
    assert_eq!(rows.len(), 10_060);
    for row in &rows[10_000..] {
        let fields: Vec<&str> = row.split(',').collect();
        let (left, right, context) = (fields[1].to_owned(), fields[2].to_owned(), fields[4].to_owned());
        let question = (left.clone().min(right.clone()), left.max(right), context);
        assert!(seen.insert(question.clone()), "{question:?} was asked before");
    }
    // What the command and its judge took, in the second of two lines such as `0m0.010s 0m0.002s`.
    let told = found.err.lines().last().unwrap();
    let seconds = |time: &str| -> f64 {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    let took: f64 = told.split_whitespace().map(seconds).sum();
    assert!(took < 5.0, "{told}");
}

/// A log from before there were contexts goes on, and its answers count as those without one.
#[test]
fn an_old_log_gets_its_contexts() {
    let user = home(1);
    user.write("contexts.csv", "id\none\ntwo\n");
    user.write("log.csv", "question,left,right,winner\n1,0,1,left\n");
    let found = run(&user, &["--contexts", "contexts.csv", "--budget", "3", "--open", "1"]);
    assert_eq!(found.code, 4, "{}", found.err);
    let rows = rows(&user);
    assert_eq!((rows.len(), rows[0].as_str()), (3, "1,0,1,left,"));
    assert!(rows[1..].iter().all(|row| row.ends_with(",one") || row.ends_with(",two")), "{rows:?}");
}

#[test]
fn hints_guide_and_are_never_votes() {
    let user = home(1);
    // One judge gives scores, another one votes, of which every tenth is upside down; a third is mistaken on purpose.
    user.write("scores.csv", "item,score\n0,5\n1,4\n2,3\n3,2\n4,1\nnobody,9\n");
    let mut votes = "left,right,winner\n".to_owned();
    for vote in 0..200 {
        let (i, j) = (vote % 5, (vote + 1 + vote / 5 % 4) % 5);
        votes += &format!("{i},{j},{}\n", if (i < j) == (vote % 10 > 0) { "left" } else { "right" });
    }
    user.write("judge.csv", &votes);
    user.write("aimed.csv", "id,score\n0,0\n1,9\n2,3\n3,2\n4,1\n");
    for (hint, about, from) in [("scores.csv", 5, None), ("judge.csv", 5, Some(200.0)), ("aimed.csv", 5, None)] {
        let _ = std::fs::remove_file(user.path("log.csv"));
        let found = run(&user, &["--open", "4", "--hint", hint, "--format", "json"]);
        assert_eq!(found.code, 0, "{}", found.err);
        let object: Value = serde_json::from_str(&found.out).unwrap();
        assert_eq!(object["verdict"]["winners"][0], "0", "{hint}: {object}");
        assert_eq!(object["votes"].as_u64().unwrap() as usize, rows(&user).len());
        let told = &object["hints"][0];
        assert_eq!((&told["file"], &told["items"], told["votes"].as_f64()), (&hint.into(), &about.into(), from));
    }
    let text = run(&user, &["--hint", "aimed.csv", "--hint", "scores.csv", "-q"]).out;
    assert!(
        text.contains("2 hints guided whom to ask and count as no votes; no claim about two items rests"),
        "{text}"
    );
    assert!(text.contains("one parameter per item"), "{text}");
}

#[test]
fn hints_that_say_nothing_are_refused() {
    let user = home(1);
    user.write("same.csv", "item,score\n0,5\n1,5\n2,5\n");
    user.write("others.csv", "item,score\nx,5\ny,4\n");
    user.write("odd.csv", "item,score\n0,5\n1,much\n");
    let told = [
        ("same.csv", "says the same of all items"),
        ("others.csv", "fewer than two of the items"),
        ("odd.csv", "much"),
    ];
    for (hint, why) in told {
        let refused = run(&user, &["--hint", hint]);
        assert!(refused.code == 3 && refused.err.contains(why), "{hint}: {}", refused.err);
    }
    let refused = run(&user, &["--hint", "log.csv"]);
    assert!(refused.code == 2 && refused.err.contains("hint"), "{}", refused.err);
}

/// A person in plain shell: every question (a pair in a context) has an answer of its own, given but for some noise.
const IN_CONTEXTS: &str = r#"s=99
while read -r line; do
q=${line#*\"q\":}; q=${q%%,*}
l=${line#*\"left\":\"}; l=${l%%\"*}
r=${line#*\"right\":\"}; r=${r%%\"*}
c=${line#*\"context\":\"c}; c=${c%%\"*}
if [ "$l" -lt "$r" ]; then a=$l; b=$r; else a=$r; b=$l; fi
own=$(( (a * 31 + b * 17 + c * 7 + a * b * c) % 10 < 5 + b - a ))
s=$(( (s * 1103515245 + 12345 + q) % 2147483648 )); u=$(( s / 65536 % 100 ))
if [ "$u" -lt 6 ]; then own=$(( 1 - own )); fi
if [ "$l" -gt "$r" ]; then own=$(( 1 - own )); fi
if [ "$own" = 1 ]; then w=left; else w=right; fi
printf '{"q": %s, "answer": "%s"}\n' "$q" "$w"
done
"#;

/// A judge that answered the same questions, in all contexts, saves votes about these contexts and none about such.
#[test]
fn a_judge_that_answered_the_same_questions_saves_votes() {
    let user = home(1);
    user.write("judge.sh", IN_CONTEXTS);
    let (mut contexts, mut votes) = ("id\n".to_owned(), "left,right,winner,prompt\n".to_owned());
    for c in 0..10 {
        contexts += &format!("c{c}\n");
        for (a, b) in (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))) {
            let own = (a * 31 + b * 17 + c * 7 + a * b * c) % 10 < 5 + b - a;
            votes += &format!("{a},{b},{},c{c}\n", if own { "left" } else { "right" });
        }
    }
    user.write("contexts.csv", &contexts);
    user.write("hint.csv", &votes);
    let found = |more: &[&str]| {
        let _ = std::fs::remove_file(user.path("log.csv"));
        let with = ["--contexts", "contexts.csv", "--budget", "300", "--until", "clear", "--margin", "0.1", "-q"];
        run(&user, &[&with[..], more].concat())
    };
    let beside = ["--about", "these", "--hint", "hint.csv"];
    let object: Value = serde_json::from_str(&found(&[&beside[..], &["--format", "json"]].concat()).out).unwrap();
    let control = &object["control"];
    assert!(control["pairs"].as_u64().unwrap() >= 5 && control["saved"].as_f64().unwrap() > 0.2, "{object}");
    let text = found(&beside).out;
    assert!(
        text.contains("Answers of judges to the same questions, on ") && text.contains("counts as no vote"),
        "{text}"
    );
    for without in [&["--about", "such", "--hint", "hint.csv", "--format", "json"][..], &["--format", "json"]] {
        let object: Value = serde_json::from_str(&found(without).out).unwrap();
        assert!(object.get("control").is_none(), "{object}");
    }
}

/// A cheap judge in plain shell: it knows the answers of [`IN_CONTEXTS`].
fn cheap() -> String {
    IN_CONTEXTS.replace("if [ \"$u\" -lt 6 ]; then own=$(( 1 - own )); fi\n", "")
}

/// Who has both, with ten contexts.
fn home_of_two() -> User {
    let user = home(1);
    user.write("judge.sh", IN_CONTEXTS);
    user.write("cheap.sh", &cheap());
    user.write("contexts.csv", &(0..10).fold("id\n".to_owned(), |text, c| text + &format!("c{c}\n")));
    user
}

const CHEAP: [&str; 10] = [
    "--contexts",
    "contexts.csv",
    "--about",
    "these",
    "--cheap-judge",
    "sh cheap.sh",
    "--until",
    "clear",
    "--margin",
    "10",
];

/// The rows of the cheap judge's log: the pair, the smaller item first, and its context; without its header.
fn answered(user: &User) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(user.path("log.csv.judge.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("question,left,right,winner,voter,context,price,person_price"));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let (left, right) = (fields[1].min(fields[2]), fields[1].max(fields[2]));
        (format!("{left}{right}"), fields[5].to_owned())
    };
    lines.map(row).collect()
}

/// Whole pairs are asked of the cheap judge before people; its answers are kept apart, with their prices, and save.
#[test]
fn the_judge_first_people_where_it_matters() {
    let user = home_of_two();
    let alone = ["--contexts", "contexts.csv", "--about", "these", "--until", "clear", "--margin", "10", "--open", "1"];
    let alone = run(&user, &[&alone[..], &["--budget", "2000", "-q"]].concat());
    let without = rows(&user).len();
    std::fs::remove_file(user.path("log.csv")).unwrap();
    let more = ["--prices", "1,0.01", "--budget", "2000", "--open", "1", "--format", "json"];
    let found = run(&user, &[&CHEAP[..], &more].concat());
    assert!(found.err.contains(" questions to the cheap judge"), "{}", found.err);
    let object: Value = serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{} {}", found.out, alone.err));
    let (asked, votes) = (answered(&user), rows(&user).len());
    assert_eq!(object["votes"].as_u64().unwrap() as usize, votes, "the judge's answers are no votes");
    assert!(votes < without, "{votes} {without}");
    // Every pair is whole, and no question was asked twice.
    let once: std::collections::BTreeSet<_> = asked.iter().collect();
    let pairs: std::collections::BTreeSet<_> = asked.iter().map(|(pair, _)| pair).collect();
    assert_eq!((once.len(), 10 * pairs.len()), (asked.len(), asked.len()));
    let judge = &object["judge"];
    let number = |key: &str| judge[key].as_f64().unwrap();
    assert_eq!((number("answers"), number("contexts")), (asked.len() as f64, 10.0));
    assert_eq!(number("pairs"), pairs.len() as f64);
    assert!((number("cost") - 0.01 * asked.len() as f64).abs() < 1e-9 && number("people") == votes as f64, "{judge}");
    assert!(number("saves") > 0.0 && object["control"]["saved"].as_f64().unwrap() > 0.1, "{object}");
    // Other commands read the log as what it is: a judge's.
    let user_runs = |line: &str| answer(&user.command(line).output().unwrap());
    let ranked = user_runs("rank log.csv --hint log.csv.judge.csv --about these --quiet");
    assert!(ranked.code == 0 && ranked.out.contains("A hint, not counted as votes"), "{} {}", ranked.out, ranked.err);
    let judged = user_runs("judge log.csv log.csv.judge.csv --prices 1,0.01 --quiet");
    assert!(judged.code == 0 && judged.out.contains("Saving: "), "{} {}", judged.out, judged.err);
    // What it cost and saved is told in words, too.
    let text = run(&user, &[&CHEAP[..], &["--budget", "2000", "-q"]].concat()).out;
    let told =
        format!("The cheap judge gave {} answers, to {} pairs on all 10 contexts, for ", asked.len(), pairs.len());
    assert!(text.contains(&told) && text.contains("; without it theirs would have cost about "), "{text}");
}

/// Cut anywhere, both logs go on: what was answered is not asked again, and prices are those of the log.
#[test]
fn a_cheap_judge_goes_on_from_its_log() {
    let user = home_of_two();
    let short = [&CHEAP[..], &["--budget", "12", "--open", "3", "-q"]].concat();
    let refused = run(&user, &short);
    assert!(refused.code == 2 && refused.err.contains("needs --prices"), "{}", refused.err);
    let begun = run(&user, &[&short[..], &["--prices", "2,0.02"]].concat());
    assert_eq!(begun.code, 4, "{}", begun.err);
    let whole = std::fs::read_to_string(user.path("log.csv.judge.csv")).unwrap();
    let rows_before = whole.lines().count() - 1;
    assert!(rows_before >= 20 && whole.lines().nth(1).unwrap().ends_with(",0.02,2"), "{whole}");
    let kept: String = whole.split_inclusive('\n').take(14).collect();
    user.write("log.csv.judge.csv", &(kept.clone() + "99,0,"));
    let next = run(&user, &[&CHEAP[..], &["--budget", "24", "--open", "3"]].concat());
    assert!(next.code == 4 && next.err.contains("log.csv.judge.csv.torn"), "{}", next.err);
    let now = std::fs::read_to_string(user.path("log.csv.judge.csv")).unwrap();
    assert!(now.starts_with(&kept) && now.lines().last().unwrap().ends_with(",0.02,2"), "{now}");
    let asked = answered(&user);
    let once: std::collections::BTreeSet<_> = asked.iter().collect();
    assert_eq!((once.len(), asked.len() % 10), (asked.len(), 0));
    // A dear one is not asked.
    let dear = home_of_two();
    let more = ["--prices", "1,50", "--budget", "30", "--format", "json", "-q"];
    let object: Value = serde_json::from_str(&run(&dear, &[&CHEAP[..], &more].concat()).out).unwrap();
    assert_eq!((object["judge"]["answers"].as_u64(), answered(&dear).len()), (Some(0), 0));
}

#[test]
fn a_cheap_judge_that_could_not_save_is_refused() {
    let user = home_of_two();
    let base = ["--contexts", "contexts.csv", "--cheap-judge", "sh cheap.sh", "--prices", "1,0.01", "-q"];
    let refused = |more: &[&str], says: &str| {
        let refused = run(&user, &[&base[..], more].concat());
        assert!(refused.code == 2 && refused.err.contains(says), "{says}: {}", refused.err);
        assert!(!user.path("log.csv").exists() && !user.path("log.csv.judge.csv").exists(), "{says}");
    };
    refused(&[], "take --about these");
    refused(&["--about", "such"], "take --about these");
    refused(&["--about", "these", "--hint", "log.csv.judge.csv"], "is where the answers of --cheap-judge go");
    user.write("contexts.csv", "id\nc1\n");
    refused(&["--about", "these"], "with a single context");
    for (line, says) in [
        ("--cheap-judge true", "--contexts"),
        ("--contexts contexts.csv --prices 1,2", "--cheap-judge"),
        ("--contexts contexts.csv --cheap-judge true --prices 1", "needs two prices"),
        ("--contexts contexts.csv --cheap-judge true --prices 0,1", "above 0"),
    ] {
        let refused = run(&user, &line.split(' ').collect::<Vec<_>>());
        assert!(refused.code == 2 && refused.err.contains(says), "{says}: {}", refused.err);
    }
    // One that ends, or is not there, is told from the other one; what was answered is kept.
    let user = home_of_two();
    let gone =
        ["--contexts", "contexts.csv", "--about", "these", "--cheap-judge", "no-such-judge", "--prices", "1,0.01"];
    let refused = run(&user, &gone);
    assert!(refused.code == 3 && refused.err.contains("give --cheap-judge a program"), "{}", refused.err);
}
